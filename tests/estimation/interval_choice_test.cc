#include "parfait/estimate/starts/interval_choice.h"

#include <gtest/gtest.h>

#include <cmath>

#include "build.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/fit/synthesize.h"
#include "problems.h"

// Shooting intervals chosen from the growth of errors.
namespace parfait::estimation::interval_choice_test {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

TEST(IntervalChoice, AStableModelNearTheDataKeepsOneInterval) {
  dynamics::FormulaModel model;
  model.parameter("k", 1);
  model.state("x", 1, "-k * x");
  Problem problem;
  problem.estimates = {{.parameter = "k", .initial = 0.8, .truth = 1}};
  problem.experiments.push_back(
      dynamic_experiment("run", model, times(0, 3, 16), {{"eta", "x"}}, 0.01));
  problem = synthesize(problem, 1);
  const auto choices = choose_intervals(problem);
  ASSERT_EQ(choices.size(), 1U);
  EXPECT_EQ(choices[0].intervals, 1);
  EXPECT_TRUE(choices[0].why.empty()) << choices[0].why;
  EXPECT_LE(choices[0].growth, 1.01);
  EXPECT_EQ(problem.experiments[0].grid.intervals, 1);
}

TEST(IntervalChoice, GrowthIsThatOfTheModelOverAnInterval) {
  // Along x = c sin t a change grows by e^(9 T), below 100 for T < 0.51: 4 s need 8 intervals.
  dynamics::FormulaModel model;
  model.parameter("c", 1);
  model.state("x", 0, "9 * (x - c * sin(t)) + c * cos(t)");
  Problem problem;
  problem.estimates = {{.parameter = "c", .initial = 1, .truth = 1}};
  problem.experiments.push_back(
      dynamic_experiment("run", model, times(0, 4, 401), {{"eta", "x"}}, 1e-5));
  auto& eta = column(problem.experiments[0], "eta");
  for (std::size_t i = 0; i < eta.size(); ++i) eta[i] = std::sin(0.01 * static_cast<double>(i));
  const auto choices = choose_intervals(problem);
  ASSERT_EQ(choices.size(), 1U);
  EXPECT_EQ(choices[0].intervals, 8);
  EXPECT_NEAR(choices[0].growth, std::exp(9 * 0.5), 1e-3 * std::exp(9 * 0.5));
  EXPECT_EQ(choices[0].nodes, Grid::Nodes::kMeasured);
}

TEST(IntervalChoice, SolvesWhatSingleShootingCannot) {
  // Bock's unstable problem: over one interval a change grows by e^60.
  Problem problem = bock_problem(/*measure_both=*/true, 1);
  problem.experiments[0].grid = {};
  const FitResult single = fit(problem);
  EXPECT_FALSE(single.converged());
  const auto choices = choose_intervals(problem);
  EXPECT_GT(choices[0].intervals, 4);
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged()) << result.iteration.message << "; " << choices[0].text();
  EXPECT_NEAR(value(result, "p"), M_PI, 4 * find(result, "p").statistics.sd);
}

TEST(IntervalChoice, FindsTheFrequencyOfAnOscillationFromAWrongOne) {
  dynamics::FormulaModel model;
  model.parameter("w", 3);
  model.state("x", 1, "w * y");
  model.state("y", 0, "-w * x");
  Problem problem;
  problem.estimates = {{.parameter = "w", .initial = 2, .truth = 3}};
  problem.experiments.push_back(
      dynamic_experiment("run", model, times(0, 10, 101), {{"x", "x"}, {"y", "y"}}, 0.05));
  problem = synthesize(problem, 2);
  const FitResult single = fit(problem);
  EXPECT_GT(std::abs(value(single, "w") - 3), 0.1);  // another minimum
  const auto choices = choose_intervals(problem);
  EXPECT_GT(choices[0].intervals, 4);
  EXPECT_LE(choices[0].deviation, 0.5);
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  EXPECT_NEAR(value(result, "w"), 3, 5 * find(result, "w").statistics.sd);
}

}  // namespace
}  // namespace parfait::estimation::interval_choice_test
