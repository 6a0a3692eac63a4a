#include "parfait/estimate/starts/interval_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "parfait/base/counted.h"
#include "parfait/estimate/problem/variables.h"
#include "parfait/estimate/shooting/shooting_experiment.h"

namespace parfait::estimate {
namespace interval_choice {
namespace {

using Eigen::VectorXd;

constexpr double kMostGrowth = 100;     ///< within an interval
constexpr double kMostDeviation = 0.5;  ///< of the range of a column
constexpr int kMostIntervals = 256;

/// Data say a state itself somewhere.
bool measures_states(const ExperimentDescription& experiment) {
  const auto states = experiment.system->state_names();
  return std::ranges::any_of(experiment.observations, [&](const Observation& o) {
    return std::ranges::find(states, o.quantity.text) != states.end();
  });
}

/// Every second would do: nodes between measurements are interpolated.
int most_intervals(const ExperimentDescription& experiment) {
  const int time = experiment.data.find_column(experiment.data.time);
  if (time < 0) return 1;
  const auto& t = experiment.data.columns[static_cast<std::size_t>(time)];
  const auto rows = static_cast<int>(std::set<double>(t.begin(), t.end()).size());
  constexpr int kAlwaysPossible = 16;
  return std::clamp(rows, kAlwaysPossible, kMostIntervals);
}

/// The same experiment with all of every node along: what is known of the start hides no growth.
ExperimentDescription free_start(ExperimentDescription experiment) {
  experiment.initial = {InitialState{.kind = InitialState::Kind::kFree}};
  return experiment;
}

/// Largest |model - measured| of each column in units of its range.
double deviation_of(const Experiment& experiment) {
  struct Range {
    double low = kInfinity, high = -kInfinity;
  };
  std::map<std::string, Range> ranges;
  for (const auto& info : experiment.layout().residuals) {
    if (info.prior) continue;
    auto& range = ranges[info.column];
    range.low = std::min(range.low, info.measured);
    range.high = std::max(range.high, info.measured);
  }
  double largest = 0;
  const VectorXd& r = experiment.residuals();
  for (std::size_t i = 0; i < experiment.layout().residuals.size(); ++i) {
    const auto& info = experiment.layout().residuals[i];
    if (info.prior) continue;
    const Range& range = ranges[info.column];
    const double size = std::max(range.high - range.low, info.sigma);
    largest = std::max(largest, std::abs(r[static_cast<Eigen::Index>(i)]) * info.sigma / size);
  }
  return largest;
}

IntervalChoice choose(ExperimentDescription& experiment, const Unknowns& shared,
                      FitOptions options) {
  options.reduction = ReductionMethod::kNone;
  const Grid given = experiment.grid;
  const auto rule = measures_states(experiment) ? Grid::Nodes::kMeasured : Grid::Nodes::kProject;
  const int most = most_intervals(experiment);
  std::optional<IntervalChoice> best;
  std::string why;
  for (int intervals = 1; intervals <= most;
       intervals = intervals < most ? std::min(2 * intervals, most) : most + 1) {
    ExperimentDescription tried = free_start(experiment);
    tried.grid = Grid{.intervals = intervals,
                      .end_node = given.end_node,
                      .nodes = intervals == 1 ? Grid::Nodes::kIntegrate : rule,
                      .place = given.place};
    ShootingExperiment probe(tried, shared, options);
    VectorXd x;
    if (!probe.initialize(shared.initial(), x) || !probe.linearize(x, shared.initial())) {
      why = probe.why();
      continue;
    }
    IntervalChoice choice{.experiment = experiment.id,
                          .intervals = intervals,
                          .nodes = tried.grid.nodes,
                          .growth = probe.growth(),
                          .deviation = deviation_of(probe)};
    const bool good = choice.growth <= kMostGrowth && choice.deviation <= kMostDeviation;
    if (!good) {
      choice.why = fmt::format(
          "errors grow by {:.1g}, the model leaves the data by {:.2g} of their "
          "range",
          choice.growth, choice.deviation);
    }
    // Rather more intervals than errors that grow.
    const auto badness = [](const IntervalChoice& c) {
      return std::max(c.growth / kMostGrowth, c.deviation / kMostDeviation);
    };
    if (good || !best || badness(choice) < badness(*best)) best = choice;
    if (good) break;
  }
  if (!best) {
    return {.experiment = experiment.id,
            .intervals = given.intervals,
            .nodes = given.nodes,
            .growth = std::nan(""),
            .deviation = std::nan(""),
            .why = why};
  }
  experiment.grid = Grid{.intervals = best->intervals,
                         .end_node = given.end_node,
                         .nodes = best->nodes,
                         .place = given.place};
  return *best;
}

}  // namespace
}  // namespace interval_choice

std::string IntervalChoice::text() const {
  std::string out =
      fmt::format("{}: {}", experiment, base::counted(intervals, "interval", "intervals"));
  if (nodes == Grid::Nodes::kMeasured) out += ", nodes from measurements";
  if (nodes == Grid::Nodes::kProject) out += ", nodes projected onto measurements";
  if (std::isnan(growth)) return out + "; nothing could be integrated: " + why;
  out += fmt::format("; errors grow by {:.2g} within one", growth);
  return why.empty() ? out : out + "; no number of intervals was good enough (" + why + ")";
}

std::vector<IntervalChoice> choose_intervals(Problem& problem) {
  const Unknowns shared(problem.estimates);
  std::vector<IntervalChoice> choices;
  for (auto& experiment : problem.experiments) {
    if (!experiment.system) continue;
    choices.push_back(interval_choice::choose(experiment, shared, problem.options));
  }
  return choices;
}

}  // namespace parfait::estimate
