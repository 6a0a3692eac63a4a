#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parfait/estimate/fit/fit.h"

namespace parfait::estimate {

/// What could be added to an experiment that was made: a quantity measured at the existing times,
/// or the whole experiment once more with another input.
struct ExperimentCandidates {
  struct Quantity {
    std::string quantity;
    double sigma = 1;
  };
  struct Input {
    std::string what;  ///< "input F doubled"
    std::shared_ptr<const dynamics::System> system;
  };
  std::vector<Quantity> quantities{};
  std::vector<Input> inputs{};
};

/// What a candidate would do to the worst standard deviation, relative to the value of its
/// parameter (of those that are 0: absolute). Infinite: not determined.
struct Suggestion {
  std::string experiment;
  std::string what;
  double before = 0, after = 0;
  std::string worst{};  ///< the parameter that is worst afterwards
  int open = 0;         ///< parameters that stay undetermined
};

/// All candidates, the most helpful first: each quantity of `candidates`, each fixed initial state
/// moved by its scale up and down, each input. Parameters are the shared and the local ones, sigmas
/// as they are given.
///
/// `x`: where the last fit of the problem ended.
std::vector<Suggestion> suggest(PreparedProblem& prepared, VecIn x,
                                const std::vector<ExperimentCandidates>& candidates);

}  // namespace parfait::estimate
