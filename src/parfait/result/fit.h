#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "parfait/result/scene.h"
#include "parfait/result/table.h"
#include "parfait/result/verdict.h"

namespace parfait::result {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Interval {
  double low = kNaN, high = kNaN;
  bool operator==(const Interval&) const = default;
};

/// What a fit says about one unknown: a parameter, or an initial state that was estimated.
struct Estimate {
  std::string id;
  std::string experiment;  ///< empty: shared by all
  std::string unit{};      ///< empty: not known
  double value = kNaN;
  double sd = kNaN;  ///< NaN at a bound or without statistics; infinite if not determined
  /// Confidence intervals, for this parameter alone and for all at once. NaN where sd is; from
  /// -infinity or to +infinity if not determined.
  Interval individual, joint;
  double initial = kNaN;  ///< the first guess
  double lower = -kInfinity, upper = kInfinity;
  std::string determined = "by_data";  ///< or "at_lower", "at_upper", "undetermined"
  /// "determined", "at_bound", "combination", "practically_undetermined", "no_influence"; empty:
  /// not known.
  std::string identifiability{};
  std::optional<double> truth;  ///< where the problem says it
  /// How far it moves with a 100 times more careful integrator, in sd; NaN: cannot be said.
  std::optional<double> shift;

  bool at_bound() const { return determined == "at_lower" || determined == "at_upper"; }
  bool operator==(const Estimate&) const = default;
};

/// Are the signs of the residuals in random order?
struct RunsTest {
  int positive = 0, negative = 0;
  int runs = 0;         ///< of equal sign
  double expected = 0;  ///< number of runs
  double p_value = 1;
  bool operator==(const RunsTest&) const = default;
};

/// States at the shooting nodes of a dynamic experiment.
struct Nodes {
  std::vector<std::string> states;
  std::vector<double> t;  ///< [s]
  Matrix values;          ///< nodes x states
  Matrix sd;              ///< NaN: not known
  bool operator==(const Nodes&) const = default;
};

/// A column of the data and what the model says about it.
struct Observed {
  std::string column;
  std::string quantity;  ///< its name in predictions
  std::string unit;      ///< empty: not known
  bool operator==(const Observed&) const = default;
};

struct FittedExperiment {
  std::string id;
  std::vector<Observed> observed;
  std::int64_t residuals = 0;    ///< their number
  double sum_of_squares = kNaN;  ///< of its weighted residuals
  RunsTest runs;
  std::optional<Nodes> nodes;  ///< dynamic experiments
  bool operator==(const FittedExperiment&) const = default;
};

/// A measurement far from what the model says.
struct Outlier {
  std::string experiment, column;
  double t = 0, measured = 0, model = 0;
  double weighted = 0;        ///< (model - measured) / sigma
  double studentized = kNaN;  ///< NaN: cannot be said
  double p_value = 1;
  bool operator==(const Outlier&) const = default;
};

struct NormalityTest {
  double statistic = 0;  ///< Anderson-Darling
  double p_value = 1;
  bool operator==(const NormalityTest&) const = default;
};

/// Something the data say, or do not say, about parameters.
struct Finding {
  std::string kind;  ///< "no_influence", "combination", "practically_undetermined", "correlated"
  std::vector<std::string> parameters;
  std::string text;                      ///< one or two sentences
  std::vector<std::string> experiments;  ///< whose data depend on one of the parameters
  /// combination: what the data do determine, "k1*k2"
  std::vector<std::string> determined;
  /// combination: directions along which nothing changes, a row each, columns as `parameters`
  Matrix directions;
  std::vector<std::string> effects{};  ///< combination: what they do, "k1 +1 %, k2 -1 %"
  /// Smallest sets of parameters whose fixing determines the others, best first.
  std::vector<std::vector<std::string>> fixings{};
  std::string advice{};    ///< what can be done about it
  double correlation = 0;  ///< correlated
  bool operator==(const Finding&) const = default;
};

/// What one more measurement would do to the worst standard deviation, relative to its parameter's
/// value.
struct Suggestion {
  std::string experiment, what;
  double worst_before = 0, worst_after = 0;  ///< infinite: something is not determined
  std::string worst;                         ///< the parameter that is worst afterwards
  int undetermined = 0;                      ///< parameters that stay so
  bool operator==(const Suggestion&) const = default;
};

/// Where the information about a parameter comes from.
struct Information {
  std::string parameter;
  std::vector<NamedValue> shares;  ///< of the experiments, sum 1
  bool operator==(const Information&) const = default;
};

struct Identifiability {
  bool all_determined = true;
  std::vector<std::string> fixing{};  ///< a smallest set whose fixing determines all others
  std::vector<Finding> findings;
  std::vector<Information> information;
  bool operator==(const Identifiability&) const = default;
};

/// The profile likelihood of a parameter.
struct Profile {
  struct Point {
    double value = 0;
    double objective = kNaN;  ///< NaN: could not be had
    bool converged = false;
    std::vector<double> values{};  ///< of the parameters there, in the order of Fit::parameters
    bool operator==(const Point&) const = default;
  };
  std::string parameter;
  bool interrupted = false;  ///< before both ends were found
  /// Why it ends there: "threshold", "bound", "open", "failed", "interrupted"; empty: not known.
  std::string low_end{}, high_end{};
  std::string why{};  ///< an end is "failed"
  /// The bound where that is the end, infinite: the objective never rises that far; NaN: not found.
  Interval interval;
  double threshold = kNaN;    ///< the objective at both ends
  std::vector<Point> points;  ///< ascending values
  bool operator==(const Profile&) const = default;
};

/// One of many starts of a fit.
struct Start {
  int number = 0;  ///< 0: the initial values of the problem
  /// As of a fit, or "hopeless" (stopped early), "refused", "not_begun".
  std::string status = "not_begun";
  std::string message{};
  double objective = kNaN, first_objective = kNaN;  ///< where it ended, where it began
  double constraints = kNaN;                        ///< largest violation at its end
  int iterations = 0;
  std::int64_t linearizations = 0;  ///< of single experiments
  int minimum = 0;                  ///< in which it ended, from 1; 0: it did not converge
  std::vector<double> initial{}, values{};
  bool operator==(const Start&) const = default;
};

/// Starts that converged to the same objective.
struct StartsMinimum {
  double objective = kNaN;
  int starts = 0;                     ///< their number
  int best = 0;                       ///< number of the best of them
  std::vector<double> low{}, high{};  ///< of the values over them
  bool operator==(const StartsMinimum&) const = default;
};

/// A fit from many starts; the fit around it is the best of them, done again with everything.
struct Starts {
  int count = 0;  ///< besides number 0
  std::int64_t seed = 0;
  int reported = 0;                     ///< number of the start that the fit shows
  std::vector<std::string> names{};     ///< of values: parameters and estimated initial states
  std::vector<std::string> kept{};      ///< parameters without bounds, which begin where they are
  std::vector<StartsMinimum> minima{};  ///< best first
  std::vector<Start> list{};            ///< best first
  bool operator==(const Starts&) const = default;
};

/// One line of the iteration table (docs/fit_results.md explains the columns).
struct Iteration {
  int number = 0;  ///< increments applied before this point
  double objective = kNaN;
  double constraints = kNaN;  ///< largest violation of an equation or inequality
  double increment = kNaN;    ///< |dx|, scaled
  double step = 0;            ///< length taken from here; 0: none
  double omega = kNaN;        ///< nonlinearity
  double kappa = kNaN;        ///< incompatibility; >= 1: not a stable minimum
  double test = kNaN;         ///< of the globalization
  int trials = 0;
  int rank = 0;
  double condition = kInfinity;  ///< infinite: singular
  std::vector<double> values{};  ///< of the parameters, in the order of Fit::parameters
  bool operator==(const Iteration&) const = default;
};

/// log L of the measurements at the estimate. With a common factor of all sigmas that is not known,
/// L is the largest over it and the factor counts as a parameter.
struct Likelihood {
  bool is_objective = false;  ///< the objective is -2 log(L prior), otherwise a sum of squares
  double log_likelihood = kNaN, log_prior = kNaN;
  int parameters = 0;  ///< all that is estimated, noise included
  double aic = kNaN, bic = kNaN;
  bool operator==(const Likelihood&) const = default;
};

struct FitWork {
  std::int64_t evaluations = 0, linearizations = 0, steps = 0, right_hand_sides = 0, directions = 0;
  bool operator==(const FitWork&) const = default;
};

struct FitOptions {
  std::string globalization;
  bool back_projection = false;
  std::optional<std::string> convergence{};  ///< none: statistical
  double tol = 0;
  std::optional<int> max_iterations{};  ///< none: as long as there was progress
  std::string norm;                     ///< "l2", "l1", ...
  std::optional<double> huber_gamma;
  std::string condensing, reduction, relaxation;
  std::optional<double> relaxation_rate, relaxation_factor;  ///< baumgarte: one of them
  std::string projection;
  bool consistent = false;
  std::string integrator;  ///< or "auto"
  double rtol = 0, atol = 0;
  std::string sigma;  ///< "known" or "estimated"
  double confidence = 0.95;
  std::vector<std::string> set, fix;  ///< "k=2"; names
  std::optional<std::string> start;   ///< earlier result
  bool certify = false;
  std::vector<std::string> intervals{};  ///< as --intervals auto chose them, in words
  bool operator==(const FitOptions&) const = default;
};

/// A fit: result.json. Numbers that exist once it got to a point with residuals are optional or NaN
/// before.
struct Fit {
  Verdict verdict;      ///< status "converged", "max_iterations", "step_too_small", ...
  std::string problem;  ///< file
  int iterations = 0;   ///< increments applied
  int evaluations = 0;  ///< trial points included
  double objective = kNaN;
  std::optional<int> measurements, free, degrees_of_freedom, rank;
  double sigma_scale = kNaN;           ///< beta; NaN: cannot be given
  std::optional<double> chi2_p_value;  ///< goodness of fit, with known sigma
  std::optional<Likelihood> likelihood;
  std::string convention;            ///< how covariances and intervals were made
  std::vector<Estimate> parameters;  ///< shared, then those of experiments
  std::vector<Estimate> initial_states;
  Matrix covariance, correlation;  ///< of `parameters`; NaN where there is none
  std::vector<FittedExperiment> experiments;
  std::optional<NormalityTest> normality;
  std::vector<Outlier> outliers;  ///< the largest, largest first
  Identifiability identifiability;
  std::vector<Suggestion> suggestions{};  ///< the most helpful first
  std::vector<Profile> profiles;
  std::optional<Starts> starts;
  std::vector<Iteration> history;
  FitWork work;
  FitOptions options;
  std::vector<MotionFiles>
      motions;  ///< arrays that lie beside, one for each experiment with bodies
  std::vector<std::string> variable_names;  ///< of all unknowns; "run1: x(0.5)" of one experiment
  std::vector<double> x;                    ///< all unknowns, scaled: starts another fit

