// The right-hand side and its directions, system by system. Names are <what>/<system>/<bodies> and
// directions/<system>/<bodies>/<directions>. Every benchmark checks its answer before it is timed.

#include <benchmark/benchmark.h>

#include <ctime>
#include <exception>
#include <functional>

#include "models.h"
#include "parfait_run.h"

namespace parfait::bench {
namespace {

using Builder = mechanism::Description (*)(int n, double phase);

bool failed = false;  // a wrong answer must not end in exit code 0

void guarded(benchmark::State& state, const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& error) {
    failed = true;
    state.SkipWithError(error.what());
  }
}

double nanoseconds_since(std::clock_t start) {
  return 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Runs the benchmark's loop; nanoseconds of processor time per call. (The library's own rate
/// counters print seconds.)
template <class Call>
double nanoseconds_per_call(benchmark::State& state, const Call& call) {
  const std::clock_t start = std::clock();
  for (auto _ : state) {
    call();
    benchmark::ClobberMemory();
  }
  return nanoseconds_since(start) / static_cast<double>(state.iterations());
}

void time_right_hand_side(benchmark::State& state, Builder build, int bodies_per_unit) {
  guarded(state, [&] {
    const int num_bodies = static_cast<int>(state.range(0));
    Run run(build(num_bodies / bodies_per_unit, 0));
    check_right_hand_side(run);
    state.counters["ns_per_body"] =
        nanoseconds_per_call(state, [&] { run.evaluate(); }) / num_bodies;
  });
}

/// Kraus's directions: of the joint motions, and last the gravity constant.
void time_directions(benchmark::State& state, Builder build) {
  guarded(state, [&] {
    const int num_bodies = static_cast<int>(state.range(0));
    const int k = static_cast<int>(state.range(1));
    Run run(with_gravity_parameter(build(num_bodies, 0)), k);
    check_right_hand_side(run);
    const math::Directions dy = joint_directions(run.description, k, k > 1 ? 1 : 0);
    math::Directions dp(1, k), ddydt(run.model->sizes().ny(), k);
    dp(0, k - 1) = 1;
    run.model->bind_directions(*run.workspace, dp);
    run.directions(dy, ddydt);
    check_directions(run, dy, dp, ddydt);
    run.model->bind_directions(*run.workspace, dp);
    // The first directions at a point pay for its preparation. So that they always do, each follows
    // a right-hand side, whose own share is measured before and subtracted.
    const std::clock_t start = std::clock();
    for (benchmark::IterationCount i = 0; i < state.max_iterations; ++i) run.evaluate();
    const double evaluation = nanoseconds_since(start) / static_cast<double>(state.max_iterations);
    const double both = nanoseconds_per_call(state, [&] {
      run.evaluate();
      run.directions(dy, ddydt);
    });
    state.counters["ns_per_body_direction"] = (both - evaluation) / (num_bodies * k);
  });
}

BENCHMARK_CAPTURE(time_right_hand_side, revolute_chain, revolute_chain, 1)
    ->Name("rhs/revolute_chain")
    ->ArgsProduct({{1, 3, 5, 10, 20, 30, 50, 100, 300}});
BENCHMARK_CAPTURE(time_right_hand_side, spherical_chain, spherical_chain, 1)
    ->Name("rhs/spherical_chain")
    ->ArgsProduct({{1, 3, 5, 10, 20, 30, 50, 100, 300}});
BENCHMARK_CAPTURE(time_right_hand_side, tree, tree, 3)
    ->Name("rhs/tree")
    ->ArgsProduct({{15, 30, 45}});
BENCHMARK_CAPTURE(time_right_hand_side, loop, loop, 5)
    ->Name("rhs/loop")
    ->ArgsProduct({{5, 10, 15, 50, 100}});
BENCHMARK_CAPTURE(time_directions, revolute_chain, revolute_chain)
    ->Name("directions/revolute_chain")
    ->ArgsProduct({{10, 30, 100}, {1, 4, 8, 16, 64}});
BENCHMARK_CAPTURE(time_directions, spherical_chain, spherical_chain)
    ->Name("directions/spherical_chain")
    ->ArgsProduct({{10, 30, 100}, {1, 4, 8, 16, 64}});

}  // namespace
}  // namespace parfait::bench

int main(int argc, char** argv) {
  benchmark::AddCustomContext("parfait", PARFAIT_VERSION);
  benchmark::AddCustomContext("compiler", PARFAIT_COMPILER);
  benchmark::AddCustomContext("flags", PARFAIT_FLAGS);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return parfait::bench::failed ? 1 : 0;
}
