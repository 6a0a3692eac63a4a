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

inline Lane load(const double* p) {
  Lane x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

inline void store(double* p, Lane x) {
  std::memcpy(p, &x, sizeof x);
}

#else

struct alignas(32) Lane {
  using Half = double __attribute__((vector_size(32)));
  Half lo, hi;

  Lane() : lo{}, hi{} {}
  Lane(Half a, Half b) : lo(a), hi(b) {}
  // Copied half by half: as one block GCC moves 16 bytes at a time, through the stack and integer
  // registers, which was a tenth of the time of a direction.
  Lane(const Lane& b) : lo(b.lo), hi(b.hi) {}
  Lane& operator=(const Lane& b) {
    lo = b.lo;
    hi = b.hi;
    return *this;
  }
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

inline Lane load(const double* p) {
  Lane x;
  std::memcpy(&x.lo, p, sizeof x.lo);
  std::memcpy(&x.hi, p + kLanes / 2, sizeof x.hi);
  return x;
}

inline void store(double* p, const Lane& x) {
  std::memcpy(p, &x.lo, sizeof x.lo);
  std::memcpy(p + kLanes / 2, &x.hi, sizeof x.hi);
}

#endif

}  // namespace parfait::math
