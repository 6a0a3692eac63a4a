#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "parfait/estimate/linear/linear_fit.h"
#include "parfait/estimate/linear/linear_program.h"
#include "parfait/estimate/linear/test_blocks.h"
#include "parfait/math/dense_solves.h"
#include "parfait/math/finite.h"

namespace parfait::estimate {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Status = LinearFit::Status;

const std::vector<BlockSizes> kNormBlocks = {
    {.local = 1, .data = 5, .equations = 0, .inequalities = 1},
    {.local = 2, .data = 5, .equations = 1, .inequalities = 1},
    {.local = 0, .data = 1, .equations = 0, .inequalities = 1}};

/// Calls visit(rows) for all subsets of `count` out of `n` rows.
void for_subsets(Index n, Index count, const auto& visit) {
  std::vector<bool> chosen(n, false);
  std::fill(chosen.begin(), chosen.begin() + count, true);
  do {
    std::vector<Index> rows;
    for (Index i = 0; i < n; ++i) {
      if (chosen[i]) rows.push_back(i);
    }
    visit(rows);
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
}

/// The smallest l1 norm over all vertices: points at which as many rows of data and inequalities
/// vanish as the equations leave variables free. Infinite if none is feasible.
double l1_by_enumeration(const DenseProblem& p, VectorXd& best) {
  const Index n = p.J1.cols(), m2 = p.J2.rows();
  MatrixXd rows(p.J1.rows() + p.J3.rows(), n);
  rows << p.J1, p.J3;
  VectorXd sides(rows.rows());
  sides << p.r1, p.r3;
  double smallest = std::numeric_limits<double>::infinity();
  for_subsets(rows.rows(), n - m2, [&](const std::vector<Index>& chosen) {
    MatrixXd M(n, n);
    VectorXd c(n);
    M << p.J2, rows(chosen, Eigen::all);
    c << p.r2, sides(chosen);
    const VectorXd x = -math::solve_lu(M, c);
    if (p.J3.rows() > 0 && (p.J3 * x + p.r3).minCoeff() < -1e-9) return;
    const double value = (p.J1 * x + p.r1).lpNorm<1>();
    if (value < smallest) {
      smallest = value;
      best = x;
    }
  });
  return smallest;
}

/// The same for the largest residual: n + 1 - m2 rows out of r - tau, r + tau, and inequalities.
double linf_by_enumeration(const DenseProblem& p, VectorXd& best) {
  const Index n = p.J1.cols(), m = p.J1.rows(), m2 = p.J2.rows();
  MatrixXd rows = MatrixXd::Zero(2 * m + p.J3.rows(), n + 1);
  rows.leftCols(n) << p.J1, p.J1, p.J3;
  rows.col(n).head(m).setConstant(-1);
  rows.col(n).segment(m, m).setConstant(1);
  VectorXd sides(rows.rows());
  sides << p.r1, p.r1, p.r3;
  double smallest = std::numeric_limits<double>::infinity();
  for_subsets(rows.rows(), n + 1 - m2, [&](const std::vector<Index>& chosen) {
    MatrixXd M = MatrixXd::Zero(n + 1, n + 1);
    VectorXd c(n + 1);
    M.topLeftCorner(m2, n) = p.J2;
    M.bottomRows(n + 1 - m2) = rows(chosen, Eigen::all);
    c << p.r2, sides(chosen);
    const VectorXd x = -math::solve_lu(M, c);
    const double tau = x[n];  // not finite where the rows depend on each other
    if (!math::all_finite(x) || tau >= smallest) return;
    if ((p.J1 * x.head(n) + p.r1).lpNorm<Eigen::Infinity>() > tau + 1e-9) return;
    if (p.J3.rows() > 0 && (p.J3 * x.head(n) + p.r3).minCoeff() < -1e-9) return;
    smallest = tau;
    best = x.head(n);
  });
  return smallest;
}

int num_rows(const std::vector<std::vector<int>>& lists) {
  return std::accumulate(lists.begin(), lists.end(), 0, [](int sum, const auto& list) {
    return sum + static_cast<int>(list.size());
  });
}

TEST(L1, IsTheBestOfAllVertices) {
  int active = 0, infeasible = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const TestBlocks test(seed, 2, kNormBlocks);
    const DenseProblem problem(test.blocks);
    VectorXd expected;
    const double smallest = l1_by_enumeration(problem, expected);
    LinearFit fit;
    const Status status = fit.factorize(test.blocks, {.norm = Norm::kL1});
    if (std::isinf(smallest)) {
      EXPECT_EQ(status, Status::kInfeasible);
      ++infeasible;
      continue;
    }
    ASSERT_EQ(status, Status::kSolved) << seed;
    const VectorXd x = dense(fit.solution());
    EXPECT_LT((x - expected).norm(), 1e-10 * (1 + expected.norm())) << seed;
    EXPECT_NEAR((problem.J1 * x + problem.r1).lpNorm<1>(), smallest, 1e-10 * (1 + smallest));
    // As many residuals vanish as equations and active inequalities leave variables free.
    EXPECT_EQ(num_rows(fit.working_set().vanishing), fit.num_free()) << seed;
    for (std::size_t e = 0; e < test.blocks.size(); ++e) {
      const Block& block = test.blocks[e];
      const VectorXd r =
          block.A * fit.solution().xi[e] + block.B * fit.solution().p + block.right.b;
      for (int i : fit.working_set().vanishing[e]) EXPECT_NEAR(r[i], 0, 1e-10) << seed;
    }
    active += num_rows(fit.working_set().active);
  }
  EXPECT_GT(active, 10);
  EXPECT_LT(infeasible, 20);
}

TEST(LInf, IsTheBestOfAllVertices) {
  int active = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    TestBlocks test(seed, 1,
                    {{.local = 1, .data = 4, .equations = 0, .inequalities = 1},
                     {.local = 2, .data = 4, .equations = 1, .inequalities = 0}});
    const DenseProblem problem(test.blocks);
    VectorXd expected;
    const double smallest = linf_by_enumeration(problem, expected);
    LinearFit fit;
    ASSERT_EQ(fit.factorize(test.blocks, {.norm = Norm::kLInf}), Status::kSolved) << seed;
    const VectorXd x = dense(fit.solution());
    // One block may have the largest residuals and leave xi of the other some room: x is not
    // unique.
    EXPECT_NEAR((problem.J1 * x + problem.r1).lpNorm<Eigen::Infinity>(), smallest, 1e-11) << seed;
    EXPECT_LT((problem.J2 * x + problem.r2).norm(), 1e-11);
    EXPECT_GT((problem.J3 * x + problem.r3).minCoeff(), -1e-11);
    EXPECT_EQ(num_rows(fit.working_set().vanishing), fit.num_free() + 1) << seed;
    for (std::size_t e = 0; e < test.blocks.size(); ++e) {
      const Block& block = test.blocks[e];
      const VectorXd r =
          block.A * fit.solution().xi[e] + block.B * fit.solution().p + block.right.b;
      for (int i : fit.working_set().vanishing[e]) EXPECT_NEAR(std::abs(r[i]), smallest, 1e-11);
    }
    active += num_rows(fit.working_set().active);
  }
  EXPECT_GT(active, 0);
}

