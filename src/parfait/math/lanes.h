#pragma once

#include <cstring>

namespace parfait::math {

/// Directions handled together. Without AVX-512 they are two registers of four: a coefficient is
/// then fetched once for two products, and GCC's own 64-byte vectors, which cost a factor of seven
/// on such a machine, are avoided (docs/theory/solver.md).
inline constexpr int kLanes = 8;

#if defined(__AVX512F__)

/// kLanes doubles with elementwise arithmetic (GCC and Clang vector extension).
using Lane = double __attribute__((vector_size(kLanes * sizeof(double))));

#else

struct alignas(32) Lane {
  using Half = double __attribute__((vector_size(32)));
  Half lo, hi;

  double& operator[](int i) { return reinterpret_cast<double*>(this)[i]; }
  double operator[](int i) const { return reinterpret_cast<const double*>(this)[i]; }
  Lane operator-() const { return {-lo, -hi}; }
  Lane& operator+=(const Lane& b) { return *this = {lo + b.lo, hi + b.hi}; }
  Lane& operator-=(const Lane& b) { return *this = {lo - b.lo, hi - b.hi}; }
};

inline Lane operator+(const Lane& a, const Lane& b) {
  return {a.lo + b.lo, a.hi + b.hi};
}
inline Lane operator-(const Lane& a, const Lane& b) {
  return {a.lo - b.lo, a.hi - b.hi};
}
inline Lane operator*(double a, const Lane& b) {
  return {a * b.lo, a * b.hi};
}
inline Lane operator*(const Lane& a, double b) {
  return {a.lo * b, a.hi * b};
}
inline Lane operator/(const Lane& a, double b) {
  return {a.lo / b, a.hi / b};
}

#endif

inline Lane load(const double* p) {
  Lane x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

inline void store(double* p, Lane x) {
  std::memcpy(p, &x, sizeof x);
}

}  // namespace parfait::math