  bool has_values() const { return measurements.has_value(); }
  const Estimate* find(const std::string& parameter, const std::string& experiment = "") const;
  bool operator==(const Fit&) const = default;
};

/// One measurement, as the model says it.
struct Residual {
  std::string experiment, column;
  double t = 0;  ///< [s]; algebraic experiments: the row
  double measured = 0, model = 0, sigma = 0;
  double weighted = 0;  ///< (model - measured) / sigma
  double sd = kNaN;     ///< of the model's value, from the covariance
  bool prior = false;   ///< what was known before, not a measurement
  bool operator==(const Residual&) const = default;
};

/// What the fitted model says over the whole horizon of an experiment.
struct Prediction {
  std::string experiment;
  std::vector<double> t;  ///< [s]
  std::vector<std::string> quantities;
  Matrix values;  ///< times x quantities
  Matrix sd;      ///< NaN: not known
  bool operator==(const Prediction&) const = default;
};

/// What lies beside the result.json of a fit, as tables.
struct FitTables {
  std::vector<std::string> estimates;  ///< names of parameters, then initial states
  Matrix covariance;                   ///< of all of them; empty if there is none
  std::vector<Residual> residuals;
  std::vector<Prediction> predictions;
  std::vector<Prediction> first_guess;  ///< the same before the fit, without deviations
  bool operator==(const FitTables&) const = default;
};

/// "offset", "offset (run1)", "x(0) (run1)"; the experiment only where there are `several`.
std::string name_of(const Estimate& estimate, bool is_state, bool several);
/// Of parameters, then of initial states.
std::vector<std::string> names_of_estimates(const Fit& fit);

}  // namespace parfait::result
