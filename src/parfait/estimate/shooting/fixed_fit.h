#pragma once

#include <vector>

#include "parfait/estimate/shooting/reduction.h"

namespace parfait::estimate {

/// Fixfit (Kraus 2006, section 9.1; corrections.md): the intervals one after another, each with the
/// few directions in which its node can move at all,
///
///   ds_i = T_i w + U_i dtheta + u_i,      w = what is free in the first node.
///
/// Interval i integrates the columns of (T_i, U_i, u_i): their ends are (T, U, u)_{i+1} before the
/// defect h_i is added to u. A trial point has other defects: one more direction, along the
/// recorded steps of the linearization, gives its u.
///
/// An equation of the problem whose last quantity lies in interval i leaves w less to choose from
/// then on (section 9.1, remark 5): with A w + B dtheta + b = 0,
///
///   w = N v - A+ (B dtheta + b),      A N = 0,  N'N = 1,
///
/// the next intervals integrate along T N only, U and u take the rest. As N'A+ = 0, v = N'w: what
/// follows is still a function of w, as the equation itself, which stays in the problem.
class FixedFit final : public Reduction {
 public:
  bool linearize(ShootingIntervals& intervals, Trajectory& trajectory,
                 Condensed& condensed) override;
  bool correct(ShootingIntervals& intervals, const Trajectory& trajectory,
               Condensed& condensed) override;

 private:
  /// Equations that end in an interval, and how their values b move w and the next node: by
  /// -w_by_value b and -state_by_value b.
  struct Settled {
    std::vector<int> equations;
    Eigen::MatrixXd w_by_value, state_by_value;
  };
  /// What settled equations leave of w = N v + P dtheta + ...
  struct Free {
    Eigen::MatrixXd N, P;
  };
  /// A node as a function of v and theta, and what the defects add: T, U and u above.
  struct NodeDirections {
    Eigen::MatrixXd by_v, by_theta;
    Eigen::VectorXd shift;
  };
  bool begin(ShootingIntervals& intervals, const ShootingPoint& at, NodeDirections& first);
  bool run(ShootingIntervals& intervals, int i, const ShootingPoint& at,
           const NodeDirections& node) const;
  void settle_equations(const ShootingLayout& layout, int i, const Trajectory& trajectory,
                        const Condensed& condensed, Free& free, NodeDirections& next);
  Eigen::VectorXd settled_shift(const ShootingLayout& layout, int i, const Trajectory& linearized,
                                const Trajectory& trajectory, const Condensed& condensed,
                                Eigen::VectorXd& w) const;

  Trajectory linearized_;           ///< where the steps were recorded
  Eigen::MatrixXd first_basis_;     ///< S of the first node, where it moves on a manifold ...
  Eigen::MatrixXd first_by_theta_;  ///< ... and P (tangent_directions.h)
  std::vector<Settled> settled_;    ///< of each interval
};

}  // namespace parfait::estimate
