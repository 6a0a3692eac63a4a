#include "parfait/tree/algorithms/algorithms.h"
#include "parfait/tree/algorithms/levels.h"

namespace parfait::tree {
namespace {

void inverse(const Tree& tree, const double* vdot, Wrenches wrenches, Workspace& ws, double* tau) {
  update_inertias(tree, ws);
  const double* wdot = vdot;
  if (!tree.plain) {
    drive_accelerations(tree, ws.v.data(), vdot, ws.driven);
    wdot = ws.driven.wdot.data();
  }
  newton_euler(tree, ws.bound, ws.nodes, wdot, -ws.bound.gravity,
               wrenches.empty() ? nullptr : wrenches.data(), ws.forces,
               tree.plain ? tau : ws.driven.tau.data());
  if (!tree.plain) collect_forces(tree, ws.driven, tau);
}

}  // namespace

void inverse_dynamics(const Tree& tree, ConstVec q, ConstVec v, ConstVec vdot, Wrenches wrenches,
                      Workspace& ws, Vec tau) {
  update_velocities(tree, q, v, ws);
  inverse(tree, vdot.data(), wrenches, ws, tau.data());
}

void nonlinear_effects(const Tree& tree, ConstVec q, ConstVec v, Workspace& ws, Vec c) {
  update_velocities(tree, q, v, ws);
  inverse(tree, nullptr, {}, ws, c.data());
}

}  // namespace parfait::tree
