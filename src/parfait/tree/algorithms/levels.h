#pragma once

#include "parfait/tree/algorithms/workspace.h"

/// Levels of a workspace whose positions are current. Internal to the room.
namespace parfait::tree {

void update_inertias(const Tree& tree, Workspace& ws);
void update_articulated(const Tree& tree, Workspace& ws);
void update_mass_matrix(const Tree& tree, Workspace& ws);
void update_factors(const Tree& tree, Workspace& ws);

/// Accelerations of all elementary motions that the forces tau_w produce, by articulated bodies.
/// With bias: with velocities, gravity and wrenches; otherwise H^-1 tau alone.
void articulated_accelerations(const Tree& tree, Workspace& ws, bool with_bias,
                               const Force<double>* wrenches, const double* tau, double* wdot);

}  // namespace parfait::tree
