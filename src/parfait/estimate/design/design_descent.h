#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parfait/estimate/design/design_objective.h"

namespace parfait::estimate::design_search {

constexpr double kFeasible = 1e-6;

/// A design, and what it is worth for the weights of an objective.
struct Found {
  std::vector<double> d;
  double psi = kNever;
  double violation = 0;
  int iterations = 0;
  bool converged = false;
  bool exists = false;
  std::string why{};
  Linearized blocks{};  ///< there: what it is worth needs no more integrations
};

/// A smaller criterion among designs that keep all conditions, otherwise the smaller violation.
bool is_better(const Found& a, const Found& b);

/// All points from which a search begins, the one that was given first.
std::vector<std::vector<double>> design_starts(const DesignSpace& space, int count,
                                               std::uint64_t seed);

/// From one point to the minimum near it.
Found minimize_from(const Search& search, const DesignObjective& objective,
                    const std::vector<double>& d, int max_iterations);

}  // namespace parfait::estimate::design_search
