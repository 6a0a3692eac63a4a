#include "parfait/math/dense_products.h"

#include <gtest/gtest.h>

#include "parfait/math/test_random_matrix.h"

namespace parfait::math {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using ByRowsXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The definition: what no product of Eigen's has computed.
MatrixXd product_by_sums(const MatrixXd& A, const MatrixXd& B) {
  MatrixXd C = MatrixXd::Zero(A.rows(), B.cols());
  for (Index i = 0; i < C.rows(); ++i)
    for (Index j = 0; j < C.cols(); ++j)
      for (Index k = 0; k < A.cols(); ++k) C(i, j) += A(i, k) * B(k, j);
  return C;
}

void expect_close(const MatrixXd& found, const MatrixXd& expected) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  for (Index i = 0; i < found.size(); ++i) EXPECT_NEAR(found(i), expected(i), 1e-13);
}

/// Rows of A, columns of A, columns of B: vectors, small and large for Eigen, and nothing at all.
struct Shape {
  Index m, k, n;
};
class DenseProducts : public ::testing::TestWithParam<Shape> {
 public:
  const Shape shape = GetParam();
  const MatrixXd A = random_matrix(shape.m, shape.k, 1), B = random_matrix(shape.k, shape.n, 2);
  const MatrixXd C = random_matrix(shape.m, shape.n, 3), AB = product_by_sums(A, B);
};

TEST_P(DenseProducts, AreSumsForOperandsOfEveryKind) {
  const MatrixXd A_t = A.transpose(), B_t = B.transpose();
  const ByRowsXd A_rows = A;
  MatrixXd wide = random_matrix(shape.m + 3, shape.k + 2, 4);
  wide.block(2, 1, shape.m, shape.k) = A;
  const Eigen::Ref<const MatrixXd> part = wide.block(2, 1, shape.m, shape.k);
  expect_close(A * B, AB);
  expect_close(A_t.transpose() * B, AB);
  expect_close(A * B_t.transpose(), AB);
  expect_close(A_t.transpose() * B_t.transpose(), AB);
  expect_close(A_rows * B, AB);
  expect_close(part * B, AB);
}

TEST_P(DenseProducts, TakeFactorsAndExpressions) {
  expect_close((-2.0 * A) * (0.5 * B), -AB);
  expect_close((A + A) * (B - 0.5 * B), AB);
  expect_close(A * B * MatrixXd::Identity(shape.n, shape.n), AB);
}

TEST_P(DenseProducts, GoToResultsOfEveryKind) {
  MatrixXd sum = C, difference = C, transposed = C.transpose();
  sum.noalias() += A * B;
  difference -= A * B;
  transposed.transpose() += A * B;
  const ByRowsXd by_rows = A * B;
  MatrixXd wide = MatrixXd::Zero(shape.m + 2, shape.n + 2);
  wide.block(1, 1, shape.m, shape.n).noalias() = A * B;
  expect_close(sum, C + AB);
  expect_close(difference, C - AB);
  expect_close(transposed, (C + AB).transpose());
  expect_close(by_rows, AB);
  expect_close(wide.block(1, 1, shape.m, shape.n), AB);
  EXPECT_EQ(wide.row(0).norm() + wide.col(0).norm() + wide.row(shape.m + 1).norm() +
                wide.col(shape.n + 1).norm(),
            0);
}

TEST_P(DenseProducts, VectorsAreColumnsOrRows) {
  const ByRowsXd B_rows = B;
  for (Index j = 0; j < shape.n; ++j) {
    const VectorXd column = B.col(j);
    expect_close(A * column, AB.col(j));
    expect_close(A * B.col(j), AB.col(j));
    expect_close(A * B_rows.col(j), AB.col(j));  // entries apart in memory
    expect_close(column.transpose() * A.transpose(), AB.col(j).transpose());
  }
  MatrixXd rows = C;
  for (Index i = 0; i < shape.m; ++i) {
    const Eigen::RowVectorXd row = A.row(i);
    expect_close(row * B, AB.row(i));
    rows.row(i).noalias() -= A.row(i) * B;
  }
  expect_close(rows, C - AB);
}

INSTANTIATE_TEST_SUITE_P(Shapes, DenseProducts,
                         ::testing::Values(Shape{3, 4, 5}, Shape{40, 30, 20}, Shape{1, 30, 20},
                                           Shape{40, 30, 1}, Shape{40, 1, 20}, Shape{1, 50, 1},
                                           Shape{0, 3, 2}, Shape{3, 0, 2}, Shape{3, 2, 0}));

TEST(DenseProducts, MayOverwriteTheirOperand) {
  const MatrixXd A = random_matrix(30, 30, 1);
  MatrixXd X = random_matrix(30, 30, 2);
  const MatrixXd expected = product_by_sums(A, X);
  X = A * X;
  expect_close(X, expected);
}

}  // namespace
}  // namespace parfait::math
