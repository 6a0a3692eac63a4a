#include "models.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

namespace parfait::bench {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using mechanism::Description;

mechanism::Number3 number3(const Vector3d& x) {
  return {x[0], x[1], x[2]};
}

mechanism::Value3 value3(const Vector3d& x) {
  return {x[0], x[1], x[2]};
}

/// Where a body is and how it moves, in world axes; `v` is the velocity of its origin.
struct Motion {
  Matrix3d X = Matrix3d::Identity();
  Vector3d o = Vector3d::Zero();
  Vector3d v = Vector3d::Zero();
  Vector3d omega = Vector3d::Zero();
};

/// Rotation of the end marker in the begin marker, and its angular velocity in begin axes.
struct JointMotion {
  Matrix3d R = Matrix3d::Identity();
  Vector3d w = Vector3d::Zero();
};

JointMotion about_z(double angle, double rate) {
  return {Eigen::AngleAxisd(angle, Vector3d::UnitZ()).toRotationMatrix(), {0, 0, rate}};
}

/// First about x of begin, then about y of end.
JointMotion cardan(double angle_x, double angle_y, double rate_x, double rate_y) {
  const Matrix3d Rx = Eigen::AngleAxisd(angle_x, Vector3d::UnitX()).toRotationMatrix();
  const Matrix3d Ry = Eigen::AngleAxisd(angle_y, Vector3d::UnitY()).toRotationMatrix();
  return {Rx * Ry, Vector3d(rate_x, 0, 0) + Rx * Vector3d(0, rate_y, 0)};
}

JointMotion ball(const Vector3d& rotation_vector, const Vector3d& w) {
  return {Eigen::AngleAxisd(rotation_vector.norm(), rotation_vector.stableNormalized()).matrix(),
          w};
}

struct Segment {
  std::string id;
  double mass = 2;
  Vector3d center{0.5, 0, 0};
  Vector3d inertia{2.5, 2, 2};
};

/// Axes of a joint marker as columns, in body axes.
const Matrix3d kAxesAlongBody = Matrix3d::Identity();
/// Kraus's marker of a joint about y: x = (0, 0, 1), y = (1, 0, 0), z = (0, 1, 0).
const Matrix3d kHingeAboutY = (Matrix3d() << 0, 1, 0, 0, 0, 1, 1, 0, 0).finished();

/// Adds bodies from the ground outwards and moves each with the joint that carries it.
class Assembly {
 public:
  static constexpr int kGround = -1;

  explicit Assembly(const std::string& id) {
    description_.id = id;
    mechanism::Force gravity;
    gravity.key = "Gravitation";
    gravity.id = "Gravity";
    gravity.constants = {{"g", -9.81}};
    description_.forces.push_back(gravity);
  }

  int add_free(const Segment& segment, const Motion& motion) {
    mechanism::Body body;
    body.id = segment.id;
    body.o = number3(motion.o);
    body.x = number3(motion.X.col(0));
    body.y = number3(motion.X.col(1));
    body.z = number3(motion.X.col(2));
    body.v = number3(motion.v);
    body.omega = number3(motion.omega);
    body.mass = segment.mass;
    body.center_of_mass = value3(segment.center);
    for (int i = 0; i < 3; ++i) body.inertia[i][i] = segment.inertia[i];
    description_.bodies.push_back(body);
    motions_.push_back(motion);
    return static_cast<int>(motions_.size()) - 1;
  }

  /// The new body's origin lies at `at` of the carrying body; `axes` are those of both markers.
  int add(const Segment& segment, const std::string& joint, int parent, const Vector3d& at,
          const Matrix3d& axes, const JointMotion& relative) {
    const Motion base = parent == kGround ? Motion{} : motions_[parent];
    Motion motion;
    motion.X = base.X * axes * relative.R * axes.transpose();
    motion.omega = base.omega + base.X * axes * relative.w;
    motion.o = base.o + base.X * at;
    motion.v = base.v + base.omega.cross(base.X * at);
    const int body = add_free(segment, motion);
    connect(joint, parent, at, body, Vector3d::Zero(), axes);
    return body;
  }

