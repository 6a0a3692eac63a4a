#pragma once

#include "parfait/estimate/linear/block.h"

namespace parfait::estimate {

/// The unknowns z of one row of a table (the true place of a measured point) seen from the rest of
/// the problem. Of the row's residuals
///
///   A z + B y + b,    y all other variables,
///
/// z takes care of the part in the range of A; what is left, Q2^T (B y + b) with Q2 orthonormal and
/// orthogonal to A, are residuals in y alone with the same minimum (Kraus 2006, section 3.1.1).
///
/// Law  |Q2^T (B y + b)| = min over z of |A z + B y + b|, taken at z = solve(y, b).
class RowElimination {
 public:
  /// `tolerance`: a direction of z that much weaker than the strongest is taken as unseen; it keeps
  /// its value.
  void factorize(MatIn A, MatIn B, double tolerance);

  Eigen::Index rank() const { return Q2_.rows() - Q2_.cols(); }
  Eigen::Index num_left() const { return Q2_.cols(); }
  const Eigen::MatrixXd& Q2() const { return Q2_; }
  /// Q2^T B.
  const Eigen::MatrixXd& left() const { return left_; }
  /// Q2^T b.
  Eigen::VectorXd reduce(VecIn b) const { return Q2_.transpose() * b; }
  /// The least z that minimizes |A z + B y + b|.
  Eigen::VectorXd solve(VecIn y, VecIn b) const { return -(inverse_B_ * y + inverse_ * b); }

 private:
  Eigen::MatrixXd Q2_, left_;
  Eigen::MatrixXd inverse_, inverse_B_;  // A+, A+ B
};

}  // namespace parfait::estimate