TEST(AbsoluteNorms, MultipliersAndFeasibleDualsBalanceTheGradient) {
  for (Norm norm : {Norm::kL1, Norm::kLInf}) {
    const TestBlocks test(8, 2, kNormBlocks);
    LinearFit fit;
    ASSERT_EQ(fit.factorize(test.blocks, {.norm = norm}), Status::kSolved);
    const DenseProblem problem(test.blocks);
    const VectorXd x = dense(fit.solution());
    const VectorXd r = problem.J1 * x + problem.r1;
    const VectorXd mu = dense(fit.multipliers(), Part::kInequalities);
    const VectorXd pull = problem.J2.transpose() * dense(fit.multipliers(), Part::kEquations) +
                          problem.J3.transpose() * mu;
    EXPECT_GE(mu.minCoeff(), 0);
    // Subgradients y: sign(r) of the sum, or on the rows that are largest; J1^T y = pull.
    std::vector<Index> decisive;
    VectorXd rest = pull;
    Index row = 0;
    for (std::size_t e = 0; e < test.blocks.size(); ++e) {
      const auto& list = fit.working_set().vanishing[e];
      for (int i = 0; i < test.blocks[e].A.rows(); ++i, ++row) {
        if (std::find(list.begin(), list.end(), i) != list.end()) {
          decisive.push_back(row);
        } else if (norm == Norm::kL1) {
          rest -= (r[row] > 0 ? 1 : -1) * problem.J1.row(row).transpose();
        }
      }
    }
    const MatrixXd K = problem.J1(decisive, Eigen::all).transpose();
    VectorXd y = math::solve_least_squares(K, rest);
    EXPECT_LT((K * y - rest).norm(), 1e-8);
    if (norm == Norm::kL1) {
      EXPECT_LT(y.lpNorm<Eigen::Infinity>(), 1 + 1e-8);
    } else {
      EXPECT_NEAR(y.lpNorm<1>(), 1, 1e-8);
      for (std::size_t i = 0; i < decisive.size(); ++i) {
        EXPECT_GT(y[static_cast<Index>(i)] * r[decisive[i]], -1e-8);
      }
    }
  }
}

