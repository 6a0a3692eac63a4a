#include <gtest/gtest.h>

#include "parfait/estimate/linear/linear_fit.h"
#include "parfait/estimate/linear/test_blocks.h"
#include "parfait/math/active_set.h"

namespace parfait::estimate {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Status = LinearFit::Status;

const std::vector<BlockSizes> kActiveBlocks = {
    {.local = 3, .data = 8, .equations = 1, .inequalities = 4},
    {.local = 4, .data = 9, .equations = 0, .inequalities = 3},
    {.local = 0, .data = 0, .equations = 0, .inequalities = 3},
    {.local = 2, .data = 5, .equations = 1, .inequalities = 0}};

int num_active(const LinearFit& fit) {
  int sum = 0;
  for (const auto& list : fit.working_set().active) sum += static_cast<int>(list.size());
  return sum;
}

TEST(LinearFitInequalities, OptimalityConditionsHoldAndWarmStartsAgree) {
  int active = 0, infeasible = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const TestBlocks test(seed, 3, kActiveBlocks);
    const DenseProblem problem(test.blocks);
    LinearFit fit;
    const Status status = fit.factorize(test.blocks);
    if (status == Status::kInfeasible) {
      ++infeasible;
      const auto dense_result = math::solve_active_set(problem.J1, problem.r1, problem.J2,
                                                       problem.r2, problem.J3, problem.r3);
      EXPECT_EQ(dense_result.status, math::ActiveSetResult::Status::kInfeasible);
      continue;
    }
    ASSERT_EQ(status, Status::kSolved) << seed;
    const VectorXd x = dense(fit.solution());
    const VectorXd lambda = dense(fit.multipliers(), Part::kEquations);
    const VectorXd mu = dense(fit.multipliers(), Part::kInequalities);
    const VectorXd slack = problem.J3 * x + problem.r3;
    const double rounding = 1e-11 * (1 + x.norm());
    EXPECT_LT((problem.J2 * x + problem.r2).norm(), rounding) << seed;
    EXPECT_GT(slack.minCoeff(), -5 * rounding) << seed;
    const double scale = 1 + mu.norm() + lambda.norm();
    EXPECT_GT(mu.minCoeff(), -1e-11 * scale) << seed;
    for (Index i = 0; i < mu.size(); ++i) {
      if (mu[i] != 0) {
        EXPECT_LT(slack[i], 5 * rounding) << seed;
      }
    }
    const VectorXd gradient = problem.J1.transpose() * (problem.J1 * x + problem.r1);
    EXPECT_LT((gradient - problem.J2.transpose() * lambda - problem.J3.transpose() * mu).norm(),
              1e-10 * scale)
        << seed;
    active += num_active(fit);

    LinearFit again;
    ASSERT_EQ(again.factorize(test.blocks, {}, fit.working_set()), Status::kSolved);
    EXPECT_EQ(again.working_set().active, fit.working_set().active);
  }
  EXPECT_GT(active, 300);
  EXPECT_GT(infeasible, 2);
  EXPECT_LT(infeasible, 60);
}

TEST(LinearFitInequalities, TheWorkingSetStaysFrozenForOtherRightHandSides) {
  TestBlocks test(5, 3, kActiveBlocks);
  LinearFit fit;
  ASSERT_EQ(fit.factorize(test.blocks), Status::kSolved);
  ASSERT_GT(num_active(fit), 1);
  const auto rights = test.new_right_sides();
  const LinearSolution solution = fit.solve(rights);
  // The active rows hold as equations; solve() is linear.
  for (std::size_t e = 0; e < test.blocks.size(); ++e) {
    for (int i : fit.working_set().active[e]) {
      EXPECT_NEAR(test.blocks[e].E.row(i).dot(solution.xi[e]) +
                      test.blocks[e].F.row(i).dot(solution.p) + rights[e].e[i],
                  0, 1e-11);
    }
  }
  std::vector<RightSide> sum = right_sides(test.blocks);
  for (std::size_t e = 0; e < sum.size(); ++e) {
    sum[e].b += 2 * rights[e].b;
    sum[e].c += 2 * rights[e].c;
    sum[e].e += 2 * rights[e].e;
  }
  const VectorXd expected = dense(fit.solution()) + 2 * dense(solution);
  EXPECT_LT((dense(fit.solve(sum)) - expected).norm(), 1e-11 * expected.norm());
}

TEST(LinearFitInequalities, AnActiveBoundTakesAwayItsVariance) {
  TestBlocks test(5, 2, {{.local = 2, .data = 9, .equations = 0}, {.local = 0, .data = 0}});
  LinearFit fit;
  ASSERT_EQ(fit.factorize(test.blocks), Status::kSolved);
  const double free = fit.solution().p[0];
  test.blocks[1] = Block::zero(0, 2, 0, 0, 1);
  test.blocks[1].F << 1, 0;
  test.blocks[1].right.e << -(free + 0.5);  // p_1 >= free + 0.5
  ASSERT_EQ(fit.factorize(test.blocks), Status::kSolved);
  EXPECT_NEAR(fit.solution().p[0], free + 0.5, 1e-13);
  EXPECT_EQ(fit.num_free(), 3);
  EXPECT_NEAR(fit.covariance_shared()(0, 0), 0, 1e-28);
  EXPECT_GT(fit.covariance_shared()(1, 1), 0.01);
  EXPECT_GT(fit.multipliers()[1].inequalities[0], 0);
}

TEST(LinearFitInequalities, BoundsThatCrossAreInfeasible) {
  TestBlocks test(5, 2, {{.local = 2, .data = 9, .equations = 0}, {.local = 0, .data = 0}});
  test.blocks[1] = Block::zero(0, 2, 0, 0, 2);
  test.blocks[1].F << 1, 0, -1, 0;
  test.blocks[1].right.e << -2, 1;  // p_1 >= 2, p_1 <= 1
  LinearFit fit;
  EXPECT_EQ(fit.factorize(test.blocks), Status::kInfeasible);
}

TEST(LinearFitInequalities, TheSameBoundTwiceIsNoObstacle) {
  TestBlocks test(5, 2, {{.local = 2, .data = 9, .equations = 0}, {.local = 0, .data = 0}});
  test.blocks[1] = Block::zero(0, 2, 0, 0, 3);
  test.blocks[1].F << 1, 0, 2, 0, 1, 1e-14;
  test.blocks[1].right.e << -5, -10, -5;  // p_1 >= 5, three times
  LinearFit fit;
  ASSERT_EQ(fit.factorize(test.blocks), Status::kSolved);
  EXPECT_NEAR(fit.solution().p[0], 5, 1e-12);
  EXPECT_EQ(num_active(fit), 1);
  EXPECT_EQ(fit.num_free(), 3);
}

TEST(LinearFitInequalities, UndeterminedParametersStayWithinTheirBounds) {
  // p_1 + p_2 is measured to be 3; the shortest solution (1.5, 1.5) is forbidden by p_1 >= 2.
  Block data = Block::zero(0, 2, 1, 0, 0);
  data.B << 1, 1;
  data.right.b << -3;
  Block bound = Block::zero(0, 2, 0, 0, 1);
  bound.F << 1, 0;
  bound.right.e << -2;
  LinearFit fit;
  ASSERT_EQ(fit.factorize(std::vector{data, bound}), Status::kSolved);
  EXPECT_NEAR(fit.solution().p[0], 2, 1e-13);
  EXPECT_NEAR(fit.solution().p[1], 1, 1e-13);
}

}  // namespace
}  // namespace parfait::estimate
