#include <algorithm>
#include <cmath>
#include <cstdio>

#include "parfait/simulate.h"

// How does an oscillation change with its frequency? x'' = -w^2 x, x(0) = 1 has the solution
// x = cos(w t), dx/dw = -t sin(w t), with which the simulation is compared.
int main() {
  parfait::FormulaModel described;
  described.state("x", 1, "v");
  described.state("v", 0, "-w^2 * x");
  described.parameter("w", 2);

  parfait::SimulationRequest request;
  request.model = parfait::make_model(described);  // or: request.file = "model.xml"
  request.set = {{"w", 3}};
  request.until = 5;
  request.observe = {"x"};
  request.sensitivity = {"w"};
  const auto run = parfait::simulate(request);
  std::printf("%s\n", run.result.verdict.message.c_str());

  const auto& t = run.trajectory.column("t");
  const auto& x = run.trajectory.column("x");
  const auto& dx_dw = run.trajectory.column("dx/dw");
  double error = 0, sensitivity_error = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    error = std::max(error, std::abs(x[i] - std::cos(3 * t[i])));
    sensitivity_error = std::max(sensitivity_error, std::abs(dx_dw[i] + t[i] * std::sin(3 * t[i])));
  }
  std::printf("%zu rows, error of x %.1e, of dx/dw %.1e\n", t.size(), error, sensitivity_error);
  return run.finished() && error < 1e-6 && sensitivity_error < 1e-5 ? 0 : 1;
}
