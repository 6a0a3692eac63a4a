#include "laws.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "parfait/base/error.h"

namespace parfait::bench {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Vector3d vector3(const mechanism::Number3& x) {
  return {x[0], x[1], x[2]};
}

Vector3d vector3(const mechanism::Value3& x) {
  return {x[0].number, x[1].number, x[2].number};
}

struct Body {
  Matrix3d X = Matrix3d::Identity();
  Vector3d o = Vector3d::Zero(), omega = Vector3d::Zero();
  Vector3d center = Vector3d::Zero(), v_center = Vector3d::Zero();  // of mass, in the world
  Vector3d a_center = Vector3d::Zero(), alpha = Vector3d::Zero();
  Vector3d force = Vector3d::Zero(), torque = Vector3d::Zero();  // torque about the centre of mass

  Vector3d acceleration_of_vector(const Vector3d& u) const {
    return alpha.cross(u) + omega.cross(omega.cross(u));
  }
};

double gravity(const mechanism::Description& description) {
  for (const auto& force : description.forces) {
    if (force.key == "Gravitation" && force.constants.size() == 1) {
      return force.constants[0].value.number;
    }
  }
  throw base::InputError("model \"" + description.id + "\": one gravity constant is required.");
}

std::vector<Body> moving_bodies(const mechanism::Description& description, const Accelerations& a) {
  std::vector<Body> bodies;
  for (std::size_t i = 0; i < description.bodies.size(); ++i) {
    const mechanism::Body& given = description.bodies[i];
    Body body;
    body.X << vector3(given.x), vector3(given.y), vector3(given.z);
    body.o = vector3(given.o);
    body.omega = vector3(given.omega.value());
    const Vector3d arm = body.X * vector3(given.center_of_mass);
    body.center = body.o + arm;
    body.v_center = vector3(given.v.value()) + body.omega.cross(arm);
    body.a_center = vector3(a.center[i]);
    body.alpha = vector3(a.angular[i]);

    Matrix3d inertia;
    for (int row = 0; row < 3; ++row) inertia.row(row) = vector3(given.inertia[row]).transpose();
    const Matrix3d inertia_W = body.X * inertia * body.X.transpose();
    body.force = given.mass.number * (body.a_center - Vector3d(0, 0, gravity(description)));
    body.torque = inertia_W * body.alpha + body.omega.cross(inertia_W * body.omega);
    bodies.push_back(body);
  }
  return bodies;
}

/// A joint in the world: its point and the axes of its two markers.
struct Hinge {
  const mechanism::Joint* joint = nullptr;
  int begin = 0, end = 0;  ///< bodies; the ground comes after the last one
  Vector3d at_begin, at_end;
  Matrix3d begin_axes, end_axes;

  /// Axes about which the joint leaves the bodies free to turn; all of them: empty.
  std::vector<Vector3d> free_axes() const {
    if (joint->key == "Revolute") return {begin_axes.col(2)};
    if (joint->key == "Universal") return {begin_axes.col(0), end_axes.col(1)};
    return {Vector3d::UnitX(), Vector3d::UnitY(), Vector3d::UnitZ()};
  }

