#include "parfait/estimate/linear/linear_fit.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <limits>

#include "parfait/estimate/linear/test_blocks.h"
#include "parfait/math/dense_solves.h"

namespace parfait::estimate {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Status = LinearFit::Status;

/// Locals without and with equations, more equations than locals, none of either.
const std::vector<BlockSizes> kBlocks = {{.local = 3, .data = 8, .equations = 1},
                                         {.local = 4, .data = 9, .equations = 0},
                                         {.local = 2, .data = 3, .equations = 3},
                                         {.local = 0, .data = 4, .equations = 1},
                                         {.local = 3, .data = 0, .equations = 3}};

TEST(LinearFit, SolvesTheStackedProblemForItsOwnAndOtherRightHandSides) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    TestBlocks test(seed, 4, kBlocks);
    LinearFit fit;
    ASSERT_EQ(fit.factorize(test.blocks), Status::kSolved);
    const VectorXd expected = DenseProblem(test.blocks).shortest();
    EXPECT_LT((dense(fit.solution()) - expected).norm(), 1e-10 * expected.norm()) << seed;
    const auto rights = test.new_right_sides();
    const VectorXd other = DenseProblem(test.blocks, rights).shortest();
    EXPECT_LT((dense(fit.solve(rights)) - other).norm(), 1e-10 * other.norm()) << seed;
    EXPECT_EQ(fit.num_free(), 16 - 8);  // 4 shared, 12 local; 8 equations
    EXPECT_TRUE(fit.full_rank());
    EXPECT_GT(fit.condition(), 1);
    EXPECT_EQ(fit.undetermined().cols(), 0);
  }
}

TEST(LinearFit, MultipliersBalanceTheGradient) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const TestBlocks test(seed, 4, kBlocks);
    LinearFit fit;
    ASSERT_EQ(fit.factorize(test.blocks), Status::kSolved);
    const DenseProblem problem(test.blocks);
    const VectorXd gradient =
        problem.J1.transpose() * (problem.J1 * dense(fit.solution()) + problem.r1);
    const VectorXd lambda = dense(fit.multipliers(), Part::kEquations);
    EXPECT_GT(gradient.norm(), 0.1);
    EXPECT_LT((gradient - problem.J2.transpose() * lambda).norm(),
              1e-11 * (gradient.norm() + lambda.norm()))
        << seed;
  }
}

void expect_covariances(const LinearFit& fit, const std::vector<Block>& blocks,
                        const MatrixXd& expected) {
  const double tolerance = 1e-10 * expected.norm();
  const Index s = blocks[0].num_shared();
  EXPECT_LT((fit.covariance_shared() - expected.topLeftCorner(s, s)).norm(), tolerance);
  Index at = s;
  for (int e = 0; e < static_cast<int>(blocks.size()); ++e) {
    const Index n = blocks[e].num_local();
    EXPECT_LT((fit.covariance_local(e) - expected.block(at, at, n, n)).norm(), tolerance) << e;
    EXPECT_LT((fit.covariance_mixed(e) - expected.block(at, 0, n, s)).norm(), tolerance) << e;
    at += n;
  }
}

TEST(LinearFit, CovariancesAreThoseOfTheStackedProblem) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const TestBlocks test(seed, 4, kBlocks);
    LinearFit fit;
    ASSERT_EQ(fit.factorize(test.blocks), Status::kSolved);
    expect_covariances(fit, test.blocks, DenseProblem(test.blocks).covariance());
  }
}

TEST(LinearFit, EquationsThatFollowFromOthersChangeNothing) {
  TestBlocks test(7, 3, {{.local = 3, .data = 8, .equations = 2}, {.local = 2, .data = 5}});
  LinearFit fit;
  ASSERT_EQ(fit.factorize(test.blocks), Status::kSolved);
  const VectorXd expected = dense(fit.solution());
  // In block 0 a combination of its two equations, in other units.
  Block& block = test.blocks[0];
  for (MatrixXd* M : {&block.C, &block.D}) {
    M->conservativeResize(3, Eigen::NoChange);
    M->row(2) = 1e6 * (M->row(0) - 2 * M->row(1));
  }
  block.right.c.conservativeResize(3);
  block.right.c[2] = 1e6 * (block.right.c[0] - 2 * block.right.c[1]);
  ASSERT_EQ(fit.factorize(test.blocks), Status::kSolved);
  EXPECT_LT((dense(fit.solution()) - expected).norm(), 1e-11);
  EXPECT_EQ(fit.num_free(), 3 + 5 - 3);
  // One that contradicts them.
  block.right.c[2] += 1e4;
  EXPECT_EQ(fit.factorize(test.blocks), Status::kContradiction);
}

