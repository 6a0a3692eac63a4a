#pragma once

#include <Eigen/Core>
#include <initializer_list>

namespace parfait::dynamics {

/// Orthonormal right null space (A N = 0) and left null space (U^T A = 0, U^T U not I) of a square
/// matrix whose rows have been multiplied by `row_scale` for the decision what is zero: pivots of a
/// column-pivoted QR below `tolerance` times the largest.
struct NullSpaces {
  Eigen::MatrixXd N, U;
};
NullSpaces compute_null_spaces(const Eigen::MatrixXd& A, const Eigen::VectorXd& row_scale,
                               double tolerance);

/// 1 / (largest entry of the block), for blocks of rows of the same unit; `blocks` are their
/// numbers of rows, each row after them is a block of its own. Blocks of mechanics (accelerations
/// per displacement, 1/s^2) with entries below 1e-3 count as if they had one: they may be the
/// rounding of forces that cancel. A row of zeros has the scale 1.
Eigen::VectorXd make_row_scale(const Eigen::MatrixXd& A, std::initializer_list<int> blocks);

}  // namespace parfait::dynamics
