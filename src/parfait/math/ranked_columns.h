#pragma once

#include <Eigen/Core>
#include <Eigen/QR>

#include "parfait/math/ranked_rows.h"

namespace parfait::math {

/// Data A z with the directions of z split into those that A sees and those it does not (complete
/// orthogonal decomposition, columns pivoted):
///
///   A = Q [T 0; 0 0] (V_1 V_2)^T,       (V_1 V_2) orthogonal, T triangular
///
/// A direction is seen if its pivot is above `threshold`, an absolute number: what is left of
/// columns after an elimination must be compared with what they were before.
class RankedColumns {
 public:
  RankedColumns() = default;
  RankedColumns(MatIn A, double threshold);

  Eigen::Index rank() const { return rank_; }
  const Eigen::MatrixXd& seen() const { return V1_; }
  const Eigen::MatrixXd& unseen() const { return V2_; }
  /// Q^T M: the first rank() rows belong to T, the others are what no z can change.
  Eigen::MatrixXd rotate(MatIn M) const;
  /// T^-1 M.
  Eigen::MatrixXd solve(MatIn M) const;
  double strongest() const { return strongest_; }  ///< largest pivot, 0 if there is none
  double weakest() const { return weakest_; }      ///< smallest pivot of those seen

 private:
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition_;
  Eigen::MatrixXd V1_, V2_;
  Eigen::Index rank_ = 0;
  double strongest_ = 0, weakest_ = 0;
};

}  // namespace parfait::math
