#pragma once

#include <cmath>

#include "parfait/math/lanes.h"

namespace parfait::math {

/// A number with kLanes directional derivatives: f(x + eps d) = v + eps d.
struct Dual {
  double v;
  Lane d;

  // Not defaulted: wherever one is value-initialized GCC would clear all its bytes first, by a slow
  // instruction for strings, which took half of the time of fitting a mechanism.
  Dual() : v(0), d() {}
  /// A number has no direction.
  Dual(double value) : v(value), d() {}  // NOLINT(google-explicit-constructor)
  Dual(double value, const Lane& direction) : v(value), d(direction) {}
};

[[gnu::always_inline]] inline Dual operator+(const Dual& a, const Dual& b) {
  return {a.v + b.v, a.d + b.d};
}
[[gnu::always_inline]] inline Dual operator-(const Dual& a, const Dual& b) {
  return {a.v - b.v, a.d - b.d};
}
[[gnu::always_inline]] inline Dual operator-(const Dual& a) {
  return {-a.v, -a.d};
}
[[gnu::always_inline]] inline Dual operator*(const Dual& a, const Dual& b) {
  return {a.v * b.v, a.v * b.d + a.d * b.v};
}
[[gnu::always_inline]] inline Dual operator/(const Dual& a, const Dual& b) {
  const double inverse = 1 / b.v;
  const double q = a.v * inverse;
  return {q, (a.d - q * b.d) * inverse};
}
inline Dual sqrt(const Dual& a) {
  const double root = std::sqrt(a.v);
  return {root, a.d * (0.5 / root)};
}
inline Dual atan2(const Dual& y, const Dual& x) {
  const double inverse = 1 / (x.v * x.v + y.v * y.v);
  return {std::atan2(y.v, x.v), (x.v * y.d - y.v * x.d) * inverse};
}

inline double value_of(double x) {
  return x;
}
inline double value_of(const Dual& x) {
  return x.v;
}

}  // namespace parfait::math
