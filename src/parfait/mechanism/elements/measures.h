#pragma once

#include "parfait/mechanism/elements/measured_force.h"

/// The four scalar measures of Kraus 2006, appendix C.3, with their gradients
/// (docs/theory/forces.md, W4).
namespace parfait::mechanism::measures {

using math::atan2;
using math::sqrt;
using std::atan2;
using std::sqrt;

/// s = |r_0 - r_1|
struct Linear {
  static constexpr const char* kName = "length";
  static constexpr unsigned kUse[2] = {kPoint | kVelocity | kForce, kPoint | kVelocity | kForce};
  template <class S>
  Measured<S> operator()(const EndFrame<S>* end) const {
    const Vec3<S> delta = end[0].point - end[1].point;
    const Vec3<S> delta_d = end[0].velocity - end[1].velocity;
    Measured<S> m;
    m.s = sqrt(dot(delta, delta));
    m.n = (S(1.0) / m.s) * delta;
    m.rate = dot(m.n, delta_d);
    return m;
  }
};

/// s = (r_0 - r_1) . z, z of the world
struct Z {
  static constexpr const char* kName = "length";
  static constexpr unsigned kUse[2] = {kPoint | kVelocity | kForce, kPoint | kVelocity | kForce};
  template <class S>
  Measured<S> operator()(const EndFrame<S>* end) const {
    Measured<S> m;
    m.s = (end[0].point - end[1].point).z;
    m.rate = (end[0].velocity - end[1].velocity).z;
    m.n = {S(0.0), S(0.0), S(1.0)};
    return m;
  }
};

/// s = (r_0 - r_1) . d, d the z axis of the begin marker
struct Direction {
  static constexpr const char* kName = "length";
  static constexpr unsigned kUse[2] = {
      kPoint | kVelocity | kForce | kAxisZ | kAxisRateZ | kAxisForceZ, kPoint | kVelocity | kForce};
  template <class S>
  Measured<S> operator()(const EndFrame<S>* end) const {
    const Vec3<S> delta = end[0].point - end[1].point;
    const Vec3<S> delta_d = end[0].velocity - end[1].velocity;
    Measured<S> m;
    m.n = end[0].axis[2];
    m.s = dot(delta, m.n);
    m.rate = dot(delta_d, m.n) + dot(delta, end[0].axis_rate[2]);
    m.e[0][2] = delta;
    return m;
  }
};

/// s = angle from x_0 to x_1 about z_0 = atan2(y_0 . x_1, x_0 . x_1)
struct Rotational {
  static constexpr const char* kName = "angle";
  static constexpr unsigned kUse[2] = {
      kAxisX | kAxisY | kAxisRateX | kAxisRateY | kAxisForceX | kAxisForceY,
      kAxisX | kAxisRateX | kAxisForceX};
  template <class S>
  Measured<S> operator()(const EndFrame<S>* end) const {
    const Vec3<S> x0 = end[0].axis[0], y0 = end[0].axis[1], x1 = end[1].axis[0];
    const S a = dot(y0, x1), b = dot(x0, x1);
    const S inverse = S(1.0) / (a * a + b * b);
    const S pa = b * inverse, pb = -a * inverse;  // ds/da, ds/db
    Measured<S> m;
    m.s = atan2(a, b);
    m.e[0][0] = pb * x1;
    m.e[0][1] = pa * x1;
    m.e[1][0] = pa * y0 + pb * x0;
    m.rate = dot(m.e[0][0], end[0].axis_rate[0]) + dot(m.e[0][1], end[0].axis_rate[1]) +
             dot(m.e[1][0], end[1].axis_rate[0]);
    return m;
  }
};

}  // namespace parfait::mechanism::measures
