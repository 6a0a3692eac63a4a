#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "build.h"
#include "problems.h"

// Bock's unstable problem (errors grow by e^60) on other grids than the published one.
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

constexpr double kBoth = 3.14603987089008268, kFirst = 3.1440545722124041;  // closed form

TEST(UnstableProblem, TenAndFortyIntervalsGiveTheSameEstimate) {
  for (int intervals : {10, 40}) {
    const FitResult result = fit(bock_problem(true, intervals));
    ASSERT_TRUE(result.converged()) << intervals << ": " << result.iteration.message;
    std::printf("  %d intervals: %d iterations, error %.1e\n", intervals,
                result.iteration.iterations, value(result, "p") - kBoth);
    EXPECT_LE(result.iteration.iterations, 7);
    EXPECT_NEAR(value(result, "p"), kBoth, 1e-8);
    EXPECT_NEAR(find(result, "p").statistics.sd, 0.00645568856597, 1e-9);
    EXPECT_NEAR(result.objective, 33.066381655151, 1e-7);
  }
}

TEST(UnstableProblem, NodesByProjectionConvergeWhereBothStatesAreMeasured) {
  for (const auto nodes : {Grid::Nodes::kProject, Grid::Nodes::kAverage}) {
    Problem problem = bock_problem(true, 20);
    problem.experiments[0].grid.nodes = nodes;
    // Errors of the integrated state grow by e^3 from node to node: 0.02 e^3 < 1.
    problem.experiments[0].grid.weight = 0.98;
    const FitResult result = fit(problem);
    ASSERT_TRUE(result.converged()) << result.iteration.message;
    std::printf("  %s: %d iterations\n", nodes == Grid::Nodes::kProject ? "projected" : "averaged",
                result.iteration.iterations);
    EXPECT_LE(result.iteration.iterations, 8);
    EXPECT_NEAR(value(result, "p"), kBoth, 1e-8);
  }
}

TEST(UnstableProblem, ProjectionCannotHoldAStateThatIsNotMeasuredAndGrows) {
  Problem problem = bock_problem(false, 20);
  problem.experiments[0].grid.nodes = Grid::Nodes::kProject;
  const FitResult result = fit(problem);
  EXPECT_FALSE(result.converged());
  EXPECT_NE(result.iteration.message.find("interval"), std::string::npos)
      << result.iteration.message;
}

TEST(UnstableProblem, AnEndNodeChangesNothing) {
  Problem problem = bock_problem(true, 20);
  problem.experiments[0].grid.end_node = true;
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  EXPECT_EQ(result.experiments[0].node_times.size(), 21U);
  EXPECT_NEAR(value(result, "p"), kBoth, 1e-8);
  EXPECT_NEAR(find(result, "p").statistics.sd, 0.00645568856597, 1e-9);
}

TEST(UnstableProblem, NodesAtUnequalTimesGiveTheSameEstimate) {
  Problem problem = bock_problem(true, 20);
  auto& grid = problem.experiments[0].grid;
  for (int i = 0; i < 20; ++i) grid.times.push_back(0.05 * i + (i % 2 == 0 ? 0 : 0.02));
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  EXPECT_NEAR(value(result, "p"), kBoth, 1e-8);
}

}  // namespace
}  // namespace parfait::estimation
