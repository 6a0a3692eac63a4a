#pragma once

#include <string>
#include <vector>

#include "parfait/estimate/fit/fit.h"

namespace parfait::estimate {

/// The profile likelihood of a shared parameter: its value held, everything else estimated again.
///
///   S(p) - S_min = q beta^2,    q the squared t quantile (known sigma: normal)
///
/// at both ends of the interval. For a linear model this is the individual interval of the fit;
/// where the model bends it is the better one.
struct Profile {
  std::string parameter;
  struct Point {
    double value = 0;
    double objective = 0;
    bool converged = false;
  };
  std::vector<Point> points;  ///< ascending values, the estimate among them
  double low = 0, high = 0;   ///< infinite: the objective never rises that far
  double threshold = 0;       ///< the objective at both ends
  bool interrupted = false;   ///< before both ends were found; those that were not are NaN
};

/// InputError if the parameter is not one of the shared estimates. `result` is the fit of
/// `problem`. FitOptions::interrupted is asked before each point, too.
Profile make_profile(PreparedProblem& prepared, const FitResult& result,
                     const std::string& parameter);
Profile make_profile(const Problem& problem, const FitResult& result, const std::string& parameter);

}  // namespace parfait::estimate
