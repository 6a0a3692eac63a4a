#include "parfait/run/summary/saved_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parfait/base/error.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/job/test_scratch.h"

namespace parfait::run::saved_runs_test {
namespace {

const std::string kExamples = std::string(PARFAIT_SOURCE_DIR) + "/examples/";

TEST(SavedRuns, AFitIsReadBackAsItWasSaved) {
  const Scratch scratch("saved_fit");
  FitRequest request;
  request.file = kExamples + "pendulum/problem.xml";
  auto run = fit(request);
  save(run, scratch.path() / "a");
  EXPECT_EQ(saved_command(scratch.path() / "a"), "fit");
  const auto loaded = load_fit(scratch.path() / "a");
  // As texts: NaN is not equal to itself.
  EXPECT_EQ(io::result_text(loaded.result), io::result_text(run.result));
  EXPECT_EQ(loaded.timing, run.timing);
  ASSERT_EQ(loaded.tables.residuals.size(), 20U);
  EXPECT_EQ(loaded.tables.residuals, run.tables.residuals);
  EXPECT_EQ(loaded.tables.covariance, run.tables.covariance);
}

TEST(SavedRuns, ASimulationIsReadBackAsItWasSaved) {
  const Scratch scratch("saved_simulation");
  SimulationRequest request;
  request.file = kExamples + "pendulum/pendulum.xml";
  auto run = simulate(request);
  save(run, scratch.path() / "a");
  EXPECT_EQ(saved_command(scratch.path() / "a"), "simulate");
  const auto loaded = load_simulation(scratch.path() / "a");
  EXPECT_EQ(io::result_text(loaded.result), io::result_text(run.result));
  EXPECT_EQ(loaded.trajectory, run.trajectory);
  EXPECT_EQ(loaded.steps, run.steps);
}

TEST(SavedRuns, AFolderWithoutAResultIsRefused) {
  const Scratch scratch("saved_none");
  EXPECT_THAT([&] { load_fit(scratch.path()); },
              testing::ThrowsMessage<base::InputError>(testing::HasSubstr("has no result.json")));
}

}  // namespace
}  // namespace parfait::run::saved_runs_test
