#include "testing/random_models.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "testing/vectors.h"

namespace parfait::testing_support {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

Matrix3d turn(int axis, double angle) {
  return Eigen::AngleAxisd(angle, Vector3d::Unit(axis)).toRotationMatrix();
}

/// Where a body is and how it moves, in an orthonormal frame R; its described axes are R U.
struct Placement {
  Matrix3d R = Matrix3d::Identity();
  Vector3d o = Vector3d::Zero();
  Vector3d omega = Vector3d::Zero(), v = Vector3d::Zero();
  Matrix3d U = Matrix3d::Identity();  ///< upper triangular, positive diagonal
  std::string id = mechanism::kInertial;

  Vector3d velocity(const Vector3d& world) const { return v + omega.cross(world - o); }
};

/// Position and motion of the second marker's frame in the first's.
struct Relative {
  Matrix3d R = Matrix3d::Identity();
  Vector3d shift = Vector3d::Zero();
  Vector3d omega = Vector3d::Zero();       ///< components in the first marker's frame
  Vector3d shift_rate = Vector3d::Zero();  ///< seen from the first marker's frame
};

Relative random_relative(Random& random, const std::string& key, bool reversed) {
  Relative r;
  const double angle = random.uniform(-1.2, 1.2), slide = random.uniform(-0.6, 0.6);
  const double angle_rate = random.normal(), slide_rate = random.normal();
  const bool turns_about_z = key == "Revolute" || key == "Revolute_2" || key == "Cylindrical";
  const bool slides = key == "Cylindrical" || key == "Prismatic";
  const bool turns_freely = key == "Spherical" || key == "FixedDistance" || key == "Free";
  if (turns_about_z) {
    r.R = turn(2, angle);
    r.omega = {0, 0, angle_rate};
  }
  if (slides) {
    r.shift = {0, 0, slide};
    r.shift_rate = {0, 0, slide_rate};
  }
  if (turns_freely) {
    r.R = random.rotation();
    r.omega = random.vector(1);
  }
  if (key == "FixedDistance" || key == "Free") {
    r.shift = random.uniform(0.3, 1) * random.unit_vector();
    r.shift_rate = random.vector(1);
    if (key == "FixedDistance") {
      r.shift_rate -= r.shift * (r.shift.dot(r.shift_rate) / r.shift.squaredNorm());
    }
  }
  if (key == "Universal") {
    // Turned about the first cross axis, then about the second: x of begin, y of end.
    const int first = reversed ? 1 : 0, second = reversed ? 0 : 1;
    const Matrix3d A = turn(first, angle);
    r.R = A * turn(second, slide);
    r.omega = angle_rate * Vector3d::Unit(first) + slide_rate * A.col(second);
  }
  return r;
}

class Builder {
 public:
  Builder(unsigned seed, const RandomModelOptions& options) : random_(seed), options_(options) {}

  TestModel build() {
    for (int i = 0; i < options_.bodies; ++i) add_body(i);
    for (int i = 0; i < options_.forces; ++i) add_force(i);
    if (options_.gravity) {
      model_.description.forces.push_back(
          gravitation(random_.coin() ? Vector3d(0, 0, -9.81) : random_.vector(9)));
    }
    return std::move(model_);
  }

