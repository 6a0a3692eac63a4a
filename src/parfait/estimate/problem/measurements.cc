#include "parfait/estimate/problem/measurements.h"

#include <fmt/format.h>

#include <cmath>

namespace parfait::estimate {

namespace {

const std::vector<double>& column_of(const ExperimentDescription& experiment,
                                     const std::string& name, const Place& asked_at) {
  const int i = experiment.data.find_column(name);
  if (i < 0) {
    throw base::InputError(
        asked_at, fmt::format("experiment \"{}\": the data have no column \"{}\".{} Columns: {}.",
                              experiment.id, name, base::suggestion(name, experiment.data.header),
                              base::listing(experiment.data.header)));
  }
  return experiment.data.columns[static_cast<std::size_t>(i)];
}

Place place_of_row(const Data& data, std::size_t row) {
  return {.file = data.place.file, .line = row < data.lines.size() ? data.lines[row] : 0};
}

}  // namespace

std::vector<Measurement> measurements_of(const ExperimentDescription& experiment) {
  std::vector<Measurement> out;
  const Data& data = experiment.data;
  if (data.columns.empty()) return out;
  const int time = data.find_column(data.time);
  struct Source {
    const std::vector<double>* value;
    const std::vector<double>* sigma;
  };
  std::vector<Source> sources;
  for (const Observation& o : experiment.observations) {
    sources.push_back(
        {&column_of(experiment, o.column, o.place),
         o.sigma.column.empty() ? nullptr : &column_of(experiment, o.sigma.column, o.place)});
  }
  for (std::size_t row = 0; row < data.columns.front().size(); ++row) {
    for (std::size_t k = 0; k < sources.size(); ++k) {
      const double value = (*sources[k].value)[row];
      if (std::isnan(value)) continue;
      const Sigma& rule = experiment.observations[k].sigma;
      const bool varies = !rule.formula.empty();
      const double sigma = varies             ? std::nan("")
                           : sources[k].sigma ? (*sources[k].sigma)[row]
                                              : std::hypot(rule.absolute, rule.relative * value);
      if (experiment.observations[k].noise.scale != ValueScale::kLinear && !(value > 0)) {
        throw base::InputError(place_of_row(data, row),
                               fmt::format("column \"{}\": {:g} has no logarithm, which is what "
                                           "the model is compared with.",
                                           experiment.observations[k].column, value));
      }
      if (!varies && (!(sigma > 0) || !std::isfinite(sigma))) {
        throw base::InputError(place_of_row(data, row),
                               fmt::format("column \"{}\": sigma = {:g} of the value {:g}: must be "
                                           "> 0.",
                                           experiment.observations[k].column, sigma, value));
      }
      const double t =
          time < 0 ? static_cast<double>(row) : data.columns[static_cast<std::size_t>(time)][row];
      out.push_back({.row = static_cast<int>(row),
                     .observation = static_cast<int>(k),
                     .t = t,
                     .value = value,
                     .sigma = sigma});
    }
  }
  return out;
}

}  // namespace parfait::estimate
