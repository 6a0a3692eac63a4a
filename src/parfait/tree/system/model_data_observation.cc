#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/mechanism/quantities/quantity_table.h"
#include "parfait/tree/system/model_data.h"

// Quantities by name, each written once for numbers and for numbers with directions.
namespace parfait::tree {

using dynamics::Status;
using Kind = Quantity::Kind;
using mechanism::QuantityFamily;
using mechanism::QuantityName;
using mechanism::QuantityOf;

void Quantities::add(const std::string& name, const Quantity& quantity) {
  if (index_.try_emplace(name, quantity).second) names_.push_back(name);
}

std::optional<Quantity> Quantities::find(const std::string& name) const {
  const auto it = index_.find(name);
  return it == index_.end() ? std::nullopt : std::optional<Quantity>(it->second);
}

Quantities::Quantities(const mechanism::Description& d, const MechanismTree& mechanism) {
  const auto each = [](QuantityOf of, auto&& visit) {
    for (const auto& family : mechanism::quantity_families()) {
      if (family.of != of) continue;
      for (const auto& member : members_of(family)) visit(family, member);
    }
  };
  const auto point = [&](const std::string& name, int body, int index) {
    each(QuantityOf::kPoint, [&](const QuantityFamily& family, const QuantityName& member) {
      add(name + "." + member.name, {family.kind, body, index, member.component});
    });
  };
  for (std::size_t b = 0; b < d.bodies.size(); ++b) {
    const mechanism::Body& body = d.bodies[b];
    const int index = static_cast<int>(b);
    point(body.id + ".com", index, -1);
    point(body.id + ".origin", index, -2);
    for (const auto& named : body.markers) {
      mechanism::Marker here = named;
      here.body = body.id;
      here.reference.clear();
      point(body.id + "." + named.id, index, static_cast<int>(markers_.size()));
      markers_.push_back(mechanism.marker(d, here, body.id + "." + named.id));
    }
    each(QuantityOf::kBody, [&](const QuantityFamily& family, const QuantityName& member) {
      const int axis = member.number > 0 ? member.number - 1 : 0;
      add(body.id + "." + member.name, {family.kind, index, axis, member.component});
    });
  }
  first_joint_marker_ = static_cast<int>(markers_.size());
  carried_.assign(d.joints.size(), -1);
  for (int b = 0; b < mechanism.tree().num_bodies(); ++b) {
    if (mechanism.joint(b) >= 0) carried_[mechanism.joint(b)] = b;
  }
  for (std::size_t j = 0; j < d.joints.size(); ++j) {
    const mechanism::Joint& joint = d.joints[j];
    markers_.push_back(mechanism.marker(d, joint.begin, joint.id + ".begin"));
    markers_.push_back(mechanism.marker(d, joint.end, joint.id + ".end"));
    const auto& type = mechanism::type_of(joint);
    each(QuantityOf::kJoint, [&](const QuantityFamily& family, const QuantityName& member) {
      if (!has_quantities(type, family)) return;
      add(joint.id + "." + member.name,
          {family.kind, -1, static_cast<int>(j), member.component, member.number});
    });
  }
  const auto& ids = mechanism.table().parameter_ids();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    add(ids[i], {Kind::kParameter, -1, static_cast<int>(i)});
  }
  each(QuantityOf::kModel, [&](const QuantityFamily& family, const QuantityName& member) {
    add(member.name, {family.kind, -1, 0, member.component});
  });
}

