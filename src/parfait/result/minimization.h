#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parfait/result/verdict.h"

namespace parfait::result {

/// A local minimum of the objective of a problem: result.json.
struct Minimization {
  struct Parameter {
    std::string id;
    double initial = 0, value = 0;
    double lower = 0, upper = 0;  ///< infinite: none
    double gradient = 0;          ///< dJ/dp
    bool at_bound = false;
    std::optional<double> sd{};  ///< by a last linearization, of least squares
    std::vector<double> ci95{};  ///< low, high; empty: as sd
    bool operator==(const Parameter&) const = default;
  };
  struct Step {
    int iteration = 0;
    double objective = 0;
    double gradient = 0;  ///< largest component in scaled unknowns, bounds respected
    double length = 0;
    int evaluations = 0;         ///< so far
    std::vector<double> values;  ///< of the parameters
    bool operator==(const Step&) const = default;
  };
  Verdict verdict;  ///< status "converged", "stalled", "max_iterations", "interrupted", "failed"
  std::string problem;      ///< file
  std::string method;       ///< "lbfgs", "bfgs", "descent", "lsmr"
  std::string line_search;  ///< "wolfe", "golden", "quadratic", "cubic", "parallel"; empty: none
  std::string by;           ///< the gradient: "adjoint" or "forward"
  double objective = 0;
  std::vector<NamedValue> costs;
  std::vector<Parameter> parameters;
  int iterations = 0, evaluations = 0;
  std::vector<Step> path;
  bool operator==(const Minimization&) const = default;
};

}  // namespace parfait::result
