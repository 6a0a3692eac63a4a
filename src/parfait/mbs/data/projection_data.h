#pragma once

#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/math/directions.h"
#include "parfait/mbs/solver/kernel.h"

namespace parfait::mbs {

/// The last projection: where it started (q0, v0), where it ended (q, v; canonical), the
/// constraints g there, and its multipliers on both levels.
struct ProjectionWork {
  std::vector<double> q0, v0, q, v, metric, g;
  AlignedVector<double> multiplier[2];  ///< position, velocity: 8 per joint
  dynamics::Norm norm = dynamics::Norm::kMass;
  dynamics::Status status = dynamics::Status::kOk;
  double t = 0;               ///< when
  std::vector<double> shift;  ///< projected minus given, per body: centre of mass, axes
  AlignedVector<Lane> start_lanes, result_lanes, last_lanes, position_lanes;  ///< 12 per body
};

/// The same of the projections in other norms, with dense matrices: x = (q, v) where it ended, y
/// room for a state with the external ones, lambda the multipliers of all constraints.
struct DenseProjectionWork {
  std::vector<double> x, y, lambda;
  std::vector<int> dependent;  ///< entries of x that the partition moves
  math::Directions dy;         ///< one chunk of directions of y
  AlignedVector<Lane> lanes;
};

}  // namespace parfait::mbs
