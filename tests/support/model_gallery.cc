#include "testing/model_gallery.h"

#include <cmath>
#include <numbers>

#include "testing/vectors.h"

namespace parfait::testing_support {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using std::numbers::pi;

Matrix3d columns(const Vector3d& x, const Vector3d& y, const Vector3d& z) {
  Matrix3d A;
  A << x, y, z;
  return A;
}

void set_pose(mechanism::Body& body, const Vector3d& o, const Matrix3d& X) {
  body.o = number3(o);
  body.x = number3(X.col(0));
  body.y = number3(X.col(1));
  body.z = number3(X.col(2));
}

mechanism::Body make_body(const std::string& id, double mass, const Vector3d& center,
                          const Vector3d& inertia) {
  mechanism::Body body;
  body.id = id;
  body.mass = mass;
  body.center_of_mass = value3(center);
  for (int i = 0; i < 3; ++i) body.inertia[i][i] = inertia[i];
  return body;
}

mechanism::Body body_of_k(int number, const Vector3d& o, const Matrix3d& X = Matrix3d::Identity()) {
  auto body = make_body("body_" + std::to_string(number), 2, {0.5, 0, 0}, {2.5, 2, 2});
  set_pose(body, o, X);
  return body;
}

/// Axes that make z the direction y of the world, for planar models in the x-z plane.
const Matrix3d kAxesAboutY = columns({0, 0, 1}, {1, 0, 0}, {0, 1, 0});

void join(mechanism::Description& d, const std::string& key, const mechanism::Marker& begin,
          const mechanism::Marker& end) {
  mechanism::Joint joint;
  joint.key = key;
  joint.id = "joint_" + std::to_string(d.joints.size() + 1);
  joint.begin = begin;
  joint.end = end;
  d.joints.push_back(joint);
}

mechanism::Marker about_y(const std::string& body, const Vector3d& o) {
  return marker(body, axes_frame(o, kAxesAboutY));
}

/// Appends n bodies along x from the end of `parent` (empty: from the ground's origin).
std::string append_chain(mechanism::Description& d, const std::string& parent, double x, int n,
                         const std::string& key) {
  std::string last = parent;
  for (int i = 0; i < n; ++i) {
    d.bodies.push_back(body_of_k(static_cast<int>(d.bodies.size()) + 1, {x + i, 0, 0}));
    const bool grounded = last.empty();
    join(d, key,
         about_y(grounded ? mechanism::kInertial : last,
                 grounded ? Vector3d(0, 0, 0) : Vector3d(1, 0, 0)),
         about_y(d.bodies.back().id, {0, 0, 0}));
    last = d.bodies.back().id;
  }
  return last;
}

mechanism::Constraint make_constraint(const std::string& key, const std::string& id,
                                      const mechanism::Marker& begin,
                                      const mechanism::Marker& end) {
  mechanism::Constraint c;
  c.key = key;
  c.id = id;
  c.begin = begin;
  c.end = end;
  return c;
}

mechanism::Force spring(const std::string& id, const mechanism::Marker& begin,
                        const mechanism::Marker& end, double rest, double stiffness) {
  mechanism::Force force;
  force.key = "Spring";
  force.id = id;
  force.begin = begin;
  force.end = end;
  force.constants = {{"rest_length", rest}, {"stiffness", stiffness}};
  return force;
}

/// Axes of a body in the x-z plane whose x axis points at the angle phi above the world's x.
Matrix3d tilted(double phi) {
  return columns({std::cos(phi), 0, std::sin(phi)}, {0, 1, 0}, {-std::sin(phi), 0, std::cos(phi)});
}

}  // namespace

mechanism::Frame frame(const Vector3d& o) {
  mechanism::Frame f;
  f.o = value3(o);
  return f;
}

mechanism::Frame axis_frame(const Vector3d& o, const Vector3d& z) {
  mechanism::Frame f = frame(o);
  f.z = value3(z);
  f.has_z = true;
  return f;
}

mechanism::Frame axes_frame(const Vector3d& o, const Matrix3d& axes) {
  mechanism::Frame f = axis_frame(o, axes.col(2));
  f.x = value3(axes.col(0));
  f.y = value3(axes.col(1));
  f.has_x = f.has_y = true;
  return f;
}

