#pragma once

#include <cstring>

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

/// kLanes doubles with elementwise arithmetic, zero unless something else is said.
struct alignas(kRegister * sizeof(double)) Lane {
  using Register = double __attribute__((vector_size(kRegister * sizeof(double))));
  static constexpr int kParts = kLanes / kRegister;
  Register part[kParts];

  Lane() {
#pragma GCC unroll 2
    for (Register& x : part) x = Register{};
  }
  // Copied register by register: as one block GCC moves 16 bytes at a time, through the stack and
  // integer registers, which was a tenth of the time of a direction.
  Lane(const Lane& b) {
#pragma GCC unroll 2
    for (int i = 0; i < kParts; ++i) part[i] = b.part[i];
  }
  Lane& operator=(const Lane& b) {  // NOLINT(bugprone-unhandled-self-assignment): harmless
#pragma GCC unroll 2
    for (int i = 0; i < kParts; ++i) part[i] = b.part[i];
    return *this;
  }
  double& operator[](int i) {
    return reinterpret_cast<double*>(this)[i];
  }
  double operator[](int i) const {
    return reinterpret_cast<const double*>(this)[i];
  }
  Lane& operator+=(const Lane& b) {
#pragma GCC unroll 2
    for (int i = 0; i < kParts; ++i) part[i] += b.part[i];
    return *this;
  }
  Lane& operator-=(const Lane& b) {
#pragma GCC unroll 2
    for (int i = 0; i < kParts; ++i) part[i] -= b.part[i];
    return *this;
  }
};

/// The lane whose registers are f(0) and, if there is a second one, f(1).
template <class Function>
inline __attribute__((always_inline)) Lane by_register(const Function& f) {
  Lane x;
#pragma GCC unroll 2
  for (int i = 0; i < Lane::kParts; ++i) x.part[i] = f(i);
  return x;
}

inline Lane operator-(const Lane& a) {
  return by_register([&](int i) { return -a.part[i]; });
}
inline Lane operator+(const Lane& a, const Lane& b) {
  return by_register([&](int i) { return a.part[i] + b.part[i]; });
}
inline Lane operator-(const Lane& a, const Lane& b) {
  return by_register([&](int i) { return a.part[i] - b.part[i]; });
}
inline Lane operator*(double a, const Lane& b) {
  return by_register([&](int i) { return a * b.part[i]; });
}
inline Lane operator*(const Lane& a, double b) {
  return b * a;
}
inline Lane operator/(const Lane& a, double b) {
  return by_register([&](int i) { return a.part[i] / b; });
}

inline Lane load(const double* p) {
  Lane x;
  std::memcpy(x.part, p, sizeof x.part);
  return x;
}

inline void store(double* p, const Lane& x) {
  std::memcpy(p, x.part, sizeof x.part);
}

}  // namespace parfait::math
