#pragma once

#include "parfait/mbs/solver/direction_step.h"
#include "parfait/mechanism/elements/constraint_row.h"

/// The rows of any joint with directions, from the motion of its two markers: slower than what
/// solve_directions does for joints without directions of their own, and right for all.
namespace parfait::mbs {

/// Both ends of a joint with the directions in d.lanes.
Site<Dual> joint_site(const JointShape& shape, const Geometry& g, const KernelState& k,
                      const DirectionState& d, const GeometryLanes* seeds);
/// Positions and rates of the vectors that the row is a function of; the others, and accelerations,
/// stay zero.
RowMotion<Dual> row_motion(const Site<Dual>& site, const RowShape& row);

/// The same for the rows of one joint, one after the other, which share the difference of their
/// markers: it is computed once, rates only where they are asked for.
class JointMotion {
 public:
  explicit JointMotion(const Site<Dual>& site) : site_(site) {}
  /// What row_position() reads and, but for rows of velocities alone, row_gradient().
  const RowMotion<Dual>& positions(const RowShape& row);
  /// What row_velocity() reads.
  const RowMotion<Dual>& velocities(const RowShape& row);

 private:
  void place_axes(const RowShape& row);

  const Site<Dual>& site_;
  RowMotion<Dual> motion_;  ///< of the last row, in what that row uses
  bool has_delta_ = false, has_rate_ = false;
};

/// Directions of the row's second derivative, G a - gamma.
Lane row_acceleration_directions(const Site<Dual>& site, const RowShape& row);
/// The wrench of a joint's multipliers as its gradient turns: subtracted from F, T (and F_X).
void subtract_wrenches(const Structure& s, const JointShape& shape, const Site<Dual>& site,
                       const double* lambda, DirectionState& d);

}  // namespace parfait::mbs
