#pragma once

namespace parfait::integrate {

/// The cubic with value x0 and slope s0 at 0, x1 and s1 at h, its slope and its curvature at tau:
/// linear in (x0, s0, x1, s1), which may be numbers or directions of them.
class Hermite {
 public:
  Hermite(double tau, double h) {
    const double u = tau / h, u2 = u * u, u3 = u2 * u;
    const double hh = h * h;
    // At the ends the weights are exactly 0 and 1.
    value_[2] = 3 * u2 - 2 * u3;
    value_[0] = 1 - value_[2];
    value_[1] = h * (u - 2 * u2 + u3);
    value_[3] = h * (u3 - u2);
    slope_[2] = 6 * (u - u2) / h;
    slope_[0] = -slope_[2];
    slope_[1] = 1 - 4 * u + 3 * u2;
    slope_[3] = 3 * u2 - 2 * u;
    curvature_[2] = (6 - 12 * u) / hh;
    curvature_[0] = -curvature_[2];
    curvature_[1] = (6 * u - 4) / h;
    curvature_[3] = (6 * u - 2) / h;
  }

  template <class T>
  T value(const T& x0, const T& s0, const T& x1, const T& s1) const {
    return combine(value_, x0, s0, x1, s1);
  }
  template <class T>
  T slope(const T& x0, const T& s0, const T& x1, const T& s1) const {
    return combine(slope_, x0, s0, x1, s1);
  }
  template <class T>
  T curvature(const T& x0, const T& s0, const T& x1, const T& s1) const {
    return combine(curvature_, x0, s0, x1, s1);
  }

 private:
  template <class T>
  static T combine(const double* w, const T& x0, const T& s0, const T& x1, const T& s1) {
    return w[0] * x0 + w[1] * s0 + w[2] * x1 + w[3] * s1;
  }

  double value_[4], slope_[4], curvature_[4];
};

}  // namespace parfait::integrate
