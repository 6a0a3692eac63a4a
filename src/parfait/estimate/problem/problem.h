#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parfait/base/error.h"
#include "parfait/dynamics/formula_model.h"
#include "parfait/dynamics/system.h"
#include "parfait/estimate/iteration/gauss_newton.h"
#include "parfait/estimate/linear/linear_fit.h"
#include "parfait/integrate/stepping/options.h"

namespace parfait::estimate {

using base::Place;
using dynamics::FormulaText;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What is compared, of a model's value and a measured one: T(y) = y, ln y or lg y.
enum class ValueScale : std::uint8_t { kLinear, kLog, kLog10 };

/// Something known before the measurement: T(p) = value +- sigma, one more measurement.
struct Prior {
  double value = 0;
  double sigma = 1;
  ValueScale scale = ValueScale::kLinear;
};

/// A parameter to be estimated: for all experiments, or (local) for one.
struct Estimate {
  enum class Transform : std::uint8_t { kNone, kLog };  ///< log: the unknown is log(p)
  std::string parameter;
  double initial = 0;
  double lower = -kInfinity, upper = kInfinity;
  std::optional<double> scale{};  ///< default max(|initial|, 1); with log: 1
  Transform transform = Transform::kNone;
  std::optional<double> truth{};  ///< for synthetic data and reports
  std::optional<Prior> prior{};
  Place place{};
};

/// sqrt(absolute^2 + (relative |eta|)^2) for a measured value eta, a column of the data, or a
/// formula of quantities and parameters, which may be estimated.
struct Sigma {
  double absolute = 1;
  double relative = 0;
  std::string column{};   ///< if not empty, instead of the two
  FormulaText formula{};  ///< if not empty, instead of all: see sigma_formula.h
};

/// How the errors of a measurement are distributed: r = (T(y) - T(eta)) / sigma has the density of
/// `distribution`. sigma is the standard deviation of normal errors, the scale b of Laplace errors
/// (density exp(-|r|) / 2) and the scale of Student's t.
struct Noise {
  enum class Distribution : std::uint8_t { kNormal, kLaplace, kStudent };
  Distribution distribution = Distribution::kNormal;
  double df = 4;  ///< kStudent: degrees of freedom
  ValueScale scale = ValueScale::kLinear;

  bool operator==(const Noise&) const = default;
};

/// An attribute of an <observe>, as it was written.
struct Setting {
  std::string name, text;
  Place place{};
};
constexpr const char* kQuantityKind = "quantity";

/// A measured column and what the model says about it.
struct Observation {
  std::string column;
  FormulaText quantity{};  ///< algebraic experiments: a formula of columns and parameters
  Sigma sigma{};
  Noise noise{};
  Place place{};
  std::string kind = kQuantityKind;  ///< the key of an ObservationKind
  std::vector<Setting> settings{};   ///< further attributes of its kind
  /// A joint angle: the value (at this time) that tells its whole turns. None: the first datum.
  struct Turn {
    double t = 0, value = 0;
  };
  std::optional<Turn> turn{};

  /// Null: there is no such setting.
  const Setting* find(std::string_view name) const {
    const auto found = std::find_if(settings.begin(), settings.end(),
                                    [&](const Setting& setting) { return setting.name == name; });
    return found == settings.end() ? nullptr : &*found;
  }
};

/// Measurements: a table with a row per time (or, for algebraic experiments, per point). Times do
/// not descend; replicates are rows with equal times.
struct Data {
  std::string file{};      ///< as written, relative to the problem file; empty: given in code
  std::string time = "t";  ///< header of the time column
  std::vector<std::string> header{};
  std::vector<std::vector<double>> columns{};  ///< NaN: not measured
  std::vector<int> lines{};                    ///< of the rows in the file
  Place place{};                               ///< the file as messages name it

