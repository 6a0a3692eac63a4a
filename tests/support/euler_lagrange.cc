#include "testing/euler_lagrange.h"

#include <cmath>

#include "parfait/math/dense_solves.h"
#include "testing/dual.h"
#include "testing/model_gallery.h"

namespace parfait::testing_support {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

template <class S>
struct Turn {
  std::array<Triple<S>, 3> row;

  Triple<S> operator*(const Triple<S>& r) const {
    return {dot(row[0], r), dot(row[1], r), dot(row[2], r)};
  }
  Turn operator*(const Turn& other) const {
    Turn product;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        product.row[i][j] =
            row[i][0] * other.row[0][j] + row[i][1] * other.row[1][j] + row[i][2] * other.row[2][j];
      }
    }
    return product;
  }
};

template <class S>
Triple<S> constant(const Vector3d& r) {
  return {S(r[0]), S(r[1]), S(r[2])};
}

template <class S>
Turn<S> constant(const Matrix3d& R) {
  Turn<S> turn;
  for (int i = 0; i < 3; ++i) turn.row[i] = constant<S>(Vector3d(R.row(i)));
  return turn;
}

/// Rotation by an angle about a unit axis (Rodrigues).
template <class S>
Turn<S> rotation(const Vector3d& u, const S& angle) {
  using std::cos;
  using std::sin;
  const S c = cos(angle), s = sin(angle);
  Matrix3d cross;
  cross << 0, -u[2], u[1], u[2], 0, -u[0], -u[1], u[0], 0;
  Turn<S> turn;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      turn.row[i][j] = S(u[i] * u[j]) * (S(1.0) - c) + S(cross(i, j)) * s;
      if (i == j) turn.row[i][j] += c;
    }
  }
  return turn;
}

template <class S>
struct Placed {
  Turn<S> R;
  Triple<S> o;
  Triple<S> point(const Vector3d& r) const { return o + R * constant<S>(r); }
};

template <class S>
std::vector<Placed<S>> place(const Chain& chain, const std::vector<S>& theta) {
  std::vector<Placed<S>> bodies;
  Placed<S> parent{constant<S>(Matrix3d(Matrix3d::Identity())), constant<S>(Vector3d(0, 0, 0))};
  size_t at = 0;
  for (const auto& link : chain.links) {
    Turn<S> turn;
    if (link.spherical) {
      turn = rotation(Vector3d(Vector3d::UnitX()), theta[at]) *
             rotation(Vector3d(Vector3d::UnitY()), theta[at + 1]) *
             rotation(Vector3d(Vector3d::UnitZ()), theta[at + 2]);
      at += 3;
    } else {
      turn = rotation(link.axis, theta[at++]);
    }
    Placed<S> body;
    body.R = parent.R * turn * constant<S>(link.R0);
    body.o = parent.point(link.joint_in_parent) - body.R * constant<S>(link.joint_in_body);
    bodies.push_back(body);
    parent = body;
  }
  return bodies;
}

template <class S>
S length(const ChainSpring& spring, const std::vector<Placed<S>>& bodies) {
  using std::sqrt;
  const auto end = [&](int body, const Vector3d& r) {
    return body < 0 ? constant<S>(r) : bodies[body].point(r);
  };
  const Triple<S> d = end(spring.begin, spring.begin_point) - end(spring.end, spring.end_point);
  return sqrt(dot(d, d));
}

/// theta + theta_dot * epsilon: every function of it carries its rate.
template <class S>
std::vector<Dual<S>> moving(const std::vector<S>& theta, const std::vector<S>& theta_dot) {
  std::vector<Dual<S>> x;
  for (size_t i = 0; i < theta.size(); ++i) x.emplace_back(theta[i], theta_dot[i]);
  return x;
}

template <class S>
S lagrangian(const Chain& chain, const std::vector<S>& theta, const std::vector<S>& theta_dot) {
  const auto bodies = place(chain, moving(theta, theta_dot));
  S L(0.0);
  for (size_t i = 0; i < bodies.size(); ++i) {
    const auto& link = chain.links[i];
    const auto c = bodies[i].point(link.center);
    S speed2(0.0), height(0.0);
    for (int k = 0; k < 3; ++k) {
      speed2 += c[k].slope * c[k].slope;
      height += S(chain.gravity[k]) * c[k].value;
    }
    // Angular velocity in body axes from R^T R'.
    const auto spin = [&](int p, int q) {
      S sum(0.0);
      for (int k = 0; k < 3; ++k) {
        sum += bodies[i].R.row[k][p].value * bodies[i].R.row[k][q].slope;
      }
      return sum;
    };
    const Triple<S> omega{spin(2, 1), spin(0, 2), spin(1, 0)};
    L += S(0.5 * link.mass) * speed2 + S(link.mass) * height +
         S(0.5) * dot(omega, constant<S>(link.inertia) * omega);
  }
  for (const auto& spring : chain.springs) {
    const S stretch = length(spring, bodies).value - S(spring.rest);
    L += S(-0.5 * spring.stiffness) * stretch * stretch;
  }
  return L;
}

