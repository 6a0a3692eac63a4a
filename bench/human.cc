// The sitting human of examples/sitting_human: 28 bodies, 46 forces. Right-hand side, 16
// directions, five seconds of motion; processor time of one core. Answers are checked before they
// are timed.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ctime>

#include "parfait/integrate/driver/integrator.h"
#include "parfait/io/model/model_file.h"
#include "parfait/mbs/model.h"

namespace parfait::bench {
namespace {

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Processor time of one call [us]: the least of several batches, since others disturb.
template <class Call>
double microseconds(int calls, const Call& call) {
  double least = 1e300;
  for (int batch = 0; batch < 15; ++batch) {
    const double start = seconds();
    for (int i = 0; i < calls; ++i) call();
    least = std::fmin(least, (seconds() - start) / calls);
  }
  return 1e6 * least;
}

int run() {
  const auto model = mbs::build(io::read_model(std::string(PARFAIT_SOURCE_DIR) +
                                               "/examples/sitting_human/sitting_human.xml"));
  constexpr int k = 16;
  const auto workspace = model->make_workspace(k);
  std::vector<double> p;
  for (const auto& parameter : model->parameters()) p.push_back(parameter.initial);
  model->bind(*workspace, p);

  // Away from the start, where nothing moves.
  integrate::State state;
  state.y = model->initial_state();
  integrate::Options options;
  options.rtol = 1e-6;
  options.atol = 1e-8;
  integrate::Integrator integrator(*model, *workspace, options);
  const double begin = seconds();
  const auto result =
      integrator.run(state, 5.0, [](const integrate::AcceptedStep&) { return true; });
  const double simulated = seconds() - begin;
  if (!result.finished()) {
    fmt::print("the simulation did not finish\n");
    return EXIT_FAILURE;
  }

  std::vector<double> dydt(static_cast<std::size_t>(model->sizes().ny()));
  const dynamics::Point at{.t = state.t, .y = state.y, .z = {}, .mode = state.mode, .offset = {}};
  const double rhs = microseconds(2000, [&] { model->evaluate(*workspace, at, dydt, {}); });

  const int ny = model->sizes().ny(), np = model->sizes().np;
  math::Directions dp(np, k), dy(ny, k), ddydt(ny, k);
  for (int j = 0; j < np && j < k; ++j) dp(j, j) = std::fmax(std::abs(p[j]), 1e-2);
  for (int i = 0; i < ny; ++i) {
    for (int j = 0; j < k; ++j) dy(i, j) = 0.01 * std::sin(1.0 + 7 * i + 3 * j);
  }
  model->bind_directions(*workspace, dp);
  const dynamics::PointDirections along{.dt = {}, .dy = &dy};
  const double both = microseconds(500, [&] {
    model->evaluate(*workspace, at, dydt, {});
    model->directions(*workspace, along, ddydt, nullptr);
  });
  for (double x : dydt) {
    if (!std::isfinite(x)) return EXIT_FAILURE;
  }
  fmt::print("right-hand side            {:8.2f} us   (target 6)\n", rhs);
  fmt::print("16 directions more         {:8.2f} us   (target 30)\n", both - rhs);
  fmt::print(
      "5 s at rtol 1e-6           {:8.3f} s    (target 1), {} steps, {} evaluations, {} events\n",
      simulated, result.statistics.steps, result.statistics.evaluations, result.events.size());
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace parfait::bench

int main() {
  return parfait::bench::run();
}
