#include "parfait/mbs/solver/partitioning.h"

#include <algorithm>
#include <cmath>

#include "parfait/mbs/solver/block_solver.h"
#include "parfait/mbs/solver/joint_step.h"
#include "parfait/mbs/solver/kernel.h"

namespace parfait::mbs {
namespace {

// A position that is off by |g| <= 1e-12 is off by |g| / sin where the row acts, and so are the
// accelerations: sin = 1e-4 is as near to a singular position as a row may be kept.
constexpr double kFinestTolerance = 1e-8;

}  // namespace

double factor_partitioned(const Structure& s, const RedundantRows& expected, double tolerance,
                          KernelState& k, Level level) {
  auto& factors = k.factors;
  const int num_expected = expected.of(level);
  factor(s.plan, tolerance, factors);
  if (factors.num_dropped <= num_expected || tolerance <= kFinestTolerance) return tolerance;
  const auto again = [&](double at) {
    assemble_joints(s, k);
    factor(s.plan, at, factors);
    return at;
  };
  const double used = again(kFinestTolerance);
  if (factors.num_dropped >= num_expected) return used;
  return again(tolerance);  // off the manifold so far that redundant rows were kept, too
}

double largest_kept(const Structure& s, const KernelState& k, Level level, const double* g) {
  const bool positions = level == Level::kPosition;
  const int body_rows = s.num_vel - s.num_rows;
  double out = 0;
  const auto add = [&](int row) {
    if (!(std::abs(g[row]) <= out)) out = std::abs(g[row]);  // a NaN stays
  };
  for (int row = 0; row < body_rows; ++row) add(row);
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    const JointShape& shape = s.joints[j];
    int row = positions ? shape.first_pos_row : body_rows + shape.first_row;
    for (int i = 0; i < shape.nrows; ++i) {
      if (positions && shape.rows[i].is_velocity()) continue;
      if (k.factors.inverse[8 * j + i] != 0) add(row);
      ++row;
    }
  }
  return out;
}

}  // namespace parfait::mbs
