#include "parfait/mbs/observation/observation.h"

#include <cmath>

#include "parfait/math/symmetric.h"
#include "parfait/mbs/forces/force_stage.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mechanism/elements/constraint_row.h"

// Quantities by name, each written once for numbers and for numbers with directions.
namespace parfait::mbs {
namespace {

using math::atan2;
using math::sqrt;
using std::atan2;
using std::sqrt;

/// What a quantity may ask for, as numbers ...
struct Values {
  const ModelData& m;
  ModelWorkspace& w;
  using S = double;

  double constant(int i) const { return w.bound.constants[i]; }
  double parameter(int i) const { return w.bound.p[i]; }
  double time() const { return w.state.t; }
  double state(int i) const { return w.state.e[i]; }
  double mass(int b) const { return w.bound.kernel.mass(b); }
  double J(int b, int e) const { return w.bound.kernel.J(b, e); }
  Vec3<double> center(int b) const {
    const auto c = w.bound.kernel.center(b);
    return {c[0], c[1], c[2]};
  }
  double gravity(int i) const { return w.bound.gravity[i]; }
  double lambda(int joint, int row) const { return w.k.multiplier[8 * joint + row]; }
  End<double> end(int body, const double* rho, const double (*axes)[4], const GeometryLanes*,
                  int) const {
    return {&w.k.frames[body], rho, axes};
  }
  Vec3<double> local(const double* r, const Lane*) const { return {r[0], r[1], r[2]}; }
  ElementPoint<double> at(const ForceSpec& force) const { return look_at(m, w, force); }
  End<double> end(const EndSpec& spec) const { return end_of(w.bound.kernel, w.k, spec); }
  const auto& forces_of(const ForceSpec& force) const {
    act(m, w, force);
    return w.force.forces;
  }
  const auto& pull_of(const ForceSpec& force, const ElementPoint<double>& at) const {
    force.element->pull(at, {w.force.forces.data(), force.ends.size()});
    return w.force.forces;
  }
  double offset_rate(const OffsetSpec& offset) const { return w.offset.vel[offset.row]; }
};

/// ... and as numbers with the directions of the present chunk.
struct Derivatives {
  const ModelData& m;
  ModelWorkspace& w;
  using S = Dual;