mechanism::Marker marker(const std::string& body, const mechanism::Frame& frame) {
  mechanism::Marker m;
  m.body = body;
  m.frame = frame;
  return m;
}

mechanism::Force gravitation(const Vector3d& g) {
  mechanism::Force force;
  force.key = "Gravitation";
  force.id = "Gravitation";
  if (g[0] == 0 && g[1] == 0) {
    force.constants = {{"g", g[2]}};
  } else {
    force.constants = {{"gx", g[0]}, {"gy", g[1]}, {"gz", g[2]}};
  }
  return force;
}

mechanism::Description revolute_chain(int n) {
  mechanism::Description d;
  append_chain(d, "", 0, n, "Revolute");
  d.forces.push_back(gravitation());
  return d;
}

mechanism::Description spherical_chain(int n) {
  mechanism::Description d;
  append_chain(d, "", 0, n, "Spherical");
  d.forces.push_back(gravitation());
  return d;
}

mechanism::Description tree(int n) {
  mechanism::Description d;
  const std::string end = append_chain(d, "", 0, n, "Revolute");
  append_chain(d, end, n, n, "Revolute");
  append_chain(d, end, n, n, "Revolute");
  d.forces.push_back(gravitation());
  return d;
}

mechanism::Description loop(int n) {
  mechanism::Description d;
  std::string last = append_chain(d, "", 0, n, "Revolute");
  const int sides = 4 * n;
  Vector3d o(n, 0, 0);
  for (int k = 0; k < sides; ++k) {
    const Matrix3d X = tilted(-pi / sides - 2 * pi * k / sides);
    d.bodies.push_back(body_of_k(n + k + 1, o, X));
    o += X.col(0);
    join(d, "Revolute", about_y(last, {1, 0, 0}), about_y(d.bodies.back().id, {0, 0, 0}));
    last = d.bodies.back().id;
  }
  join(d, "Revolute", about_y(last, {1, 0, 0}), about_y(d.bodies[n].id, {0, 0, 0}));
  d.forces.push_back(gravitation());
  return d;
}

mechanism::Description four_bar() {
  mechanism::Description d;
  const double lengths[] = {1.0, 2.2, 1.4};
  const Vector3d pivot(2, 0, 0);
  const double crank = 1.1, rate = 0.8;
  const Vector3d A = tilted(crank).col(0);
  // B where the circles about A and the second pivot meet, on the upper side.
  const double span = (pivot - A).norm();
  const double along =
      (std::pow(lengths[1], 2) - std::pow(lengths[2], 2) + span * span) / (2 * span);
  const double across = std::sqrt(std::pow(lengths[1], 2) - along * along);
  const Vector3d u = (pivot - A) / span, w(-u[2], 0, u[0]);
  const Vector3d B = A + along * u + (w[2] > 0 ? across : -across) * w;

  const Vector3d from[] = {Vector3d::Zero(), A, B}, to[] = {A, B, pivot};
  // Angular velocities about -y raise phi: solve v_A + w2 x (B - A) = w3 x (B - pivot).
  const auto turn = [](const Vector3d& r) { return Vector3d(-r[2], 0, r[0]); };
  Eigen::Matrix2d S;
  const Vector3d s1 = turn(B - A), s2 = turn(B - pivot), v_A = rate * turn(A);
  S << s1[0], -s2[0], s1[2], -s2[2];
  const Eigen::Vector2d rates = S.inverse() * Eigen::Vector2d(-v_A[0], -v_A[2]);
  const double phi_rate[] = {rate, rates[0], rates[1]};
  const Vector3d velocity[] = {Vector3d::Zero(), v_A, v_A + rates[0] * s1};

  std::string last = mechanism::kInertial;
  Vector3d at = Vector3d::Zero();
  for (int k = 0; k < 3; ++k) {
    const double l = lengths[k];
    auto body = make_body("body_" + std::to_string(k + 1), l, {0.5 * l, 0, 0},
                          {0.01, 0.008 + l * l * l / 12, 0.004 + l * l * l / 12});
    const Vector3d r = to[k] - from[k];
    set_pose(body, from[k], tilted(std::atan2(r[2], r[0])));
    body.v = number3(velocity[k]);
    body.omega = number3({0, -phi_rate[k], 0});
    d.bodies.push_back(body);
    join(d, "Revolute", about_y(last, at), about_y(body.id, {0, 0, 0}));
    last = body.id;
    at = {l, 0, 0};
  }
  join(d, "Revolute", about_y(last, at), about_y(mechanism::kInertial, pivot));
  d.forces.push_back(gravitation());
  return d;
}