 private:
  void add_body(int i) {
    const bool rooted = i > 0 || !options_.free_root;
    int parent = i - 1;
    if (options_.tree && rooted) {
      parent = options_.free_root ? random_.index(i) : random_.index(i + 1) - 1;
    }
    const std::string key =
        rooted ? options_.joints[random_.index(static_cast<int>(options_.joints.size()))] : "Free";
    const Placement base = rooted && parent >= 0 ? placed_[parent] : Placement{};
    Placement body;
    body.id = "body_" + std::to_string(i + 1);
    if (options_.general_frames) {
      body.U << random_.uniform(0.6, 1.6), random_.uniform(-0.4, 0.4), random_.uniform(-0.4, 0.4),
          0, random_.uniform(0.6, 1.6), random_.uniform(-0.4, 0.4), 0, 0, random_.uniform(0.6, 1.6);
    }

    // Markers in orthonormal body components; the joint's motion places the child.
    const bool reversed = random_.coin();  // the child is the begin side
    const Matrix3d A_local = random_.rotation(), B_local = random_.rotation();
    const Vector3d a_local = random_.vector(0.6), b_local = random_.vector(0.6);
    const Relative rel = random_relative(random_, key, reversed);
    const Matrix3d A = base.R * A_local;
    const Vector3d r_a = base.o + base.R * a_local, r_b = r_a + A * rel.shift;
    body.R = A * rel.R * B_local.transpose();
    body.o = r_b - body.R * b_local;
    if (options_.moving) {
      body.omega = base.omega + A * rel.omega;
      const Vector3d v_b = base.velocity(r_b) + A * rel.shift_rate;
      body.v = v_b - body.omega.cross(r_b - body.o);
    }
    placed_.push_back(body);
    model_.description.bodies.push_back(describe_body(body));

    if (!rooted) return;
    mechanism::Joint joint;
    joint.key = key;
    joint.id = "joint_" + std::to_string(i + 1);
    const bool z_is_enough = key == "Revolute" || key == "Revolute_2" || key == "Cylindrical" ||
                             key == "Spherical" || key == "FixedDistance" || key == "Free";
    joint.begin = describe_marker(base, a_local, A_local, z_is_enough);
    joint.end = describe_marker(body, b_local, B_local, z_is_enough);
    if (reversed) std::swap(joint.begin, joint.end);
    if (key == "FixedDistance") joint.constants = {{"distance", rel.shift.norm()}};
    model_.description.joints.push_back(joint);
  }

  mechanism::Body describe_body(const Placement& at) {
    mechanism::Body body;
    body.id = at.id;
    const Matrix3d X = at.R * at.U;
    body.o = number3(at.o);
    body.x = number3(X.col(0));
    body.y = number3(X.col(1));
    body.z = number3(X.col(2));
    if (random_.coin()) {
      body.v = number3(at.v);
      body.omega = number3(at.omega);
    } else {
      body.o_rate = number3(at.v);
      body.x_rate = number3(at.omega.cross(X.col(0)));
      body.y_rate = number3(at.omega.cross(X.col(1)));
      body.z_rate = number3(at.omega.cross(X.col(2)));
    }
    const double mass = std::exp(random_.uniform(0, 1) * std::log(options_.mass_ratio)) *
                        (options_.mass_ratio == 1 ? random_.uniform(0.5, 2) : 1);
    const Vector3d center = random_.vector(0.4);
    Matrix3d Theta = random_.inertia(mass, 0.6);
    if (random_.coin(0.3)) {
      body.about = mechanism::InertiaPoint::kOrigin;
      Theta += mass * (center.squaredNorm() * Matrix3d::Identity() - center * center.transpose());
    }
    body.mass = mass;
    body.center_of_mass = value3(at.U.inverse() * center);
    for (int k = 0; k < 3; ++k) body.inertia[k] = value3(Theta.row(k));
    if (options_.mixed_coordinates) {
      const mechanism::BodyCoordinates choices[] = {
          mechanism::BodyCoordinates::kOriginAndAxes,
          mechanism::BodyCoordinates::kTwoPointsTwoVectors,
          mechanism::BodyCoordinates::kFourPoints};
      model_.description.natural.bodies[body.id].coordinates = choices[random_.index(3)];
    }
    if (options_.release_constraints && random_.coin()) {
      auto& released = model_.description.natural.bodies[body.id].released;
      released.*mechanism::released_names()[random_.index(6)].flag = true;
    }
    return body;
  }

