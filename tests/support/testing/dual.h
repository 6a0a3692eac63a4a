#pragma once

#include <array>
#include <cmath>
#include <type_traits>

/// Forward derivatives by numbers that carry them: value + slope * epsilon with epsilon^2 = 0.
/// A Dual of a Dual carries second derivatives, and so on; everything the witness differentiates is
/// done with this one type, one direction per level.
namespace parfait::testing_support {

template <class T>
struct Dual {
  T value{};
  T slope{};

  Dual() = default;
  template <class U, class = std::enable_if_t<std::is_arithmetic_v<U>>>
  Dual(U x) : value(x), slope(0.0) {}  // NOLINT(google-explicit-constructor): a constant
  Dual(const T& x, const T& dx) : value(x), slope(dx) {}

  friend Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.slope + b.slope};
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.slope - b.slope};
  }
  friend Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.value * b.slope + a.slope * b.value};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const T q = a.value / b.value;
    return {q, (a.slope - q * b.slope) / b.value};
  }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }

  friend Dual sqrt(const Dual& a) {
    using std::sqrt;
    const T root = sqrt(a.value);
    return {root, a.slope / (root + root)};
  }
  friend Dual sin(const Dual& a) {
    using std::cos;
    using std::sin;
    return {sin(a.value), cos(a.value) * a.slope};
  }
  friend Dual cos(const Dual& a) {
    using std::cos;
    using std::sin;
    return {cos(a.value), -(sin(a.value) * a.slope)};
  }
  friend Dual atan2(const Dual& y, const Dual& x) {
    using std::atan2;
    return {atan2(y.value, x.value),
            (x.value * y.slope - y.value * x.slope) / (x.value * x.value + y.value * y.value)};
  }
};

using Dual1 = Dual<double>;
using Dual2 = Dual<Dual1>;

template <class S>
using Triple = std::array<S, 3>;

template <class S>
Triple<S> operator+(const Triple<S>& a, const Triple<S>& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
template <class S>
Triple<S> operator-(const Triple<S>& a, const Triple<S>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class S>
Triple<S> operator*(const S& a, const Triple<S>& b) {
  return {a * b[0], a * b[1], a * b[2]};
}
template <class S>
S dot(const Triple<S>& a, const Triple<S>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// The curve x + v tau + a tau^2 / 2 at tau = 0, so that `value.slope` of a function of it is its
/// first and `slope.slope` its second derivative in time.
inline Dual2 on_curve(double x, double v, double a) {
  return {Dual1(x, v), Dual1(v, a)};
}

/// x + s epsilon_1 + r epsilon_2: `slope.slope` of a function is its mixed second derivative.
inline Dual2 with_directions(double x, double s, double r) {
  return {Dual1(x, s), Dual1(r, 0.0)};
}

}  // namespace parfait::testing_support
