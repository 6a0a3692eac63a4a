#pragma once

#include "parfait/mbs/solver/direction_step.h"
#include "parfait/mbs/solver/kernel.h"
#include "parfait/mbs/solver/site.h"

/// Bodies that gave up rigid-body constraints (Kraus 2006, section 5.1.2): a rigid body with
/// further columns.
///
/// Besides rotating, the axes may move along Y E_r for every released entry r. Made orthogonal to
/// rotations and to each other in the mass norm these are the columns Q_c, and everything the rigid
/// body does stays as it is (docs/theory/solver.md, R1-R4):
///
///   X'' = X''_rigid + sum_c Q_c <Q_c, F_X - X''_rigid J - joints>
namespace parfait::mbs {

/// F_X += f r^T: a force f at the local point or vector r, as a force on the axes.
template <class S>
void add_axis_force(const Vec3<double>& f, const S* r, std::array<V4, 3>& F) {
  for (int i = 0; i < 3; ++i) F[i] += V4{f.x, f.y, f.z, 0} * splat(r[i]);
}

/// Columns Q_c, and the free accelerations with them. (R1, R2)
void free_released(const Structure& s, const KernelConstants& c, KernelState& k);
/// Columns of all joints on released bodies. (R2)
void released_rows(const Structure& s, const KernelConstants& c, KernelState& k);
/// What the multipliers do along the columns.
void finish_released(const Structure& s, KernelState& k);

/// The same for directions (R3, R4). Joints on released bodies take the general path.
void prepare_released_directions(const Structure& s, const KernelConstants& c, const KernelState& k,
                                 DirectionState& d);
void free_released_directions(const Structure& s, const KernelConstants& c, const KernelState& k,
                              int index, const InertiaLanes* inertia, DirectionState& d);
void finish_released_directions(const Structure& s, const KernelState& k, DirectionState& d);

}  // namespace parfait::mbs
