#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

/// Where many starts lie: a box of parameters between their bounds, on a logarithmic scale where
/// they are estimated as logarithms or positive bounds lie three decades apart.
struct StartSpace {
  struct Range {
    std::string parameter;
    int experiment = -1;  ///< of a local parameter; -1: shared
    int index = 0;        ///< in Problem::estimates, or in the locals of the experiment
    double lower = 0, upper = 0;
    bool log = false;
  };
  std::vector<Range> ranges;
  /// Parameters without two bounds (and without a prior, which stands for value +- 2 sigma): they
  /// always begin at their initial values.
  std::vector<std::string> kept;
};

/// InputError if no parameter has bounds.
StartSpace make_start_space(const Problem& problem);

/// Start `number` of the problem: 0 is its own initial values, the others are points of a scrambled
/// Sobol sequence (math/scrambled_sobol.h), which depend on the number and the seed alone.
class StartPoints {
 public:
  StartPoints(StartSpace space, int count, std::uint64_t seed);
  int count() const { return count_; }  ///< without 0
  const StartSpace& space() const { return space_; }
  Problem problem_of(const Problem& problem, int number) const;

 private:
  StartSpace space_;
  int count_;
  std::vector<std::vector<double>> points_;
};

}  // namespace parfait::estimate
