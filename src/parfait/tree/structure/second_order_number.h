#pragma once

#include <cmath>

#include "parfait/math/lanes.h"

namespace parfait::tree {

/// A number with first derivatives along kLanes directions d and one direction e, and the mixed
/// second derivatives: f(x + s d + t e) = v + s d + t e + s t de + ... (s^2 and t^2 are left out).
struct SecondOrderNumber {
  double v = 0;
  math::Lane d{};
  double e = 0;
  math::Lane de{};

  SecondOrderNumber() = default;
  SecondOrderNumber(double value) : v(value) {}  // NOLINT(google-explicit-constructor)
  SecondOrderNumber(double value, const math::Lane& along_d, double along_e,
                    const math::Lane& mixed)
      : v(value), d(along_d), e(along_e), de(mixed) {}

  SecondOrderNumber& operator+=(const SecondOrderNumber& b) {
    v += b.v;
    d += b.d;
    e += b.e;
    de += b.de;
    return *this;
  }
  SecondOrderNumber& operator-=(const SecondOrderNumber& b) {
    v -= b.v;
    d -= b.d;
    e -= b.e;
    de -= b.de;
    return *this;
  }
};

inline SecondOrderNumber operator+(SecondOrderNumber a, const SecondOrderNumber& b) {
  return a += b;
}
inline SecondOrderNumber operator-(SecondOrderNumber a, const SecondOrderNumber& b) {
  return a -= b;
}
inline SecondOrderNumber operator-(const SecondOrderNumber& a) {
  return {-a.v, -a.d, -a.e, -a.de};
}
inline SecondOrderNumber operator*(const SecondOrderNumber& a, const SecondOrderNumber& b) {
  return {a.v * b.v, a.v * b.d + a.d * b.v, a.v * b.e + a.e * b.v,
          a.v * b.de + a.de * b.v + a.d * b.e + a.e * b.d};
}
inline SecondOrderNumber operator/(const SecondOrderNumber& a, const SecondOrderNumber& b) {
  const double q = a.v / b.v, e = (a.e - q * b.e) / b.v;
  const math::Lane d = (a.d - q * b.d) / b.v;
  return {q, d, e, (a.de - d * b.e - e * b.d - q * b.de) / b.v};
}
inline void sine_cosine(const SecondOrderNumber& x, SecondOrderNumber& s, SecondOrderNumber& c) {
  const double sine = std::sin(x.v), cosine = std::cos(x.v);
  s = {sine, cosine * x.d, cosine * x.e, cosine * x.de - sine * x.e * x.d};
  c = {cosine, -sine * x.d, -sine * x.e, -sine * x.de - cosine * x.e * x.d};
}

}  // namespace parfait::tree