  /// Pairs (u of begin, w of end) that stay normal to each other.
  std::vector<std::pair<Vector3d, Vector3d>> normal_axes() const {
    if (joint->key == "Revolute") {
      return {{begin_axes.col(0), end_axes.col(2)}, {begin_axes.col(1), end_axes.col(2)}};
    }
    if (joint->key == "Universal") return {{begin_axes.col(0), end_axes.col(1)}};
    if (joint->key == "Spherical") return {};
    throw base::InputError("joint \"" + joint->id + "\": key \"" + joint->key +
                           "\" is not among Revolute, Spherical, Universal.");
  }
};

std::vector<Hinge> hinges(const mechanism::Description& description,
                          const std::vector<Body>& bodies) {
  std::map<std::string, int> index;
  for (const auto& body : description.bodies) {
    index.emplace(body.id, static_cast<int>(index.size()));
  }
  index.emplace(mechanism::kInertial, static_cast<int>(bodies.size()) - 1);

  std::vector<Hinge> out;
  for (const auto& joint : description.joints) {
    const auto place = [&](const mechanism::Marker& marker, int& body, Vector3d& at,
                           Matrix3d& axes) {
      body = index.at(marker.body);
      at = bodies[body].o + bodies[body].X * vector3(marker.frame.o);
      axes << vector3(marker.frame.x), vector3(marker.frame.y), vector3(marker.frame.z);
      axes = (bodies[body].X * axes).eval();
    };
    Hinge hinge;
    hinge.joint = &joint;
    place(joint.begin, hinge.begin, hinge.at_begin, hinge.begin_axes);
    place(joint.end, hinge.end, hinge.at_end, hinge.end_axes);
    out.push_back(hinge);
  }
  return out;
}

double constraint_residual(const std::vector<Body>& bodies, const std::vector<Hinge>& joints) {
  double worst = 0;
  for (const Hinge& hinge : joints) {
    const Body& a = bodies[hinge.begin];
    const Body& b = bodies[hinge.end];
    const Vector3d a_point = a.a_center + a.acceleration_of_vector(hinge.at_begin - a.center);
    const Vector3d b_point = b.a_center + b.acceleration_of_vector(hinge.at_end - b.center);
    const double scale = 1 + std::max(a.a_center.norm(), b.a_center.norm());
    worst = std::max(worst, (a_point - b_point).norm() / scale);
    // The initial state itself must be assembled, or the accelerations mean nothing.
    worst = std::max(worst, (hinge.at_begin - hinge.at_end).norm());
    for (const auto& [u, w] : hinge.normal_axes()) {
      const double turning = a.acceleration_of_vector(u).dot(w) +
                             u.dot(b.acceleration_of_vector(w)) +
                             2 * a.omega.cross(u).dot(b.omega.cross(w));
      worst = std::max(worst, std::abs(turning) / (1 + a.alpha.norm() + b.alpha.norm()));
      worst = std::max(worst, std::abs(u.dot(w)));
    }
  }
  return worst;
}

bool is_tree(const std::vector<Hinge>& joints, std::size_t num_bodies) {
  std::vector<int> carriers(num_bodies, 0);
  return std::all_of(joints.begin(), joints.end(),
                     [&](const Hinge& hinge) { return ++carriers[hinge.end] == 1; });
}

/// Forces that the motion requires, from the tips to the ground, against what the joints can carry.
double tree_force_residual(std::vector<Body> bodies, const std::vector<Hinge>& joints) {
  std::vector<const Hinge*> carrier(bodies.size(), nullptr);
  for (const Hinge& hinge : joints) carrier[hinge.end] = &hinge;
  double scale = 1;
  double worst = 0;
  for (std::size_t i = bodies.size() - 1; i-- > 0;) {  // the last one is the ground
    Body& body = bodies[i];
    scale = std::max({scale, body.force.norm(), body.torque.norm()});
    if (!carrier[i]) {  // nothing carries it
      worst = std::max({worst, body.force.norm(), body.torque.norm()});
      continue;
    }
    const Hinge& hinge = *carrier[i];
    const Vector3d moment = body.torque + (body.center - hinge.at_end).cross(body.force);
    for (const Vector3d& axis : hinge.free_axes()) {
      worst = std::max(worst, std::abs(axis.dot(moment)));
    }
    Body& parent = bodies[hinge.begin];
    parent.force += body.force;
    parent.torque += moment + (hinge.at_end - parent.center).cross(body.force);
  }
  return worst / scale;
}

double power_residual(const std::vector<Body>& bodies) {
  double power = 0;
  double scale = 1;
  for (const Body& body : bodies) {
    const double linear = body.force.dot(body.v_center);
    const double angular = body.torque.dot(body.omega);
    power += linear + angular;
    scale = std::max({scale, std::abs(linear), std::abs(angular)});
  }
  return std::abs(power) / scale;
}

bool finite(const std::vector<mechanism::Number3>& x) {
  return std::all_of(x.begin(), x.end(), [](const auto& xi) { return vector3(xi).allFinite(); });
}

double largest_difference(const std::vector<mechanism::Number3>& a,
                          const std::vector<mechanism::Number3>& b) {
  double worst = 0;
  double scale = 1e-300;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, (vector3(a[i]) - vector3(b[i])).norm());
    scale = std::max(scale, vector3(a[i]).norm());
  }
  return worst / scale;
}

}  // namespace

Residuals residuals(const mechanism::Description& description, const Accelerations& accelerations) {
  if (!finite(accelerations.center) || !finite(accelerations.angular)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {kInfinity, kInfinity};  // a comparison with NaN would be lost in the maxima below
  }
  std::vector<Body> bodies = moving_bodies(description, accelerations);
  bodies.emplace_back();  // the ground
  const std::vector<Hinge> joints = hinges(description, bodies);
  return {constraint_residual(bodies, joints), is_tree(joints, bodies.size())
                                                   ? tree_force_residual(bodies, joints)
                                                   : power_residual(bodies)};
}

double difference(const Accelerations& a, const Accelerations& b) {
  if (!finite(a.center) || !finite(a.angular) || !finite(b.center) || !finite(b.angular)) {
    return std::numeric_limits<double>::infinity();
  }
  return std::max(largest_difference(a.center, b.center), largest_difference(a.angular, b.angular));
}

}  // namespace parfait::bench
