#include "parfait/estimate/linear/lsmr.h"

#include <gtest/gtest.h>

#include <Eigen/QR>

namespace parfait::estimate::lsmr_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

LinearOperator products_of(const MatrixXd& A, int* count = nullptr) {
  return {.rows = A.rows(),
          .cols = A.cols(),
          .times =
              [&A, count](const VectorXd& v, VectorXd& Av) {
                if (count) ++*count;
                Av = A * v;
                return true;
              },
          .transposed_times =
              [&A](const VectorXd& u, VectorXd& At_u) {
                At_u = A.transpose() * u;
                return true;
              }};
}

/// Entries of all sizes, the same on every machine.
MatrixXd matrix(int rows, int cols) {
  MatrixXd A(rows, cols);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) A(i, j) = std::sin(1.7 * i * i + 3.1 * j + 0.3 * i * j);
  }
  return A;
}

VectorXd right_side(int rows) {
  VectorXd b(rows);
  for (int i = 0; i < rows; ++i) b[i] = std::cos(2.3 * i) + 0.1 * i;
  return b;
}

TEST(Lsmr, SolvesLeastSquaresAsTheDecompositionDoes) {
  MatrixXd A = matrix(30, 8);
  A.col(3) *= 1e3;  // condition 1e6 and more
  A.col(5) *= 1e-3;
  const VectorXd b = right_side(30);
  int count = 0;
  const auto found = lsmr(products_of(A, &count), b, 1e-14, 100);
  const VectorXd x = A.completeOrthogonalDecomposition().solve(b);
  EXPECT_TRUE(found.is_complete);
  EXPECT_LE(found.iterations, 8 + 1);  // a direction each, and one to see that nothing is left
  EXPECT_EQ(count, found.iterations);
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(found.x[i], x[i], 1e-9 * std::abs(x[i])) << i;
}

TEST(Lsmr, FindsTheShortestOfManySolutions) {
  MatrixXd A = matrix(20, 6);
  A.col(4) = A.col(1) - 2 * A.col(2);
  const VectorXd b = right_side(20);
  const auto found = lsmr(products_of(A), b, 1e-14, 100);
  const VectorXd x = A.completeOrthogonalDecomposition().solve(b);
  EXPECT_LE(found.iterations, 6);
  EXPECT_LT((found.x - x).norm(), 1e-11 * x.norm());
}

TEST(Lsmr, SaysWhenAProductOrTheLimitEndsIt) {
  const MatrixXd A = matrix(30, 8);
  const VectorXd b = right_side(30);
  EXPECT_FALSE(lsmr(products_of(A), b, 1e-14, 3).is_complete);
  auto failing = products_of(A);
  failing.times = [](const VectorXd&, VectorXd&) { return false; };
  EXPECT_FALSE(lsmr(failing, b, 1e-14, 100).is_complete);
  EXPECT_EQ(lsmr(products_of(A), VectorXd::Zero(30), 1e-14, 100).x.norm(), 0);
}

}  // namespace
}  // namespace parfait::estimate::lsmr_test
