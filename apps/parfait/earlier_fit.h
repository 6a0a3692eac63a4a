#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/problem/problem.h"

namespace parfait::app {

/// What `parfait fit` left in a result.json, as the start of another fit.
class EarlierFit {
 public:
  /// `file` may also be the run folder. InputError if it is not a result of `parfait fit`.
  explicit EarlierFit(const std::filesystem::path& file);

  /// Estimates become initial values of parameters and free initial states that have the same name
  /// (and experiment); where bounds have moved, they move the value. Scales stay what they were.
  /// InputError if no name agrees.
  void become_initial(estimate::Problem& problem) const;

  /// All unknowns of the problem, nodes included: parameters as its initial values say, everything
  /// else as in the file. None if the problem has other unknowns than the one of the file.
  std::optional<Eigen::VectorXd> make_start(const estimate::Problem& problem) const;

 private:
  using Name = std::pair<std::string, std::string>;  ///< experiment (empty: shared) and id
  struct Nodes {
    std::vector<std::string> names;
    std::vector<double> times;
    std::vector<std::vector<double>> values;  ///< one list per node
  };
  std::string file_;
  std::map<Name, double> parameters_, states_;
  std::vector<std::string> variables_;
  std::vector<double> x_;
  std::map<std::string, Nodes> nodes_;  ///< by experiment
};

}  // namespace parfait::app
