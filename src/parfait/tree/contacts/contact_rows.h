#pragma once

#include "parfait/tree/algorithms/row_batch.h"
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

inline bool share_places(const ContactRow& a, const ContactRow& b) {
  const auto same = [](const Vec3<double>& p, const Vec3<double>& q) {
    return p.x == q.x && p.y == q.y && p.z == q.z;
  };
  return a.body == b.body && a.other == b.other && same(a.point, b.point) && same(a.place, b.place);
}

/// The motion of row after row. Accelerations have a meaning after inverse dynamics.
template <class S>
class ContactMotions {
 public:
  ContactMotions(const Tree& tree, const BoundConstants<S>& bound,
                 const std::vector<NodeMotion<S>>& nodes, const std::vector<NodeForces<S>>& forces)
      : tree_(tree), bound_(bound), nodes_(nodes), forces_(forces) {}

  /// Valid until the next row is asked for.
  const ContactMotion<S>& of(const ContactRow& row) {
    // Three rows of a point are one place and three directions.
    if (!last_ || !share_places(*last_, row)) {
      place(row.body, row.point, m_.r, m_.v, m_.a, m_.omega, m_.alpha, m_.r_B);
      place(row.other, row.place, m_.r_O, m_.v_O, m_.a_O, m_.omega_O, m_.alpha_O, m_.r_OB);
    }
    last_ = &row;
    m_.d = turned(row.other, row.direction);
    if (row.kind == ContactRow::Kind::kAxes) m_.axis = turned(row.body, row.axis);
    return m_;
  }

 private:
  static Vec3<S> number(const Vec3<double>& a) { return {S(a.x), S(a.y), S(a.z)}; }

  void place(int body, const Vec3<double>& point, Vec3<S>& r, Vec3<S>& v, Vec3<S>& a,
             Vec3<S>& omega, Vec3<S>& alpha, Vec3<S>& origin) const {
    if (body < 0) {
      r = number(point);
      v = a = omega = alpha = origin = number({});
      return;
    }
    const int node = tree_.bodies[body].node;
    const NodeMotion<S>& at = nodes_[node];
    const Transform<S>& X = bound_.X_NB[body];
    const Vec3<S> to_origin = at.R * X.p, arm = to_origin + at.R * (X.R * number(point));
    const Vec3<S> arm_d = cross(at.omega, arm);
    origin = at.p + to_origin;
    r = at.p + arm;
    v = at.v + arm_d;
    omega = at.omega;
    alpha = forces_[node].alpha;
    a = forces_[node].a + bound_.gravity + cross(alpha, arm) + cross(omega, arm_d);
  }

  Vec3<S> turned(int body, const Vec3<double>& a) const {
    if (body < 0) return number(a);
    return nodes_[tree_.bodies[body].node].R * (bound_.X_NB[body].R * number(a));
  }

  const Tree& tree_;
  const BoundConstants<S>& bound_;
  const std::vector<NodeMotion<S>>& nodes_;
  const std::vector<NodeForces<S>>& forces_;
  const ContactRow* last_ = nullptr;
  ContactMotion<S> m_;
};

inline ContactMotions<double> motions_of(const Tree& tree, const Workspace& ws) {
  return {tree, ws.bound, ws.nodes, ws.forces};
}
inline ContactMotions<math::Dual> motions_of(const Tree& tree, const DirectionWorkspace& lanes) {
  return {tree, lanes.bound, lanes.nodes, lanes.forces};
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

/// The two sides of a row: wrenches of its unit force about the origins of nodes, by
/// `act(side, node, F)`.
template <class Act>
void push_sides(const Tree& tree, const Workspace& ws, const ContactRow& row,
                const ContactMotion<double>& motion, const Act& act) {
  const ContactWrench<double> w = contact_wrench(motion, row);
  const auto push = [&](int side, int body, const Force<double>& f, const Vec3<double>& at) {
    if (body < 0) return;
    const int node = tree.bodies[body].node;
    act(side, node, {f.n + cross(at - ws.nodes[node].p, f.f), f.f});
  };
  push(0, row.body, w.on_body, motion.r);
  push(1, row.other, w.on_other, motion.r_O);
}

/// Direct, null-space and Kokkevis for the rows of G that are kept; on entry x is tau - c, on
/// return vdot.
void solve_contacts_densely(const Tree& tree, ContactMethod method, ConstVec q, Workspace& ws,
                            ContactWorkspace& room, Vec x);
/// Of all forces with the same effect G^T lambda those of least norm; on entry those of redundant
/// rows are zero.
void least_forces(ContactWorkspace& room, std::vector<double>& lambda);

}  // namespace parfait::tree
