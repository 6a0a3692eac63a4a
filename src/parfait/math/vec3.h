#pragma once

/// Three-vectors over any scalar with + - *: numbers, and numbers with directions (dual.h).
namespace parfait::math {

template <class S>
struct Vec3 {
  S x{}, y{}, z{};
};

template <class S>
[[gnu::always_inline]] inline Vec3<S> operator+(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class S>
[[gnu::always_inline]] inline Vec3<S> operator-(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class S>
[[gnu::always_inline]] inline Vec3<S> operator-(const Vec3<S>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class S>
[[gnu::always_inline]] inline Vec3<S> operator*(const S& s, const Vec3<S>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class S>
[[gnu::always_inline]] inline void operator+=(Vec3<S>& a, const Vec3<S>& b) {
  a = a + b;
}
template <class S>
[[gnu::always_inline]] inline void operator-=(Vec3<S>& a, const Vec3<S>& b) {
  a = a - b;
}
template <class S>
[[gnu::always_inline]] inline S dot(const Vec3<S>& a, const Vec3<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class S>
[[gnu::always_inline]] inline Vec3<S> cross(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

}  // namespace parfait::math
