#pragma once

#include <Eigen/Core>
#include <Eigen/QR>

#include "parfait/estimate/linear/block.h"
#include "parfait/math/dense_solves.h"
#include "parfait/math/ranked_columns.h"
#include "parfait/math/ranked_rows.h"

namespace parfait::estimate {

/// A pivot counts if it is above these: relative to the length of its row, and to the longest
/// column of the data.
struct Tolerances {
  double constraint = 1e-11;
  double rank = 1e-9;
};

/// xi eliminated from the rows of one block,
///
///   min |A xi + B p + b|   s.t.   C xi + D p + c = 0
///
///   xi = xi_0 + S p,      what remains are data and equations for p:
///   min |J1 p + r1|   s.t.  J2 p + r2 = 0
///
/// J1 has at most num_shared rows: a rotation of the data, which b must undergo as well. J2 comes
/// from equations that depend on each other in xi. Of all xi that are equally good for a given p,
/// the shortest one is taken.
///
/// See  docs/theory/least_squares.md (L4-L8)
class BlockElimination {
 public:
  BlockElimination(Eigen::MatrixXd A, Eigen::MatrixXd B, MatIn C, MatIn D,
                   const Tolerances& tolerances);

  /// What right-hand sides become (the equations above).
  struct Reduced {
    Eigen::VectorXd xi_0, r1, r2;
  };
  Reduced reduce(VecIn b, VecIn c) const;

  const Eigen::MatrixXd& J1() const { return J1_; }
  const Eigen::MatrixXd& J2() const { return J2_; }  ///< of equations of unit length
  const Eigen::MatrixXd& S() const { return S_; }    ///< dxi/dp

  Eigen::Index num_local() const { return A_.cols(); }
  Eigen::Index num_equations() const { return rows_.num_rows(); }
  /// Directions of xi that the equations leave free, and those of them that the data see.
  Eigen::Index num_free() const { return rows_.Z().cols(); }
  Eigen::Index rank() const { return columns_.rank(); }
  double strongest() const { return columns_.strongest(); }
  double weakest() const { return columns_.weakest(); }
  /// Longest column of B: what J1 must be compared with.
  double shared_scale() const { return shared_scale_; }

  /// Cost of reduce(), roughly.
  double solve_flops() const {
    return 6.0 * static_cast<double>((A_.rows() + num_equations()) * (A_.cols() + B_.cols()));
  }

  /// Covariance of xi at fixed p, for data of unit variance.
  Eigen::MatrixXd own_covariance() const { return own_ * own_.transpose(); }
  /// Orthonormal directions of xi about which nothing is said.
  Eigen::MatrixXd undetermined() const { return rows_.Z() * columns_.unseen(); }

  Eigen::VectorXd residuals(VecIn xi, VecIn p, VecIn b) const { return A_ * xi + B_ * p + b; }
  /// (A B)^T residuals.
  Eigen::VectorXd gradient(VecIn residuals) const;
  /// lambda with A^T residuals = C^T lambda, from the multipliers of the equations J2.
  Eigen::VectorXd multipliers(VecIn residuals, VecIn lambda_2) const;

 private:
  Eigen::MatrixXd A_, B_, S_, J1_, J2_;  ///< as above
  Eigen::MatrixXd own_;                  ///< a factor of own_covariance()
  math::RankedRows rows_;
  math::RankedColumns columns_;
  math::Reflections compression_;
  bool compressed_ = false;
  double shared_scale_ = 0;
};

}  // namespace parfait::estimate
