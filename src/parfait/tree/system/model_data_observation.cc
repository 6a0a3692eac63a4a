#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "parfait/base/error.h"
#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/tree/algorithms/levels.h"
#include "parfait/tree/system/model_scene.h"

// Quantities by name, each written once for numbers and for numbers with directions.
namespace parfait::tree {

using dynamics::Status;
using Kind = Quantity::Kind;

namespace {

using math::atan2;
using math::sqrt;
using std::atan2;
using std::sqrt;

template <class S>
S component(const Vec3<S>& a, int i) {
  return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

// What differs between numbers and numbers with directions.
double parameter(const Scene<double>& s, int i) {
  return s.w.elements.p[i];
}
Dual parameter(const Scene<Dual>& s, int i) {
  return {s.w.elements.p[i], s.w.elements.lanes[mechanism::Slots::kFirstParameter + i]};
}
double state(const Scene<double>& s, int i) {
  return s.w.elements.e[i];
}
Dual state(const Scene<Dual>& s, int i) {
  return {s.w.elements.e[i], s.w.elements.lanes[s.m.elements.slots.first_state + i]};
}
double time(const Scene<double>& s) {
  return s.w.elements.t;
}
Dual time(const Scene<Dual>& s) {
  return {s.w.elements.t, s.w.elements.lanes[mechanism::Slots::kTime]};
}
double multiplier(const Scene<double>& s, int row) {
  return s.w.evaluated.lambda[row];
}
Dual multiplier(const Scene<Dual>& s, int row) {
  return {s.w.evaluated.lambda[row], s.w.row_lanes[row]};
}
double position(const Scene<double>& s, int i) {
  return s.w.point.q[i];
}
Dual position(const Scene<Dual>& s, int i) {
  return s.w.room.q[i];
}
double velocity(const Scene<double>& s, int i) {
  return s.w.point.v[i];
}
Dual velocity(const Scene<Dual>& s, int i) {
  return s.w.room.v[i];
}
double input(const Scene<double>& s, int i) {
  return s.w.looked.has_inputs ? s.w.looked.u[i] : 0.0;
}
Dual input(const Scene<Dual>& s, int i) {
  return {s.w.looked.has_inputs ? s.w.looked.u[i] : 0.0, s.w.du ? s.w.du[i] : Lane()};
}
mechanism::ElementPoint<double> seen_by(const Scene<double>& s,
                                        const mechanism::ActingForce& force) {
  return mechanism::look_at(s.m.elements, force, TreeSurroundings(s.m, s.w), s.w.elements);
}
mechanism::ElementPoint<Dual> seen_by(const Scene<Dual>& s, const mechanism::ActingForce& force) {
  return mechanism::look_at_with_directions(s.m.elements, force, TreeSurroundings(s.m, s.w),
                                            s.w.elements);
}

/// The frame of a described body, or one at its centre of mass.
template <class S>
MovingFrame<S> body_frame(const Scene<S>& scene, int described, bool at_center) {
  const int body = scene.m.mechanism.tree_body(described);
  const Transform<S>& X = scene.bound.X_NB[body];
  SiteFrame<S> site;
  site.o = at_center ? X.p + X.R * scene.constants.bodies[body].center : X.p;
  site.axis[0] = X.R.x;
  site.axis[1] = X.R.y;
  site.axis[2] = X.R.z;
  return scene.frame(scene.m.tree().bodies[body].node, site);
}

template <class S>
S marker_value(const Scene<S>& scene, const Quantity& q) {
  const MovingFrame<S> frame =
      q.index >= 0 ? scene.site(q.index) : body_frame(scene, q.body, q.index == -1);
  return component(q.kind == Kind::kMarkerVelocity       ? frame.velocity
                   : q.kind == Kind::kMarkerAcceleration ? frame.acceleration
                                                         : frame.point,
                   q.component);
}

template <class S>
S axis_value(const Scene<S>& scene, const Quantity& q) {
  const MovingFrame<S> frame = body_frame(scene, q.body, false);
  const double(*map)[3] = scene.m.mechanism.general_frame(q.body);
  S sum(0.0);
  for (int i = 0; i <= q.index; ++i) {
    const Vec3<S> axis = q.kind == Kind::kAxis ? frame.axis[i] : frame.axis_rate(i);
    sum = sum + S(map[i][q.index]) * component(axis, q.component);
  }
  return sum;
}

template <class S>
struct Angle {
  S value, rate;
};
template <class S>
Angle<S> angle_of(const S& a, const S& b, const S& a_d, const S& b_d) {
  return {atan2(a, b), (b * a_d - a * b_d) / (a * a + b * b)};
}

template <class S>
struct JointEnds {
  MovingFrame<S> begin, end;
};
template <class S>
JointEnds<S> joint_ends(const Scene<S>& scene, int joint) {
  const int first = scene.m.elements.first_joint_site + 2 * joint;
  return {scene.site(first), scene.site(first + 1)};
}

/// About z (axis 0), or the Cardan angles of D = A0^T A1 = R_x R_y R_z (axis 1 to 3).
template <class S>
Angle<S> joint_angle(const Scene<S>& scene, const Quantity& q) {
  const auto [begin, end] = joint_ends(scene, q.index);
  const auto D = [&begin = begin, &end = end](int i, int j) {
    return dot(begin.axis[i], end.axis[j]);
  };
  const auto Dd = [&begin = begin, &end = end](int i, int j) {
    return dot(begin.axis_rate(i), end.axis[j]) + dot(begin.axis[i], end.axis_rate(j));
  };
  switch (q.axis) {
    case 1:
      return angle_of(-D(1, 2), D(2, 2), -Dd(1, 2), Dd(2, 2));
    case 2: {
      const S a = D(0, 0), b = D(0, 1), c = sqrt(a * a + b * b);
      return angle_of(D(0, 2), c, Dd(0, 2), (a * Dd(0, 0) + b * Dd(0, 1)) / c);
    }
    case 3:
      return angle_of(-D(0, 1), D(0, 0), -Dd(0, 1), Dd(0, 0));
    default:
      return angle_of(D(1, 0), D(0, 0), Dd(1, 0), Dd(0, 0));
  }
}

template <class S>
S displacement(const Scene<S>& scene, const Quantity& q) {
  const auto [begin, end] = joint_ends(scene, q.index);
  const Vec3<S> delta = end.point - begin.point;
  if (q.kind == Kind::kJointDisplacement) return dot(delta, begin.axis[2]);
  return dot(end.velocity - begin.velocity, begin.axis[2]) + dot(delta, begin.axis_rate(2));
}

/// On the end body, at its marker. A joint of the tree transmits what the bodies it carries need,
/// what its inputs do included; rows push with -G^T lambda.
template <class S>
S reaction(const Scene<S>& scene, const Quantity& q) {
  const ModelData& m = scene.m;
  const int joints = static_cast<int>(m.description.joints.size());
  const int body = q.index < joints ? m.carried[q.index] : -1;
  if (body >= 0) {
    const int node = m.tree().bodies[body].node;
    const NodeForces<S>& transmitted = scene.forces[node];
    const Vec3<S> end = scene.site(m.elements.first_joint_site + 2 * q.index + 1).point;
    const Vec3<S> n = transmitted.n + cross(scene.nodes[node].p - end, transmitted.f);
    const S value = component(q.kind == Kind::kReactionForce ? transmitted.f : n, q.component);
    return m.mechanism.is_reversed(body) ? -value : value;
  }
  const S zero(0.0);
  Vec3<S> sum{zero, zero, zero};
  for (int i = 0; i < m.closures.num_rows(); ++i) {
    const ClosureRow& row = m.closures.rows[i];
    if (row.owner != q.index) continue;
    const auto motion = scene.row_motion(row);
    const auto grad = row_gradient(row.kind, motion);
    const S lambda = multiplier(scene, i);
    sum += q.kind == Kind::kReactionForce ? lambda * grad.n : lambda * cross(grad.e_b, motion.b);
  }
  return component(sum, q.component);
}

template <class S>
S kinetic_energy(const Scene<S>& scene) {
  S sum(0.0);
  for (int i = 0; i < scene.m.tree().num_nodes(); ++i) {
    if (scene.m.tree().nodes[i].body < 0) continue;
    const NodeMotion<S>& at = scene.nodes[i];
    const Motion<S> v{at.omega, at.v};
    sum = sum + S(0.5) * dot(Inertia<S>{scene.bound.nodes[i].I.m, at.h, at.I} * v, v);
  }
  return sum;
}

template <class S>
S potential_energy(const Scene<S>& scene) {
  S sum(0.0);
  for (int i = 0; i < scene.m.tree().num_nodes(); ++i) {
    if (scene.m.tree().nodes[i].body < 0) continue;
    const NodeMotion<S>& at = scene.nodes[i];
    sum = sum - dot(scene.bound.gravity, scene.bound.nodes[i].I.m * at.p + at.h);
  }
  for (const auto& force : scene.m.elements.forces) {
    sum = sum + force.element->potential(seen_by(scene, force));
  }
  return sum;
}

// What an element does, and what a unit tension along its path would do.
const auto& forces_of(const Scene<double>& s, const mechanism::ActingForce& force) {
  mechanism::act(s.m.elements, force, TreeSurroundings(s.m, s.w), s.w.elements);
  return s.w.elements.forces;
}
const auto& forces_of(const Scene<Dual>& s, const mechanism::ActingForce& force) {
  mechanism::act_with_directions(s.m.elements, force, TreeSurroundings(s.m, s.w), s.w.elements);
  return s.w.elements.dual_forces;
}
auto& room_for_forces(const Scene<double>& s) {
  return s.w.elements.forces;
}
auto& room_for_forces(const Scene<Dual>& s) {
  return s.w.elements.dual_forces;
}
RowTarget<double> target(const Scene<double>& s, const ClosureRow& row) {
  return row_target(s.m, s.w, row);
}
RowTarget<Dual> target(const Scene<Dual>& s, const ClosureRow& row) {
  return dual_row_target(s.m, s.w, row);
}

/// -dL/d(angle): the work of a unit tension on what turns with the joint.
template <class S>
S moment_arm(const Scene<S>& scene, const Quantity& q) {
  const auto& elements = scene.m.elements;
  const mechanism::ActingForce& force = elements.forces[q.index];
  const MovingFrame<S> joint = scene.site(elements.first_joint_site + 2 * q.axis);
  const auto at = seen_by(scene, force);
  auto& pull = room_for_forces(scene);
  force.element->pull(at, {pull.data(), force.ends.size()});
  S sum(0.0);
  for (std::size_t i = 0; i < force.ends.size(); ++i) {
    const mechanism::ElementEnd& end = force.ends[i];
    if (!elements.quantities.beyond().is_beyond(q.axis, elements.sites[end.site].body)) continue;
    sum = sum + dot(pull[i].force, cross(joint.axis[2], at.ends[i].point - joint.point));
    for (int a = 0; a < 3; ++a) {
      if (!mechanism::gives_axis_force(end.use, a)) continue;
      sum = sum + dot(pull[i].axis[a], cross(joint.axis[2], at.ends[i].axis[a]));
    }
  }
  return sum;
}

/// u . v of the inputs; -lambda . r' of driven rows, since the forces of rows are -G^T lambda and
/// G v = r'; and the power of elements that say nothing about where it comes from.
template <class S>
S supplied_power(const Scene<S>& scene) {
  const ModelData& m = scene.m;
  S sum(0.0);
  for (int i = 0; i < m.sizes.nu; ++i) sum = sum + input(scene, i) * velocity(scene, i);
  for (int i = 0; i < m.closures.num_rows(); ++i) {
    const ClosureRow& row = m.closures.rows[i];
    if (row.constraint < 0) continue;
    const bool moves = m.elements.offsets[row.constraint].formula >= 0 || row.is_velocity;
    if (moves) sum = sum - multiplier(scene, i) * target(scene, row).velocity;
  }
  for (const auto& force : m.elements.forces) {
    if (force.accounts_for_power) continue;
    const auto& given = forces_of(scene, force);
    for (std::size_t i = 0; i < force.ends.size(); ++i) {
      const MovingFrame<S> frame = scene.site(force.ends[i].site);
      const unsigned use = force.ends[i].use;
      if (use & mechanism::kForce) sum = sum + dot(given[i].force, frame.velocity);
      for (int a = 0; a < 3; ++a) {
        if (!mechanism::gives_axis_force(use, a)) continue;
        sum = sum + dot(given[i].axis[a], frame.axis_rate(a));
      }
    }
  }
  return sum;
}

/// A coordinate of the tree, or one that follows such a one; locked ones keep their value.
template <class S>
S named_coordinate(const Scene<S>& scene, const Quantity& q) {
  const auto& coordinates = scene.m.mechanism.coordinates();
  const auto& c = coordinates[q.index];
  const bool rate = q.kind == Kind::kCoordinateRate;
  if (c.q >= 0) return rate ? velocity(scene, c.v) : position(scene, c.q);
  if (c.function < 0) return S(rate ? 0.0 : c.initial);
  const auto& leader = coordinates[c.follows];
  const Jet<S> jet =
      evaluate(scene.m.tree().functions[c.function], scene.bound.functions[c.function],
               position(scene, leader.q), scene.w.point.scratch.data());
  return rate ? jet.d1 * velocity(scene, leader.v) : jet.f;
}

template <class S>
S dissipated_power(const Scene<S>& scene) {
  S sum(0.0);
  for (const auto& force : scene.m.elements.forces) {
    if (!force.accounts_for_power) continue;
    sum = sum + force.element->dissipation(seen_by(scene, force));
  }
  return sum;
}

}  // namespace

template <class S>
S quantity_value(const Scene<S>& scene, const Quantity& q) {
  switch (q.kind) {
    case Kind::kMarkerPosition:
    case Kind::kMarkerVelocity:
    case Kind::kMarkerAcceleration:
      return marker_value(scene, q);
    case Kind::kAxis:
    case Kind::kAxisRate:
      return axis_value(scene, q);
    case Kind::kAngularVelocity:
      return component(scene.nodes[scene.m.node_of(q.body)].omega, q.component);
    case Kind::kJointAngle:
      return joint_angle(scene, q).value;
    case Kind::kJointRate:
      return joint_angle(scene, q).rate;
    case Kind::kJointDisplacement:
    case Kind::kJointDisplacementRate:
      return displacement(scene, q);
    case Kind::kReactionForce:
    case Kind::kReactionTorque:
      return reaction(scene, q);
    case Kind::kForce: {
      const auto& force = scene.m.elements.forces[q.index];
      return force.element->quantity(seen_by(scene, force), q.component);
    }
    case Kind::kKineticEnergy:
      return kinetic_energy(scene);
    case Kind::kPotentialEnergy:
      return potential_energy(scene);
    case Kind::kTotalEnergy:
      return kinetic_energy(scene) + potential_energy(scene);
    case Kind::kCoordinate:
    case Kind::kCoordinateRate:
      return named_coordinate(scene, q);
    case Kind::kMomentArm:
      return moment_arm(scene, q);
    case Kind::kSuppliedPower:
      return supplied_power(scene);
    case Kind::kDissipatedPower:
      return dissipated_power(scene);
    case Kind::kState:
      return state(scene, q.index);
    case Kind::kParameter:
      return parameter(scene, q.index);
    case Kind::kTime:
      return time(scene);
  }
  return S(0.0);
}

template double quantity_value(const Scene<double>&, const Quantity&);
template Dual quantity_value(const Scene<Dual>&, const Quantity&);

std::unique_ptr<dynamics::System::Observer> Model::make_observer(
    std::span<const std::string> quantities) const {
  return std::make_unique<mechanism::QuantityObserver>(quantities, data_->description,
                                                       data_->quantities().index());
}

Status Model::observe(dynamics::Workspace& ws, const Observer& observer, const dynamics::Point& at,
                      dynamics::Vec values) const {
  const ModelData& m = *data_;
  const Tree& tree = m.tree();
  ModelWorkspace& w = cast(ws);
  const auto& o = static_cast<const mechanism::QuantityObserver&>(observer);
  Status status = Status::kOk;
  w.looked.set(at);
  if (o.needs_rates()) {
    status = evaluate(ws, at, w.rates, {});
    // Inverse dynamics gives accelerations, and what joints transmit under all forces.
    if (m.elements.forces.empty()) clear_wrenches(w.wrenches);
    const Scene<double> scene = scene_of(m, w);
    for (int i = 0; i < m.closures.num_rows(); ++i) {
      push_row(scene, m.closures.rows[i], w.evaluated.lambda[i], w.wrenches);
    }
    inverse_dynamics(tree, {at.y.data(), static_cast<std::size_t>(tree.nq)},
                     {at.y.data() + tree.nq, static_cast<std::size_t>(tree.nv)}, w.evaluated.vdot,
                     w.wrenches, w.point, w.tau);
  } else {
    place_point(m, w, w.looked);
    update_inertias(tree, w.point);
  }
  const Scene<double> scene = scene_of(m, w);
  o.prepare(w.observer);
  for (std::size_t i = 0; i < o.quantities().size(); ++i) {
    w.observer.values[i] = quantity_value(scene, o.quantities()[i]);
  }
  o.values(w.observer, values);
  return status;
}

void Model::observe_directions(dynamics::Workspace& ws, const Observer& observer,
                               const dynamics::PointDirections& d,
                               dynamics::Directions& dvalues) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  const auto& o = static_cast<const mechanism::QuantityObserver&>(observer);
  o.prepare_directions(w.observer);
  if (o.needs_rates()) {
    prepare_acceleration_directions(m, w);
  } else {
    place_point(m, w, w.looked);
    mechanism::prepare_laws(m.elements, TreeSurroundings(m, w), w.elements);
  }
  for (int chunk = 0; chunk < dvalues.chunks(); ++chunk) {
    seed_chunk(m, w, w.looked, d, chunk);
    const ChunkInRoom bound(w);
    place_room(m, w);
    move_room(m, w, w.room.v.data());
    const Scene<Dual> scene = dual_scene_of(m, w);
    if (o.needs_rates()) {
      const Lane* dphi = d.dphi ? reinterpret_cast<const Lane*>(d.dphi->chunk(chunk)) +
                                      m.sizes.num_pos + m.sizes.num_vel
                                : nullptr;
      acceleration_directions(m, w, dphi);
      for (int k = 0; k < m.sizes.nv; ++k) {
        w.room.vdot[k] = Dual(w.evaluated.vdot[k], w.lanes[k]);
      }
      for (int i = 0; i < m.closures.num_rows(); ++i) {
        push_row(scene, m.closures.rows[i], Dual(0.0, w.row_lanes[i]), w.dual_wrenches);
      }
      newton_euler_room(m, w, w.room.v.data(), w.room.vdot.data(), -w.room.bound.gravity,
                        w.dual_wrenches.data());
    }
    for (std::size_t i = 0; i < o.quantities().size(); ++i) {
      w.observer.lanes[i] = quantity_value(scene, o.quantities()[i]).d;
    }
    o.directions(w.observer, dvalues.chunk(chunk));
  }
}

}  // namespace parfait::tree
