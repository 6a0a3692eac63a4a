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
  Eigen::VectorXd x;  ///< everything, scaled: starts another fit of the same problem

  bool converged() const { return iteration.converged(); }
  /// The fit got to a point that has residuals.
  bool has_values() const { return !estimates.empty() || !experiments.empty(); }
};

struct FitSettings {
  OnIteration on_iteration{};
  Team* team = nullptr;  ///< null: alone
  bool certify = false;
  std::optional<Eigen::VectorXd> start{};  ///< x of an earlier result, instead of the first guess
};

/// The experiments of a problem, ready to be evaluated.
std::unique_ptr<Ensemble> make_ensemble(const Problem& problem, Team& team);

/// Estimates the parameters of a problem. InputError if the problem makes no sense; everything that
/// goes wrong later is a status of the result.
FitResult fit(const Problem& problem, const FitSettings& settings = {});

}  // namespace parfait::estimate