namespace {

using math::atan2;
using math::sqrt;
using std::atan2;
using std::sqrt;

template <class S>
S component(const Vec3<S>& a, int i) {
  return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

/// A frame on a body (or the ground) in motion, world axes.
template <class S>
struct MovingFrame {
  Transform<S> X;
  Vec3<S> v, omega, a;

  Vec3<S> axis(int i) const { return i == 0 ? X.R.x : i == 1 ? X.R.y : X.R.z; }
  Vec3<S> axis_rate(int i) const { return cross(omega, axis(i)); }
};

template <class S>
struct Scene {
  const ModelData& m;
  const Observed<S>& observed;
  const BoundConstants<S>& bound;
  const std::vector<NodeMotion<S>>& nodes;
  const std::vector<NodeForces<S>>& forces;

  /// X_BM: a frame on a described body; body -1: the ground.
  MovingFrame<S> frame(int body, const Transform<S>& X_BM) const {
    const S zero(0.0);
    if (body < 0) return {X_BM, {zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}};
    const int b = m.mechanism.tree_body(body);
    const int node = m.tree().bodies[b].node;
    const NodeMotion<S>& at = nodes[node];
    const NodeForces<S>& rate = forces[node];
    const Transform<S> X_NM = bound.X_NB[b] * X_BM;
    const Vec3<S> r = at.R * X_NM.p;
    // Accelerations of inverse dynamics contain that of the ground, minus gravity.
    return {{at.R * X_NM.R, at.p + r},
            at.v + cross(at.omega, r),
            at.omega,
            rate.a + bound.gravity + cross(rate.alpha, r) + cross(at.omega, cross(at.omega, r))};
  }
  MovingFrame<S> marker(int index) const {
    return frame(m.quantities.markers()[index].body, observed.markers[index]);
  }
  MovingFrame<S> point(int body, int index) const {
    if (index >= 0) return marker(index);
    Transform<S> X;
    const S zero(0.0);
    X.p = {zero, zero, zero};
    if (index == -1) X.p = observed.constants.bodies[m.mechanism.tree_body(body)].center;
    return frame(body, X);
  }
};

template <class S>
S marker_value(const Scene<S>& scene, const Quantity& q) {
  const MovingFrame<S> frame = scene.point(q.body, q.index);
  return component(q.kind == Kind::kMarkerVelocity       ? frame.v
                   : q.kind == Kind::kMarkerAcceleration ? frame.a
                                                         : frame.X.p,
                   q.component);
}

template <class S>
S axis_value(const Scene<S>& scene, const Quantity& q) {
  const MovingFrame<S> frame = scene.point(q.body, -2);
  const double(*map)[3] = scene.m.mechanism.general_frame(q.body);
  S sum(0.0);
  for (int i = 0; i <= q.index; ++i) {
    const Vec3<S> axis = q.kind == Kind::kAxis ? frame.axis(i) : frame.axis_rate(i);
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

/// About z (axis 0), or the Cardan angles of D = A0^T A1 = R_x R_y R_z (axis 1 to 3).
template <class S>
Angle<S> joint_angle(const Scene<S>& scene, const Quantity& q) {
  const int first = scene.m.quantities.begin_marker(q.index);
  const MovingFrame<S> begin = scene.marker(first), end = scene.marker(first + 1);
  const auto D = [&](int i, int j) { return dot(begin.axis(i), end.axis(j)); };
  const auto Dd = [&](int i, int j) {
    return dot(begin.axis_rate(i), end.axis(j)) + dot(begin.axis(i), end.axis_rate(j));
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
  const int first = scene.m.quantities.begin_marker(q.index);
  const MovingFrame<S> begin = scene.marker(first), end = scene.marker(first + 1);
  const Vec3<S> delta = end.X.p - begin.X.p;
  if (q.kind == Kind::kJointDisplacement) return dot(delta, begin.axis(2));
  return dot(end.v - begin.v, begin.axis(2)) + dot(delta, begin.axis_rate(2));
}

/// On the end body, at its marker: what the joint transmits to the body it carries, or the reverse.
template <class S>
S reaction(const Scene<S>& scene, const Quantity& q) {
  const int body = scene.m.quantities.carried(q.index);
  const int node = scene.m.tree().bodies[body].node;
  const NodeForces<S>& transmitted = scene.forces[node];
  const Vec3<S> end = scene.marker(scene.m.quantities.begin_marker(q.index) + 1).X.p;
  const Vec3<S> n = transmitted.n + cross(scene.nodes[node].p - end, transmitted.f);
  const Vec3<S>& f = transmitted.f;
  const S value = component(q.kind == Kind::kReactionForce ? f : n, q.component);
  return scene.m.mechanism.is_reversed(body) ? -value : value;
}

template <class S>
S energy(const Scene<S>& scene, const Quantity& q) {
  S kinetic(0.0), potential(0.0);
  for (int i = 0; i < scene.m.tree().num_nodes(); ++i) {
    if (scene.m.tree().nodes[i].body < 0) continue;
    const NodeMotion<S>& at = scene.nodes[i];
    const S& mass = scene.bound.nodes[i].I.m;
    const Motion<S> v{at.omega, at.v};
    kinetic = kinetic + S(0.5) * dot(Inertia<S>{mass, at.h, at.I} * v, v);
    potential = potential - dot(scene.bound.gravity, mass * at.p + at.h);
  }
  return q.kind == Kind::kKineticEnergy     ? kinetic
         : q.kind == Kind::kPotentialEnergy ? potential
                                            : kinetic + potential;
}

}  // namespace

template <class S>
S quantity_value(const ModelData& m, const Observed<S>& observed, const BoundConstants<S>& bound,
                 const std::vector<NodeMotion<S>>& nodes, const std::vector<NodeForces<S>>& forces,
                 const Quantity& q) {
  const Scene<S> scene{m, observed, bound, nodes, forces};
  switch (q.kind) {
    case Kind::kMarkerPosition:
    case Kind::kMarkerVelocity:
    case Kind::kMarkerAcceleration:
      return marker_value(scene, q);
    case Kind::kAxis:
    case Kind::kAxisRate:
      return axis_value(scene, q);
    case Kind::kAngularVelocity:
      return component(scene.point(q.body, -2).omega, q.component);
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
    case Kind::kKineticEnergy:
    case Kind::kPotentialEnergy:
    case Kind::kTotalEnergy:
      return energy(scene, q);
    case Kind::kParameter:
      return observed.p[q.index];
    default:
      return observed.t;
  }
}

namespace {

/// Quantities and formulas of quantities, in the order asked for.
class ModelObserver final : public dynamics::System::Observer {
 public:
  struct Item {
    int quantity = -1;  ///< index into `quantities`, or
    int formula = -1;   ///< index into `formulas`, whose slots are the quantities
  };
  std::vector<Quantity> quantities;
  std::vector<expr::Formula> formulas;
  std::vector<Item> items;
  std::size_t scratch_size = 0, gradient_size = 0;
  bool rates = false;

  int size() const override { return static_cast<int>(items.size()); }
  bool needs_rates() const override { return rates; }
  bool is_angle(int i) const override {
    const int quantity = items[i].quantity;
    return quantity >= 0 && quantities[quantity].kind == Kind::kJointAngle;
  }
  int add(const Quantity& q) {
    quantities.push_back(q);
    rates |= q.needs_rates();
    return static_cast<int>(quantities.size()) - 1;
  }
};

class QuantityScope final : public expr::Scope {
 public:
  QuantityScope(const Quantities& all, ModelObserver& observer) : all_(all), observer_(observer) {}
  int find(std::string_view name) override {
    const auto quantity = all_.find(std::string(name));
    return quantity ? observer_.add(*quantity) : -1;
  }
  std::vector<std::string> names() const override { return all_.names(); }

 private:
  const Quantities& all_;
  ModelObserver& observer_;
};

}  // namespace

std::unique_ptr<dynamics::System::Observer> Model::make_observer(
    std::span<const std::string> quantities) const {
  auto observer = std::make_unique<ModelObserver>();
  for (const auto& name : quantities) {
    if (const auto quantity = data_->quantities.find(name)) {
      observer->items.push_back({observer->add(*quantity), -1});
      continue;
    }
    QuantityScope scope(data_->quantities, *observer);
    if (name.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") ==
        std::string::npos) {
      throw base::InputError(
          fmt::format("unknown quantity \"{}\".{}", name, base::suggestion(name, scope.names())));
    }
    observer->items.push_back({-1, static_cast<int>(observer->formulas.size())});
    observer->formulas.emplace_back(name, scope);
    observer->scratch_size =
        std::max(observer->scratch_size, observer->formulas.back().scratch_size());
    observer->gradient_size += observer->formulas.back().num_used();
  }
  return observer;
}

Status Model::observe(dynamics::Workspace& ws, const Observer& observer, const dynamics::Point& at,
                      dynamics::Vec values) const {
  const ModelData& m = *data_;
  const Tree& tree = m.tree();
  ModelWorkspace& w = cast(ws);
  const auto& o = static_cast<const ModelObserver&>(observer);
  Status status = Status::kOk;
  std::copy_n(at.y.begin(), tree.nq, w.seen_q.begin());
  std::copy_n(at.y.begin() + tree.nq, tree.nv, w.seen_v.begin());
  std::fill(w.seen_vdot.begin(), w.seen_vdot.end(), 0.0);
  if (o.rates) {
    status = evaluate(ws, at, w.rates, {});
    w.seen_vdot = w.vdot;
  }
  inverse_dynamics(tree, w.seen_q, w.seen_v, w.seen_vdot, {}, w.point, w.tau);
  w.observed.t = at.t;
  w.quantity_values.resize(std::max(o.quantities.size(), w.quantity_values.size()));
  for (std::size_t i = 0; i < o.quantities.size(); ++i) {
    w.quantity_values[i] = quantity_value(m, w.observed, w.point.bound, w.point.nodes,
                                          w.point.forces, o.quantities[i]);
  }
  if (w.observer_scratch.size() < o.scratch_size) w.observer_scratch.resize(o.scratch_size);
  for (std::size_t i = 0; i < o.items.size(); ++i) {
    const auto& item = o.items[i];
    values[i] = item.quantity >= 0 ? w.quantity_values[item.quantity]
                                   : o.formulas[item.formula].value(w.quantity_values.data(),
                                                                    w.observer_scratch.data());
  }
  return status;
}

void Model::observe_directions(dynamics::Workspace& ws, const Observer& observer,
                               const dynamics::PointDirections& d,
                               dynamics::Directions& dvalues) const {
  const ModelData& m = *data_;
  const Tree& tree = m.tree();
  ModelWorkspace& w = cast(ws);
  const auto& o = static_cast<const ModelObserver&>(observer);
  w.observer_gradients.resize(std::max(o.gradient_size, w.observer_gradients.size()));
  std::size_t first = 0;
  for (const auto& formula : o.formulas) {
    formula.gradient(w.quantity_values.data(), w.observer_scratch.data(),
                     w.observer_gradients.data() + first);
    first += formula.num_used();
  }
  w.quantity_lanes.resize(std::max(o.quantities.size(), w.quantity_lanes.size()));
  update_positions(tree, w.seen_q, w.point);
  std::copy(w.seen_q.begin(), w.seen_q.end(), w.rates.begin());
  std::copy(w.seen_v.begin(), w.seen_v.end(), w.rates.begin() + tree.nq);
  for (int chunk = 0; chunk < dvalues.chunks(); ++chunk) {
    load_directions(m, w, w.rates, d, chunk);
    swap_chunk(w, chunk);
    if (o.rates) {
      forward_dynamics_directions(tree, w.seen_vdot, nullptr, nullptr, w.point, w.room,
                                  w.lanes.data());
      for (int k = 0; k < tree.nv; ++k) w.room.vdot[k] = Dual(w.seen_vdot[k], w.lanes[k]);
    } else {
      std::fill(w.room.vdot.begin(), w.room.vdot.end(), Dual(0.0));
    }
    inverse_dynamics_directions(tree, nullptr, w.room);
    Observed<Dual>& observed = w.chunks[chunk].observed;
    observed.t = Dual(w.observed.t);
    for (int lane = 0; lane < math::kLanes; ++lane) {
      const std::size_t k = static_cast<std::size_t>(chunk) * math::kLanes + lane;
      if (k < d.dt.size()) observed.t.d[lane] = d.dt[k];
    }
    for (std::size_t i = 0; i < o.quantities.size(); ++i) {
      w.quantity_lanes[i] =
          quantity_value(m, observed, w.room.bound, w.room.nodes, w.room.forces, o.quantities[i]).d;
    }
    swap_chunk(w, chunk);
    first = 0;
    for (std::size_t i = 0; i < o.items.size(); ++i) {
      const auto& item = o.items[i];
      double* out = dvalues.chunk(chunk) + i * math::kLanes;
      if (item.quantity >= 0) {
        math::store(out, w.quantity_lanes[item.quantity]);
        continue;
      }
      const auto& formula = o.formulas[item.formula];
      formula.apply(w.observer_gradients.data() + first,
                    reinterpret_cast<const double*>(w.quantity_lanes.data()), out);
      first += formula.num_used();
    }
  }
}

}  // namespace parfait::tree
