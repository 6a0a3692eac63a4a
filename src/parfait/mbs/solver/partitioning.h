#pragma once

#include <cstdint>
#include <limits>

namespace parfait::mbs {

struct KernelState;
struct Structure;

/// Which rows take part: those of the positions alone, or all.
enum class Level : std::uint8_t { kPosition, kVelocity };

/// How many rows the others imply; those that a level leaves out are counted.
struct RedundantRows {
  static constexpr int kUnknown = std::numeric_limits<int>::max();
  int positions = kUnknown, all = kUnknown;

  int of(Level level) const { return level == Level::kPosition ? positions : all; }
};

/// Factors the joint matrix that is assembled in w.k, with rows dropped at w.bound.rank_tolerance;
/// returns the tolerance used. Where more fall than at the assembled initial position, the
/// mechanism passes a singular position, and the tolerance is lowered as far as accelerations bear
/// it: a row that is only nearly implied is kept longer. (docs/theory/partitioning.md, T2, T5)
double factor_partitioned(const Structure& s, const RedundantRows& expected, double tolerance,
                          KernelState& k, Level level);

/// Largest |g| among the rows that the last factorization kept, and those of the bodies.
double largest_kept(const Structure& s, const KernelState& k, Level level, const double* g);

}  // namespace parfait::mbs
