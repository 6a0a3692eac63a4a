#pragma once

#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

/// The time a dynamic experiment covers.
struct Horizon {
  double begin = 0;
  double end = 0;
};

/// As given. Otherwise it holds all times of the data, of nodes and of requirements, and begins at
/// 0 at the latest unless nodes are given.
Horizon horizon_of(const ExperimentDescription& experiment);

}  // namespace parfait::estimate
