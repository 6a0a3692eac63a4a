#include "parfait/math/dense_solves.h"

#include <gtest/gtest.h>

#include "parfait/math/test_random_matrix.h"
#include "parfait/math/test_shortest.h"

namespace parfait::math {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRounding = 1e-12;  // of numbers near 1 in matrices of at most seven rows

/// Seven rows, five columns, rank three.
MatrixXd deficient() {
  return random_matrix(7, 3, 11) * random_matrix(3, 5, 12);
}

TEST(DenseSolves, SquareSystemsAreSolved) {
  const MatrixXd A = random_matrix(6, 6, 1), B = random_matrix(6, 2, 2);
  EXPECT_LT((A * solve_lu(A, B) - B).norm(), kRounding);
  EXPECT_LT((A * PivotedQr(A).solve(B) - B).norm(), kRounding);
  EXPECT_LT((A * inverse(A) - MatrixXd::Identity(6, 6)).norm(), kRounding);
  const MatrixXd R = Reflections(A).R();
  EXPECT_LT((R * solve_upper(R, B) - B).norm(), kRounding);
  EXPECT_LT((R.transpose() * solve_upper_transpose(R, B) - B).norm(), kRounding);
  MatrixXd filled = R;
  filled(3, 1) = 7;  // below the diagonal
  EXPECT_EQ(solve_upper(filled, B), solve_upper(R, B));
  EXPECT_EQ(solve_upper_transpose(filled, B), solve_upper_transpose(R, B));
  EXPECT_TRUE(PivotedQr(A).is_regular());
  EXPECT_FALSE(PivotedQr(deficient().topRows(5)).is_regular());
  EXPECT_FALSE(PivotedQr(A.leftCols(5)).is_regular());
}

TEST(DenseSolves, CongruenceIsThatOfTheDefinition) {
  const MatrixXd A = random_matrix(2, 3, 7), C = random_matrix(3, 3, 8);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      double sum = 0;
      for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) sum += A(i, k) * C(k, l) * A(j, l);
      }
      EXPECT_NEAR(congruence(A, C)(i, j), sum, kRounding);
    }
  }
}

TEST(DenseSolves, BesideOrthonormalColumnsNothingOfThemIsLeft) {
  const MatrixXd T = qr_factors(random_matrix(5, 2, 9)).Q.leftCols(2), X = random_matrix(5, 3, 10);
  const MatrixXd rest = beside(T, X), gone = X - rest;
  EXPECT_LT((T.transpose() * rest).norm(), kRounding);
  EXPECT_LT(beside(T, gone).norm(), kRounding);  // what was taken lies along T
}

TEST(DenseSolves, LeastSquaresAreShortestWhereTheRankIsDeficient) {
  const MatrixXd A = deficient(), b = random_matrix(7, 1, 3);
  const MatrixXd x = solve_least_squares(A, b), N = OrthogonalDecomposition(A).null_space();
  ASSERT_EQ(N.cols(), 2);
  EXPECT_LT((A * N).norm(), kRounding);
  EXPECT_LT((A.transpose() * (A * x - b)).norm(), kRounding);  // normal equations
  EXPECT_LT((N.transpose() * x).norm(), kRounding);            // nothing that A does not see
  EXPECT_LT((shortest_by_eigenvalues(A, b) - x).norm(), kRounding);
  EXPECT_LT((pseudo_inverse(A) * b - x).norm(), kRounding);
}

TEST(DenseSolves, OrthogonalFactorsAndNullSpaces) {
  const MatrixXd A = deficient();
  const auto [Q, R] = qr_factors(A);
  EXPECT_LT((gram(Q) - MatrixXd::Identity(7, 7)).norm(), kRounding);
  EXPECT_LT((Q.leftCols(5) * R - A).norm(), kRounding);
  const PivotedQr pivoted(A, 1e-10);
  EXPECT_EQ(pivoted.rank(), 3);
  EXPECT_GE(pivoted.pivot(0), pivoted.pivot(1));
  const MatrixXd range = pivoted.Q(3);
  EXPECT_LT((range * (range.transpose() * A) - A).norm(), kRounding);
  const OrthogonalDecomposition decomposition(A, 1e-10);
  EXPECT_EQ(decomposition.rank(), 3);
  EXPECT_EQ(decomposition.null_space().cols(), 2);
  EXPECT_LT((A * decomposition.null_space()).norm(), kRounding);
  EXPECT_EQ(decomposition.left_null_space().cols(), 4);
  EXPECT_LT((A.transpose() * decomposition.left_null_space()).norm(), kRounding);
  VectorXd b = random_matrix(7, 1, 4);
  const VectorXd expected = Q.transpose() * b;
  Reflections(A).apply_transpose(b);
  EXPECT_LT((b - expected).norm(), kRounding);
}

TEST(DenseSolves, EigenvaluesSolveTheirEquations) {
  const MatrixXd A = random_matrix(5, 5, 5), B = random_matrix(5, 5, 6);
  const auto [values, vectors] = eigen_pairs(A);
  const Eigen::MatrixXcd scaled = vectors * values.asDiagonal();
  EXPECT_LT((times(A, vectors) - scaled).norm(), kRounding);
  EXPECT_LT((eigenvalues(A) - values).norm(), kRounding);
  const MatrixXd K = A + A.transpose(), M = B * B.transpose() + MatrixXd::Identity(5, 5);
  const SymmetricPairs pairs = generalized_eigen_pairs(K, M);
  EXPECT_LT((K * pairs.vectors - M * pairs.vectors * pairs.values.asDiagonal()).norm(), kRounding);
  EXPECT_LT((pairs.vectors.transpose() * M * pairs.vectors - MatrixXd::Identity(5, 5)).norm(),
            kRounding);
  EXPECT_LT(pairs.values[0], pairs.values[4]);
}

}  // namespace
}  // namespace parfait::math