/// Rayleigh's dissipation function.
template <class S>
S dissipation(const Chain& chain, const std::vector<S>& theta, const std::vector<S>& theta_dot) {
  const auto bodies = place(chain, moving(theta, theta_dot));
  S D(0.0);
  for (const auto& spring : chain.springs) {
    const S rate = length(spring, bodies).slope;
    D += S(0.5 * spring.damping) * rate * rate;
  }
  return D;
}

template <class S>
std::vector<S> lift(const VectorXd& x) {
  std::vector<S> y;
  for (const double xi : x) y.emplace_back(xi);
  return y;
}

}  // namespace

int Chain::num_angles() const {
  int n = 0;
  for (const auto& link : links) n += link.spherical ? 3 : 1;
  return n;
}

ChainMotion euler_lagrange(const Chain& chain, const VectorXd& theta, const VectorXd& theta_dot) {
  const int n = chain.num_angles();
  Eigen::MatrixXd M(n, n);  // L_{theta' theta'}
  VectorXd b(n);            // L_theta - L_{theta' theta} theta' - D_theta'
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      auto rate = lift<Dual2>(theta_dot);
      rate[i] += with_directions(0, 1, 0);
      rate[j] += with_directions(0, 0, 1);
      M(i, j) = lagrangian(chain, lift<Dual2>(theta), rate).slope.slope;
    }
    // Direction 1: theta'_i. Direction 2: the motion theta' itself, in theta.
    auto angle = lift<Dual2>(theta), rate = lift<Dual2>(theta_dot);
    rate[i] += with_directions(0, 1, 0);
    for (int j = 0; j < n; ++j) angle[j] += with_directions(0, 0, theta_dot[j]);
    const double transport = lagrangian(chain, angle, rate).slope.slope;

    auto moved = lift<Dual1>(theta);
    moved[i].slope = 1;
    const double gradient = lagrangian(chain, moved, lift<Dual1>(theta_dot)).slope;
    auto faster = lift<Dual1>(theta_dot);
    faster[i].slope = 1;
    b[i] = gradient - transport - dissipation(chain, lift<Dual1>(theta), faster).slope;
  }

  ChainMotion motion;
  motion.theta_ddot = math::solve_lu(M, b);
  std::vector<Dual2> curve;
  curve.reserve(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) {
    curve.push_back(on_curve(theta[i], theta_dot[i], motion.theta_ddot[i]));
  }
  const auto bodies = place(chain, curve);
  motion.center_acceleration.reserve(bodies.size());
  for (size_t i = 0; i < bodies.size(); ++i) {
    const auto c = bodies[i].point(chain.links[i].center);
    motion.center_acceleration.emplace_back(c[0].slope.slope, c[1].slope.slope, c[2].slope.slope);
  }
  return motion;
}

mechanism::Description describe(const Chain& chain, const VectorXd& theta,
                                const VectorXd& theta_dot) {
  std::vector<Dual1> line;
  line.reserve(static_cast<size_t>(theta.size()));
  for (int i = 0; i < theta.size(); ++i) line.emplace_back(theta[i], theta_dot[i]);
  const auto bodies = place(chain, line);
  mechanism::Description d;
  std::string parent = mechanism::kInertial;
  const auto name = [](int i) {
    return i < 0 ? std::string(mechanism::kInertial) : "body_" + std::to_string(i + 1);
  };
  for (size_t i = 0; i < bodies.size(); ++i) {
    const auto& link = chain.links[i];
    const auto& at = bodies[i];
    mechanism::Body body;
    body.id = name(static_cast<int>(i));
    body.mass = link.mass;
    for (int k = 0; k < 3; ++k) {
      body.o[k] = at.o[k].value;
      body.o_rate[k] = at.o[k].slope;
      body.x[k] = at.R.row[k][0].value;
      body.y[k] = at.R.row[k][1].value;
      body.z[k] = at.R.row[k][2].value;
      body.x_rate[k] = at.R.row[k][0].slope;
      body.y_rate[k] = at.R.row[k][1].slope;
      body.z_rate[k] = at.R.row[k][2].slope;
      body.center_of_mass[k] = link.center[k];
      for (int l = 0; l < 3; ++l) body.inertia[k][l] = link.inertia(k, l);
    }
    d.bodies.push_back(body);

    mechanism::Joint joint;
    joint.key = link.spherical ? "Spherical" : "Revolute";
    joint.id = "joint_" + std::to_string(i + 1);
    joint.begin = marker(parent, axis_frame(link.joint_in_parent, link.axis));
    joint.end = marker(body.id, axis_frame(link.joint_in_body, link.R0.transpose() * link.axis));
    d.joints.push_back(joint);
    parent = body.id;
  }
  for (const auto& spring : chain.springs) {
    mechanism::Force force;
    force.key = "Spring_Damper";
    force.id = "spring_" + std::to_string(d.forces.size() + 1);
    force.begin = marker(name(spring.begin), frame(spring.begin_point));
    force.end = marker(name(spring.end), frame(spring.end_point));
    force.constants = {
        {"rest_length", spring.rest}, {"stiffness", spring.stiffness}, {"damping", spring.damping}};
    d.forces.push_back(force);
  }
  d.forces.push_back(gravitation(chain.gravity));
  return d;
}

}  // namespace parfait::testing_support