  void connect(const std::string& key, int begin, const Vector3d& begin_at, int end,
               const Vector3d& end_at, const Matrix3d& axes) {
    mechanism::Joint joint;
    joint.key = key;
    joint.id = "Joint_" + std::to_string(description_.joints.size() + 1);
    joint.begin = marker(begin, begin_at, axes);
    joint.end = marker(end, end_at, axes);
    description_.joints.push_back(joint);
  }

  const Motion& motion(int body) const { return motions_[body]; }
  Description take() { return std::move(description_); }

 private:
  mechanism::Marker marker(int body, const Vector3d& at, const Matrix3d& axes) const {
    mechanism::Marker m;
    m.body = body == kGround ? mechanism::kInertial : description_.bodies[body].id;
    m.frame.o = value3(at);
    m.frame.x = value3(axes.col(0));
    m.frame.y = value3(axes.col(1));
    m.frame.z = value3(axes.col(2));
    m.frame.has_x = m.frame.has_y = m.frame.has_z = true;
    return m;
  }

  Description description_;
  std::vector<Motion> motions_;
};

const Vector3d kTip{1, 0, 0};

Segment link(int i) {
  Segment segment;
  segment.id = "Body_" + std::to_string(i + 1);
  return segment;
}

// Neighbouring angles and rates have changing signs, so a long chain neither rolls up nor spins
// faster and faster towards its tip.
JointMotion hinge_wave(int i, double phase) {
  return about_z(0.3 + 0.5 * std::sin(1.7 * i + phase), 0.8 * std::cos(2.3 * i - phase));
}

JointMotion ball_wave(int i, double phase) {
  const Vector3d rotation(0.4 * std::sin(1.1 * i + phase), 0.2 + 0.5 * std::sin(1.7 * i + phase),
                          0.4 * std::cos(1.3 * i - phase));
  const Vector3d w(0.5 * std::cos(1.9 * i + phase), 0.8 * std::cos(2.3 * i - phase),
                   0.6 * std::sin(2.9 * i + phase));
  return ball(rotation, w);
}

/// A chain of n revolute links beginning at `at` of `parent`; returns its last body.
int add_revolute_links(Assembly& assembly, int first, int n, int parent, Vector3d at,
                       double phase) {
  for (int i = first; i < first + n; ++i) {
    parent = assembly.add(link(i), "Revolute", parent, at, kHingeAboutY, hinge_wave(i, phase));
    at = kTip;
  }
  return parent;
}

}  // namespace

Description revolute_chain(int n, double phase) {
  Assembly assembly("revolute_chain");
  add_revolute_links(assembly, 0, n, Assembly::kGround, Vector3d::Zero(), phase);
  return assembly.take();
}

Description spring_chain(int n, double phase) {
  Description description = revolute_chain(n, phase);
  description.id = "spring_chain";
  for (const auto& joint : description.joints) {
    mechanism::Force force;
    force.key = "Rotational_Spring_Damper";
    force.id = "Spring_" + joint.id;
    force.begin = joint.begin;
    force.end = joint.end;
    force.constants = {{"rest_angle", 0.1}, {"stiffness", 50.0}, {"damping", 2.0}};
    description.forces.push_back(force);
  }
  return description;
}

Description spherical_chain(int n, double phase) {
  Assembly assembly("spherical_chain");
  int parent = Assembly::kGround;
  for (int i = 0; i < n; ++i) {
    parent = assembly.add(link(i), "Spherical", parent, i == 0 ? Vector3d::Zero() : kTip,
                          kAxesAlongBody, ball_wave(i, phase));
  }
  return assembly.take();
}

