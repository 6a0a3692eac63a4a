#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/experiment/ensemble.h"
#include "parfait/estimate/experiment/team.h"
#include "parfait/estimate/iteration/gauss_newton.h"
#include "parfait/estimate/problem/problem.h"
#include "parfait/estimate/statistics/identifiability.h"
#include "parfait/estimate/statistics/parameter_class.h"
#include "parfait/estimate/statistics/statistics.h"
#include "parfait/math/residual_tests.h"

namespace parfait::estimate {

/// What a fit says about one unknown: a parameter, or an initial state that was estimated.
struct EstimateResult {
  std::string id;
  std::string experiment{};  ///< empty: shared by all
  bool is_state = false;     ///< an initial state
  double initial = 0;        ///< the first guess
  double lower = -kInfinity, upper = kInfinity;
  std::optional<double> truth{};
  ParameterStatistics statistics{};
  ParameterClass parameter_class = ParameterClass::kDetermined;
  /// Integrator certificate: how far the estimate moves at a 100 times tighter tolerance, in units
  /// of its sd.
  std::optional<double> shift{};
};

/// One measurement, as the model says it.
struct ResidualResult {
  ResidualInfo info;
  double model = 0;
  double weighted = 0;  ///< (model - measured) / sigma
  double sd_model = 0;  ///< of the model's value, from the covariance
};

struct ExperimentResult {
  std::string id;
  std::vector<ResidualResult> residuals{};
  math::RunsTest runs{};
  std::vector<double> node_times{};
  Eigen::MatrixXd nodes{};     ///< states at the nodes (a column each); dynamic experiments
  Eigen::MatrixXd nodes_sd{};  ///< their standard deviations
  std::vector<std::string> state_names{};
};

struct Timing {
  double total = 0, start = 0, iteration = 0, statistics = 0;
};

struct FitResult {
  GaussNewtonResult iteration;
  double objective = 0;
  FitScale scale;
  std::optional<LikelihoodSummary> likelihood;  ///< none: the norm is not l2
  int rank = 0;
  /// Shared parameters, then for each experiment its local ones and its initial states.
  std::vector<EstimateResult> estimates;
  int num_shared = 0;
  Eigen::MatrixXd covariance, correlation;  ///< of all estimates, in their order
  std::vector<ExperimentResult> experiments;
  Identifiability identifiability;  ///< what the data can and cannot determine
  std::vector<std::string> warnings;
  math::NormalityTest normality;
  std::vector<math::Outlier> outliers;  ///< index: into all residuals, experiment by experiment
  Work work;
  Timing timing;
  Eigen::VectorXd start;  ///< where the iteration began, as x; empty: there was no such point
  Eigen::VectorXd x;      ///< everything, scaled: starts another fit of the same problem

  bool converged() const { return iteration.converged(); }
  /// The fit got to a point that has residuals.
  bool has_values() const { return !estimates.empty() || !experiments.empty(); }
};

/// Called with each line of the iteration table and the values of all estimates there, in the order
/// of FitResult::estimates; false interrupts.
using OnPoint = std::function<bool(const Iteration&, const std::vector<double>& values, VecIn x)>;

struct FitSettings {
  OnPoint on_iteration{};
  bool certify = false;
  std::optional<Eigen::VectorXd> start{};  ///< x of an earlier result, instead of the first guess
  std::optional<double> tolerance{};       ///< instead of that of the problem
  std::optional<int> max_iterations{};     ///< the fewer of these and those of the problem
  bool one_of_many = false;                ///< the next start is worth more than a second way
  bool statistics = true;  ///< false: where the fit ends and the values there, nothing about them
};

/// The experiments of a problem, ready to be evaluated.
std::unique_ptr<Ensemble> make_ensemble(const Problem& problem, Team& team);

/// A problem that was checked, once, with its experiments ready to be evaluated: a fit, the names
/// of its unknowns, predictions and profiles share them.
class PreparedProblem {
 public:
  /// InputError if the problem makes no sense. `team` outlives this; null: alone.
  explicit PreparedProblem(Problem problem, Team* team = nullptr);

  const Problem& problem() const { return problem_; }
  /// What is allowed but probably not meant.
  const std::vector<std::string>& warnings() const { return warnings_; }
  Team& team() const { return *team_; }
  Ensemble& ensemble() { return *ensemble_; }
  const Ensemble& ensemble() const { return *ensemble_; }

  /// Names of all unknowns in the order of x: `k` if it is shared, `run1: x(0.5)` if not. Two fits
  /// whose names agree have unknowns that mean the same.
  std::vector<std::string> variable_names() const;
  /// Names of what is reported, in the order of FitResult::estimates.
  std::vector<std::string> estimate_names() const;
  /// Their values at x.
  std::vector<double> estimate_values(VecIn x) const;

  /// Makes sure that the ensemble is linearized at x, where the last fit ended. False if it is not
  /// and cannot be: there is no linearization, or other processes would have to take part.
  [[nodiscard]] bool linearize_at(VecIn x);

  /// One more equation of the shared parameters, until release(): all unknowns stay what they are.
  void hold(Requirement equation);
  void release();

 private:
  Problem problem_;
  std::vector<std::string> warnings_;
  Team alone_;
  Team* team_;
  std::unique_ptr<Ensemble> ensemble_;
};

/// Estimates the parameters of a problem. InputError if it has not been measured; everything that
/// goes wrong later is a status of the result.
FitResult fit(PreparedProblem& prepared, const FitSettings& settings = {});
/// The same for a problem of which nothing else is asked. InputError if it makes no sense.
FitResult fit(const Problem& problem, const FitSettings& settings = {});

}  // namespace parfait::estimate
