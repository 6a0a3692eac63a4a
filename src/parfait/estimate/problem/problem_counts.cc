#include "parfait/estimate/problem/problem_counts.h"

#include <algorithm>

#include "parfait/estimate/problem/horizon.h"

namespace parfait::estimate {

namespace {

/// Nodes that are given leave out the ends of the horizon where they like.
int num_intervals(const ExperimentDescription& experiment) {
  const auto& times = experiment.grid.times;
  if (times.empty()) return experiment.grid.intervals;
  const auto [begin, end] = horizon_of(experiment);
  return static_cast<int>(times.size()) - 1 + (times.front() > begin ? 1 : 0) +
         (times.back() < end ? 1 : 0);
}

}  // namespace

int num_free_initial(const ExperimentDescription& experiment) {
  if (!experiment.system) return 0;
  const auto kind_of = [&](const std::string& state) {
    for (const auto& initial : experiment.initial) {
      if (initial.state == state) return initial.kind;
    }
    for (const auto& initial : experiment.initial) {
      if (initial.state.empty()) return initial.kind;
    }
    return InitialState::Kind::kFixed;
  };
  const auto names = experiment.system->state_names();
  return static_cast<int>(std::count_if(names.begin(), names.end(), [&](const auto& name) {
    return kind_of(name) != InitialState::Kind::kFixed;
  }));
}

bool estimates_anything(const Problem& problem) {
  return !problem.estimates.empty() ||
         std::ranges::any_of(problem.experiments, [](const ExperimentDescription& e) {
           return !e.locals.empty() || !e.row_locals.empty() || num_free_initial(e) > 0;
         });
}

ExperimentCounts count(const ExperimentDescription& experiment) {
  ExperimentCounts counts;
  counts.rows = experiment.data.num_rows();
  for (const auto& observation : experiment.observations) {
    const int column = experiment.data.find_column(observation.column);
    if (column < 0) continue;
    const auto& cells = experiment.data.columns[static_cast<std::size_t>(column)];
    counts.measurements += static_cast<int>(
        std::count_if(cells.begin(), cells.end(), [](double x) { return !std::isnan(x); }));
  }
  counts.locals = static_cast<int>(experiment.locals.size());
  if (!experiment.system) {
    counts.row_unknowns = static_cast<int>(experiment.row_locals.size()) * counts.rows;
    return counts;
  }
  counts.nodes = num_intervals(experiment) + (experiment.grid.end_node ? 1 : 0);
  const auto& sizes = experiment.system->sizes();
  counts.node_states =
      num_free_initial(experiment) + (counts.nodes - 1) * sizes.ny() + counts.nodes * sizes.nz;
  return counts;
}

}  // namespace parfait::estimate