Description tree(int n, double phase) {
  Assembly assembly("tree");
  const int trunk = add_revolute_links(assembly, 0, n, Assembly::kGround, Vector3d::Zero(), phase);
  add_revolute_links(assembly, n, n, trunk, kTip, phase);
  add_revolute_links(assembly, 2 * n, n, trunk, kTip, phase);
  return assembly.take();
}

Description loop(int n, double phase) {
  Assembly assembly("loop");
  int body = add_revolute_links(assembly, 0, n, Assembly::kGround, Vector3d::Zero(), phase);

  // Opposite links are antiparallel and turn equally fast: the polygon closes for any angles of the
  // first half, and stays closed.
  const int sides = 4 * n;
  const int first = body + 1;
  for (int k = 0; k < sides; ++k) {
    const int half = k % (sides / 2);
    const double turn = k < sides / 2 ? 0 : std::numbers::pi;
    const double angle = 2 * std::numbers::pi * half / sides + 0.2 * std::sin(1.7 * half + phase);
    const double rate = 0.3 + 0.8 * std::cos(2.3 * half - phase);
    Motion motion;
    motion.X = Eigen::AngleAxisd(angle + turn, Vector3d::UnitY()).toRotationMatrix();
    motion.omega = {0, rate, 0};
    const Motion& previous = assembly.motion(body);
    motion.o = previous.o + previous.X * kTip;
    motion.v = previous.v + previous.omega.cross(previous.X * kTip);
    const int next = assembly.add_free(link(n + k), motion);
    assembly.connect("Revolute", body, kTip, next, Vector3d::Zero(), kHingeAboutY);
    body = next;
  }
  assembly.connect("Revolute", body, kTip, first, Vector3d::Zero(), kHingeAboutY);
  return assembly.take();
}

namespace {

/// A row of de Leva (1996), table 4, men: mass in percent of the body, length in metres, centre of
/// mass from the joint that carries the segment and radii of gyration in percent of the length.
struct DeLeva {
  double mass, length, center, r_sagittal, r_transverse, r_longitudinal;
};
// Trunk and head centres are measured from the cranial end in the table; here from the caudal one.
constexpr DeLeva kPelvis{11.17, 0.1457, 100 - 61.15, 61.5, 55.1, 58.7};
constexpr DeLeva kAbdomen{16.33, 0.2155, 100 - 45.02, 48.2, 38.3, 46.8};
constexpr DeLeva kThorax{15.96, 0.2421, 100 - 50.66, 50.5, 32.0, 46.5};
constexpr DeLeva kHead{6.94, 0.2429, 100 - 50.02, 30.3, 31.5, 26.1};
constexpr DeLeva kUpperArm{2.71, 0.2817, 57.72, 28.5, 26.9, 15.8};
constexpr DeLeva kForearm{1.62, 0.2689, 45.74, 27.6, 26.5, 12.1};
constexpr DeLeva kHand{0.61, 0.0862, 79.00, 62.8, 51.3, 40.1};
constexpr DeLeva kThigh{14.16, 0.4222, 40.95, 32.9, 32.9, 14.9};
constexpr DeLeva kShank{4.33, 0.4403, 43.95, 25.1, 24.6, 10.2};
constexpr DeLeva kFoot{1.37, 0.2581, 44.15, 25.7, 24.5, 12.4};

constexpr double kHeight = 1.741;  // m, the mean man of the table
constexpr double kMass = 73.0;     // kg

/// x forward, y left, z up; `direction` is +1 for segments that point up from their joint.
Segment segment(const std::string& id, const DeLeva& row, double direction) {
  const double mass = kMass * row.mass / 100;
  const auto inertia = [&](double r) { return mass * std::pow(r / 100 * row.length, 2); };
  return {
      id, mass, Vector3d(0, 0, direction * row.length * row.center / 100),
      Vector3d(inertia(row.r_sagittal), inertia(row.r_transverse), inertia(row.r_longitudinal))};
}

/// The long axis of the foot points forward; the ankle is 4 % of the height in front of the heel
/// and 32 mm above the sole, which closes the stature of the table.
Segment foot(const std::string& id) {
  Segment s = segment(id, kFoot, -1);
  s.center = {kFoot.length * kFoot.center / 100 - 0.04 * kHeight, 0, -0.016};
  std::swap(s.inertia[0], s.inertia[2]);
  return s;
}

}  // namespace

