#include "random_mechanisms.h"

#include "parfait/tree/model.h"
#include "testing/random_models.h"

namespace parfait::testing_support {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using mechanism::Description;

/// Where a described body is; its axes may be of any kind.
struct Place {
  std::string id;
  Vector3d o = Vector3d::Zero();
  Matrix3d X = Matrix3d::Identity();
};

Place place_of(const Description& d, int body) {
  if (body < 0) return {mechanism::kInertial};
  const auto& b = d.bodies[static_cast<std::size_t>(body)];
  Place out;
  out.id = b.id;
  out.o = {b.o[0], b.o[1], b.o[2]};
  out.X << b.x[0], b.y[0], b.z[0], b.x[1], b.y[1], b.z[1], b.x[2], b.y[2], b.z[2];
  return out;
}

/// A marker at a point of the world with these axes of the world, on a body.
mechanism::Marker marker_at(const Place& on, const Vector3d& point, const Matrix3d& axes) {
  const Matrix3d inverse = on.X.inverse();
  return marker(on.id, axes_frame(inverse * (point - on.o), inverse * axes));
}

class Builder {
 public:
  explicit Builder(unsigned seed) : random_(1000 + seed) {
    RandomModelOptions options;
    options.bodies = 2 + random_.index(5);
    options.tree = random_.coin();
    options.free_root = random_.coin(0.2);
    options.general_frames = random_.coin(0.3);
    options.forces = 1 + random_.index(5);
    options.general_laws = true;
    out_.description = random_model(seed, options).description;
    out_.description.id = "mechanism_" + std::to_string(seed);
  }

  RandomMechanism build() {
    Description& d = out_.description;
    if (d.bodies.size() > 2 && random_.coin(0.6)) close_loop();
    if (random_.coin(0.3)) drive();
    if (random_.coin(0.5)) add_state();
    if (random_.coin(0.5)) add_events();
    if (random_.coin(0.3)) add_impact();
    add_parameters();
    return std::move(out_);
  }

 private:
  int body() { return random_.index(static_cast<int>(out_.description.bodies.size())); }

  /// A joint where two bodies are, so that it holds; sometimes twice, along the same axis.
  void close_loop() {
    Description& d = out_.description;
    const int i = static_cast<int>(d.bodies.size()) - 1;
    int j = random_.index(i + 1) - 1;
    if (random_.coin()) j = -1;
    const Place a = place_of(d, i), b = place_of(d, j);
    const Vector3d point = a.o + random_.vector(0.3);
    const Matrix3d axes = random_.rotation();
    const char* keys[] = {"Spherical", "FixedDistance", "Universal", "Cylindrical"};
    mechanism::Joint joint;
    joint.id = "closure";
    joint.key = keys[random_.index(4)];
    joint.begin = marker_at(b, point, axes);
    joint.end = marker_at(a, point, axes);
    if (joint.key == "FixedDistance") {
      const Vector3d away = random_.unit_vector() * 0.7;
      joint.begin = marker_at(b, point + away, axes);
      joint.constants = {{"distance", 0.7}};
    }
    d.joints.push_back(joint);
    out_.has_loop = true;
    if (joint.key == "FixedDistance" || random_.coin(0.5)) return;
    // The same again: every one of its rows follows from the first.
    joint.id = "again";
    d.joints.push_back(joint);
    out_.has_redundancy = true;
  }

  /// A point of a body moves along x of the world, as time says; or keeps a velocity.
  void drive() {
    Description& d = out_.description;
    const Place a = place_of(d, body());
    const Vector3d point = a.o + random_.vector(0.4);
    mechanism::Constraint c;
    c.id = "driven";
    c.begin = marker_at(a, point, Matrix3d::Identity());
    c.end = marker_at(place_of(d, -1), point, Matrix3d::Identity());
    if (random_.coin()) {
      c.key = "B0_x";
      c.offset.formula = "0.05*sin(3*t)";
    } else {
      c.key = "V0_y";
      c.offset.formula = "0.2*cos(2*t)";
    }
    d.constraints.push_back(c);
  }

  void add_state() {
    Description& d = out_.description;
    mechanism::State state;
    state.id = "lag";
    state.initial = 0.3;
    state.derivative.formula = "2*(" + d.bodies.back().id + ".com.x - lag) - 0.1*lag^2";
    d.states.push_back(state);
  }

  void add_events() {
    Description& d = out_.description;
    mechanism::Parameter count;
    count.id = "count";
    count.initial = 1;
    d.parameters.push_back(count);
    mechanism::Event event;
    event.id = "switch";
    event.when = d.bodies.front().id + ".com.vz - 0.2";
    event.sets = {{"count", "count + 0.5*" + d.bodies.front().id + ".com.x"}};
    d.events.push_back(event);
    mechanism::Force push;
    push.id = "pushed";
    push.key = "General_Linear";
    push.begin = marker(mechanism::kInertial, frame({3, 2, 1}));
    push.end = marker(d.bodies.back().id, frame({0.1, 0.2, 0}));
    push.law.formula = "3*count*length + 0.1*rate";
    d.forces.push_back(push);
  }

  /// A floor a little below the last body's origin.
  void add_impact() {
    Description& d = out_.description;
    const Place a = place_of(d, static_cast<int>(d.bodies.size()) - 1);
    mechanism::Event event;
    event.id = "floor";
    event.key = "Impact";
    event.begin = marker_at(place_of(d, -1), a.o - Vector3d(0, 0, 0.3), Matrix3d::Identity());
    event.end = marker_at(a, a.o, Matrix3d::Identity());
    event.constants = {{"restitution", 0.6}, {"radius", 0.05}};
    d.events.push_back(event);
  }

  void add_parameter(const std::string& id, const std::string& target) {
    mechanism::Parameter p;
    p.id = id;
    p.targets = {target};
    out_.description.parameters.push_back(p);
  }

  /// The constants of a joint's marker, which may be one of its body's.
  std::string marker_constants(const mechanism::Joint& joint, bool end) const {
    const auto& m = end ? joint.end : joint.begin;
    if (!m.reference.empty()) return m.body + "." + m.reference;
    return joint.id + (end ? ".end" : ".begin");
  }

  void add_parameters() {
    const Description& d = out_.description;
    const std::string last = d.bodies.back().id;
    add_parameter("mass", last + ".mass");
    add_parameter("center", last + ".com.y");
    add_parameter("moment", last + ".inertia.xx");
    if (!d.joints.empty()) {
      add_parameter("place", marker_constants(d.joints.front(), true) + ".o.x");
    }
    for (const auto& force : d.forces) {
      if (force.key == "Gravitation" || force.constants.empty()) continue;
      const std::string name = force.constants.back().name;
      add_parameter("law", force.id + "." + name);
      break;
    }
  }

  Random random_;
  RandomMechanism out_;
};

}  // namespace

RandomMechanism random_mechanism(unsigned seed) {
  return Builder(seed).build();
}

}  // namespace parfait::testing_support