TEST(LinearProgram, DualsAreFeasibleAndReachTheObjective) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    TestBlocks test(seed, 3,
                    {{.local = 3, .data = 12, .equations = 1, .inequalities = 0},
                     {.local = 2, .data = 9, .equations = 0, .inequalities = 0}});
    for (Block& block : test.blocks) block.right.c.setZero();
    const DenseProblem problem(test.blocks);
    for (Norm norm : {Norm::kL1, Norm::kLInf}) {
      const Vertex vertex = solve_linear_program(test.blocks, right_sides(test.blocks), norm);
      ASSERT_EQ(vertex.status, Status::kSolved);
      VectorXd y(problem.r1.size());
      y << vertex.duals[0], vertex.duals[1];
      const VectorXd r = problem.J1 * dense(vertex.solution) + problem.r1;
      const bool l1 = norm == Norm::kL1;
      EXPECT_LT(l1 ? y.lpNorm<Eigen::Infinity>() : y.lpNorm<1>(), 1 + 1e-9);
      EXPECT_NEAR(y.dot(problem.r1), l1 ? r.lpNorm<1>() : r.lpNorm<Eigen::Infinity>(), 1e-7);
      EXPECT_GT(r.norm(), 0.1);
    }
  }
}

TEST(AbsoluteNorms, TheFrozenMapFollowsSmallChangesOfTheData) {
  for (Norm norm : {Norm::kL1, Norm::kLInf}) {
    TestBlocks test(8, 2, kNormBlocks);
    LinearFit fit;
    ASSERT_EQ(fit.factorize(test.blocks, {.norm = norm}), Status::kSolved);
    const VectorXd before = dense(fit.solution());
    const std::vector<RightSide> change = test.new_right_sides();
    for (std::size_t e = 0; e < test.blocks.size(); ++e) {
      test.blocks[e].right.b += 1e-3 * change[e].b;
      test.blocks[e].right.c += 1e-3 * change[e].c;
      test.blocks[e].right.e += 1e-3 * change[e].e;
    }
    const VectorXd followed = dense(fit.solve(right_sides(test.blocks)));
    LinearFit other;
    ASSERT_EQ(other.factorize(test.blocks, {.norm = norm}), Status::kSolved);
    EXPECT_LT((followed - dense(other.solution())).norm(), 1e-10);
    EXPECT_GT((followed - before).norm(), 1e-4);
  }
}

