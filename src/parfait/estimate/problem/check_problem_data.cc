#include <fmt/format.h>

#include <algorithm>

#include "parfait/estimate/problem/check_problem.h"
#include "parfait/estimate/problem/check_problem_parts.h"
#include "parfait/estimate/problem/horizon.h"
#include "parfait/estimate/problem/observation_kind.h"
#include "parfait/estimate/problem/problem_counts.h"

namespace parfait::estimate {
namespace {

using Numbers = std::vector<double>;

constexpr const char* kNotMeasuredYet =
    "there is no measurement yet, only the times of its samples. `parfait synthesize` makes data.";

/// "run1.csv:7", or what is known of it: in data made in code, the number of the row.
struct Row {
  Place place;
  std::string prefix;
};

Row row_of(const Data& data, std::size_t row) {
  if (row < data.lines.size()) return {{data.place.file, data.lines[row], 0}, ""};
  return {data.place, fmt::format("row {}: ", row + 1)};
}

[[noreturn]] void fail_row(const Subject& subject, const Data& data, std::size_t row,
                           const std::string& message) {
  const Row at = row_of(data, row);
  subject.fail_at(at.place, at.prefix + message);
}

const Numbers& find_column(const Data& data, const std::string& name, const Subject& subject) {
  const int index = data.find_column(name);
  if (index < 0) {
    subject.fail(fmt::format("the data have no column \"{}\".{} Columns: {}.", name,
                             base::suggestion(name, data.header), base::listing(data.header)));
  }
  return data.columns[static_cast<std::size_t>(index)];
}

void check_shape(const Data& data, const Subject& subject) {
  if (data.header.size() != data.columns.size()) {
    subject.fail(fmt::format("the data have {} names for {} columns.", data.header.size(),
                             data.columns.size()));
  }
  for (std::size_t i = 0; i < data.columns.size(); ++i) {
    if (data.columns[i].size() != data.columns[0].size()) {
      subject.fail(fmt::format("column \"{}\" has {} rows, \"{}\" has {}.", data.header[i],
                               data.columns[i].size(), data.header[0], data.columns[0].size()));
    }
    for (std::size_t r = 0; r < data.columns[i].size(); ++r) {
      if (!std::isinf(data.columns[i][r])) continue;
      fail_row(
          subject, data, r,
          fmt::format("column \"{}\" is {}: must be finite.", data.header[i], data.columns[i][r]));
    }
  }
  if (data.num_rows() == 0) {
    subject.fail_at(data.place.file.empty() ? subject.place : data.place, "the data have no rows.");
  }
}

void check_times(const Data& data, const Subject& subject) {
  const auto& t = find_column(data, data.time, subject);
  for (std::size_t r = 0; r < t.size(); ++r) {
    if (std::isnan(t[r])) fail_row(subject, data, r, "this row has no time.");
    if (r > 0 && t[r] < t[r - 1]) {
      fail_row(subject, data, r,
               fmt::format("time {} follows {}; times must not descend.", t[r], t[r - 1]));
    }
  }
}

void check_sigma_numbers(const Sigma& sigma, const Subject& subject) {
  if (!sigma.column.empty() || !sigma.formula.empty()) return;
  const bool only_absolute = sigma.relative == 0;
  const auto fail = [&](const char* name, double value, const char* rule) {
    subject.fail(fmt::format("{} = {}: must be {}.", name, value, rule));
  };
  if (only_absolute && !(sigma.absolute > 0 && std::isfinite(sigma.absolute))) {
    fail("sigma", sigma.absolute, "> 0");
  }
  if (!(sigma.absolute >= 0 && std::isfinite(sigma.absolute))) {
    fail("absolute", sigma.absolute, ">= 0");
  }
  if (!(sigma.relative >= 0 && std::isfinite(sigma.relative))) {
    fail("relative", sigma.relative, ">= 0");
  }
}

/// Each measurement has a sigma > 0.
void check_sigma_cells(const Data& data, const Observation& observation, const Numbers& measured,
                       const Subject& subject) {
  const Sigma& sigma = observation.sigma;
  if (!sigma.formula.empty()) return;
  if (!sigma.column.empty()) {
    const auto& cells = find_column(data, sigma.column, subject);
    for (std::size_t r = 0; r < cells.size(); ++r) {
      if (std::isnan(measured[r]) || cells[r] > 0) continue;
      fail_row(subject, data, r,
               std::isnan(cells[r])
                   ? fmt::format("\"{}\" is measured, but its sigma \"{}\" is empty.",
                                 observation.column, sigma.column)
                   : fmt::format("sigma \"{}\" = {}: must be > 0.", sigma.column, cells[r]));
    }
    return;
  }
  if (sigma.absolute > 0) return;
  for (std::size_t r = 0; r < measured.size(); ++r) {
    if (measured[r] != 0) continue;
    fail_row(subject, data, r,
             fmt::format("the measurement \"{}\" is 0, so that a relative sigma is 0 too; give "
                         "\"absolute\" as well.",
                         observation.column));
  }
}

void check_horizon(const ExperimentDescription& experiment, const Subject& subject) {
  for (const auto& [value, name] :
       {std::pair(experiment.begin, "begin"), std::pair(experiment.end, "end")}) {
    if (value && !std::isfinite(*value)) {
      subject.fail(fmt::format("{} = {}: must be finite.", name, *value));
    }
  }
  const auto [begin, end] = horizon_of(experiment);
  if (begin < end) return;
  subject.fail(
      fmt::format("the experiment begins at {} and ends at {}; it must end later than it "
                  "begins.",
                  begin, end));
}

void check_inside(const ExperimentDescription& experiment, const Numbers& t,
                  const Numbers& measured, const Observation& observation, const Subject& subject) {
  const auto [begin, end] = horizon_of(experiment);
  for (std::size_t r = 0; r < t.size(); ++r) {
    if (std::isnan(measured[r]) || (t[r] >= begin && t[r] <= end)) continue;
    fail_row(subject, experiment.data, r,
             fmt::format("\"{}\" is measured at {}, outside the experiment, which lasts from {} to "
                         "{}.",
                         observation.column, t[r], begin, end));
  }
}

void check_kind(const Observation& observation, bool is_dynamic, const Subject& subject) {
  const ObservationKind* kind = find_observation_kind(observation.kind);
  if (kind == nullptr) {
    std::vector<std::string> keys;
    for (const auto& known : observation_kinds()) keys.push_back(known->key());
    check_known(observation.kind, keys, "kind of observation", "Kinds", subject);
  }
  if (is_dynamic || observation.kind == kQuantityKind) return;
  subject.fail(fmt::format("\"{}\" needs a model; this experiment has none.", observation.kind));
}

/// Times of something that happens in the experiment.
void check_own_times(const ExperimentDescription& experiment, const Numbers& measured,
                     const Observation& observation, const Subject& subject) {
  if (!experiment.end) {
    subject.fail(
        "when the experiment ends does not follow from these data; give it its end=\"...\".");
  }
  const auto [begin, end] = horizon_of(experiment);
  for (std::size_t r = 0; r < measured.size(); ++r) {
    if (std::isnan(measured[r]) || (measured[r] >= begin && measured[r] <= end)) continue;
    fail_row(subject, experiment.data, r,
             fmt::format("\"{}\" is the time {}, outside the experiment, which lasts from {} to "
                         "{}.",
                         observation.column, measured[r], begin, end));
  }
}

bool is_at_row_time(const Observation& observation) {
  return kind_of(observation).is_at_row_time();
}

}  // namespace

int check_data(const ExperimentDescription& experiment, std::vector<std::string>& warnings) {
  const Subject subject = subject_of(experiment);
  const Data& data = experiment.data;
  if (experiment.observations.empty()) {
    if (!experiment.costs.empty()) return 0;
    subject.fail("nothing is observed: an experiment needs an <observe>.");
  }
  check_shape(data, subject);
  const bool is_dynamic = experiment.system != nullptr;
  for (const auto& observation : experiment.observations) {
    check_kind(observation, is_dynamic,
               subject.part(observation.place, fmt::format("observe \"{}\"", observation.column)));
  }
  if (is_dynamic) {
    if (std::ranges::any_of(experiment.observations, is_at_row_time)) check_times(data, subject);
    check_horizon(experiment, subject);
  }
  int total = 0;
  NameCheck observed;
  for (const auto& observation : experiment.observations) {
    const Subject part =
        subject.part(observation.place, fmt::format("observe \"{}\"", observation.column));
    observed.add(observation.column, part, "observed");
    const auto& measured = find_column(data, observation.column, part);
    if (is_dynamic && observation.column == data.time) {
      part.fail("this column is the time; it cannot be observed.");
    }
    check_sigma_numbers(observation.sigma, part);
    check_sigma_cells(data, observation, measured, part);
    if (is_dynamic && is_at_row_time(observation)) {
      check_inside(experiment, find_column(data, data.time, part), measured, observation, part);
    } else if (is_dynamic) {
      check_own_times(experiment, measured, observation, part);
    }
    const auto count =
        std::count_if(measured.begin(), measured.end(), [](double x) { return !std::isnan(x); });
    if (count == 0 && !experiment.samples) {
      warnings.push_back(fmt::format("{}: all cells of this column are empty.", part.label));
    }
    total += static_cast<int>(count);
  }
  if (total == 0 && !experiment.samples && experiment.costs.empty()) {
    subject.fail("there is no measurement: all cells of the observed columns are empty.");
  }
  if (total == 0) {
    warnings.push_back(subject.label + ": " + kNotMeasuredYet);
  }
  return total;
}

void check_measured(const Problem& problem) {
  for (const auto& experiment : problem.experiments) {
    if (!experiment.costs.empty()) {
      subject_of(experiment)
          .fail_at(experiment.costs.front().place,
                   "has a <cost>, which Gauss-Newton cannot make small; give --method lbfgs.");
    }
    // Without samples check_data knows why: no such column, or empty cells.
    if (experiment.samples && count(experiment).measurements == 0) {
      subject_of(experiment).fail(kNotMeasuredYet);
    }
  }
}

}  // namespace parfait::estimate
