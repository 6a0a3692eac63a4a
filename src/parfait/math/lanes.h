#pragma once

#include <cstddef>
#include <cstring>

namespace parfait::math {

/// Directions handled together in one register: the width is a build constant of the target.
/// 64-byte vectors on a machine without AVX-512 cost a factor of seven (docs/theory/solver.md).
#if defined(__AVX512F__)
inline constexpr int kLanes = 8;
#else
inline constexpr int kLanes = 4;
#endif

/// kLanes doubles with elementwise arithmetic (GCC and Clang vector extension).
using Lane = double __attribute__((vector_size(kLanes * sizeof(double))));

inline Lane broadcast(double x) { return x - Lane{}; }

inline Lane load(const double* p) {
  Lane x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

inline void store(double* p, Lane x) { std::memcpy(p, &x, sizeof x); }

}  // namespace parfait::math
