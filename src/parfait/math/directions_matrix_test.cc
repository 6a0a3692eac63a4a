#include "parfait/math/directions_matrix.h"

#include <gtest/gtest.h>

#include "parfait/math/test_random_matrix.h"

namespace parfait::math {
namespace {

TEST(DirectionsMatrix, RoundTripKeepsEveryEntry) {
  const Eigen::MatrixXd A = random_matrix(3, 2 * kLanes + 1, 7);
  Directions d;
  copy(A, d);
  EXPECT_EQ(d(2, kLanes + 1), A(2, kLanes + 1));
  EXPECT_EQ(to_matrix(d), A);
}

TEST(DirectionsMatrix, CopiesIntoABlock) {
  const Eigen::MatrixXd A = random_matrix(2, 3, 8);
  Directions d;
  copy(A, d);
  Eigen::MatrixXd wide = Eigen::MatrixXd::Zero(2, 5);
  copy(d, wide.middleCols(1, 3));
  EXPECT_EQ(wide.middleCols(1, 3), A);
  EXPECT_EQ(wide.col(0).norm() + wide.col(4).norm(), 0);
}

TEST(DirectionsMatrix, TheTopLeftLeavesTheOthersAlone) {
  const Eigen::MatrixXd A = random_matrix(3, 11, 9), corner = random_matrix(2, 9, 10);
  Directions d;
  copy(A, d);
  copy_top_left(corner, d);
  Eigen::MatrixXd expected = A;
  expected.topLeftCorner(2, 9) = corner;
  EXPECT_EQ(to_matrix(d), expected);
}

}  // namespace
}  // namespace parfait::math
