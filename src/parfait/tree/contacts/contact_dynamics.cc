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
  wrenches.resize(tree.bodies.size());
  gamma_lanes.resize(rows);
  x_lanes.resize(nv);
  combinations.resize(rows * rows);
  normal.resize(rows * rows);
}

void contact_positions(const Tree& tree, const ContactSet& set, const ContactView& view, ConstVec q,
                       Workspace& ws, Vec g) {
  update_positions(tree, q, ws);
  auto motions = motions_of(tree, ws);
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    g[i] = row_position(motions.of(row), row);
  }
}

void contact_velocities(const Tree& tree, const ContactSet& set, const ContactView& view,
                        ConstVec q, ConstVec v, Workspace& ws, Vec gdot) {
  update_velocities(tree, q, v, ws);
  auto motions = motions_of(tree, ws);
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    gdot[i] = row_velocity(motions.of(row), row);
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
  auto motions = motions_of(tree, ws);
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    gddot[i] = row_acceleration(motions.of(row), row);
  }
}

void contact_jacobian(const Tree& tree, const ContactSet& set, const ContactView& view, ConstVec q,
                      Workspace& ws, Vec G) {
  update_positions(tree, q, ws);
  const std::size_t nv = tree.nv;
  std::fill_n(G.begin(), view.rows.size() * nv, 0.0);
  auto motions = motions_of(tree, ws);
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    push_sides(tree, ws, row, motions.of(row), [&](int, int node, const Force<double>& F) {
      add_generalized_force(tree, ws, node, sized(F),
                            [&](int k, double value, double) { G[i * nv + k] += value; });
    });
  }
}

namespace {

void compute_rows(const Tree& tree, const ContactSet& set, const ContactView& view, Workspace& ws,
                  RowSolver& solver) {
  auto motions = motions_of(tree, ws);
  RowBatch sides[2] = {{tree, ws, solver}, {tree, ws, solver}};
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    push_sides(tree, ws, row, motions.of(row), [&](int side, int node, const Force<double>& F) {
      sides[side].add(static_cast<int>(i), node, F);
    });
  }
}

/// Rows of the view and their factors, by size of the pivots.
void factor_contacts(const Tree& tree, const ContactSet& set, const ContactView& view, ConstVec q,
                     double tolerance, Workspace& ws, ContactWorkspace& room) {
  static const std::vector<int> by_size;
  static const std::vector<char> all;
  const int n = static_cast<int>(view.rows.size());
  update_positions(tree, q, ws);
  room.solver.begin(n);
  compute_rows(tree, set, view, ws, room.solver);
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
  auto motions = motions_of(tree, ws);
  for (int i = 0; i < n; ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    const auto& motion = motions.of(row);
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
  if (!room.redundant.empty()) least_forces(room, room.lambda);
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
  if (!room.redundant.empty()) least_forces(room, room.impulse);
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
  std::fill(room.wrenches.begin(), room.wrenches.end(), Force<Dual>{});
  auto motions = motions_of(tree, lanes);
  for (int i = 0; i < n; ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    push_contact(row, motions.of(row), Dual(room.lambda[i]), room.wrenches);
  }
  for (int k = 0; k < tree.nv; ++k) lanes.vdot[k] = Dual(vdot[k]);
  inverse_dynamics_directions(tree, room.wrenches.data(), lanes);
  for (int k = 0; k < tree.nv; ++k) {
    dvdot[k] = -lanes.tau[k].d;
    if (dtau) dvdot[k] += dtau[k];
  }
  auto accelerated = motions_of(tree, lanes);
  for (int i = 0; i < n; ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    const auto& motion = accelerated.of(row);
    room.gamma_lanes[i] = -row_acceleration(motion, row).d;
    if (options.alpha != 0 || options.beta != 0) {
      room.gamma_lanes[i] -= 2 * options.alpha * row_velocity(motion, row).d +
                             options.beta * options.beta * row_position(motion, row).d;
    }
  }
  room.solver.apply_metric(dvdot);
  room.solver.hold(room.gamma_lanes.data(), dlambda, dvdot, room.x_lanes.data());
  turn_sign(dlambda, n);
}

}  // namespace parfait::tree