  int num_rows() const { return columns.empty() ? 0 : static_cast<int>(columns.front().size()); }
  /// -1: there is none.
  int find_column(std::string_view name) const {
    const auto found = std::find(header.begin(), header.end(), name);
    return found == header.end() ? -1 : static_cast<int>(found - header.begin());
  }
};

struct InitialState {
  enum class Kind : std::uint8_t {
    kFixed,  ///< the model's initial value (a formula of parameters), or `value`
    kFree,   ///< estimated, from the model's initial value or from `value`
    kPrior,  ///< estimated, and value +- sigma is one more measurement
  };
  std::string state{};  ///< empty: all that are not named
  Kind kind = Kind::kFixed;
  std::optional<double> value{};
  double sigma = 1;
  double scale = 1;
  Place place{};
};

/// sum_j formula_j(t_j) = 0 or >= 0, with formulas of quantities and parameters.
struct Requirement {
  struct Term {
    std::optional<double> at;  ///< none: parameters only
    FormulaText formula;
  };
  std::vector<Term> terms;
  bool inequality = false;  ///< sum >= 0
  Place place{};
};

/// Bounds of a state at every node.
struct StateBounds {
  std::string state;
  double lower = -kInfinity, upper = kInfinity;
  Place place{};
};

/// Shooting nodes.
struct Grid {
  enum class Nodes : std::uint8_t {
    kIntegrate,  ///< values by integration from the start
    kMeasured,  ///< from columns that measure a state directly, interpolated; others by integration
    kProject,   ///< integrated interval by interval, each end projected onto what is measured there
    kAverage,   ///< weighted average of the projected and the integrated state (Kraus 2006,
                ///< section 3.2)
    kGiven,     ///< by hand, from `values`
  };
  int intervals = 1;
  std::vector<double> times{};  ///< of all nodes, instead of `intervals` equal ones
  bool end_node = false;        ///< the end is a node with its own matching condition
  Nodes nodes = Nodes::kIntegrate;
  double weight = 0.5;  ///< kAverage: of the projected state
  std::string file{};   ///< kGiven: CSV with t and the states
  Data values{};        ///< its content
  Place place{};
};

/// When an experiment samples, for data that do not exist yet (see synthesize.h).
struct Samples {
  double from = 0, to = 0;
  int count = 0;                ///< equally spaced from `from` to `to`
  std::vector<double> times{};  ///< instead of the three
  Place place{};

