#include "parfait/tree/contacts/contact_dynamics.h"

#include <algorithm>
#include <cmath>

#include "parfait/tree/algorithms/levels.h"
#include "parfait/tree/contacts/contact_rows.h"

namespace parfait::tree {

using math::Dual;
using math::Lane;

const char* text(ContactMethod method) {
  switch (method) {
    case ContactMethod::kRangeSpace:
      return "range-space";
    case ContactMethod::kDirect:
      return "direct";
    case ContactMethod::kNullSpace:
      return "null-space";
    case ContactMethod::kKokkevis:
      return "kokkevis";
  }
  return "";
}

ContactWorkspace::ContactWorkspace(const Tree& tree, const ContactSet& set) {
  const std::size_t rows = set.rows().size(), nv = tree.nv;
  lambda.reserve(rows);
  impulse.reserve(rows);
  redundant.reserve(rows);
  solver.resize(static_cast<int>(rows), tree.nv);
  gamma.resize(rows);
  x.resize(nv);
}

void contact_positions(const Tree& tree, const ContactSet& set, const ContactView& view, ConstVec q,
                       Workspace& ws, Vec g) {
  update_positions(tree, q, ws);
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    g[i] = row_position(contact_motion(tree, ws.bound, ws.nodes, ws.forces, row), row);
  }
}

void contact_velocities(const Tree& tree, const ContactSet& set, const ContactView& view,
                        ConstVec q, ConstVec v, Workspace& ws, Vec gdot) {
  update_velocities(tree, q, v, ws);
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    gdot[i] = row_velocity(contact_motion(tree, ws.bound, ws.nodes, ws.forces, row), row);
  }
}

void contact_accelerations(const Tree& tree, const ContactSet& set, const ContactView& view,
                           ConstVec q, ConstVec v, ConstVec vdot, Workspace& ws, Vec gddot) {
  update_velocities(tree, q, v, ws);
  std::vector<double>& unused = ws.tau;
  if (vdot.empty()) {
    nonlinear_effects(tree, q, v, ws, unused);
  } else {
    inverse_dynamics(tree, q, v, vdot, {}, ws, unused);
  }
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    gddot[i] = row_acceleration(contact_motion(tree, ws.bound, ws.nodes, ws.forces, row), row);
  }
}

void contact_jacobian(const Tree& tree, const ContactSet& set, const ContactView& view, ConstVec q,
                      Workspace& ws, Vec G) {
  update_positions(tree, q, ws);
  const std::size_t nv = tree.nv;
  std::fill_n(G.begin(), view.rows.size() * nv, 0.0);
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    const auto motion = contact_motion(tree, ws.bound, ws.nodes, ws.forces, row);
    add_contact_row(tree, ws, row, motion,
                    [&](int k, double value, double) { G[i * nv + k] += value; });
  }
}

namespace {

/// Rows of the view and their factors, by size of the pivots.
void factor_contacts(const Tree& tree, const ContactSet& set, const ContactView& view, ConstVec q,
                     double tolerance, Workspace& ws, ContactWorkspace& room) {
  static const std::vector<int> by_size;
  static const std::vector<char> all;
  const int n = static_cast<int>(view.rows.size());
  update_positions(tree, q, ws);
  room.solver.begin(n);
  for (int i = 0; i < n; ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    add_contact_row(tree, ws, row, contact_motion(tree, ws.bound, ws.nodes, ws.forces, row),
                    [&](int k, double value, double most) { room.solver.add(i, k, value, most); });
  }
  room.solver.use_mass(tree, ws);
  room.solver.factor(by_size, all, tolerance);
  room.rank = room.solver.rank();
  room.redundant.clear();
  for (int i = 0; i < n; ++i) {
    if (!room.solver.is_kept(i)) room.redundant.push_back(i);
  }
}

/// The solver's multipliers act with -G^T, forces of contacts with G^T.
template <class T>
void turn_sign(T* lambda, int n) {
  for (int i = 0; i < n; ++i) lambda[i] = -lambda[i];
}

}  // namespace

