#include "parfait/estimate/problem/horizon.h"

#include <algorithm>

#include "parfait/estimate/problem/observation_kind.h"

namespace parfait::estimate {

Horizon horizon_of(const ExperimentDescription& experiment) {
  const auto& nodes = experiment.grid.times;
  double begin = nodes.empty() ? 0 : nodes.front();
  double end = nodes.empty() ? begin : nodes.back();
  const auto include = [&](double t) {
    begin = std::min(begin, t);
    end = std::max(end, t);
  };
  const int time = experiment.data.find_column(experiment.data.time);
  const bool time_counts = experiment.observations.empty() ||
                           std::ranges::any_of(experiment.observations, [](const Observation& o) {
                             return kind_of(o).is_at_row_time();
                           });
  if (time >= 0 && experiment.data.num_rows() > 0 && time_counts) {
    const auto& t = experiment.data.columns[static_cast<std::size_t>(time)];
    include(t.front());
    include(t.back());
  }
  for (const auto& requirement : experiment.requirements) {
    for (const auto& term : requirement.terms) {
      if (term.at) include(*term.at);
    }
  }
  return {experiment.begin.value_or(begin), experiment.end.value_or(end)};
}

}  // namespace parfait::estimate