mechanism::Description bricard() {
  mechanism::Description d;
  const Vector3d P[] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  const int axis[] = {1, 2, 0, 1, 2, 0};
  const double side = 0.1;
  const double across = (1 + side * side) / 12;
  std::vector<Matrix3d> X;
  for (int k = 0; k < 5; ++k) {
    auto rod = make_body("rod_" + std::to_string(k + 1), 1, {0.5, 0, 0},
                         {side * side / 6, across, across});
    const Vector3d x = P[k + 1] - P[k];
    const Vector3d y = Vector3d::Unit(axis[k]).cross(x).norm() > 0.5
                           ? Vector3d(Vector3d::Unit(axis[k]))
                           : Vector3d(Vector3d::Unit((axis[k] + 1) % 3));
    X.push_back(columns(x, y, x.cross(y)));
    set_pose(rod, P[k], X.back());
    d.bodies.push_back(rod);
  }
  for (int k = 0; k < 6; ++k) {
    const Vector3d z = Vector3d::Unit(axis[k]);
    const auto end_of = [&](int rod, const Vector3d& o) {
      return marker(d.bodies[rod].id, axis_frame(o, X[rod].transpose() * z));
    };
    join(d, "Revolute",
         k == 0 ? marker(mechanism::kInertial, axis_frame(P[0], z)) : end_of(k - 1, {1, 0, 0}),
         k == 5 ? marker(mechanism::kInertial, axis_frame(P[5], z)) : end_of(k, {0, 0, 0}));
  }
  d.forces.push_back(gravitation({0, -9.81, 0}));
  return d;
}

mechanism::Description hexapod() {
  mechanism::Description d;
  const auto circle = [](double radius, double degrees, double z) {
    const double phi = degrees * pi / 180;
    return Vector3d(radius * std::cos(phi), radius * std::sin(phi), z);
  };
  const double radius = 0.5, thickness = 0.05, load_mass = 10;
  const double across = load_mass * (3 * radius * radius + thickness * thickness) / 12;
  auto load =
      make_body("load", load_mass, {0, 0, 0}, {across, across, load_mass * radius * radius / 2});
  load.o = {0, 0, 1};
  d.bodies.push_back(load);
  for (int leg = 0; leg < 6; ++leg) {
    const int pair = leg / 2;
    const double center = 120.0 * pair, side = leg % 2 ? 1 : -1;
    const Vector3d foot = circle(1, center + 10 * side, 0);
    const Vector3d head = circle(radius, center + 50 * side, 1);
    const double length = (head - foot).norm();
    const Vector3d z = (head - foot) / length, x = Vector3d::UnitZ().cross(z).normalized();
    const Matrix3d X = columns(x, z.cross(x), z);
    const std::string number = std::to_string(leg + 1);
    // Uniform rods of 0.6 m: the lower one from the foot up, the upper one from the head down.
    auto lower = make_body("lower_" + number, 2, {0, 0, 0.3}, {0.0612, 0.0612, 0.0025});
    auto upper = make_body("upper_" + number, 1, {0, 0, -0.3}, {0.0304, 0.0304, 0.0008});
    set_pose(lower, foot, X);
    set_pose(upper, head, X);
    d.bodies.push_back(lower);
    d.bodies.push_back(upper);

    const Matrix3d ground_axes = columns(x, Vector3d::UnitZ().cross(x), Vector3d::UnitZ());
    const Matrix3d I = Matrix3d::Identity();
    const Vector3d zero = Vector3d::Zero();
    join(d, "Universal", marker(mechanism::kInertial, axes_frame(foot, ground_axes)),
         marker(lower.id, axes_frame(zero, I)));
    join(d, "Prismatic", marker(lower.id, axes_frame(zero, I)),
         marker(upper.id, axes_frame(zero, I)));
    join(d, "Spherical", marker(upper.id, frame(zero)),
         marker("load", frame(head - Vector3d(0, 0, 1))));
    d.forces.push_back(spring("spring_" + number, marker(lower.id, frame(zero)),
                              marker(upper.id, frame(zero)), length, 400.0 + 100 * leg));
  }
  d.forces.push_back(gravitation());
  return d;
}

