#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parfait/dynamics/vocabulary.h"
#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

/// How values of an input stay between their bounds u-, u+: u = psi(w), w free, psi' = 1 in the
/// middle (Oberpeilsteiner 2018, (5.16), (5.17)).
enum class Saturation : std::uint8_t {
  kNone,         ///< bounds
  kExponential,  ///< u = u+ - (u+ - u-) / (1 + exp(s w)),  s = 4 / (u+ - u-)
  kArctan,       ///< u = (u+ + u-) / 2 + s arctan(w / s),  s = (u+ - u-) / pi
};
/// Of w over u+ - u-: where between the bounds u lies, 0 to 1.
double saturated(Saturation saturation, double w);
/// The inverse; shares nearer than 1e-3 to a bound are taken to be there.
double unsaturated(Saturation saturation, double share);

/// An input of the model in pieces, whose values (and, if they are free, breaks) are designed.
struct PlannedInput {
  enum class Shape : std::uint8_t {
    kConstant,  ///< n pieces, n values; jumps at the breaks
    kLinear,    ///< n pieces, n + 1 knots
    kCubic,     ///< n pieces, n + 1 knots of a natural spline
  };
  std::string id;
  Shape shape = Shape::kConstant;
  int pieces = 1;
  double from = 0, to = 0;
  double lower = -1, upper = 1;
  std::vector<double> initial{};  ///< one per value, or one for all
  std::optional<double> rate{};   ///< largest |change| per time, from value to value
  bool free_breaks = false;       ///< kConstant: the breaks are moved, too, in a second stage
  bool newton = false;            ///< ... and then by Newton's method on the switching conditions
  Saturation saturation = Saturation::kNone;
  Place place{};

  int num_values() const { return shape == Shape::kConstant ? pieces : pieces + 1; }
};

/// One number that is designed, between its bounds.
struct PlannedVariable {
  enum class Kind : std::uint8_t {
    kParameter,  ///< of the model: a condition of the experiment, a place of a marker, ...
    kState,      ///< the initial value of a state
    kDuration,   ///< all times of the experiment are stretched so that it ends there
  };
  Kind kind = Kind::kParameter;
  std::string id{};
  double lower = 0, upper = 1;
  std::optional<double> initial{};
  Place place{};
};

/// What of the planned measurements is chosen.
struct Choice {
  enum class Of : std::uint8_t {
    kEverything,  ///< all samples are measured
    kSamples,     ///< `count` of the sample times, all columns at once
    kCells,       ///< `count` single measurements: a column at a time
    kMarkers,     ///< `count` of the markers, at all times
  };
  Of of = Of::kEverything;
  int count = 0;
  double spacing = 0;  ///< of the times that are chosen
  int repeat = 1;      ///< so often a time may be measured
  struct Marker {
    std::string id;
    std::vector<std::string> columns;
  };
  std::vector<Marker> markers{};  ///< kMarkers
  Place place{};
};

/// Measurements all the time instead of at samples: information is the integral of s^T s / density,
/// sigma^2 = density per cell length. The samples are the cells.
struct Continuous {
  double density = 1;
  bool gauss = false;              ///< cells are Gauss points, four to a panel; else midpoints
  std::optional<double> budget{};  ///< of each column: so long it is measured, at the best times
  double weight_max = 1;           ///< largest sampling density
  Place place{};
};

/// A quantity whose predicted variance counts (criterion prediction).
struct PredictedQuantity {
  FormulaText quantity;
  std::vector<double> at;
  Place place{};
};

/// An experiment that is still to be made: a description with samples instead of data, and what of
/// it is open.
struct PlannedExperiment {
  ExperimentDescription base;  ///< requirements: conditions that the design has to keep
  std::vector<PlannedInput> inputs{};
  std::vector<PlannedVariable> variables{};
  Choice choice{};
  std::optional<Continuous> continuous{};
  std::vector<PredictedQuantity> predictions{};
  int copies = 1;
  /// The model with these tables in the place of its inputs of the same ids.
  std::function<std::shared_ptr<const dynamics::System>(const std::vector<dynamics::Input>&)>
      with_inputs{};
};

/// Entry of the vector of design variables.
struct DesignVariable {
  enum class Kind : std::uint8_t { kPlanned, kInputValue, kInputLength };
  Kind kind = Kind::kPlanned;
  int experiment = 0;
  int which = 0;  ///< variable or input of the experiment
  int index = 0;  ///< of the value or length
  std::string name{};
  double lower = 0, upper = 1, initial = 0;
  Saturation saturation = Saturation::kNone;
  double metric = 1;  ///< of an input: the length of what the value acts on
};

/// The inputs of an experiment while it is designed: values, and lengths of pieces relative to
/// their sum.
struct InputForm {
  std::vector<double> values, lengths;
  bool vary_values = true, vary_lengths = false;
};

/// The open numbers of some planned experiments as a vector d.
class DesignSpace {
 public:
  /// InputError where a variable makes no sense.
  explicit DesignSpace(std::vector<PlannedExperiment> planned);

  const std::vector<PlannedExperiment>& planned() const { return planned_; }
  const std::vector<DesignVariable>& variables() const { return variables_; }
  int size() const { return static_cast<int>(variables_.size()); }
  std::vector<double> initial() const;

  /// Experiment e with d: a description with samples at their times, an empty table of data.
  ExperimentDescription experiment(int e, const std::vector<double>& d) const;
  /// The inputs of experiment e as tables.
  std::vector<dynamics::Input> inputs(int e, const std::vector<double>& d) const;
  /// rate * dt - |change| >= 0 for all inputs with a rate, divided by (upper - lower).
  std::vector<double> rate_conditions(const std::vector<double>& d) const;

  /// The same with constant inputs that are on a bound nearly everywhere as switching times: the
  /// values stay, the lengths of the pieces vary. Unchanged: no input has free breaks. `d` becomes
  /// the point of the new space.
  DesignSpace with_switching_times(std::vector<double>& d) const;
  /// The same with other lengths of the pieces of the first input of experiment e.
  DesignSpace with_lengths(int e, const std::vector<double>& lengths) const;
  bool has_free_breaks() const;

 private:
  void list_variables();

  std::vector<PlannedExperiment> planned_;
  std::vector<std::vector<InputForm>> forms_;  ///< by experiment and input
  std::vector<DesignVariable> variables_;
};

const char* text(PlannedInput::Shape shape);

}  // namespace parfait::estimate