  std::vector<double> all_times() const {
    std::vector<double> t = times;
    for (int i = 0; i < count && times.empty(); ++i) {
      t.push_back(i == count - 1 ? to : from + (to - from) * i / (count - 1));
    }
    return t;
  }
};

/// A condition of one experiment: a number, or the value of a shared estimate.
struct SetParameter {
  std::string parameter;
  double value = 0;
  Place place{};
  std::string estimate{};  ///< if not empty, instead of the number
};

/// What was before the experiment: the system has come to rest under the conditions of the
/// experiment, changed by these, and begins from there.
struct Equilibrium {
  std::vector<SetParameter> sets{};
  Place place{};
};

/// A part of a number that is to be made small.
struct CostTerm {
  enum class Kind : std::uint8_t {
    kIntegral,  ///< over the whole experiment
    kSum,       ///< over its samples, or the times of its data
    kFinal,     ///< at its end
  };
  Kind kind = Kind::kFinal;
  FormulaText formula{};  ///< of quantities, parameters and t
  std::string state{};    ///< kIntegral: the state of the system that is the integral
};

/// What an experiment costs, besides how far it is from its data. Equal ids add up.
struct Cost {
  std::string id;
  std::vector<CostTerm> terms{};
  Place place{};
};
const char* text(CostTerm::Kind kind);  ///< "integral", "sum", "final"

struct ExperimentDescription {
  std::string id;
  std::string model{};  ///< file as written; empty and no system: algebraic
  std::shared_ptr<const dynamics::System> system{};
  Data data{};
  std::optional<Samples> samples{};
  std::vector<SetParameter> sets{};
  std::vector<Estimate> locals{};
  /// Algebraic: unknowns of every row (errors in variables); the guess may be a formula of columns.
  struct RowLocal {
    std::string parameter;
    FormulaText initial;
    double scale = 1;
    Place place{};
  };
  std::vector<RowLocal> row_locals{};
  std::vector<Observation> observations{};
  std::vector<InitialState> initial{};
  std::optional<Equilibrium> equilibrium{};  ///< the experiment begins at rest
  Grid grid{};
  std::optional<double> begin{}, end{};  ///< horizon; default: first (or 0) and last measurement
  std::vector<Requirement> requirements{};
  std::vector<StateBounds> state_bounds{};
  std::vector<Cost> costs{};  ///< only minimizers know them, Gauss-Newton does not
  Place place{};
};

enum class Condensing : std::uint8_t {
  kAutomatic,   ///< Gauss, or orthogonal where directions grow by more than 1e4
  kGauss,       ///< block Gauss elimination (Kraus 2006, section 2.3.2): cheapest
  kOrthogonal,  ///< no growth whatever the model does
};

/// Which directions an interval integrates; in files: auto, none, fixfit, invariants1, invariants2.
enum class ReductionMethod : std::uint8_t {
  kAutomatic,          ///< fixfit where it at least halves the work, invariants1 where states are
                       ///< constrained and the initial ones free, none otherwise
  kNone,               ///< all of the node, and the parameters
  kFixedFit,           ///< what is free in the first node, the parameters, and one for the defects,
                       ///< interval after interval (Kraus 2006, section 9.1)
  kTangentDirections,  ///< only those that the constraints allow, and the parameters (Kraus 2006,
                       ///< section 9.2.1)
  kTangentNodes,  ///< the same, and the nodes are condensed in these coordinates, too (Kraus 2006,
                  ///< section 9.2.2)
};

/// How constrained systems are integrated from a node off the constraints (Kraus 2006, chapter 8).
enum class Relaxation : std::uint8_t {
  kLimit,      ///< from its projection: the limit of kBaumgarte for large rates (Kraus 2006,
               ///< section 8.4)
  kStandard,   ///< the constraints are shifted to where the node is, and stay there (Kraus 2006,
               ///< (8.3), (8.4))
  kBaumgarte,  ///< they are shifted, and the shift decays (Kraus 2006, (8.5)-(8.7))
};

// As they are written in problem files and results.
const char* text(ValueScale scale);
const char* text(Noise::Distribution distribution);
const char* text(Condensing condensing);
const char* text(ReductionMethod reduction);
const char* text(Relaxation relaxation);
const char* text(dynamics::Norm projection);

struct FitOptions {
  GaussNewtonOptions iteration{};
  integrate::Options integrator{};
  bool integrator_given = false;  ///< otherwise the default of each model
  bool max_steps_given = false;   ///< otherwise trial points may take 50 000 steps
  LinearFitOptions linear{};
  Condensing condensing = Condensing::kAutomatic;
  ReductionMethod reduction = ReductionMethod::kAutomatic;
  Relaxation relaxation = Relaxation::kLimit;
  double relaxation_rate = 0;       ///< kBaumgarte: alpha [1/s]; 0: by the factor
  double relaxation_factor = 0.01;  ///< kBaumgarte: e^(-alpha T), T the length of the interval
  /// Nodes are moved onto the constraints after each step (Kraus 2006, section 13.2.3).
  bool consistent = false;
  bool sigma_known = false;  ///< sd are not scaled with the estimated beta
  double confidence = 0.95;
  Place place{};
  /// Asked by any thread before each integration; true ends what is done, with a partial result.
  std::function<bool()> interrupted{};
};

/// An estimation problem as a person describes it: what a problem file says, models and data read.
struct Problem {
  std::string file{};
  std::vector<std::string> remarks{};
  std::vector<Estimate> estimates{};
  std::vector<ExperimentDescription> experiments{};
  std::vector<Requirement> requirements{};  ///< of shared parameters
  FitOptions options{};
};

}  // namespace parfait::estimate
