#include "parfait/run/simulation/recorder.h"

#include <gtest/gtest.h>

#include <atomic>

#include "parfait/dynamics/formula_system.h"
#include "parfait/integrate/driver/integrator.h"

namespace parfait::run {
namespace recorder_test {

/// x = t, in a few steps that become longer and longer.
TEST(Recorder, LeavesTheRowsOfTheStepInWhichItIsStopped) {
  dynamics::FormulaModel model;
  model.state("x", 0, "1");
  const auto system = dynamics::make_formula_system(model);
  const auto workspace = system->make_workspace(0);
  std::atomic<bool> stop = false;
  integrate::Options options;
  options.stop = &stop;
  const auto times = make_grid(1, 1e-3);
  Recorder recorder(*system, {}, {}, {"x"}, times, options);
  recorder.set_on_row([&](const integrate::Sample& sample) { stop = sample.t > 0.5; });
  integrate::State state;
  state.y = {0};
  recorder.start(state);
  bool is_behind = false;
  integrate::Integrator integrator(*system, *workspace, {});
  integrator.run(state, 1, [&](const integrate::AcceptedStep& step) {
    recorder.add(step);
    is_behind = recorder.is_behind(step.t1);
    return !is_behind;
  });
  EXPECT_TRUE(is_behind);
  EXPECT_EQ(recorder.table().column("t").back(), times[501]);
}

}  // namespace recorder_test
}  // namespace parfait::run