void forward_dynamics_with_contacts(const Tree& tree, const ContactSet& set,
                                    const ContactView& view, ConstVec q, ConstVec v, ConstVec tau,
                                    const ContactOptions& options, Workspace& ws,
                                    ContactWorkspace& room, Vec vdot) {
  const int n = static_cast<int>(view.rows.size());
  room.lambda.resize(view.rows.size());
  factor_contacts(tree, set, view, q, options.rank_tolerance, ws, room);
  // c, and with it the accelerations that remain where vdot is zero: G' v.
  nonlinear_effects(tree, q, v, ws, vdot);
  for (int i = 0; i < n; ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    const auto motion = contact_motion(tree, ws.bound, ws.nodes, ws.forces, row);
    room.gamma[i] = -row_acceleration(motion, row);
    if (options.alpha != 0 || options.beta != 0) {
      room.gamma[i] -= 2 * options.alpha * row_velocity(motion, row) +
                       options.beta * options.beta * row_position(motion, row);
    }
  }
  for (int k = 0; k < tree.nv; ++k) vdot[k] = tau[k] - vdot[k];
  if (options.method == ContactMethod::kRangeSpace) {
    room.solver.apply_metric(vdot.data());
    room.solver.hold(room.gamma.data(), room.lambda.data(), vdot.data(), room.x.data());
    turn_sign(room.lambda.data(), n);
  } else {
    solve_contacts_densely(tree, options.method, q, ws, room, vdot);
  }
  if (!room.redundant.empty()) least_forces(tree, room, room.lambda);
}

void contact_impulses(const Tree& tree, const ContactSet& set, const ContactView& view, ConstVec q,
                      ConstVec v, const ContactOptions& options, Workspace& ws,
                      ContactWorkspace& room, Vec v_after) {
  const int n = static_cast<int>(view.rows.size());
  room.impulse.resize(view.rows.size());
  factor_contacts(tree, set, view, q, options.rank_tolerance, ws, room);
  contact_velocities(tree, set, view, q, v, ws, room.gamma);
  for (int i = 0; i < n; ++i) {
    room.gamma[i] *= -set.rows()[view.rows[i]].restitution;
  }
  std::copy(v.begin(), v.end(), v_after.begin());
  if (options.method == ContactMethod::kRangeSpace) {
    room.solver.hold(room.gamma.data(), room.impulse.data(), v_after.data(), room.x.data());
    turn_sign(room.impulse.data(), n);
  } else {
    // The same equations with H v- in the place of tau - c.
    std::vector<double> momentum(v.size(), 0.0);
    for (int i = 0; i < tree.nv; ++i) {
      for (int k = 0; k < tree.nv; ++k) momentum[i] += ws.H[i * tree.nv + k] * v[k];
    }
    std::copy(momentum.begin(), momentum.end(), v_after.begin());
    room.lambda.resize(view.rows.size());
    solve_contacts_densely(tree, options.method, q, ws, room, v_after);
    room.impulse = room.lambda;
  }
  if (!room.redundant.empty()) least_forces(tree, room, room.impulse);
}

void contact_dynamics_directions(const Tree& tree, const ContactSet& set, const ContactView& view,
                                 ConstVec vdot, const ContactOptions& options, const Lane* dtau,
                                 ContactWorkspace& room, DirectionWorkspace& lanes, Lane* dvdot,
                                 Lane* dlambda) {
  const int n = static_cast<int>(view.rows.size());
  // Where bodies are, with directions.
  const Dual *theta = lanes.q.data(), *w = lanes.v.data();
  if (!tree.plain) {
    drive_positions(tree, lanes.bound, theta, lanes.driven, lanes.scratch.data());
    drive_velocities(tree, w, lanes.driven);
    theta = lanes.driven.theta.data();
    w = lanes.driven.w.data();
  }
  place_nodes(tree, lanes.bound, theta, lanes.nodes);
  turn_inertias(tree, lanes.bound, lanes.nodes);
  move_nodes(tree, w, lanes.nodes);
  std::vector<Force<Dual>> wrenches(tree.bodies.size());
  for (int i = 0; i < n; ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    const auto motion = contact_motion(tree, lanes.bound, lanes.nodes, lanes.forces, row);
    push_contact(row, motion, Dual(room.lambda[i]), wrenches);
  }
  for (int k = 0; k < tree.nv; ++k) lanes.vdot[k] = Dual(vdot[k]);
  inverse_dynamics_directions(tree, wrenches.data(), lanes);
  for (int k = 0; k < tree.nv; ++k) {
    dvdot[k] = -lanes.tau[k].d;
    if (dtau) dvdot[k] += dtau[k];
  }
  std::vector<Lane> gamma(n), force(tree.nv);
  for (int i = 0; i < n; ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    const auto motion = contact_motion(tree, lanes.bound, lanes.nodes, lanes.forces, row);
    gamma[i] = -row_acceleration(motion, row).d;
    if (options.alpha != 0 || options.beta != 0) {
      gamma[i] -= 2 * options.alpha * row_velocity(motion, row).d +
                  options.beta * options.beta * row_position(motion, row).d;
    }
  }
  room.solver.apply_metric(dvdot);
  room.solver.hold(gamma.data(), dlambda, dvdot, force.data());
  turn_sign(dlambda, n);
}

}  // namespace parfait::tree
