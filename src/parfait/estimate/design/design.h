#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/design/box_minimizer.h"
#include "parfait/estimate/design/criterion.h"
#include "parfait/estimate/design/information.h"
#include "parfait/estimate/design/planned_experiment.h"
#include "parfait/estimate/design/switching_times.h"
#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

/// Which experiments tell most, given what is known: what a design file says.
struct DesignProblem {
  std::string file{};
  /// What is known already: estimates with priors, requirements of the parameters, options, and the
  /// experiments that were made (perhaps none). Its initial values are where everything is
  /// linearized.
  Problem known;
  std::vector<PlannedExperiment> planned;
  CriterionKind criterion = CriterionKind::kD;
  bool relative = true;           ///< standard deviations relative to the values
  std::vector<std::string> of{};  ///< parameters of interest; empty: all that are estimated
  FormulaText combination{};      ///< criterion c: a formula of parameters
  int choose_copies = 0;          ///< so many experiments of the planned ones, in all; 0: each
                                  ///< as often as it says
  struct Robust {
    int samples = 0;  ///< the mean of the criterion over so many parameter values; 0: one
    std::uint64_t seed = 1;
    double spread = 0.1;  ///< relative standard deviation of each parameter
    Place place{};
  };
  Robust robust{};
  int starts = 1;
  BoxMethod method = BoxMethod::kQuasiNewton;
  std::uint64_t seed = 1;
  int max_iterations = 200;
  Place place{};
};

/// The four classical numbers of an information matrix, and more.
struct DesignMeasures {
  double psi = 0;         ///< what was minimized (criterion.h), without smoothing
  double trace_C = 0;     ///< A
  double log_det_M = 0;   ///< D
  double lambda_min = 0;  ///< E, of M
  double trace_M = 0;     ///< T
  double max_sd = 0;
  double condition = 0;  ///< of M
};

struct PredictedSd {
  std::string parameter;
  double value = 0;
  bool of_interest = true;
  double known = 0;   ///< sd without the planned experiments; infinite: not determined
  double start = 0;   ///< with them as they were given
  double design = 0;  ///< with them as designed
};

struct DesignedVariable {
  std::string name;
  double lower = 0, upper = 0, start = 0, value = 0;
};

struct ChosenCandidate {
  int experiment = 0;
  std::string label;
  double t = 0;
  double weight = 0, count = 0, gain = 0;
};

struct DesignStart {
  double psi = 0;
  double violation = 0;
  int iterations = 0;
  bool converged = false;
};

struct DesignResult {
  bool interrupted = false;
  std::vector<PredictedSd> sds;
  std::optional<DesignMeasures> known, start;  ///< none: something is not determined
  DesignMeasures design;
  Eigen::MatrixXd information;        ///< of what is of interest, as designed
  std::vector<std::string> interest;  ///< its rows
  std::vector<DesignedVariable> variables;
  double violation = 0;                ///< of the conditions
  std::optional<Selection> selection;  ///< where something was chosen
  std::vector<ChosenCandidate> chosen;
  std::vector<DesignStart> starts;
  std::optional<SwitchingTimes> switching;  ///< breaks="newton"
  int best_reached = 0;                     ///< starts that ended at the best value, to 1e-4
  std::int64_t linearizations = 0;
  std::vector<ExperimentDescription> experiments;  ///< as designed, with the samples to be measured
  std::vector<std::vector<dynamics::Input>> inputs;  ///< of each
  std::vector<int> copies;                           ///< of each
  std::vector<std::string> remarks;
};

struct DesignCallbacks {
  std::function<void(int start, int of, double psi)> on_start{};
  std::function<bool()> interrupted{};
};

/// Finds the planned experiments that make the criterion smallest. Never worse than the start,
/// where that is feasible.
///
/// InputError if the problem makes no sense, if nothing that could be measured determines what is
/// of interest, or if no design keeps the conditions. See  docs/theory/design.md
DesignResult design(const DesignProblem& problem, const DesignCallbacks& callbacks = {});

}  // namespace parfait::estimate
