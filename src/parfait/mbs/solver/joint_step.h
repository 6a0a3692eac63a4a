#pragma once

#include "parfait/mbs/solver/kernel.h"
#include "parfait/mechanism/elements/constraint_row.h"

namespace parfait::mbs {

/// Whitened Jacobians of all joints (S5), and k.multiplier = G a - gamma of every row with the
/// accelerations that the frames hold (S6).
void step_joints(const Structure& s, const KernelConstants& c, KernelState& k);

/// Lists runs of joints of one kind and the blocks of K in the order of assembly, in a state whose
/// storage stays where it is.
void plan_joints(const Structure& s, KernelState& k);

/// K over all joints: diagonal blocks and couplings through shared bodies. (S7)
void assemble_joints(const Structure& s, KernelState& k);

/// Solves K lambda = k.multiplier in place; k.force, k.torque = wrench of the multipliers on every
/// body. (S8, S9)
///
/// Both in one sweep: each multiplier waits for the one before, and a wrench is computed meanwhile.
void solve_joints(const Structure& s, KernelState& k);

/// Motion of the markers of a row; accelerations are those the frames hold.
RowMotion<double> row_motion(const JointShape& shape, const Geometry& g, const BodyFrame* frames,
                             const RowShape& row);

}  // namespace parfait::mbs
