#include "parfait/math/active_set.h"

#include <gtest/gtest.h>

#include "parfait/math/test_random_matrix.h"

namespace parfait::math {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Status = ActiveSetResult::Status;

struct RandomProblem {
  explicit RandomProblem(unsigned seed)
      : J1(random_matrix(10, 6, seed)),
        J2(random_matrix(1, 6, 3000 + seed)),
        J3(random_matrix(8, 6, 6000 + seed)),
        r1(random_matrix(10, 1, 9000 + seed)),
        r2(random_matrix(1, 1, 12000 + seed)),
        r3(random_matrix(8, 1, 15000 + seed)) {}

  ActiveSetResult solve(const std::vector<int>& warm_start = {}) const {
    return solve_active_set(J1, r1, J2, r2, J3, r3, warm_start);
  }

  MatrixXd J1, J2, J3;
  VectorXd r1, r2, r3;
};

TEST(ActiveSet, ObeysTheOptimalityConditionsFromColdAndWarmStarts) {
  int active = 0, infeasible = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const RandomProblem problem(seed);
    const auto& [J1, J2, J3, r1, r2, r3] = problem;
    const ActiveSetResult result = problem.solve();
    if (result.status == Status::kInfeasible) {
      ++infeasible;
      continue;
    }
    ASSERT_EQ(result.status, Status::kSolved) << seed;
    const VectorXd& x = result.x;
    // Nearly dependent active rows push x far out (up to 1e3) and multipliers up (to 1e6): errors
    // are those of evaluating a row at x, and of adding up the terms of the gradient.
    const double rounding = 1e-13 * (1 + x.norm());
    EXPECT_NEAR((J2 * x + r2).norm(), 0, rounding);
    EXPECT_GE(result.multipliers.minCoeff(), 0);
    for (int i = 0; i < 8; ++i) {
      const double slack = J3.row(i).dot(x) + r3[i];
      EXPECT_GT(slack, -10 * rounding) << seed;
      if (result.multipliers[i] > 0) {
        EXPECT_LT(slack, 10 * rounding) << seed;
      }
    }
    // J1^T (J1 x + r1) - J3^T mu lies in the range of J2^T.
    const VectorXd terms = J1.transpose() * (J1 * x + r1);
    VectorXd gradient = terms - J3.transpose() * result.multipliers;
    const VectorXd row = J2.row(0).transpose().normalized();
    gradient -= row * row.dot(gradient);
    EXPECT_LT(gradient.norm(), 1e-11 * (1 + terms.norm() + result.multipliers.norm())) << seed;
    active += static_cast<int>(result.active.size());

    const ActiveSetResult again = problem.solve(result.active);
    EXPECT_EQ(again.iterations, 0) << seed;
    EXPECT_EQ(again.active, result.active);
    EXPECT_LT((again.x - x).norm(), 1e-9 * (1 + x.norm()));
  }
  EXPECT_GT(active, 100);
  EXPECT_GT(infeasible, 0);
  EXPECT_LT(infeasible, 50);
}

TEST(ActiveSet, AWrongWarmStartChangesNothing) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const RandomProblem problem(seed);
    const ActiveSetResult cold = problem.solve();
    if (cold.status != Status::kSolved) continue;
    for (const std::vector<int>& start : {std::vector<int>{0, 3}, {1, 2, 4, 5, 6, 7}, {99}}) {
      const ActiveSetResult warm = problem.solve(start);
      ASSERT_EQ(warm.status, Status::kSolved);
      EXPECT_EQ(warm.active, cold.active) << seed;
    }
  }
}

TEST(ActiveSet, BoundsThatCrossAreInfeasible) {
  const Eigen::Vector2d J3(1, -1), r3(-2, 1);  // x >= 2, x <= 1
  const ActiveSetResult result = solve_active_set(MatrixXd::Ones(1, 1), VectorXd::Ones(1),
                                                  MatrixXd(0, 1), VectorXd(0), J3, r3);
  EXPECT_EQ(result.status, Status::kInfeasible);
}

TEST(ActiveSet, EquationsThatContradictEachOtherAreInfeasible) {
  const ActiveSetResult result =
      solve_active_set(MatrixXd::Ones(1, 1), VectorXd::Ones(1), Eigen::Vector2d(1, 2),
                       Eigen::Vector2d(1, 2.1), MatrixXd(0, 1), VectorXd(0));
  EXPECT_EQ(result.status, Status::kInfeasible);
}

}  // namespace
}  // namespace parfait::math