TEST(AbsoluteNorms, DataThatFitExactlyFixEveryVariable) {
  for (Norm norm : {Norm::kL1, Norm::kLInf}) {
    TestBlocks test(3, 2, {{.local = 2, .data = 7, .equations = 1}, {.local = 1, .data = 6}});
    const Eigen::Vector2d p(0.3, -1.2);
    const std::vector<VectorXd> xi = {Eigen::Vector2d(1, 2), VectorXd::Constant(1, -0.5)};
    for (std::size_t e = 0; e < 2; ++e) {
      test.blocks[e].right.b = -(test.blocks[e].A * xi[e] + test.blocks[e].B * p);
      test.blocks[e].right.c = -(test.blocks[e].C * xi[e] + test.blocks[e].D * p);
    }
    LinearFit fit;
    ASSERT_EQ(fit.factorize(test.blocks, {.norm = norm}), Status::kSolved);
    EXPECT_LT((fit.solution().p - p).norm(), 1e-12);
    EXPECT_LT((fit.solution().xi[0] - xi[0]).norm(), 1e-12);
    if (norm == Norm::kL1) {
      EXPECT_EQ(num_rows(fit.working_set().vanishing), fit.num_free());
    }
  }
}

TEST(AbsoluteNorms, UndeterminedDirectionsAreLeftAloneWithinTheInequalities) {
  for (Norm norm : {Norm::kL1, Norm::kLInf}) {
    TestBlocks test(3, 2, {{.local = 1, .data = 7, .equations = 0}});
    test.blocks[0].B.col(1) = test.blocks[0].B.col(0);
    LinearFit fit;
    ASSERT_EQ(fit.factorize(test.blocks, {.norm = norm}), Status::kSolved);
    EXPECT_EQ(fit.rank(), 2);
    const double half = fit.solution().p[0];
    EXPECT_NEAR(fit.solution().p[1], half, 1e-11);  // the shortest
    test.blocks.push_back(Block::zero(0, 2, 0, 0, 1));
    test.blocks[1].F << 1, 0;
    test.blocks[1].right.e << -(half + 1);
    ASSERT_EQ(fit.factorize(test.blocks, {.norm = norm}), Status::kSolved);
    EXPECT_NEAR(fit.solution().p[0], half + 1, 1e-10);
    EXPECT_NEAR(fit.solution().p[1], half - 1, 1e-10);
  }
}

TEST(L1, TheShortestOfManySolutionsIsSoughtWithinTheInequalities) {
  // p_1 + p_2 is measured as 1, 1, 10; l1 takes 1, of which (0.5, 0.5) is the shortest.
  Block data = Block::zero(0, 2, 3, 0, 0);
  data.B.setOnes();
  data.right.b << -1, -1, -10;
  for (Index bounded : {0, 1}) {
    Block bound = Block::zero(0, 2, 0, 0, 1);
    bound.F(0, bounded) = 1;
    bound.right.e << -0.9;  // p >= 0.9, which the vertex that the program finds may obey
    LinearFit fit;
    ASSERT_EQ(fit.factorize(std::vector{data, bound}, {.norm = Norm::kL1}), Status::kSolved);
    EXPECT_NEAR(fit.solution().p[bounded], 0.9, 1e-12);
    EXPECT_NEAR(fit.solution().p[1 - bounded], 0.1, 1e-12);
  }
}

TEST(AbsoluteNorms, ContradictionsAndInfeasibilityAreToldApart) {
  for (Norm norm : {Norm::kHuber, Norm::kL1, Norm::kLInf}) {
    TestBlocks test(3, 1, {{.local = 2, .data = 7, .equations = 2}, {.local = 0, .data = 0}});
    Block& block = test.blocks[0];
    block.C.row(1) = block.C.row(0);
    block.D.row(1) = block.D.row(0);
    LinearFit fit;
    EXPECT_EQ(fit.factorize(test.blocks, {.norm = norm}), Status::kContradiction);
    block.right.c[1] = block.right.c[0];
    test.blocks[1] = Block::zero(0, 1, 0, 0, 2);
    EXPECT_EQ(fit.factorize(test.blocks, {.norm = norm}), Status::kSolved);
    test.blocks[1].F << 1, -1;
    test.blocks[1].right.e << -2, 1;
    EXPECT_EQ(fit.factorize(test.blocks, {.norm = norm}), Status::kInfeasible);
  }
}

