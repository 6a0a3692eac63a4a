#include <algorithm>

#include "parfait/tree/algorithms/derivatives.h"
#include "parfait/tree/algorithms/levels.h"

namespace parfait::tree {

using math::Dual;
using math::Lane;

DirectionWorkspace::DirectionWorkspace(const Tree& tree)
    : q(tree.nq),
      v(tree.nv),
      vdot(tree.nv),
      tau(tree.nv),
      nodes(tree.nodes.size()),
      forces(tree.nodes.size()),
      scratch(driven_scratch_size(tree) + 1) {
  resize(tree, driven);
  bind(tree, without_directions(tree.constants));
}

void DirectionWorkspace::bind(const Tree& tree, const Constants<Dual>& constants) {
  derive(tree, constants, bound);
}

void inverse_dynamics_directions(const Tree& tree, const Force<Dual>* wrenches,
                                 DirectionWorkspace& room) {
  const Dual *theta = room.q.data(), *w = room.v.data(), *wdot = room.vdot.data();
  Dual* tau = room.tau.data();
  if (!tree.plain) {
    drive_positions(tree, room.bound, theta, room.driven, room.scratch.data());
    drive_velocities(tree, w, room.driven);
    drive_accelerations(tree, w, wdot, room.driven);
    theta = room.driven.theta.data();
    w = room.driven.w.data();
    wdot = room.driven.wdot.data();
    tau = room.driven.tau.data();
  }
  place_nodes(tree, room.bound, theta, room.nodes);
  turn_inertias(tree, room.bound, room.nodes);
  move_nodes(tree, w, room.nodes);
  newton_euler(tree, room.bound, room.nodes, wdot, -room.bound.gravity, wrenches, room.forces, tau);
  if (!tree.plain) collect_forces(tree, room.driven, room.tau.data());
}

void forward_dynamics_directions(const Tree& tree, ConstVec vdot, const Force<Dual>* wrenches,
                                 const Lane* dtau, Workspace& ws, DirectionWorkspace& room,
                                 Lane* dvdot) {
  for (int k = 0; k < tree.nv; ++k) room.vdot[k] = Dual(vdot[k]);
  inverse_dynamics_directions(tree, wrenches, room);
  for (int k = 0; k < tree.nv; ++k) {
    dvdot[k] = -room.tau[k].d;
    if (dtau) dvdot[k] += dtau[k];
  }
  update_factors(tree, ws);
  const int *start = tree.row_start.data(), *columns = tree.row_columns.data();
  const double* L = ws.L.data();
  for (int k = tree.nv - 1; k >= 0; --k) {
    for (int at = start[k]; at < start[k + 1]; ++at) dvdot[columns[at]] -= L[at] * dvdot[k];
  }
  for (int k = 0; k < tree.nv; ++k) {
    Lane sum = ws.D_inverse[k] * dvdot[k];
    for (int at = start[k]; at < start[k + 1]; ++at) sum -= L[at] * dvdot[columns[at]];
    dvdot[k] = sum;
  }
}

}  // namespace parfait::tree
