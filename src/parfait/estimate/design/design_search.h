#pragma once

#include <Eigen/Core>
#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

#include "parfait/estimate/design/design.h"
#include "parfait/estimate/design/linear_plan.h"
#include "parfait/estimate/design/selection.h"

namespace parfait::estimate::design_search {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Planned experiments, linearized: by point (the first guess, then samples around it).
using Linearized = std::vector<std::vector<PlannedBlock>>;

/// The problem with everything that is known, once.
class Search {
 public:
  Search(const DesignProblem& problem, const DesignCallbacks& callbacks);

  int num_points() const { return static_cast<int>(points_.size()); }
  const Unknowns& shared() const { return shared_; }
  const Interest& interest() const { return interest_.front(); }
  const KnownInformation& known() const { return known_.front(); }
  const Eigen::VectorXd& point() const { return points_.front(); }
  std::int64_t linearizations() const { return linearizations_; }

  /// All planned experiments with d at point s; with `along` by the steps that were taken there.
  std::vector<PlannedBlock> linearize(const DesignSpace& space, const std::vector<double>& d, int s,
                                      const Linearized* along = nullptr) const;

  /// At every point. InputError where one cannot be integrated.
  Linearized linearize(const DesignSpace& space, const std::vector<double>& d) const;

  Scenario scenario(const std::vector<PlannedBlock>& blocks, int s) const;

  /// For switching times by Newton's method.
  LinearPlan linear_plan(const DesignSpace& space, const std::vector<double>& d) const;
  SwitchingCriterion switching_criterion() const;

  bool stopped() const { return callbacks_.interrupted && callbacks_.interrupted(); }
  const DesignProblem& problem() const { return problem_; }

 private:
  void check_all() const;

  /// breaks="newton" is for what (5.18) of Oberpeilsteiner (2018) describes: linear_plan_of() says
  /// what else is.
  void check_newton() const;
  void check_rank(const Eigen::MatrixXd& K) const;
  KnownInformation known_at(const Eigen::VectorXd& p) const;
  Interest interest_at(const Eigen::VectorXd& p) const;
  Eigen::VectorXd combination_slope(const Eigen::VectorXd& value) const;
  void add_robust_points();

  const DesignProblem& problem_;
  const DesignCallbacks& callbacks_;
  Unknowns shared_;
  FitOptions options_;
  std::vector<Eigen::VectorXd>
      points_;  ///< scaled parameters: the first guess, then samples around it
  std::vector<KnownInformation> known_;
  std::vector<Interest> interest_;
  mutable std::atomic<std::int64_t> linearizations_ = 0;
};

}  // namespace parfait::estimate::design_search