TEST(AbsoluteNorms, TheLinearProgramIsSilent) {
  const TestBlocks test(8, 2, kNormBlocks);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  LinearFit fit;
  EXPECT_EQ(fit.factorize(test.blocks, {.norm = Norm::kL1}), Status::kSolved);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Huber, ObeysItsOptimalityConditions) {
  int outliers = 0, inliers = 0, active = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    TestBlocks test(seed, 3,
                    {{.local = 3, .data = 20, .equations = 1, .inequalities = 2},
                     {.local = 2, .data = 15, .equations = 0, .inequalities = 1}});
    for (Block& block : test.blocks) {
      for (Index i = 0; i < block.right.b.size(); i += 4) block.right.b[i] *= 20;
    }
    const LinearFitOptions options{.norm = Norm::kHuber};
    LinearFit fit;
    const Status status = fit.factorize(test.blocks, options);
    ASSERT_EQ(status, Status::kSolved) << seed;
    const DenseProblem problem(test.blocks);
    const VectorXd x = dense(fit.solution());
    const VectorXd r = problem.J1 * x + problem.r1;
    const double gamma = options.huber_gamma;
    const VectorXd psi = r.cwiseMax(-gamma).cwiseMin(gamma);
    const VectorXd lambda = dense(fit.multipliers(), Part::kEquations);
    const VectorXd mu = dense(fit.multipliers(), Part::kInequalities);
    EXPECT_LT((problem.J1.transpose() * psi - problem.J2.transpose() * lambda -
               problem.J3.transpose() * mu)
                  .norm(),
              1e-9)
        << seed;
    EXPECT_GT(mu.minCoeff(), -1e-10);
    EXPECT_LT((problem.J2 * x + problem.r2).norm(), 1e-10);
    EXPECT_GT((problem.J3 * x + problem.r3).minCoeff(), -1e-10);
    for (double value : r) ++(std::abs(value) > gamma ? outliers : inliers);
    active += num_rows(fit.working_set().active);
    // The frozen map reproduces the solution, and the weights in it are those of the residuals.
    EXPECT_LT((dense(fit.solve(right_sides(test.blocks))) - x).norm(), 1e-10);
  }
  EXPECT_GT(outliers, 400);
  EXPECT_GT(inliers, 400);
  EXPECT_GT(active, 20);
}

TEST(Huber, WithoutOutliersIsLeastSquares) {
  const TestBlocks test(4, 2, kNormBlocks);
  LinearFit fit, squares;
  ASSERT_EQ(fit.factorize(test.blocks, {.norm = Norm::kHuber, .huber_gamma = 100}),
            Status::kSolved);
  ASSERT_EQ(squares.factorize(test.blocks), Status::kSolved);
  EXPECT_LT((dense(fit.solution()) - dense(squares.solution())).norm(), 1e-12);
  EXPECT_LT((fit.covariance_shared() - squares.covariance_shared()).norm(), 1e-12);
}

/// A line through 40 points, every fifth a gross error to one side.
Block line_with_outliers() {
  Block block = Block::zero(0, 2, 40, 0, 0);
  for (Index i = 0; i < 40; ++i) {
    const double t = 0.1 * static_cast<double>(i);
    block.B.row(i) << 100, 100 * t;  // sigma = 0.01
    const double noise = 0.01 * std::sin(12.9898 * static_cast<double>(i * i));
    block.right.b[i] = -100 * (2 + 3 * t + noise + (i % 5 == 0 ? 5 + t : 0));
  }
  return block;
}

TEST(Norms, GrossErrorsMisleadL2AndLInfButNotHuberAndL1) {
  const std::vector<Block> blocks = {line_with_outliers()};
  const auto error = [&](Norm norm) {
    LinearFit fit;
    EXPECT_EQ(fit.factorize(blocks, {.norm = norm}), Status::kSolved);
    return (fit.solution().p - Eigen::Vector2d(2, 3)).norm();
  };
  EXPECT_LT(error(Norm::kL1), 0.02);     // measured 0.011; the noise is 0.01
  EXPECT_LT(error(Norm::kHuber), 0.02);  // measured 0.009
  EXPECT_GT(error(Norm::kL2), 1);        // measured 1.36
  EXPECT_GT(error(Norm::kLInf), 3);      // measured 4.2
}

}  // namespace
}  // namespace parfait::estimate
