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
  explicit Builder(unsigned seed) : random_(1000 + seed), more_(5000 + seed) {
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
    if (more_.coin(0.6)) add_tissue();
    if (more_.coin(0.3)) add_stop();
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
      c.offset.formula = "amplitude*sin(3*t)";
    } else {
      c.key = "V0_y";
      c.offset.formula = "4*amplitude*cos(2*t)";
    }
    d.constraints.push_back(c);
    add_free_parameter("amplitude", 0.05);
  }

  void add_state() {
    Description& d = out_.description;
    mechanism::State state;
    state.id = "lag";
    state.initial = 0.3;
    state.derivative.formula = "speed*(" + d.bodies.back().id + ".com.x - lag) - 0.1*lag^2";
    d.states.push_back(state);
    add_free_parameter("speed", 2);
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

  /// An element of those that biomechanics has: tissue, contacts, muscles. Its markers lie on each
  /// other, with the same axes, so that Cardan angles begin at zero.
  void add_tissue() {
    Description& d = out_.description;
    const auto value = [&](const std::string& name, double size) {
      return mechanism::NamedValue{name, size * more_.uniform(0.7, 1.3)};
    };
    const int i = static_cast<int>(d.bodies.size()) - 1;
    const Place a = place_of(d, i), b = place_of(d, more_.index(i + 1) - 1);
    const Vector3d point = a.o + more_.vector(0.3);
    const Matrix3d axes = more_.rotation();
    mechanism::Force force;
    force.id = "tissue";
    force.begin = marker_at(b, point + axes * more_.vector(0.02), axes);
    force.end = marker_at(a, point, axes);
    switch (more_.index(9)) {
      case 0:
        force.key = "Spherical";
        force.constants = {value("c11", 3), value("c22", 4), value("c33", 5),    value("c12", 0.5),
                           value("d11", 1), value("d22", 1), value("rest1", 0.1)};
        break;
      case 1:
        force.key = "Tensorial";
        force.constants = {value("c11", 20), value("c22", 30), value("c33", 25),   value("c44", 3),
                           value("c55", 4),  value("c66", 5),  value("c15", 2),    value("d11", 2),
                           value("d33", 1),  value("d44", 1),  value("rest2", 0.1)};
        break;
      case 2:
        force.key = "Bushing";
        force.constants = {value("scale", 2e-4), value("damping", 3),
                           value("rotational_damping", 0.1)};
        break;
      case 3:
        force.key = "Wobbling";
        force.constants = {value("stiffness", 50), value("damping", 2),
                           value("rotational_stiffness", 3), value("rotational_damping", 0.3)};
        break;
      case 4:
        force.key = more_.coin() ? "Hertz_Plane" : "Hertz_Face";
        force.constants = {value("stiffness", 200), value("radius", 0.1), value("friction", 0.2),
                           value("damping", 0.1)};
        if (force.key == "Hertz_Face") {
          force.constants.push_back({"width", 4.0});
          force.constants.push_back({"height", 4.0});
        }
        break;
      case 5:
        force.key = "Hertz_Sphere";
        force.begin = marker_at(b, point + 0.3 * more_.unit_vector(), axes);
        force.constants = {value("stiffness", 200), value("radius", 0.1), value("friction", 0.2),
                           value("damping", 0.1), value("sphere_radius", 0.3)};
        break;
      case 6:
        force.key = "Joint_Limit";
        force.constants = {
            {"lower", -0.2}, {"upper", 0.3}, value("stiffness", 20), value("damping", 0.2)};
        break;
      case 7:
        force.key = "Passive_Muscle";
        force.begin = marker_at(b, point + 0.8 * more_.unit_vector(), axes);
        force.constants = {value("max_force", 30), value("optimal_length", 0.3),
                           value("slack_length", 0.2)};
        break;
      default:
        // Round a cylinder beside its straight path, which it meets or not.
        force.key = more_.coin() ? "Muscle" : "Muscle_Cylinder";
        force.begin = marker_at(b, point + 0.8 * axes.col(0), axes);
        force.constants = {value("max_force", 30),
                           value("optimal_length", 0.3),
                           value("slack_length", 0.4),
                           {"activation", 0.2}};
        force.constants.push_back(
            {"excitation", mechanism::Value(std::string("0.3 + 0.2*sin(4*t)"))});
        if (force.key == "Muscle_Cylinder") {
          force.via = {marker_at(b, point + 0.4 * axes.col(0) - 0.1 * axes.col(1), axes)};
          force.constants.push_back({"radius", 0.15});
        }
    }
    d.forces.push_back(force);
  }

  /// A spring that pushes only, in the direction of an axis.
  void add_stop() {
    Description& d = out_.description;
    const Place a = place_of(d, static_cast<int>(d.bodies.size()) - 1);
    mechanism::Force force;
    force.id = "stop";
    force.key = more_.coin() ? "Z_Spring" : "Z_Spring_Damper";
    force.side = mechanism::Side::kPush;
    force.begin = marker_at(a, a.o, Matrix3d::Identity());
    force.end = marker_at(place_of(d, -1), a.o - Vector3d(0, 0, 0.1), Matrix3d::Identity());
    force.constants = {{"rest_length", 0.05}, {"stiffness", 150.0}};
    if (force.key == "Z_Spring_Damper") force.constants.push_back({"damping", 2.0});
    d.forces.push_back(force);
  }

  void add_parameter(const std::string& id, const std::string& target) {
    mechanism::Parameter p;
    p.id = id;
    p.targets = {target};
    out_.description.parameters.push_back(p);
  }
  /// One that formulas use.
  void add_free_parameter(const std::string& id, double initial) {
    mechanism::Parameter p;
    p.id = id;
    p.initial = initial;
    out_.description.parameters.push_back(p);
  }

  /// The constants of a joint's marker, which may be one of its body's.
  std::string marker_constants(const mechanism::Joint& joint, bool end) const {
    const auto& m = end ? joint.end : joint.begin;
    if (!m.reference.empty()) return m.body + "." + m.reference;
    return joint.id + (end ? ".end" : ".begin");
  }

  /// Of every kind: inertia, geometry of joints and closures, forces, events, formulas.
  void add_parameters() {
    const Description& d = out_.description;
    const std::string last = d.bodies.back().id;
    add_parameter("mass", last + ".mass");
    add_parameter("center", last + ".com.y");
    add_parameter("moment", last + ".inertia.xx");
    if (!d.joints.empty()) {
      add_parameter("place", marker_constants(d.joints.front(), true) + ".o.x");
      add_parameter("axis", marker_constants(d.joints.front(), false) + ".z.y");
    }
    for (const auto& joint : d.joints) {
      if (joint.key != "FixedDistance") continue;
      add_parameter("distance", joint.id + ".distance");
      break;
    }
    for (const auto& force : d.forces) {
      if (force.key == "Gravitation") {
        add_parameter("gravity", force.id + (force.constants.size() == 3 ? ".gx" : ".g"));
      }
    }
    for (const auto& force : d.forces) {
      if (force.key == "Gravitation" || force.constants.empty()) continue;
      const std::string name = force.constants.back().name;
      add_parameter("law", force.id + "." + name);
      break;
    }
    for (const auto& force : d.forces) {
      if (force.id != "tissue") continue;
      add_parameter("tissue_law", force.id + "." + force.constants.front().name);
      add_parameter("tissue_place", force.id + ".end.o.y");
    }
    for (const auto& event : d.events) {
      if (event.key == "Impact") add_parameter("restitution", event.id + ".restitution");
    }
  }

  Random random_;
  Random more_;  ///< for what was added to the mechanisms later, which so stay as they were
  RandomMechanism out_;
};

}  // namespace

RandomMechanism random_mechanism(unsigned seed) {
  return Builder(seed).build();
}

}  // namespace parfait::testing_support
