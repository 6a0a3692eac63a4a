#pragma once

#include <Eigen/Core>
#include <vector>

namespace parfait::math {

using VecIn = const Eigen::Ref<const Eigen::VectorXd>&;
using MatIn = const Eigen::Ref<const Eigen::MatrixXd>&;

/// Equations J x + r = 0 with their rows in the order of their independence (LQ with row pivoting):
///
///   diag(1/size) J = P [R1^T; R2^T] Y^T,     x = Y x_Y + Z x_Z,   (Y Z) orthogonal, R1 triangular
///
/// Rows are divided by their size first, so that units do not decide which of them count: a row is
/// dependent if, of unit size, its distance from the span of those before it is below the
/// tolerance.
class RankedRows {
 public:
  RankedRows() = default;
  /// The sizes are those of the rows of J; others where J is a part of a wider matrix.
  RankedRows(MatIn J, double tolerance);
  RankedRows(MatIn J, VecIn size, double tolerance);

  Eigen::Index num_rows() const { return size_.size(); }
  Eigen::Index rank() const { return Y_.cols(); }
  const Eigen::MatrixXd& Y() const { return Y_; }  ///< orthonormal, spans the rows
  const Eigen::MatrixXd& Z() const { return Z_; }  ///< orthonormal, spans the null space

  /// x_Y = -R1^-T (P^T r)_1 for one or more right-hand sides.
  Eigen::MatrixXd solve(MatIn r) const;
  /// What the dependent rows, divided by their size, still say: (P^T r)_2 + R2^T x_Y, one row each.
  Eigen::MatrixXd left_over(MatIn r, MatIn x_Y) const;
  /// How large the terms are that cancel in left_over(): below rounding of it, left_over() is zero.
  Eigen::VectorXd left_over_scale(MatIn r) const;

  /// lambda with J^T lambda = gradient, as far as the gradient lies in the span of the rows, for
  /// given multipliers of the dependent rows (of the rows divided by their size).
  Eigen::VectorXd multipliers(VecIn gradient, VecIn dependent) const;

 private:
  Eigen::MatrixXd sorted(MatIn r) const;

  Eigen::VectorXd size_;
  std::vector<Eigen::Index> order_;
  Eigen::MatrixXd Y_, Z_, R1_, R2_;
};

}  // namespace parfait::math
