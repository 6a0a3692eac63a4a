#pragma once

#include "parfait/tree/algorithms/generalized_force.h"
#include "parfait/tree/contacts/contact_dynamics.h"

/// Rows of contacts where bodies are, written once for numbers and for numbers with directions.
/// Internal to the room.
namespace parfait::tree {

/// The motion of the two bodies of a row, world axes.
template <class S>
struct ContactMotion {
  Vec3<S> r, v, a, omega, alpha;            ///< of the point, and of the body that has it
  Vec3<S> r_O, v_O, a_O, omega_O, alpha_O;  ///< of the place
  Vec3<S> d, axis;
  Vec3<S> r_B, r_OB;  ///< origins of the frames of both bodies
};

/// Accelerations have a meaning after inverse dynamics.
template <class S>
ContactMotion<S> contact_motion(const Tree& tree, const BoundConstants<S>& bound,
                                const std::vector<NodeMotion<S>>& nodes,
                                const std::vector<NodeForces<S>>& forces, const ContactRow& row) {
  const auto number = [](const Vec3<double>& a) { return Vec3<S>{S(a.x), S(a.y), S(a.z)}; };
  const Vec3<S> zero{S(0.0), S(0.0), S(0.0)};
  ContactMotion<S> m;
  const auto place = [&](int body, const Vec3<double>& point, Vec3<S>& r, Vec3<S>& v, Vec3<S>& a,
                         Vec3<S>& omega, Vec3<S>& alpha, Vec3<S>& origin) {
    if (body < 0) {
      r = number(point);
      v = a = omega = alpha = origin = zero;
      return;
    }
    const int node = tree.bodies[body].node;
    const NodeMotion<S>& at = nodes[node];
    const Transform<S>& X = bound.X_NB[body];
    const Vec3<S> to_origin = at.R * X.p, arm = to_origin + at.R * (X.R * number(point));
    origin = at.p + to_origin;
    r = at.p + arm;
    v = at.v + cross(at.omega, arm);
    omega = at.omega;
    alpha = forces[node].alpha;
    a = forces[node].a + bound.gravity + cross(alpha, arm) + cross(omega, cross(omega, arm));
  };
  place(row.body, row.point, m.r, m.v, m.a, m.omega, m.alpha, m.r_B);
  place(row.other, row.place, m.r_O, m.v_O, m.a_O, m.omega_O, m.alpha_O, m.r_OB);
  const auto turned = [&](int body, const Vec3<double>& a) {
    if (body < 0) return number(a);
    return nodes[tree.bodies[body].node].R * (bound.X_NB[body].R * number(a));
  };
  m.d = turned(row.other, row.direction);
  m.axis = turned(row.body, row.axis);
  return m;
}

template <class S>
S row_position(const ContactMotion<S>& m, const ContactRow& row) {
  switch (row.kind) {
    case ContactRow::Kind::kDistance:
      return dot(m.d, m.r - m.r_O) - S(row.value);
    case ContactRow::Kind::kAxes:
      return dot(m.axis, m.d) - S(row.value);
    case ContactRow::Kind::kRolling:
      break;
  }
  return S(0.0);
}

template <class S>
S row_velocity(const ContactMotion<S>& m, const ContactRow& row) {
  switch (row.kind) {
    case ContactRow::Kind::kDistance:
      return dot(m.d, m.v - m.v_O) + dot(cross(m.omega_O, m.d), m.r - m.r_O);
    case ContactRow::Kind::kAxes:
      return dot(cross(m.omega - m.omega_O, m.axis), m.d);
    case ContactRow::Kind::kRolling: {
      const Vec3<S> arm{S(row.arm.x), S(row.arm.y), S(row.arm.z)};
      return dot(m.d, m.v + cross(m.omega, arm));
    }
  }
  return S(0.0);
}

template <class S>
S row_acceleration(const ContactMotion<S>& m, const ContactRow& row) {
  switch (row.kind) {
    case ContactRow::Kind::kDistance: {
      const Vec3<S> d_d = cross(m.omega_O, m.d);
      return dot(m.d, m.a - m.a_O) + S(2.0) * dot(d_d, m.v - m.v_O) +
             dot(cross(m.alpha_O, m.d) + cross(m.omega_O, d_d), m.r - m.r_O);
    }
    case ContactRow::Kind::kAxes: {
      const Vec3<S> a_d = cross(m.omega, m.axis), d_d = cross(m.omega_O, m.d);
      return dot(cross(m.alpha, m.axis) + cross(m.omega, a_d), m.d) + S(2.0) * dot(a_d, d_d) +
             dot(m.axis, cross(m.alpha_O, m.d) + cross(m.omega_O, d_d));
    }
    case ContactRow::Kind::kRolling: {
      const Vec3<S> arm{S(row.arm.x), S(row.arm.y), S(row.arm.z)};
      return dot(m.d, m.a + cross(m.alpha, arm));
    }
  }
  return S(0.0);
}

/// Wrenches of a unit force of the row on its bodies, about the points of the row.
template <class S>
struct ContactWrench {
  Force<S> on_body, on_other;
};
template <class S>
ContactWrench<S> contact_wrench(const ContactMotion<S>& m, const ContactRow& row) {
  const Vec3<S> zero{S(0.0), S(0.0), S(0.0)};
  switch (row.kind) {
    case ContactRow::Kind::kDistance:
      return {{zero, m.d}, {cross(m.d, m.r - m.r_O), -m.d}};
    case ContactRow::Kind::kAxes: {
      const Vec3<S> n = cross(m.axis, m.d);
      return {{n, zero}, {-n, zero}};
    }
    case ContactRow::Kind::kRolling: {
      const Vec3<S> arm{S(row.arm.x), S(row.arm.y), S(row.arm.z)};
      return {{cross(arm, m.d), m.d}, {zero, zero}};
    }
  }
  return {};
}

/// Adds the force lambda of a row to wrenches about the origins of bodies.
template <class S>
void push_contact(const ContactRow& row, const ContactMotion<S>& m, const S& lambda,
                  std::vector<Force<S>>& wrenches) {
  const ContactWrench<S> w = contact_wrench(m, row);
  const auto push = [&](int body, const Force<S>& f, const Vec3<S>& arm) {
    if (body < 0) return;
    wrenches[body].n += lambda * (f.n + cross(arm, f.f));
    wrenches[body].f += lambda * f.f;
  };
  push(row.body, w.on_body, m.r - m.r_B);
  push(row.other, w.on_other, m.r_O - m.r_OB);
}

/// The entries of a row of G: `add(k, value, most)`.
template <class Add>
void add_contact_row(const Tree& tree, const Workspace& ws, const ContactRow& row,
                     const ContactMotion<double>& motion, const Add& add) {
  const ContactWrench<double> w = contact_wrench(motion, row);
  const auto walk = [&](int body, const Force<double>& f, const Vec3<double>& at) {
    if (body < 0) return;
    const int node = tree.bodies[body].node;
    add_generalized_force(tree, ws, node, {f.n + cross(at - ws.nodes[node].p, f.f), f.f}, add);
  };
  walk(row.body, w.on_body, motion.r);
  walk(row.other, w.on_other, motion.r_O);
}

/// Direct, null-space and Kokkevis for the rows of G that are kept; on entry x is tau - c, on
/// return vdot.
void solve_contacts_densely(const Tree& tree, ContactMethod method, ConstVec q, Workspace& ws,
                            ContactWorkspace& room, Vec x);
/// Of all forces with the same effect G^T lambda those of least norm.
void least_forces(const Tree& tree, const ContactWorkspace& room, std::vector<double>& lambda);

}  // namespace parfait::tree
