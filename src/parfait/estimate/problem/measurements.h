#pragma once

#include <vector>

#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

/// One cell of the data that was measured.
struct Measurement {
  int row = 0;
  int observation = 0;
  double t = 0;
  double value = 0;
  double sigma = 1;  ///< NaN: a formula, which the experiment evaluates
};

/// All measured cells, row by row, with their standard deviations. InputError with the line of the
/// data for a sigma that is not > 0.
std::vector<Measurement> measurements_of(const ExperimentDescription& experiment);

}  // namespace parfait::estimate
