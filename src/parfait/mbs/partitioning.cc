#include "parfait/mbs/partitioning.h"

#include <algorithm>
#include <cmath>

#include "parfait/mbs/block_solver.h"
#include "parfait/mbs/joint_step.h"
#include "parfait/mbs/model_data.h"

namespace parfait::mbs {
namespace {

// A position that is off by |g| <= 1e-12 is off by |g| / sin where the row acts, and so are the
// accelerations: sin = 1e-4 is as near to a singular position as a row may be kept.
constexpr double kFinestTolerance = 1e-8;

}  // namespace

double factor_partitioned(const ModelData& m, ModelWorkspace& w, Level level) {
  const auto& plan = m.structure.plan;
  auto& factors = w.k.factors;
  const int expected = m.redundant.of(level);
  factor(plan, w.rank_tolerance, factors);
  if (factors.num_dropped <= expected || w.rank_tolerance <= kFinestTolerance) {
    return w.rank_tolerance;
  }
  const auto again = [&](double tolerance) {
    assemble_joints(m.structure, w.k);
    factor(plan, tolerance, factors);
    return tolerance;
  };
  const double used = again(kFinestTolerance);
  if (factors.num_dropped >= expected) return used;
  return again(w.rank_tolerance);  // off the manifold so far that redundant rows were kept, too
}

double largest_kept(const ModelData& m, const ModelWorkspace& w, Level level, const double* g) {
  const auto& s = m.structure;
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
      if (w.k.factors.inverse[8 * j + i] != 0) add(row);
      ++row;
    }
  }
  return out;
}

}  // namespace parfait::mbs
