#include <fmt/format.h>

#include <algorithm>

#include "parfait/estimate/problem/check_problem_parts.h"
#include "parfait/estimate/problem/horizon.h"

namespace parfait::estimate {
namespace {

void check_node_times(const Grid& grid, const Horizon& horizon, const Subject& subject) {
  const auto& t = grid.times;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (i > 0 && !(t[i] > t[i - 1])) {
      subject.fail(fmt::format("times: {} follows {}; node times must ascend.", t[i], t[i - 1]));
    }
    if (!(t[i] >= horizon.begin && t[i] <= horizon.end)) {
      subject.fail(
          fmt::format("times: node {} is outside the experiment, which lasts from {} to "
                      "{}.",
                      t[i], horizon.begin, horizon.end));
    }
  }
}

/// Values of states at given times, complete, from which those at the nodes are interpolated.
void check_given_nodes(const Grid& grid, const std::vector<std::string>& states,
                       const Subject& subject) {
  const Data& values = grid.values;
  const int time = values.find_column(values.time);
  if (values.num_rows() == 0) {
    subject.fail("nodes are given, but there is no table of their values.");
  }
  if (time < 0) {
    subject.fail(fmt::format("the node values have no column \"{}\". Columns: {}.", values.time,
                             base::listing(values.header)));
  }
  for (const auto& name : values.header) {
    if (name != values.time) {
      check_known(name, states, "state of the model", "States", subject);
    }
  }
  const auto& t = values.columns[static_cast<std::size_t>(time)];
  for (std::size_t r = 0; r < t.size(); ++r) {
    const Place place =
        r < values.lines.size() ? Place{values.place.file, values.lines[r], 0} : subject.place;
    for (std::size_t c = 0; c < values.columns.size(); ++c) {
      if (std::isfinite(values.columns[c][r])) continue;
      subject.fail_at(place, fmt::format("the node value \"{}\" is missing.", values.header[c]));
    }
    if (r > 0 && !(t[r] > t[r - 1])) {
      subject.fail_at(place, fmt::format("time {} follows {}; times must ascend.", t[r], t[r - 1]));
    }
  }
}

}  // namespace

void check_initial_states(const ExperimentDescription& experiment) {
  const auto states = experiment.system->state_names();
  NameCheck names;
  for (const auto& initial : experiment.initial) {
    const bool is_all = initial.state.empty();
    const Subject subject =
        subject_of(experiment)
            .part(initial.place, is_all ? "initial" : fmt::format("initial \"{}\"", initial.state));
    if (!is_all) check_known(initial.state, states, "state of the model", "States", subject);
    names.add(is_all ? "all other states" : initial.state, subject, "given");
    if (is_all && initial.value) {
      subject.fail("a value needs the state it belongs to: give state=\"...\".");
    }
    if (initial.value && !std::isfinite(*initial.value)) {
      subject.fail(fmt::format("value = {}: must be finite.", *initial.value));
    }
    if (!(initial.sigma > 0 && std::isfinite(initial.sigma))) {
      subject.fail(fmt::format("sigma = {}: must be > 0.", initial.sigma));
    }
    if (!(initial.scale > 0 && std::isfinite(initial.scale))) {
      subject.fail(fmt::format("scale = {}: must be > 0.", initial.scale));
    }
  }
}

void check_grid(const ExperimentDescription& experiment, std::vector<std::string>& warnings) {
  const Grid& grid = experiment.grid;
  const Subject subject =
      subject_of(experiment).part(grid.place.line > 0 ? grid.place : experiment.place, "grid");
  const auto states = experiment.system->state_names();
  if (grid.times.empty()) {
    if (grid.intervals < 1) {
      subject.fail(fmt::format("intervals = {}: must be >= 1.", grid.intervals));
    }
    constexpr int kMost = 100'000;  // an interval has a workspace of its own
    if (grid.intervals > kMost) {
      subject.fail(fmt::format("intervals = {}: at most {} are possible.", grid.intervals, kMost));
    }
  } else {
    check_node_times(grid, horizon_of(experiment), subject);
  }
  if (!(grid.weight >= 0 && grid.weight <= 1)) {
    subject.fail(fmt::format("weight = {}: must be from 0 to 1.", grid.weight));
  }
  if (grid.nodes == Grid::Nodes::kGiven) check_given_nodes(grid, states, subject);
  if (grid.nodes == Grid::Nodes::kMeasured) {
    const auto& observations = experiment.observations;
    const bool any = std::any_of(observations.begin(), observations.end(), [&](const auto& o) {
      return std::find(states.begin(), states.end(), o.quantity.text) != states.end();
    });
    if (!any) {
      warnings.push_back(
          fmt::format("{}: nodes=\"measured\", but no state is measured directly; "
                      "all nodes come from integration.",
                      subject.label));
    }
  }
}

void check_state_bounds(const ExperimentDescription& experiment) {
  const auto states = experiment.system->state_names();
  NameCheck names;
  for (const auto& bounds : experiment.state_bounds) {
    const Subject subject =
        subject_of(experiment).part(bounds.place, fmt::format("bounds \"{}\"", bounds.state));
    check_known(bounds.state, states, "state of the model", "States", subject);
    names.add(bounds.state, subject, "bounded");
    if (std::isnan(bounds.lower) || std::isnan(bounds.upper)) {
      subject.fail("a bound is not a number.");
    }
    if (!std::isfinite(bounds.lower) && !std::isfinite(bounds.upper)) {
      subject.fail("neither \"lower\" nor \"upper\" is given.");
    }
    if (!(bounds.lower < bounds.upper)) {
      subject.fail(fmt::format("lower = {} is not below upper = {}.", bounds.lower, bounds.upper));
    }
    for (const auto& initial : experiment.initial) {
      const bool outside = initial.state == bounds.state && initial.value &&
                           (*initial.value < bounds.lower || *initial.value > bounds.upper);
      if (!outside) continue;
      subject.fail_at(initial.place, fmt::format("the initial value {} is outside [{}, {}].",
                                                 *initial.value, bounds.lower, bounds.upper));
    }
  }
}

}  // namespace parfait::estimate
