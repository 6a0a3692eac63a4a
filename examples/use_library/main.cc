#include <cstdio>

#include "parfait/integrate/integrator.h"
#include "parfait/io/model_file.h"
#include "parfait/mbs/model.h"

// Where does the last body of a model without parameters stand after one second?
int main(int argc, char** argv) {
  const auto description = parfait::io::read_model(argc > 1 ? argv[1] : "model.xml");
  const auto model = parfait::mbs::build(description);
  const auto workspace = model->make_workspace(0);
  model->bind(*workspace, {});
  parfait::integrate::State state;
  state.y = model->initial_state();
  const auto result = parfait::integrate::Integrator(*model, *workspace).run(state, 1);
  const double* o = &state.y[12 * (description.bodies.size() - 1)];  // q = (o, e1, e2, e3) per body
  std::printf("%s; last origin (%.6f, %.6f, %.6f)\n", result.message().c_str(), o[0], o[1], o[2]);
}
