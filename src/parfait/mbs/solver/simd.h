#pragma once

#include <cstring>

namespace parfait::mbs {

/// Four doubles. As a world vector: (x, y, z, 0). As a quad: one component of four bodies.
using V4 = double __attribute__((vector_size(32)));
using I4 = long long __attribute__((vector_size(32)));

inline V4 splat(double x) {
  return x - V4{};
}
inline V4 load4(const double* p) {
  V4 x;
  std::memcpy(&x, p, sizeof x);
  return x;
}
inline void store4(double* p, V4 x) {
  std::memcpy(p, &x, sizeof x);
}

/// (x, y, z, 0) from three doubles that are followed by a fourth readable one.
inline V4 load3(const double* p) {
  const I4 mask{-1, -1, -1, 0};
  return V4(I4(load4(p)) & mask);
}

inline V4 only_xyz(V4 a) {
  const I4 mask{-1, -1, -1, 0};
  return V4(I4(a) & mask);
}

inline V4 yzx(V4 a) {
  return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

/// Cross product of world vectors; lane 3 of the result is 0 if it is in both.
inline V4 cross(V4 a, V4 b) {
  return yzx(a * yzx(b) - yzx(a) * b);
}

inline double dot3(V4 a, V4 b) {
  const V4 p = a * b;
  return p[0] + p[1] + p[2];
}

/// X r: the columns of X combined.
inline V4 combine(const V4* X, const double* r) {
  return X[0] * r[0] + X[1] * r[1] + X[2] * r[2];
}

/// Rows become columns: four bodies' (x, y, z, w) become the quads x, y, z, w, and back.
inline void transpose(V4& a, V4& b, V4& c, V4& d) {
  const V4 ab_lo = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const V4 ab_hi = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const V4 cd_lo = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const V4 cd_hi = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(ab_lo, cd_lo, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_hi, cd_hi, 0, 1, 4, 5);
  c = __builtin_shufflevector(ab_lo, cd_lo, 2, 3, 6, 7);
  d = __builtin_shufflevector(ab_hi, cd_hi, 2, 3, 6, 7);
}

}  // namespace parfait::mbs