  /// A marker with some of its axes given, of any length; all three unless z is enough. Some are
  /// named markers of the body.
  mechanism::Marker describe_marker(const Placement& on, const Vector3d& o, const Matrix3d& axes,
                                    bool z_is_enough) {
    const Matrix3d to_user = on.U.inverse();
    mechanism::Marker m = marker(on.id, frame(to_user * o));
    const auto give = [&](int k) {
      return value3(random_.uniform(0.5, 1.5) * (to_user * axes.col(k)));
    };
    m.frame.z = give(2);
    m.frame.has_z = true;
    const int which = z_is_enough ? random_.index(4) : 3;
    if (which & 1) {
      m.frame.x = give(0);
      m.frame.has_x = true;
    }
    if (which & 2) {
      m.frame.y = give(1);
      m.frame.has_y = true;
    }
    if (on.id == mechanism::kInertial || random_.coin(0.6)) return m;
    auto& body = *std::find_if(model_.description.bodies.begin(), model_.description.bodies.end(),
                               [&](const mechanism::Body& b) { return b.id == on.id; });
    mechanism::Marker named = m;
    named.id = "marker_" + std::to_string(body.markers.size() + 1);
    body.markers.push_back(named);
    mechanism::Marker referring;
    referring.body = on.id;
    referring.reference = named.id;
    return referring;
  }

  void add_force(int number) {
    const std::string id = "force_" + std::to_string(number + 1);
    const std::string measures[] = {"", "Z_", "Direction_", "Rotational_"};
    const std::string measure = measures[number % 4];
    for (;;) {
      const int n = static_cast<int>(placed_.size());
      const int i = random_.index(n), j = random_.index(n + 1) - 1;
      if (i == j) continue;
      Placement a = placed_[i], b = j < 0 ? Placement{} : placed_[j];
      if (random_.coin()) std::swap(a, b);
      const Vector3d p_a = random_.vector(0.6), p_b = random_.vector(0.6);
      const Matrix3d A = random_.rotation(), B = random_.rotation();
      const double distance = (a.o + a.R * p_a - b.o - b.R * p_b).norm();
      const Vector3d x_b = (a.R * A).transpose() * (b.R * B).col(0);
      // Keep away from where the length or the angle is not smooth.
      if (measure.empty() && distance < 0.3) continue;
      const bool angle_is_smooth =
          x_b.head<2>().norm() > 0.5 && (x_b[0] > 0 || std::abs(x_b[1]) > 0.3);
      if (measure == "Rotational_" && !angle_is_smooth) continue;
      mechanism::Force force;
      force.id = id;
      force.begin = describe_marker(a, p_a, A, measure != "Rotational_");
      force.end = describe_marker(b, p_b, B, measure != "Rotational_");
      choose_law(force, measure, measure.empty() ? distance : random_.uniform(-0.5, 0.5));
      model_.description.forces.push_back(force);
      return;
    }
  }

  void choose_law(mechanism::Force& force, const std::string& measure, double rest_near) {
    const double rest = rest_near + random_.uniform(-0.2, 0.2);
    const double stiffness = random_.uniform(5, 50), damping = random_.uniform(0.5, 5);
    const bool angular = measure == "Rotational_";
    const std::string rest_name = angular ? "rest_angle" : "rest_length";
    switch (random_.index(options_.general_laws ? 5 : 4)) {
      case 0:
        force.key = measure + "Spring";
        force.constants = {{rest_name, rest}, {"stiffness", stiffness}};
        return;
      case 1:
        force.key = measure + "Damper";
        force.constants = {{"damping", damping}};
        return;
      case 2:
        force.key = measure + "Spring_Damper";
        force.constants = {{rest_name, rest}, {"stiffness", stiffness}, {"damping", damping}};
        return;
      case 3:
        force.key = measure + "Actuator";
        force.constants = {{angular ? "torque" : "force", random_.uniform(-10, 10)}};
        return;
      default: {
        force.key =
            "General_" + (measure.empty() ? "Linear" : measure.substr(0, measure.size() - 1));
        force.law.formula =
            std::string(angular ? "7*angle^3" : "7*length^3") + " + 0.4*rate + 2*sin(3*t)";
        model_.functions.laws[force.id] = [](double s, double rate, double t, const VectorXd&) {
          return 7 * s * s * s + 0.4 * rate + 2 * std::sin(3 * t);
        };
      }
    }
  }

