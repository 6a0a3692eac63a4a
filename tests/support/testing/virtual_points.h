#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <functional>

/// Muscle paths by the massless virtual points of Kraus 2006, section 6.4.3: where the path meets
/// and leaves its obstacle is the solution of equations, found by Newton's method. Written without
/// a look at muscle_path.h, to compare it with.
///
/// For the point p_A between a and the obstacle (o, axis d, radius r):
///   (6.13)  on the surface:            cylinder |p_A - o - d d.(p_A - o)|^2 = r^2, sphere |p_A - o|^2 = r^2
///   (6.14)  the line is tangent:       n_A . (p_A - a) = 0 with the outward normal n_A
/// and likewise p_B; then, instead of (6.15), which is that of a pulley, what makes the path a
/// geodesic:
///   cylinder   line and helix have the same slope against the axis, at both ends
///   sphere     o, a, b, p lie in one plane
namespace parfait::testing_support {

using Eigen::Vector3d;

struct VirtualPoints {
  Vector3d o = Vector3d::Zero(), d = Vector3d::UnitZ();
  double r = 0.1;
  bool is_sphere = false;
  bool is_pulley = false;  ///< (6.15) as printed: (p - o) . d = 0
  double sense = 1;

  /// Of the path from a to b, starting Newton's method at a guess of the two points.
  double length(const Vector3d& a, const Vector3d& b, Vector3d pa, Vector3d pb) const {
    Eigen::VectorXd x(6);
    x << pa, pb;
    for (int iteration = 0; iteration < 60; ++iteration) {
      const Eigen::VectorXd g = equations(a, b, x);
      if (g.norm() < 1e-15) break;
      Eigen::MatrixXd J(6, 6);
      for (int j = 0; j < 6; ++j) {  // differences: this is a witness, not a library
        const double h = 1e-7;
        const Eigen::VectorXd e = h * Eigen::VectorXd::Unit(6, j);
        J.col(j) = (equations(a, b, x + e) - equations(a, b, x - e)) / (2 * h);
      }
      x -= J.fullPivLu().solve(g);
    }
    pa = x.head<3>();
    pb = x.tail<3>();
    return (pa - a).norm() + arc(pa, pb) + (b - pb).norm();
  }
  Vector3d radial(const Vector3d& p) const {
    const Vector3d u = p - o;
    return is_sphere ? u : Vector3d(u - d * d.dot(u));
  }
  /// The angle from p to q about the axis (cylinder), or in the plane of both (sphere).
  double angle(const Vector3d& p, const Vector3d& q) const {
    const Vector3d u = radial(p), v = radial(q);
    if (is_sphere) return std::atan2(u.cross(v).norm(), u.dot(v));
    double turned = sense * std::atan2(d.dot(u.cross(v)), u.dot(v));
    if (turned < -1e-9) turned += 2 * M_PI;
    return turned;
  }
  double arc(const Vector3d& p, const Vector3d& q) const {
    const double round = r * angle(p, q), up = is_sphere ? 0 : d.dot(q - p);
    return std::hypot(round, up);
  }

 private:
  Eigen::VectorXd equations(const Vector3d& a, const Vector3d& b, const Eigen::VectorXd& x) const {
    const Vector3d pa = x.head<3>(), pb = x.tail<3>();
    Eigen::VectorXd g(6);
    g[0] = radial(pa).squaredNorm() - r * r;
    g[1] = radial(pb).squaredNorm() - r * r;
    g[2] = radial(pa).dot(pa - a);
    g[3] = radial(pb).dot(pb - b);
    if (is_sphere) {
      const Vector3d normal = (a - o).cross(b - o);
      g[4] = normal.dot(pa - o);
      g[5] = normal.dot(pb - o);
    } else if (is_pulley) {
      g[4] = (pa - o).dot(d);
      g[5] = (pb - o).dot(d);
    } else {
      // Rise over run: of the line from a, of the helix, of the line to b.
      const double rise_a = d.dot(pa - a), run_a = radial(Vector3d(pa - a + o)).norm();
      const double rise = d.dot(pb - pa), run = r * angle(pa, pb);
      const double rise_b = d.dot(b - pb), run_b = radial(Vector3d(b - pb + o)).norm();
      g[4] = rise_a * run - rise * run_a;
      g[5] = rise_b * run - rise * run_b;
    }
    return g;
  }
};

}  // namespace parfait::testing_support
