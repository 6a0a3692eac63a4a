#pragma once

#include <string>
#include <vector>

#include "parfait/estimate/experiment/ensemble.h"

namespace parfait::run {

/// Names of all unknowns in the order of x: `k` if it is shared, `run1: x(0.5)` if not. Two fits
/// whose names agree have unknowns that mean the same.
inline std::vector<std::string> variable_layout(const estimate::Ensemble& ensemble) {
  std::vector<std::string> names = ensemble.shared().names();
  for (int e = 0; e < ensemble.num_experiments(); ++e) {
    const auto& experiment = ensemble.experiment(e);
    for (const auto& name : experiment.layout().variables) {
      names.push_back(experiment.id() + ": " + name);
    }
  }
  return names;
}

}  // namespace parfait::run