Description human(double phase) {
  Assembly assembly("human");
  int wave = 0;
  const auto angle = [&](double mean) { return mean + 0.25 * std::sin(1.7 * ++wave + phase); };
  const auto rate = [&] { return 1.5 * std::cos(2.3 * ++wave - phase); };
  const auto ball_at = [&](double forward) {
    const Vector3d rotation(angle(0), angle(forward), angle(0));
    return ball(rotation, Vector3d(rate(), rate(), rate()));
  };
  const auto hinge_at = [&](double mean) {
    const double a = angle(mean);
    return about_z(a, rate());
  };
  const Vector3d up = Vector3d::UnitZ();

  Motion fall;
  fall.X = ball(Vector3d(0.1, 0.2, 0.3), Vector3d::Zero()).R;
  fall.o = {0.2, -0.1, 1.0};
  fall.v = {1.2, 0.1, 0.5 * std::cos(phase)};
  fall.omega = {0.3, 0.8 * std::sin(phase), -0.4};
  const int pelvis = assembly.add_free(segment("Pelvis", kPelvis, 1), fall);

  const int abdomen = assembly.add(segment("Abdomen", kAbdomen, 1), "Spherical", pelvis,
                                   kPelvis.length * up, kAxesAlongBody, ball_at(0.1));
  const double bend = angle(0), flexion = angle(0.1), bend_rate = rate(), flexion_rate = rate();
  const int thorax =
      assembly.add(segment("Thorax", kThorax, 1), "Universal", abdomen, kAbdomen.length * up,
                   kAxesAlongBody, cardan(bend, flexion, bend_rate, flexion_rate));
  assembly.add(segment("Head", kHead, 1), "Spherical", thorax, kThorax.length * up, kAxesAlongBody,
               ball_at(0));

  const double shoulder_height = 0.5155 - kPelvis.length - kAbdomen.length;  // MIDS-MIDH
  for (const double side : {-1.0, 1.0}) {
    const std::string name = side < 0 ? "Right" : "Left";
    const Vector3d shoulder(0, side * 0.12 * kHeight, shoulder_height);
    const int upper_arm = assembly.add(segment(name + "UpperArm", kUpperArm, -1), "Spherical",
                                       thorax, shoulder, kAxesAlongBody, ball_at(side * 0.4));
    const int forearm = assembly.add(segment(name + "Forearm", kForearm, -1), "Revolute", upper_arm,
                                     -kUpperArm.length * up, kHingeAboutY, hinge_at(-0.7));
    assembly.add(segment(name + "Hand", kHand, -1), "Revolute", forearm, -kForearm.length * up,
                 kHingeAboutY, hinge_at(0));

    const Vector3d hip(0, side * 0.0461 * kHeight, 0);
    const int thigh = assembly.add(segment(name + "Thigh", kThigh, -1), "Spherical", pelvis, hip,
                                   kAxesAlongBody, ball_at(-side * 0.4));
    const int shank = assembly.add(segment(name + "Shank", kShank, -1), "Revolute", thigh,
                                   -kThigh.length * up, kHingeAboutY, hinge_at(0.6));
    assembly.add(foot(name + "Foot"), "Revolute", shank, -kShank.length * up, kHingeAboutY,
                 hinge_at(0));
  }
  return assembly.take();
}

Description with_gravity_parameter(Description description) {
  mechanism::Parameter g;
  g.id = "g";
  g.targets = {"Gravity.g"};
  description.parameters.push_back(g);
  return description;
}

}  // namespace parfait::bench