TEST(LinearFit, ContradictionsBetweenBlocksAreSeen) {
  TestBlocks test(7, 2, {{.local = 1, .data = 5, .equations = 2}, {.local = 0, .equations = 1}});
  // Both blocks say something about p_1 + p_2 alone; block 0 after its xi is eliminated.
  test.blocks[0].C << 1, 1;
  test.blocks[0].D << 1, 1, 2, 2;
  test.blocks[0].right.c << 0.5, 0.75;  // p_1 + p_2 = -0.25
  test.blocks[1].D << 3, 3;
  test.blocks[1].right.c << 0.75;
  LinearFit fit;
  EXPECT_EQ(fit.factorize(test.blocks), Status::kSolved);
  EXPECT_NEAR(fit.solution().p.sum(), -0.25, 1e-13);
  test.blocks[1].right.c << 0.76;
  EXPECT_EQ(fit.factorize(test.blocks), Status::kContradiction);
}

/// p_3 = -p_1 in all data; xi_1 of block 0 is not measured; p_2 acts like xi_2 of both blocks.
std::vector<Block> deficient_blocks() {
  TestBlocks test(3, 3, {{.local = 3, .data = 9, .equations = 1}, {.local = 2, .data = 7}});
  for (Block& block : test.blocks) {
    block.B.col(2) = block.B.col(0);
    block.D.col(2) = block.D.col(0);
    block.B.col(1) = block.A.col(1);
    block.D.col(1) = block.C.col(1);
  }
  test.blocks[0].A.col(0).setZero();
  test.blocks[0].C.col(0).setZero();
  return test.blocks;
}

TEST(LinearFit, ShortestOfManySolutionsIsTaken) {
  const std::vector<Block> blocks = deficient_blocks();
  LinearFit fit;
  ASSERT_EQ(fit.factorize(blocks), Status::kSolved);
  EXPECT_EQ(fit.num_free() - fit.rank(), 3);
  const VectorXd expected = DenseProblem(blocks).shortest();
  EXPECT_LT((dense(fit.solution()) - expected).norm(), 1e-11);
  expect_covariances(fit, blocks, DenseProblem(blocks).covariance());
}

TEST(LinearFit, UndeterminedDirectionsAreOrthonormalAndUnseen) {
  const std::vector<Block> blocks = deficient_blocks();
  LinearFit fit;
  ASSERT_EQ(fit.factorize(blocks), Status::kSolved);
  const MatrixXd U = fit.undetermined();
  ASSERT_EQ(U.cols(), 3);
  EXPECT_LT((math::gram(U) - MatrixXd::Identity(3, 3)).norm(), 1e-13);
  const DenseProblem problem(blocks);
  EXPECT_LT((problem.J1 * U).norm(), 1e-12);
  EXPECT_LT((problem.J2 * U).norm(), 1e-12);
  // xi_1 of block 0 is one of them, whatever the basis.
  EXPECT_NEAR(U.row(3).norm(), 1, 1e-12);
}

TEST(LinearFit, RoundingDoesNotDetermineLocalVariables) {
  TestBlocks test(3, 1, {{.local = 2, .data = 50, .equations = 0}});
  test.blocks[0].B = test.blocks[0].A * Eigen::Vector2d(0.3, -0.7);
  LinearFit fit;
  ASSERT_EQ(fit.factorize(test.blocks), Status::kSolved);
  EXPECT_EQ(fit.rank(), 2);
  EXPECT_EQ(fit.num_free(), 3);
}

TEST(LinearFit, ThreadsDoNotChangeTheBits) {
  std::vector<BlockSizes> sizes;
  for (Index i = 0; i < 120; ++i) sizes.push_back({3 + i % 3, 20 + i % 7, i % 2, i % 4});
  const TestBlocks test(11, 5, sizes);
  std::vector<VectorXd> solutions;
  std::vector<MatrixXd> covariances;
  for (std::size_t threads : {1, 2, 4}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    LinearFit fit;
    ASSERT_EQ(fit.factorize(test.blocks), Status::kSolved);
    solutions.push_back(dense(fit.solution()));
    covariances.push_back(fit.covariance_shared());
  }
  for (int i : {1, 2}) {
    EXPECT_TRUE((solutions[i].array() == solutions[0].array()).all());
    EXPECT_TRUE((covariances[i].array() == covariances[0].array()).all());
  }
}

TEST(LinearFit, InputThatIsNotFiniteIsRefused) {
  TestBlocks test(1, 4, kBlocks);
  test.blocks[1].A(0, 0) = std::numeric_limits<double>::quiet_NaN();
  LinearFit fit;
  EXPECT_EQ(fit.factorize(test.blocks), Status::kNotFinite);
}

}  // namespace
}  // namespace parfait::estimate
