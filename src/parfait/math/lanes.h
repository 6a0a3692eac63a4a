#pragma once

#include <cstring>
#include <type_traits>

namespace parfait::math {

/// Directions handled together.
inline constexpr int kLanes = 8;

/// Numbers in one register. Without AVX-512 a lane is two registers of four: a coefficient is then
/// fetched once for two products, and GCC's own 64-byte vectors, which cost a factor of seven on
/// such a machine, are avoided (docs/theory/solver.md).
#if defined(__AVX512F__)
inline constexpr int kRegister = 8;
#else
inline constexpr int kRegister = 4;
#endif

/// The second register of a lane that needs only one.
struct NoRegister {
  friend NoRegister operator-(NoRegister) { return {}; }
  friend NoRegister operator+(NoRegister, NoRegister) { return {}; }
  friend NoRegister operator-(NoRegister, NoRegister) { return {}; }
  friend NoRegister operator*(double, NoRegister) { return {}; }
  friend NoRegister operator*(NoRegister, double) { return {}; }
  friend NoRegister operator/(NoRegister, double) { return {}; }
};

/// kLanes doubles with elementwise arithmetic, zero unless something else is said.
struct alignas(kRegister * sizeof(double)) Lane {
  using Register = double __attribute__((vector_size(kRegister * sizeof(double))));
  using Rest = std::conditional_t<kRegister == kLanes, NoRegister, Register>;
  // Not an array: GCC keeps its elements in memory where it keeps members in registers, which took
  // 12 % of the time of fitting formula models.
  Register lo;
  [[no_unique_address]] Rest hi;

  Lane() : lo{}, hi{} {}
  Lane(Register a, Rest b) : lo(a), hi(b) {}
  // Copied register by register: as one block GCC moves 16 bytes at a time, through the stack and
  // integer registers, which was a tenth of the time of a direction.
  Lane(const Lane& b) : lo(b.lo), hi(b.hi) {}
  Lane& operator=(const Lane& b) {  // NOLINT(bugprone-unhandled-self-assignment): harmless
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
static_assert(sizeof(Lane) == kLanes * sizeof(double));

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
  if constexpr (kRegister < kLanes) std::memcpy(&x.hi, p + kRegister, sizeof x.hi);
  return x;
}

inline void store(double* p, const Lane& x) {
  std::memcpy(p, &x.lo, sizeof x.lo);
  if constexpr (kRegister < kLanes) std::memcpy(p + kRegister, &x.hi, sizeof x.hi);
}

}  // namespace parfait::math
