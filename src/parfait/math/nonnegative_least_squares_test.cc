#include "parfait/math/nonnegative_least_squares.h"

#include <gtest/gtest.h>

#include <cmath>

#include "parfait/math/test_random_matrix.h"

namespace parfait::math {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(NonnegativeLeastSquares, ObeysItsOptimalityConditions) {
  int zeros = 0;
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const MatrixXd A = random_matrix(8, 6, seed);
    const VectorXd b = random_matrix(8, 1, 1000 + seed);
    const VectorXd x = nonnegative_least_squares(A, b);
    const VectorXd gradient = A.transpose() * (b - A * x);
    EXPECT_GE(x.minCoeff(), 0);
    for (int j = 0; j < 6; ++j) {
      EXPECT_LT(gradient[j], 1e-10);
      if (x[j] > 0) {
        EXPECT_NEAR(gradient[j], 0, 1e-10);
      } else {
        ++zeros;
      }
    }
  }
  EXPECT_GT(zeros, 50);
  EXPECT_LT(zeros, 250);
}

TEST(NonnegativeLeastSquares, ObeysThemWhereManyVariablesComeAndGo) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    // Columns that are nearly alike: what one takes, another gives back.
    MatrixXd A = random_matrix(40, 30, seed);
    A.colwise() += 5 * random_matrix(40, 1, 500 + seed).col(0);
    const VectorXd b = random_matrix(40, 1, 1000 + seed);
    const VectorXd x = nonnegative_least_squares(A, b);
    const VectorXd gradient = A.transpose() * (b - A * x);
    EXPECT_GE(x.minCoeff(), 0) << seed;
    EXPECT_LT(gradient.maxCoeff(), 1e-9) << seed;
    EXPECT_LT(std::abs(gradient.dot(x)), 1e-9) << seed;
  }
}

TEST(NonnegativeLeastSquares, ColumnsOfDifferentUnitsGiveTheSameFit) {
  const MatrixXd A = random_matrix(8, 6, 3);
  const VectorXd b = random_matrix(8, 1, 1003);
  VectorXd unit(6);
  unit << 1e-9, 1, 1e6, 1e-3, 1, 1e9;
  const VectorXd plain = nonnegative_least_squares(A, b);
  const VectorXd scaled = nonnegative_least_squares(A * unit.asDiagonal(), b);
  EXPECT_GT(plain.norm(), 0.1);
  EXPECT_LT((unit.cwiseProduct(scaled) - plain).norm(), 1e-12);
}

TEST(LeastDistance, FindsThePointOrSaysThatThereIsNone) {
  MatrixXd G(2, 2);
  VectorXd h(2), x;
  G << 1, 1, 0, 1;
  h << 2, 0.5;
  ASSERT_TRUE(least_distance(G, h, x));
  EXPECT_NEAR(x[0], 1, 1e-12);
  EXPECT_NEAR(x[1], 1, 1e-12);
  G << 1, 0, -1, 0;
  h << 1, 1;  // x >= 1 and x <= -1
  EXPECT_FALSE(least_distance(G, h, x));
}

TEST(LeastDistance, TheOriginIsNearestWhereItObeys) {
  VectorXd x;
  ASSERT_TRUE(least_distance(random_matrix(3, 2, 1), VectorXd::Constant(3, -1), x));
  EXPECT_EQ(x.norm(), 0);
}

}  // namespace
}  // namespace parfait::math
