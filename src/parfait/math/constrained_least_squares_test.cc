#include "parfait/math/constrained_least_squares.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "parfait/math/dense_solves.h"
#include "parfait/math/test_random_matrix.h"
#include "parfait/math/test_shortest.h"

namespace parfait::math {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// (x, lambda) of [J1^T J1  -J2^T; J2  0] (x, lambda) = -(J1^T r1, r2), solved as it stands.
VectorXd kkt(const MatrixXd& J1, const VectorXd& r1, const MatrixXd& J2, const VectorXd& r2) {
  const Eigen::Index n = J1.cols(), m = J2.rows();
  MatrixXd K = MatrixXd::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = gram(J1);
  K.topRightCorner(n, m) = -J2.transpose();
  K.bottomLeftCorner(m, n) = J2;
  VectorXd b(n + m);
  b << -J1.transpose() * r1, -r2;
  return solve_least_squares(K, b);
}

TEST(ConstrainedLeastSquares, SolvesTheKktSystem) {
  const MatrixXd J1 = random_matrix(12, 7, 1), J2 = random_matrix(3, 7, 2);
  const ConstrainedLeastSquares solver(J1, J2);
  EXPECT_EQ(solver.rank(), 4);
  EXPECT_EQ(solver.constraint_rank(), 3);
  EXPECT_TRUE(solver.full_rank());
  for (unsigned seed : {3U, 5U}) {  // two right-hand sides with the same factors
    const VectorXd r1 = random_matrix(12, 1, seed), r2 = random_matrix(3, 1, seed + 1);
    const VectorXd expected = kkt(J1, r1, J2, r2);
    const VectorXd x = solver.solve(r1, r2);
    EXPECT_LT((x - expected.head(7)).norm(), 1e-12);
    const VectorXd lambda = solver.multipliers(J1.transpose() * (J1 * x + r1));
    EXPECT_LT((lambda - expected.tail(3)).norm(), 1e-11 * expected.tail(3).norm());
  }
}

TEST(ConstrainedLeastSquares, DependentConstraintsAreLeftOutAndContradictionsSeen) {
  const MatrixXd J1 = random_matrix(9, 5, 1), two = random_matrix(2, 5, 2);
  MatrixXd J2(3, 5);
  J2 << two, 2 * two.row(0) - two.row(1);
  const VectorXd r1 = random_matrix(9, 1, 3), r = random_matrix(2, 1, 4);
  VectorXd r2(3);
  r2 << r, 2 * r[0] - r[1];
  const ConstrainedLeastSquares solver(J1, J2);
  EXPECT_EQ(solver.constraint_rank(), 2);
  EXPECT_LT(solver.contradiction(r2), 1e-13);
  EXPECT_LT((solver.solve(r1, r2) - kkt(J1, r1, two, r).head(5)).norm(), 1e-12);
  r2[2] += 0.1;
  EXPECT_GT(solver.contradiction(r2), 0.01);
}

TEST(ConstrainedLeastSquares, UnitsOfAConstraintDoNotDecideWhetherItCounts) {
  const MatrixXd J1 = random_matrix(9, 5, 1), J2 = random_matrix(3, 5, 2);
  const VectorXd r1 = random_matrix(9, 1, 3), r2 = random_matrix(3, 1, 4);
  const Eigen::Vector3d unit(1e-15, 1, 1e9);
  const ConstrainedLeastSquares plain(J1, J2), scaled(J1, unit.asDiagonal() * J2);
  ASSERT_EQ(scaled.constraint_rank(), 3);
  EXPECT_LT((scaled.solve(r1, unit.cwiseProduct(r2)) - plain.solve(r1, r2)).norm(), 1e-12);
}

TEST(ConstrainedLeastSquares, ARowOfZerosIsDependentAndContradictsAnythingButZero) {
  MatrixXd J2 = random_matrix(2, 5, 2);
  J2.row(1).setZero();
  const ConstrainedLeastSquares solver(random_matrix(9, 5, 1), J2);
  EXPECT_EQ(solver.constraint_rank(), 1);
  EXPECT_EQ(solver.contradiction(Eigen::Vector2d(1, 0)), 0);
  EXPECT_EQ(solver.contradiction(Eigen::Vector2d(1, 0.5)), 0.5);
}

TEST(ConstrainedLeastSquares, DeficientDataGiveTheShortestSolutionAndNameTheDirection) {
  MatrixXd J1 = random_matrix(9, 5, 1);
  J1.col(4) = J1.col(1) + 2 * J1.col(2);  // (0, 1, 2, 0, -1) cannot be seen
  const VectorXd r1 = random_matrix(9, 1, 3);
  const ConstrainedLeastSquares solver(J1, MatrixXd(0, 5));
  EXPECT_EQ(solver.rank(), 4);
  const VectorXd x = solver.solve(r1, VectorXd(0));
  const VectorXd shortest = -shortest_by_eigenvalues(J1, r1);
  EXPECT_LT((x - shortest).norm(), 1e-12);
  const MatrixXd unseen = solver.undetermined();
  ASSERT_EQ(unseen.cols(), 1);
  EXPECT_NEAR(unseen.col(0).norm(), 1, 1e-12);
  EXPECT_LT((J1 * unseen).norm(), 1e-12);
  EXPECT_NEAR(std::abs(unseen(2, 0)), 2 / std::sqrt(6), 1e-12);
}

TEST(ConstrainedLeastSquares, RankIsJudgedAgainstTheWholeMatrixNotTheRemainder) {
  const MatrixXd rest = 1e-16 * random_matrix(4, 2, 1);  // rounding, of columns of length 1
  EXPECT_EQ(ConstrainedLeastSquares(rest, MatrixXd(0, 2)).rank(), 2);
  EXPECT_EQ(ConstrainedLeastSquares(rest, MatrixXd(0, 2), {.scale = 1}).rank(), 0);
}

TEST(ConstrainedLeastSquares, CovarianceIsThatOfTheReducedProblem) {
  const MatrixXd J1 = random_matrix(12, 6, 1), J2 = random_matrix(2, 6, 2);
  const ConstrainedLeastSquares solver(J1, J2);
  const MatrixXd Z = OrthogonalDecomposition(J2).null_space(), JZ = J1 * Z;
  const MatrixXd expected = congruence(Z, inverse(gram(JZ)));
  EXPECT_LT((solver.covariance() - expected).norm(), 1e-12 * (1 + expected.norm()));
}

TEST(ConstrainedLeastSquares, NothingGivenDeterminesNothing) {
  const ConstrainedLeastSquares solver(MatrixXd(0, 3), MatrixXd(0, 3));
  EXPECT_EQ(solver.rank(), 0);
  EXPECT_EQ(solver.num_free(), 3);
  EXPECT_EQ(solver.undetermined().cols(), 3);
  EXPECT_EQ(solver.solve(VectorXd(0), VectorXd(0)).norm(), 0);
  EXPECT_EQ(solver.condition(), 1);
}

}  // namespace
}  // namespace parfait::math
