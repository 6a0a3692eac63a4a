#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "parfait/estimate/design/design_search.h"

namespace parfait::estimate::design_search {

/// Information of what is of interest at d, in every scenario; for predictions psi itself.
struct Outcome {
  bool exists = false;
  std::vector<Eigen::MatrixXd> information;
  double prediction = kNever;
  Eigen::VectorXd equations, inequalities;
  std::string why{};
  Linearized blocks{};  ///< if it was asked to keep them
};

/// The criterion as a function of d, for fixed weights of the candidates.
class DesignObjective {
 public:
  DesignObjective(const Search& search, const DesignSpace& space, const Eigen::VectorXd& weights,
                  const Candidates& candidates)
      : search_(search), space_(space), weights_(weights), candidates_(candidates) {}

  std::vector<double> place(const Eigen::VectorXd& u) const;
  Eigen::VectorXd unit(const std::vector<double>& d) const;

  /// Bounds and metric of the variables. Values that saturate have none that they would reach.
  void describe(BoxProblem& problem) const;

  /// `along`: by the steps that were taken there.
  Outcome outcome(const std::vector<double>& d, bool keep = false,
                  const Linearized* along = nullptr) const;

  double psi(const Outcome& outcome, double sharpness = 0) const;

  BoxPoint point(const Outcome& outcome, double sharpness, const Eigen::VectorXd& scale) const;

  /// Central differences of the sensitivity matrices along the steps that were taken at u, by way
  /// of the information. `here` keeps its blocks.
  BoxSlope slope(const Eigen::VectorXd& u, const Outcome& here, double sharpness,
                 const Eigen::VectorXd& scale) const;

 private:
  const Search& search_;
  const DesignSpace& space_;
  const Eigen::VectorXd& weights_;
  const Candidates& candidates_;
};

/// Information of a scenario when candidates are measured so many times.
Eigen::MatrixXd information_with(const Scenario& scenario, const Eigen::VectorXd& weights,
                                 const Candidates& candidates);

}  // namespace parfait::estimate::design_search