TestModel driven_pendulum() {
  TestModel model;
  auto& d = model.description;
  d = revolute_chain(2);
  d.joints.erase(d.joints.begin());
  const auto ground = about_y(mechanism::kInertial, {0, 0, 0});
  const auto pivot = about_y("body_1", {0, 0, 0});
  d.constraints = {make_constraint("B0_x", "pivot_x", pivot, ground),
                   make_constraint("B0_y", "pivot_y", pivot, ground),
                   make_constraint("B0_z", "pivot_z", pivot, ground),
                   make_constraint("DDX", "axis_x", pivot, ground),
                   make_constraint("DDX", "axis_y", pivot, ground)};
  d.constraints[3].begin_axis = 'x';
  d.constraints[4].begin_axis = 'y';
  d.constraints[2].offset.formula = "0.1*sin(3*t)";
  model.functions.offsets["pivot_z"] = [](double t) {
    const double s = std::sin(3 * t), c = std::cos(3 * t);
    return std::array<double, 3>{0.1 * s, 0.3 * c, -0.9 * s};
  };
  const double up = 0.3;  // rate of the pivot at t = 0
  d.bodies[0].v = {0, 0, up};
  d.bodies[0].omega = {0, 0.7, 0};
  d.bodies[1].v = {0, 0, up - 0.7};
  d.bodies[1].omega = {0, -1.2, 0};
  return model;
}

mechanism::Description skate() {
  mechanism::Description d;
  auto body = make_body("skate", 3, {-0.2, 0.05, 0.1}, {0.3, 0.5, 0.6});
  const double phi = 0.4, rate = 0.9;
  set_pose(
      body, {0.3, -0.2, 0},
      columns({std::cos(phi), std::sin(phi), 0}, {-std::sin(phi), std::cos(phi), 0}, {0, 0, 1}));
  body.v = {1.5 * std::cos(phi), 1.5 * std::sin(phi), 0};
  body.omega = {0, 0, rate};
  d.bodies.push_back(body);
  const auto ground =
      marker(mechanism::kInertial, axes_frame(Vector3d::Zero(), Matrix3d::Identity()));
  const auto own = marker("skate", axes_frame(Vector3d::Zero(), Matrix3d::Identity()));
  d.constraints = {
      make_constraint("B0_z", "height", own, ground), make_constraint("DDX", "roll", own, ground),
      make_constraint("DDX", "pitch", own, ground), make_constraint("VVDX", "edge", own, ground)};
  d.constraints[1].begin_axis = 'x';
  d.constraints[2].begin_axis = 'y';
  d.constraints[3].begin_axis = 'y';
  d.forces.push_back(spring("pull", marker("skate", frame({0.3, 0.1, 0.2})),
                            marker(mechanism::kInertial, frame({2, 1, 0})), 0.5, 20));
  d.forces.push_back(gravitation());
  return d;
}

mechanism::Description constant_speed_pair() {
  mechanism::Description d;
  for (int k = 0; k < 2; ++k) {
    auto body = make_body(k ? "second" : "first", 1 + k, {0, 0, 0}, {0.2, 0.25, 0.3 + 0.1 * k});
    body.o = {0.8 * k, 0.1 * k, -0.3 * k};
    body.v = mechanism::Number3{k ? 0.6 : 0.0, 0, k ? 0.8 : 0.0};
    body.omega = mechanism::Number3{0.3, -0.2 * k, 0.5};
    d.bodies.push_back(body);
  }
  const auto first = marker("first", frame(Vector3d::Zero()));
  const auto second = marker("second", frame(Vector3d::Zero()));
  d.constraints = {make_constraint("VVX", "speed", first, second)};
  d.constraints[0].offset = 1.0;
  d.forces.push_back(spring("pull", marker("first", frame({0.1, 0, 0.2})),
                            marker("second", frame({0, 0.3, 0})), 0.4, 5));
  return d;
}

}  // namespace parfait::testing_support