  Dual constant(int i) const { return constant_directions(m, w, i); }
  Dual parameter(int i) const {
    return {w.bound.p[i], w.formula.lanes[m.slots.first_parameter + i]};
  }
  Dual time() const { return {w.state.t, w.formula.lanes[m.slots.t]}; }
  Dual state(int i) const { return {w.state.e[i], w.formula.lanes[m.slots.first_state + i]}; }
  const InertiaLanes* inertia(int b) const { return w.seed.inertia[b]; }
  Dual mass(int b) const { return {w.bound.kernel.mass(b), inertia(b) ? inertia(b)->m : Lane{}}; }
  Dual J(int b, int e) const {
    return {w.bound.kernel.J(b, e), inertia(b) ? inertia(b)->J[e] : Lane{}};
  }
  Vec3<Dual> center(int b) const {
    const auto c = w.bound.kernel.center(b);
    Vec3<Dual> out{c[0], c[1], c[2]};
    if (const auto* seed = inertia(b)) {
      out.x.d = seed->c[0];
      out.y.d = seed->c[1];
      out.z.d = seed->c[2];
    }
    return out;
  }
  Dual gravity(int i) const { return {w.bound.gravity[i], w.seed.gravity[i]}; }
  Dual lambda(int joint, int row) const {
    return {w.k.multiplier[8 * joint + row], w.d.multipliers[6 * joint + row]};
  }
  End<Dual> end(int body, const double* rho, const double (*axes)[4], const GeometryLanes* seeds,
                int side) const {
    End<Dual> out;
    out.base = {&w.k.frames[body], rho, axes};
    out.lanes = body < m.kernel.structure.num_bodies ? &w.d.lanes[body] : nullptr;
    if (seeds) {
      out.drho = seeds->rho[side];
      out.daxes = seeds->axis[side];
    }
    return out;
  }
  ElementPoint<Dual> at(const ForceSpec& force) const { return look_at_directions(m, w, force); }
  End<Dual> end(const EndSpec& spec) const {
    return end_with_directions(w.bound.kernel, w.k, w.seed, w.d, spec);
  }
  const auto& forces_of(const ForceSpec& force) const {
    act_directions(m, w, force);
    return w.force_directions.forces;
  }
  const auto& pull_of(const ForceSpec& force, const ElementPoint<Dual>& at) const {
    force.element->pull(at, {w.force_directions.forces.data(), force.ends.size()});
    return w.force_directions.forces;
  }
  Dual offset_rate(const OffsetSpec& offset) const {
    return {w.offset.vel[offset.row], row_offset_directions(m, w, offset, 1)};
  }
};

template <class S>
S component(const Vec3<S>& a, int i) {
  return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

constexpr double kZero4[4] = {};
constexpr double kOwnAxes[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};

const GeometryLanes* seeds_of(const ModelWorkspace& w, int geometry) {
  return w.seed.geometry.empty() ? nullptr : w.seed.geometry[geometry];
}

template <class C>
End<typename C::S> geometry_end(const C& c, int geometry, int side) {
  const Geometry& g = c.w.bound.kernel.geometry[geometry];
  const int body = c.m.kernel.geometry[geometry].end[side].body;
  return c.end(body, g.rho[side], g.axis[side], seeds_of(c.w, geometry), side);
}

template <class C>
auto marker_value(const C& c, const Quantity& q) {
  using S = typename C::S;
  const auto pick = [&](const auto& end) {
    switch (q.kind) {
      case Quantity::Kind::kMarkerVelocity:
        return end.velocity();
      case Quantity::Kind::kMarkerAcceleration:
        return end.acceleration();
      default:
        return end.point();
    }
  };
  if (q.index >= 0) return component(pick(geometry_end(c, q.index, 0)), q.component);
  const auto com = c.end(q.body, kZero4, kOwnAxes, nullptr, 0);
  Vec3<S> out = pick(com);
  if (q.index == -2) {  // the origin: minus X c, minus X' c, minus X'' c
    const Vec3<S> center = c.center(q.body);
    for (int i = 0; i < 3; ++i) {
      const auto axis = q.kind == Quantity::Kind::kMarkerVelocity       ? com.axis_rate(i)
                        : q.kind == Quantity::Kind::kMarkerAcceleration ? com.axis_acceleration(i)
                                                                        : com.axis(i);
      out -= component(center, i) * axis;
    }
  }
  return component(out, q.component);
}

/// e_j = sum_i X_i S_ij: the axes the user sees.
template <class C>
auto axis_value(const C& c, const Quantity& q) {
  using S = typename C::S;
  const auto end = c.end(q.body, kZero4, kOwnAxes, nullptr, 0);
  S sum(0.0);
  for (int i = 0; i <= q.index; ++i) {
    const auto axis = q.kind == Quantity::Kind::kAxis ? end.axis(i) : end.axis_rate(i);
    sum = sum + S(c.m.kernel.maps[q.body].S[i][q.index]) * component(axis, q.component);
  }
  return sum;
}

template <class C>
auto angular_velocity(const C& c, const Quantity& q) {
  using S = typename C::S;
  const auto end = c.end(q.body, kZero4, kOwnAxes, nullptr, 0);
  Vec3<S> sum{};
  for (int i = 0; i < 3; ++i) sum += cross(end.axis(i), end.axis_rate(i));
  return S(0.5) * component(sum, q.component);
}

/// Angle atan2(a, b) and its rate from a, b and their rates.
template <class S>
struct Angle {
  S value, rate;
};
template <class S>
Angle<S> angle_of(const S& a, const S& b, const S& a_d, const S& b_d) {
  return {atan2(a, b), (b * a_d - a * b_d) / (a * a + b * b)};
}

/// About z (axis 0), or the Cardan angles of D = A0^T A1 = R_x R_y R_z (axis 1 to 3).
template <class C>
Angle<typename C::S> joint_angle(const C& c, const Quantity& q) {
  using S = typename C::S;
  const auto begin = geometry_end(c, q.index, 0), end = geometry_end(c, q.index, 1);
  const auto D = [&](int i, int j) { return dot(begin.axis(i), end.axis(j)); };
  const auto Dd = [&](int i, int j) {
    return dot(begin.axis_rate(i), end.axis(j)) + dot(begin.axis(i), end.axis_rate(j));
  };
  switch (q.axis) {
    case 1:
      return angle_of(-D(1, 2), D(2, 2), -Dd(1, 2), Dd(2, 2));
    case 2: {
      const S a = D(0, 0), b = D(0, 1), c2 = sqrt(a * a + b * b);
      return angle_of(D(0, 2), c2, Dd(0, 2), (a * Dd(0, 0) + b * Dd(0, 1)) / c2);
    }
    case 3:
      return angle_of(-D(0, 1), D(0, 0), -Dd(0, 1), Dd(0, 0));
    default:
      return angle_of(D(1, 0), D(0, 0), Dd(1, 0), Dd(0, 0));
  }
}

template <class C>
auto displacement(const C& c, const Quantity& q) {
  const auto begin = geometry_end(c, q.index, 0), end = geometry_end(c, q.index, 1);
  const auto delta = end.point() - begin.point();
  if (q.kind == Quantity::Kind::kJointDisplacement) return dot(delta, begin.axis(2));
  return dot(end.velocity() - begin.velocity(), begin.axis(2)) + dot(delta, begin.axis_rate(2));
}

/// On the end body, at its marker: M a + G^T lambda = f, so the joint pushes with -G^T lambda.
template <class C>
auto reaction(const C& c, const Quantity& q) {
  using S = typename C::S;
  const JointShape& shape = c.m.kernel.structure.joints[q.index];
  const auto begin = geometry_end(c, q.index, 0), end = geometry_end(c, q.index, 1);
  Vec3<S> sum{};
  for (int i = 0; i < shape.nrows; ++i) {
    RowMotion<S> motion;
    motion.delta = begin.point() - end.point();
    motion.delta_d = begin.velocity() - end.velocity();
    motion.a = begin.axis(shape.rows[i].a_axis);
    motion.b = end.axis(shape.rows[i].b_axis);
    const auto grad = row_gradient(shape.rows[i].kind, motion);
    const S lambda = c.lambda(q.index, i);
    sum += q.kind == Quantity::Kind::kReactionForce ? lambda * grad.n
                                                    : lambda * cross(grad.e_b, motion.b);
  }
  return component(sum, q.component);
}

template <class C>
auto kinetic_energy(const C& c) {
  using S = typename C::S;
  S sum(0.0);
  for (int b = 0; b < c.m.kernel.structure.num_bodies; ++b) {
    const auto end = c.end(b, kZero4, kOwnAxes, nullptr, 0);
    const auto v = end.velocity();
    sum = sum + S(0.5) * c.mass(b) * dot(v, v);
    for (int e = 0; e < 6; ++e) {
      const S factor(kPair[e][0] == kPair[e][1] ? 0.5 : 1.0);
      sum = sum + factor * c.J(b, e) * dot(end.axis_rate(kPair[e][0]), end.axis_rate(kPair[e][1]));
    }
  }
  return sum;
}

template <class C>
auto potential_energy(const C& c) {
  using S = typename C::S;
  S sum(0.0);
  for (int b = 0; b < c.m.kernel.structure.num_bodies; ++b) {
    const auto r = c.end(b, kZero4, kOwnAxes, nullptr, 0).point();
    const S height = r.x * c.gravity(0) + r.y * c.gravity(1) + r.z * c.gravity(2);
    sum = sum - c.mass(b) * height;
  }
  for (const auto& force : c.m.force.elements) sum = sum + force.element->potential(c.at(force));
  return sum;
}

/// -dL/d(angle): the work of a unit tension on what turns with the joint.
template <class C>
auto moment_arm(const C& c, const Quantity& q) {
  using S = typename C::S;
  const ForceSpec& force = c.m.force.elements[q.index];
  const auto joint = geometry_end(c, q.component, 0);
  const Vec3<S> axis = joint.axis(2), center = joint.point();
  const auto at = c.at(force);
  const auto& pull = c.pull_of(force, at);
  S sum(0.0);
  for (std::size_t i = 0; i < force.ends.size(); ++i) {
    const EndSpec& spec = force.ends[i];
    if (!c.m.quantities.beyond().is_beyond(q.axis, spec.body)) continue;
    sum = sum + dot(pull[i].force, cross(axis, at.ends[i].point - center));
    for (int a = 0; a < 3; ++a) {
      if (!mechanism::gives_axis_force(spec.use, a)) continue;
      sum = sum + dot(pull[i].axis[a], cross(axis, at.ends[i].axis[a]));
    }
  }
  return sum;
}

/// The power of the forces of an element that are in `given`, at the velocities of its ends.
template <class C>
typename C::S power_of(const C& c, const ForceSpec& force) {
  using S = typename C::S;
  S sum(0.0);
  const auto& given = c.forces_of(force);
  for (std::size_t i = 0; i < force.ends.size(); ++i) {
    const EndSpec& spec = force.ends[i];
    EndFrame<S> frame;
    Vec3<S> rho;
    place_end(c.end(spec), spec.use | mechanism::kVelocity | mechanism::kAxisRates, frame, rho);
    if (spec.use & mechanism::kForce) sum = sum + dot(given[i].force, frame.velocity);
    for (int a = 0; a < 3; ++a) {
      if (mechanism::gives_axis_force(spec.use, a)) {
        sum = sum + dot(given[i].axis[a], frame.axis_rate[a]);
      }
    }
  }
  return sum;
}

/// -lambda . r' of driven rows, since the constraint forces are -G^T lambda and G v = r'; and the
/// power of elements that say nothing about where it comes from.
template <class C>
auto supplied_power(const C& c) {
  using S = typename C::S;
  S sum(0.0);
  for (const auto& offset : c.m.offset.specs) {
    if (offset.formula < 0 && offset.kind < RowKind::kV0x) continue;  // constant: r' = 0
    const auto& joints = c.m.kernel.structure.joints;
    int joint = 0;
    while (offset.row >= joints[joint].first_row + joints[joint].nrows) ++joint;
    sum = sum - c.lambda(joint, offset.row - joints[joint].first_row) * c.offset_rate(offset);
  }
  for (const auto& force : c.m.force.elements) {
    if (!force.accounts_for_power) sum = sum + power_of(c, force);
  }
  return sum;
}

template <class C>
auto dissipated_power(const C& c) {
  using S = typename C::S;
  S sum(0.0);
  for (const auto& force : c.m.force.elements) {
    if (force.accounts_for_power) sum = sum + force.element->dissipation(c.at(force));
  }
  return sum;
}

template <class C>
typename C::S evaluate(const C& c, const Quantity& q) {
  using K = Quantity::Kind;
  switch (q.kind) {
    case K::kMarkerPosition:
    case K::kMarkerVelocity:
    case K::kMarkerAcceleration:
      return marker_value(c, q);
    case K::kAxis:
    case K::kAxisRate:
      return axis_value(c, q);
    case K::kAngularVelocity:
      return angular_velocity(c, q);
    case K::kJointAngle:
      return joint_angle(c, q).value;
    case K::kJointRate:
      return joint_angle(c, q).rate;
    case K::kJointDisplacement:
    case K::kJointDisplacementRate:
      return displacement(c, q);
    case K::kReactionForce:
    case K::kReactionTorque:
      return reaction(c, q);
    case K::kForce:
      return c.m.force.elements[q.index].element->quantity(c.at(c.m.force.elements[q.index]),
                                                           q.component);
    case K::kKineticEnergy:
      return kinetic_energy(c);
    case K::kPotentialEnergy:
      return potential_energy(c);
    case K::kTotalEnergy:
      return kinetic_energy(c) + potential_energy(c);
    case K::kMomentArm:
      return moment_arm(c, q);
    case K::kSuppliedPower:
      return supplied_power(c);
    case K::kDissipatedPower:
      return dissipated_power(c);
    case K::kState:
      return c.state(q.index);
    case K::kParameter:
      return c.parameter(q.index);
    case K::kTime:
      return c.time();
    case K::kCoordinate:  // of joints that only joint coordinates understand
    case K::kCoordinateRate:
      break;
  }
  return typename C::S(0.0);
}

}  // namespace

double quantity_value(const ModelData& m, ModelWorkspace& w, const Quantity& quantity) {
  return evaluate(Values{m, w}, quantity);
}

Dual quantity_directions(const ModelData& m, ModelWorkspace& w, const Quantity& quantity) {
  return evaluate(Derivatives{m, w}, quantity);
}

}  // namespace parfait::mbs
