#include "parfait/tree/contacts/contact_derivatives.h"

#include <algorithm>

#include "parfait/tree/contacts/contact_rows.h"

namespace parfait::tree {
namespace {

using math::Dual;
using math::kLanes;
using math::Lane;

enum class Along { kPositions, kVelocities, kAccelerations };

Vec3<Dual> constant(const Vec3<double>& a) {
  return {Dual(a.x), Dual(a.y), Dual(a.z)};
}
Mat3<Dual> constant(const Mat3<double>& A) {
  return {constant(A.x), constant(A.y), constant(A.z)};
}
void set_lane(Vec3<Dual>& to, int lane, const Vec3<double>& d) {
  to.x.d[lane] = d.x;
  to.y.d[lane] = d.y;
  to.z.d[lane] = d.z;
}

/// `act(k)` for the elementary motions that move a node.
template <class Act>
void for_motions(const Tree& tree, int node, const Act& act) {
  for (int i = node; i >= 0; i = tree.nodes[i].parent) {
    const Node& at = tree.nodes[i];
    for (int k = at.w; k < at.w + at.num_w; ++k) act(k);
  }
}

void find_moving(const Tree& tree, const ContactSet& set, const ContactView& view,
                 ContactDerivatives& out) {
  std::fill(out.place.begin(), out.place.end(), -1);
  out.bodies.clear();
  out.moving.clear();
  const auto touch = [&](int body) {
    if (body < 0 || std::find(out.bodies.begin(), out.bodies.end(), body) != out.bodies.end()) {
      return;
    }
    out.bodies.push_back(body);
    for_motions(tree, tree.bodies[body].node, [&](int k) {
      if (out.place[k] >= 0) return;
      out.place[k] = static_cast<int>(out.moving.size());
      out.moving.push_back(k);
    });
  };
  for (const int i : view.rows) {
    touch(set.rows()[i].body);
    touch(set.rows()[i].other);
  }
}

/// Column c of S, Psi'', Psi', Psi' + S' of a motion.
Motion<double> column(const DerivativeWorkspace::MotionVectors& motion, int c) {
  const auto& rows = motion.rows;
  return {{rows[0][c], rows[1][c], rows[2][c]}, {rows[3][c], rows[4][c], rows[5][c]}};
}

/// A node as it moves with motions [first, first + kLanes) of `moving`. With V and A the spatial
/// velocity and acceleration of a node that motion j moves,
///
///   dV/dq_j = Psi'_j + S_j x V,    dA/dq_j = Psi''_j - V x Psi'_j + S_j x A,
///   dV/dv_j = S_j,                 dA/dv_j = Psi'_j + S'_j - V x S_j                        (T42)
void vary_node(const Tree& tree, const Workspace& ws, Along along, int node, int first,
               ContactDerivatives& out) {
  const auto& sum = out.free.nodes[node];
  const NodeMotion<double>& at = ws.nodes[node];
  const NodeForces<double>& rate = ws.forces[node];
  NodeMotion<Dual>& moved = out.nodes[node];
  NodeForces<Dual>& pushed = out.forces[node];
  moved.R = constant(at.R);
  moved.p = constant(at.p);
  moved.omega = constant(at.omega);
  moved.v = constant(at.v);
  pushed.alpha = constant(rate.alpha);
  pushed.a = constant(rate.a);
  for_motions(tree, node, [&](int k) {
    const int lane = out.place[k] - first;
    if (lane < 0 || lane >= kLanes) return;
    const auto& motion = out.free.motions[k];
    const Motion<double> S = column(motion, 0);
    Motion<double> dV, dA;
    Vec3<double> dp{};
    if (along == Along::kPositions) {
      const Motion<double> psi1 = column(motion, 2);
      dV = psi1 + cross(S, sum.v);
      dA = column(motion, 1) + cross(psi1, sum.v) + cross(S, sum.a);
      dp = S.v + cross(S.omega, sum.rel);
      set_lane(moved.R.x, lane, cross(S.omega, at.R.x));
      set_lane(moved.R.y, lane, cross(S.omega, at.R.y));
      set_lane(moved.R.z, lane, cross(S.omega, at.R.z));
      set_lane(moved.p, lane, dp);
    } else if (along == Along::kVelocities) {
      dV = S;
      dA = column(motion, 3) + cross(S, sum.v);
    } else {
      dA = S;
    }
    const Vec3<double> dv = dV.v + cross(dV.omega, sum.rel) + cross(at.omega, dp);
    set_lane(moved.omega, lane, dV.omega);
    set_lane(moved.v, lane, dv);
    set_lane(pushed.alpha, lane, dA.omega);
    set_lane(pushed.a, lane,
             dA.v + cross(dA.omega, sum.rel) + cross(rate.alpha, dp) + cross(dV.omega, at.v) +
                 cross(at.omega, dv));
  });
}

/// What the forces of contacts change in dtau/dq beyond keeping their components and following the
/// origins of their bodies: points of contact turn with these, directions with the other ones.
void add_stiffness(const Tree& tree, const Workspace& ws, int first, ContactDerivatives& out) {
  const auto slope = [&](int k) { return tree.plain ? 1.0 : ws.driven.jets[k].d1; };
  const int last = std::min(first + kLanes, static_cast<int>(out.moving.size()));
  for (const int body : out.bodies) {
    const int node = tree.bodies[body].node;
    const Force<Dual>& F = out.dual_wrenches[body];
    const Vec3<double> origin = out.free.nodes[node].rel + ws.nodes[node].R * ws.bound.X_NB[body].p;
    for_motions(tree, node, [&](int k) {
      const Motion<double> S = column(out.free.motions[k], 0);
      const Vec3<double> u = S.v + cross(S.omega, origin);
      const Lane power = S.omega.x * F.n.x.d + S.omega.y * F.n.y.d + S.omega.z * F.n.z.d +
                         u.x * F.f.x.d + u.y * F.f.y.d + u.z * F.f.z.d;
      double* to = out.free.dtau_dq.data() + static_cast<std::size_t>(tree.drives[k].v) * tree.nv;
      for (int i = first; i < last; ++i) {
        const int j = out.moving[i];
        to[tree.drives[j].v] -= slope(k) * slope(j) * power[i - first];
      }
    });
  }
}

struct Contacts {
  const Tree& tree;
  const ContactSet& set;
  const ContactView& view;
  const ContactOptions& options;
};

/// Rows of the view by elementary motions, row by row of `to`; along positions the forces, too.
void vary_rows(const Contacts& c, const Workspace& ws, const ContactWorkspace& room, Along along,
               std::vector<double>& to, ContactDerivatives& out) {
  const double alpha = c.options.alpha, beta = c.options.beta;
  const int num_moving = static_cast<int>(out.moving.size());
  std::fill(to.begin(), to.end(), 0.0);
  for (int first = 0; first < num_moving; first += kLanes) {
    for (const int body : out.bodies) {
      vary_node(c.tree, ws, along, c.tree.bodies[body].node, first, out);
      out.dual_wrenches[body] = {};
    }
    ContactMotions<Dual> motions(c.tree, out.bound, out.nodes, out.forces);
    for (std::size_t i = 0; i < c.view.rows.size(); ++i) {
      const ContactRow& row = c.set.rows()[c.view.rows[i]];
      const ContactMotion<Dual>& motion = motions.of(row);
      Lane rate = row_acceleration(motion, row).d;
      if (alpha != 0 || beta != 0) {
        rate += 2 * alpha * row_velocity(motion, row).d + beta * beta * row_position(motion, row).d;
      }
      for (int j = first; j < std::min(first + kLanes, num_moving); ++j) {
        to[i * c.tree.nw + out.moving[j]] = rate[j - first];
      }
      if (along == Along::kPositions) {
        push_contact(row, motion, Dual(room.lambda[i]), out.dual_wrenches);
      }
    }
    if (along == Along::kPositions) add_stiffness(c.tree, ws, first, out);
  }
}

/// From elementary motions to q and v: theta = f(q), w = f' v, wdot = f' vdot + f'' v^2.
void collect_rows(const Contacts& c, const Workspace& ws, ConstVec v, ConstVec vdot,
                  ContactDerivatives& out) {
  std::fill(out.right_q.begin(), out.right_q.end(), 0.0);
  std::fill(out.right_v.begin(), out.right_v.end(), 0.0);
  for (const int k : out.moving) {
    const int column = c.tree.drives[k].v;
    const double speed = v[column];
    const Jet<double> f = c.tree.plain ? Jet<double>{0, 1, 0, 0} : ws.driven.jets[k];
    for (std::size_t i = 0; i < c.view.rows.size(); ++i) {
      const std::size_t from = i * c.tree.nw + k, to = i * c.tree.nv + column;
      out.right_q[to] += out.by_theta[from] * f.d1;
      out.right_v[to] += out.by_w[from] * f.d1;
      if (c.tree.plain) continue;
      out.right_q[to] += out.by_w[from] * f.d2 * speed +
                         out.by_wdot[from] * (f.d2 * vdot[column] + f.d3 * speed * speed);
      out.right_v[to] += 2 * out.by_wdot[from] * f.d2 * speed;
    }
  }
}

/// Columns of (T41) for the right-hand sides -tau (null: the unit matrix) and -rows (null: zero).
void solve(const Contacts& c, const ContactWorkspace& room, const double* tau, const double* rows,
           ContactDerivatives& out, double* dvdot, double* dlambda) {
  const int n = c.tree.nv, num_rows = static_cast<int>(c.view.rows.size());
  for (int first = 0; first < n; first += kLanes) {
    const int count = std::min(kLanes, n - first);
    for (int k = 0; k < n; ++k) {
      out.x[k] = Lane();
      for (int i = 0; i < count; ++i) {
        out.x[k][i] = tau ? -tau[k * n + first + i] : (k == first + i ? 1.0 : 0.0);
      }
    }
    for (int k = 0; k < num_rows; ++k) {
      out.gamma[k] = Lane();
      for (int i = 0; rows && i < count; ++i) out.gamma[k][i] = -rows[k * n + first + i];
    }
    room.solver.apply_metric(out.x.data());
    room.solver.hold(out.gamma.data(), out.lambda.data(), out.x.data(), out.room.data());
    for (int k = 0; k < n; ++k) {
      for (int i = 0; i < count; ++i) dvdot[k * n + first + i] = out.x[k][i];
    }
    // The solver's multipliers act with -G^T.
    for (int k = 0; k < num_rows; ++k) {
      for (int i = 0; i < count; ++i) dlambda[k * n + first + i] = -out.lambda[k][i];
    }
  }
}

}  // namespace

ContactDerivatives::ContactDerivatives(const Tree& tree, const ContactSet& set)
    : free(tree),
      wrenches(tree.bodies.size()),
      dual_wrenches(tree.bodies.size()),
      nodes(tree.nodes.size()),
      forces(tree.nodes.size()),
      place(tree.nw) {
  const std::size_t rows = set.rows().size(), nv = tree.nv, nw = tree.nw;
  for (auto* matrix : {&dvdot_dq, &dvdot_dv, &dvdot_dtau}) matrix->resize(nv * nv);
  for (auto* matrix : {&dlambda_dq, &dlambda_dv, &dlambda_dtau, &right_q, &right_v}) {
    matrix->resize(rows * nv);
  }
  for (auto* matrix : {&by_theta, &by_w, &by_wdot}) matrix->resize(rows * nw);
  derive(tree, without_directions(tree.constants), bound);
  bodies.reserve(tree.bodies.size());
  moving.reserve(nw);
  x.resize(nv);
  room.resize(nv);
  lambda.resize(rows);
  gamma.resize(rows);
}

void contact_dynamics_derivatives(const Tree& tree, const ContactSet& set, const ContactView& view,
                                  ConstVec q, ConstVec v, ConstVec tau,
                                  const ContactOptions& options, Workspace& ws,
                                  ContactWorkspace& room, ContactDerivatives& out, Vec vdot) {
  const Contacts c{tree, set, view, options};
  forward_dynamics_with_contacts(tree, set, view, q, v, tau, options, ws, room, vdot);
  find_moving(tree, set, view, out);
  std::fill(out.wrenches.begin(), out.wrenches.end(), Force<double>{});
  auto motions = motions_of(tree, ws);
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    const ContactRow& row = set.rows()[view.rows[i]];
    push_contact(row, motions.of(row), room.lambda[i], out.wrenches);
  }
  inverse_dynamics_derivatives(tree, q, v, vdot, out.wrenches, ws, out.free);
  for (const int body : out.bodies) {
    const Transform<double>& X = ws.bound.X_NB[body];
    out.bound.X_NB[body] = {constant(X.R), constant(X.p)};
  }
  out.bound.gravity = constant(ws.bound.gravity);
  vary_rows(c, ws, room, Along::kPositions, out.by_theta, out);
  vary_rows(c, ws, room, Along::kVelocities, out.by_w, out);
  if (!tree.plain) vary_rows(c, ws, room, Along::kAccelerations, out.by_wdot, out);
  collect_rows(c, ws, v, vdot, out);
  solve(c, room, out.free.dtau_dq.data(), out.right_q.data(), out, out.dvdot_dq.data(),
        out.dlambda_dq.data());
  solve(c, room, out.free.dtau_dv.data(), out.right_v.data(), out, out.dvdot_dv.data(),
        out.dlambda_dv.data());
  solve(c, room, nullptr, nullptr, out, out.dvdot_dtau.data(), out.dlambda_dtau.data());
}

}  // namespace parfait::tree
