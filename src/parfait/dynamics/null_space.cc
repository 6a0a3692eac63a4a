#include "parfait/dynamics/null_space.h"

#include <algorithm>

#include "parfait/math/dense_solves.h"

namespace parfait::dynamics {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {
constexpr double kLeastStiffness = 1e-3;  // 1/s^2
}

NullSpaces compute_null_spaces(const MatrixXd& A, const VectorXd& row_scale, double tolerance) {
  NullSpaces out;
  const auto rows = A.rows(), columns = A.cols();
  if (rows == 0 || columns == 0) {
    out.N.setIdentity(columns, columns);
    out.U.setIdentity(rows, rows);
    return out;
  }
  const math::OrthogonalDecomposition scaled(row_scale.asDiagonal() * A, tolerance);
  out.N = scaled.null_space();
  out.U = row_scale.asDiagonal() * scaled.left_null_space();
  return out;
}

VectorXd make_row_scale(const MatrixXd& A, std::initializer_list<int> blocks) {
  VectorXd scale = VectorXd::Ones(A.rows());
  Eigen::Index row = 0;
  const auto set = [&](Eigen::Index count, double least) {
    double largest = least;
    if (count > 0 && A.cols() > 0) {
      largest = std::max(largest, A.middleRows(row, count).cwiseAbs().maxCoeff());
    }
    if (largest > 0) scale.segment(row, count).setConstant(1 / largest);
    row += count;
  };
  for (const int count : blocks) set(count, kLeastStiffness);
  while (row < A.rows()) set(1, 0);
  return scale;
}

}  // namespace parfait::dynamics