  Random random_;
  const RandomModelOptions& options_;
  TestModel model_;
  std::vector<Placement> placed_;
};

}  // namespace

double Random::uniform(double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(engine_);
}
double Random::normal() {
  return std::normal_distribution<double>()(engine_);
}
int Random::index(int n) {
  return std::uniform_int_distribution<int>(0, n - 1)(engine_);
}

Vector3d Random::vector(double size) {
  Vector3d x;
  for (double& xi : x) xi = uniform(-size, size);
  return x;
}

VectorXd Random::vector(int n, double size) {
  VectorXd x(n);
  for (double& xi : x) xi = uniform(-size, size);
  return x;
}

Vector3d Random::unit_vector() {
  Vector3d x;
  for (double& xi : x) xi = normal();
  return x.normalized();
}

Matrix3d Random::rotation() {
  Eigen::Quaterniond q;
  for (double& c : q.coeffs()) c = normal();
  return q.normalized().toRotationMatrix();
}

Matrix3d Random::inertia(double mass, double size) {
  constexpr int kGrains = 8;
  std::vector<Vector3d> grains;
  Vector3d mean = Vector3d::Zero();
  for (int i = 0; i < kGrains; ++i) {
    grains.push_back(vector(size));
    mean += grains.back() / kGrains;
  }
  Matrix3d Theta = Matrix3d::Zero();
  for (const auto& grain : grains) {
    const Vector3d r = grain - mean;
    Theta += mass / kGrains * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
  }
  return Theta;
}

std::vector<std::string> all_joint_keys() {
  return {"Spherical", "Revolute", "Revolute_2",    "Universal", "Cylindrical",
          "Prismatic", "Fixed",    "FixedDistance", "Free"};
}

TestModel random_model(unsigned seed, const RandomModelOptions& options) {
  return Builder(seed, options).build();
}

Chain random_chain(unsigned seed, int bodies, int springs) {
  Random random(seed);
  Chain chain;
  for (int i = 0; i < bodies; ++i) {
    ChainLink link;
    link.spherical = random.coin();
    link.axis = random.unit_vector();
    link.joint_in_parent = random.vector(0.7);
    link.joint_in_body = random.vector(0.7);
    link.R0 = random.rotation();
    link.mass = random.uniform(0.5, 3);
    link.center = random.vector(0.4);
    link.inertia = random.inertia(link.mass, 0.6);
    chain.links.push_back(link);
  }
  for (int i = 0; i < springs; ++i) {
    ChainSpring spring;
    spring.begin = random.index(bodies);
    spring.end = -1;
    spring.begin_point = random.vector(0.5);
    spring.end_point = Vector3d(2, 2, 2) + random.vector(0.5);  // well away from the bodies
    if (bodies > 1 && random.coin()) {
      spring.end = (spring.begin + 1) % bodies;
      spring.end_point = random.vector(0.5);
    }
    spring.rest = random.uniform(0.5, 1.5);
    spring.stiffness = random.uniform(5, 30);
    spring.damping = random.uniform(0.5, 3);
    chain.springs.push_back(spring);
  }
  chain.gravity = random.vector(9);
  return chain;
}

State random_direction(Random& random, const State& like, bool with_time) {
  return {with_time ? random.uniform(-1, 1) : 0.0,
          random.vector(static_cast<int>(like.q.size()), 1),
          random.vector(static_cast<int>(like.v.size()), 1),
          random.vector(static_cast<int>(like.e.size()), 1)};
}

State disturbed(Random& random, State state, double size) {
  state.q += random.vector(static_cast<int>(state.q.size()), size);
  state.v += random.vector(static_cast<int>(state.v.size()), size);
  return state;
}

}  // namespace parfait::testing_support
