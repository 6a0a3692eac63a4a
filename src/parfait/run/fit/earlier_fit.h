#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/fit/fit.h"
#include "parfait/result/fit.h"

namespace parfait::run {

/// The result of a fit as the start of another one.
class EarlierFit {
 public:
  /// `source` tells in messages and results where it came from.
  EarlierFit(result::Fit fit, std::string source);
  /// From a result.json, or from the run folder. InputError if it is not a result of a fit.
  static EarlierFit read(const std::filesystem::path& file);

  const std::string& source() const { return source_; }

  /// Estimates become initial values of parameters and free initial states that have the same name
  /// (and experiment); where bounds have moved, they move the value. Scales stay what they were.
  /// InputError if no name agrees.
  void become_initial(estimate::Problem& problem) const;

  /// All unknowns of the problem, nodes included: parameters as its initial values say, everything
  /// else as in the earlier fit. None if the problem has other unknowns than that one.
  std::optional<Eigen::VectorXd> make_start(const estimate::PreparedProblem& problem) const;

 private:
  result::Fit fit_;
  std::string source_;
};

}  // namespace parfait::run
