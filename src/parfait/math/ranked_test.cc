#include <gtest/gtest.h>

#include "parfait/math/ranked_columns.h"
#include "parfait/math/test_random_matrix.h"

namespace parfait::math {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(RankedColumns, ThresholdIsAnAbsoluteNumber) {
  const auto rank = [](double a, double b, double c, double threshold) {
    return RankedColumns(Eigen::Vector3d(a, b, c).asDiagonal().toDenseMatrix(), threshold).rank();
  };
  EXPECT_EQ(rank(1e6, 1, 1e-4, 1e-3), 2);
  EXPECT_EQ(rank(1e-6, 1e-7, 1e-13, 1e-10), 2);
  EXPECT_EQ(rank(1e-6, 1e-7, 1e-13, 1e-14), 3);
  EXPECT_EQ(rank(1e-6, 1e-7, 1e-13, 1e-5), 0);
}

TEST(RankedColumns, SplitDirectionsIntoThoseThatAreSeenAndTheOthers) {
  // Five directions through three numbers.
  const MatrixXd A = random_matrix(8, 3, 1) * random_matrix(3, 5, 2);
  const RankedColumns columns(A, 1e-10);
  ASSERT_EQ(columns.rank(), 3);
  EXPECT_LT((A * columns.unseen()).norm(), 1e-13);
  MatrixXd all(5, 5);
  all << columns.seen(), columns.unseen();
  EXPECT_LT((all.transpose() * all - MatrixXd::Identity(5, 5)).norm(), 1e-13);
  // Least squares: what is left is normal to all columns.
  const VectorXd b = random_matrix(8, 1, 3);
  const VectorXd z = columns.seen() * columns.solve(columns.rotate(b).topRows(3));
  EXPECT_LT((A.transpose() * (A * z - b)).norm(), 1e-13);
}

TEST(RankedRows, UnitsOfRowsDoNotDecideWhichOfThemCount) {
  MatrixXd J = random_matrix(4, 6, 4);
  J.row(3) = 2 * J.row(0) - J.row(1);
  for (const double unit : {1e-9, 1.0, 1e9}) {
    MatrixXd scaled = J;
    scaled.row(1) *= unit;
    scaled.row(2) /= unit;
    const RankedRows rows(scaled, 1e-10);
    EXPECT_EQ(rows.rank(), 3) << unit;
    EXPECT_LT((J * rows.Z()).norm(), 1e-12) << unit;
    // A solution of J x + r = 0, with r in its range.
    const VectorXd x = random_matrix(6, 1, 5), r = -scaled * x;
    const VectorXd found = rows.Y() * rows.solve(r);
    EXPECT_LT((J * (found - x)).norm(), 1e-12) << unit;
    EXPECT_LT(rows.left_over(r, rows.solve(r)).norm(), 1e-12) << unit;
  }
}

}  // namespace
}  // namespace parfait::math
