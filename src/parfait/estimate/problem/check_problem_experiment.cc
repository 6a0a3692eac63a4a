#include <fmt/format.h>

#include <algorithm>

#include "parfait/estimate/problem/check_problem_parts.h"
#include "parfait/estimate/problem/formula_names.h"
#include "parfait/estimate/problem/horizon.h"
#include "parfait/estimate/problem/sigma_formula.h"

namespace parfait::estimate {
namespace {

template <class T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bool is_shared(const Problem& problem, const std::string& parameter) {
  return std::any_of(problem.estimates.begin(), problem.estimates.end(),
                     [&](const Estimate& e) { return e.parameter == parameter; });
}

const dynamics::ParameterInfo* find_parameter(const ExperimentDescription& experiment,
                                              const std::string& parameter) {
  if (!experiment.system) return nullptr;
  for (const auto& info : experiment.system->parameters()) {
    if (info.id == parameter) return &info;
  }
  return nullptr;
}

/// A parameter of this experiment alone: the system has it, and nobody else decides it.
void check_own_parameter(const Problem& problem, const ExperimentDescription& experiment,
                         const std::string& parameter, const char* what, const Subject& subject) {
  if (experiment.system) {
    std::vector<std::string> known;
    for (const auto& info : experiment.system->parameters()) known.push_back(info.id);
    if (!observations_use(experiment, parameter)) {
      check_known(parameter, known, "parameter of the model", "Parameters", subject);
    }
  }
  if (is_shared(problem, parameter)) {
    subject.fail(fmt::format(
        "\"{}\" is estimated for all experiments; it cannot be {} in this one.", parameter, what));
  }
}

void check_sets(const Problem& problem, const ExperimentDescription& experiment,
                const Subject& subject) {
  NameCheck names;
  for (const auto& set : experiment.sets) {
    const Subject part = subject.part(set.place, fmt::format("set \"{}\"", set.parameter));
    check_own_parameter(problem, experiment, set.parameter, "set", part);
    names.add(set.parameter, part, "set");
    if (!set.estimate.empty()) {
      std::vector<std::string> shared;
      for (const auto& e : problem.estimates) shared.push_back(e.parameter);
      check_known(set.estimate, shared,
                  "number or a parameter that is estimated for all experiments", "Estimated", part);
      continue;
    }
    if (!std::isfinite(set.value)) part.fail(fmt::format("value = {}: must be finite.", set.value));
    const auto* info = find_parameter(experiment, set.parameter);
    if (info && (set.value < info->lower || set.value > info->upper)) {
      part.fail(fmt::format("value = {} is outside the bounds of the model [{}, {}].", set.value,
                            info->lower, info->upper));
    }
  }
}

/// Conditions before the experiment.
void check_equilibrium(const Problem& problem, const ExperimentDescription& experiment,
                       const Subject& whole) {
  if (!experiment.equilibrium) return;
  const Subject subject = whole.part(experiment.equilibrium->place, "equilibrium");
  if (!experiment.system) subject.fail("needs a model in time, and this experiment has no model.");
  if (experiment.system->sizes().nz > 0) {
    subject.fail("models with algebraic states cannot begin at an equilibrium.");
  }
  if (!experiment.initial.empty()) {
    subject.fail("an experiment that begins at an equilibrium has no initial states of its own.");
  }
  std::vector<std::string> known, shared;
  for (const auto& info : experiment.system->parameters()) known.push_back(info.id);
  for (const auto& e : problem.estimates) shared.push_back(e.parameter);
  NameCheck names;
  for (const auto& set : experiment.equilibrium->sets) {
    const Subject part = subject.part(set.place, fmt::format("set \"{}\"", set.parameter));
    check_known(set.parameter, known, "parameter of the model", "Parameters", part);
    names.add(set.parameter, part, "set");
    if (!set.estimate.empty()) {
      check_known(set.estimate, shared,
                  "number or a parameter that is estimated for all experiments", "Estimated", part);
    } else if (!std::isfinite(set.value)) {
      part.fail(fmt::format("value = {}: must be finite.", set.value));
    }
  }
}

/// Years, or times of day: long after 0, where an experiment begins unless it says otherwise.
void warn_of_late_data(const ExperimentDescription& experiment, const Subject& subject,
                       std::vector<std::string>& warnings) {
  const int column = experiment.data.find_column(experiment.data.time);
  if (experiment.begin || !experiment.grid.times.empty() || column < 0) return;
  const auto& t = experiment.data.columns[static_cast<std::size_t>(column)];
  if (t.empty() || horizon_of(experiment).begin != 0) return;
  constexpr double kLate = 10;
  if (!(t.back() > t.front()) || t.front() < kLate * (t.back() - t.front())) return;
  warnings.push_back(
      fmt::format("{}: the data begin at {} = {:g}, the experiment begins at 0 and is integrated "
                  "from there; begin=\"{:g}\" begins with the data.",
                  subject.label, experiment.data.time, t.front(), t.front()));
}

void check_locals(const Problem& problem, const ExperimentDescription& experiment,
                  const Subject& subject, std::vector<std::string>& warnings) {
  NameCheck names;
  for (const auto& set : experiment.sets) {
    names.add(set.parameter, subject.part(set.place, "set"), "set");
  }
  for (const auto& local : experiment.locals) {
    const Subject part = subject.part(local.place, fmt::format("local \"{}\"", local.parameter));
    check_own_parameter(problem, experiment, local.parameter, "local", part);
    names.add(local.parameter, part, "set or estimated");
    check_estimate(local, part, warnings);
  }
  for (const auto& row : experiment.row_locals) {
    const Subject part = subject.part(row.place, fmt::format("row_local \"{}\"", row.parameter));
    if (experiment.system) {
      part.fail("unknowns of single rows belong to experiments without a model.");
    }
    check_own_parameter(problem, experiment, row.parameter, "of every row", part);
    names.add(row.parameter, part, "set or estimated");
    if (!(row.scale > 0 && std::isfinite(row.scale))) {
      part.fail(fmt::format("scale = {}: must be > 0.", row.scale));
    }
  }
}

/// What only a model in time has.
void check_is_static(const ExperimentDescription& experiment, const Subject& subject) {
  const auto fail = [&](const Place& place, const std::string& what) {
    subject.fail_at(place.line > 0 ? place : subject.place,
                    what + " needs a model in time, and this experiment has no model.");
  };
  if (!experiment.initial.empty()) fail(experiment.initial.front().place, "an initial state");
  if (!experiment.state_bounds.empty()) {
    fail(experiment.state_bounds.front().place, "a bound of a state");
  }
  if (experiment.begin || experiment.end) fail(experiment.place, "a begin or an end");
  const auto& grid = experiment.grid;
  if (grid.intervals != 1 || !grid.times.empty() || grid.end_node || grid.place.line > 0) {
    fail(grid.place, "a grid");
  }
}

/// In formulas of an algebraic experiment a name is a column or a parameter, never both.
void check_column_names(const Problem& problem, const ExperimentDescription& experiment,
                        const Subject& subject) {
  const auto check_name = [&](const std::string& parameter, const Place& place) {
    if (experiment.data.find_column(parameter) < 0) return;
    subject.fail_at(place, fmt::format("\"{}\" is a column of the data and a parameter; formulas "
                                       "could mean either.",
                                       parameter));
  };
  for (const auto& estimate : problem.estimates) check_name(estimate.parameter, estimate.place);
  for (const auto& local : experiment.locals) check_name(local.parameter, local.place);
  for (const auto& row : experiment.row_locals) check_name(row.parameter, row.place);
  for (const auto& set : experiment.sets) check_name(set.parameter, set.place);
}

void check_row_guesses(const ExperimentDescription& experiment, const Subject& subject) {
  std::vector<std::string> names = experiment.data.header;
  for (const auto& row : experiment.row_locals) {
    const Subject part = subject.part(row.place, fmt::format("row_local \"{}\"", row.parameter));
    static_cast<void>(names_in(row.initial, names, part));
  }
}

/// The initial values of shared parameters respect the bounds the model states.
void check_model_bounds(const Problem& problem, const ExperimentDescription& experiment) {
  const auto check_one = [&](const Estimate& estimate, const Subject& subject) {
    const auto* info = find_parameter(experiment, estimate.parameter);
    if (!info || (estimate.initial >= info->lower && estimate.initial <= info->upper)) return;
    subject.fail(
        fmt::format("initial = {} is outside the bounds of the model of experiment "
                    "\"{}\" [{}, {}].",
                    estimate.initial, experiment.id, info->lower, info->upper));
  };
  for (const auto& e : problem.estimates) {
    check_one(e, {e.place, fmt::format("estimate \"{}\"", e.parameter)});
  }
  for (const auto& e : experiment.locals) {
    check_one(e, {e.place, fmt::format("local \"{}\"", e.parameter)});
  }
}

}  // namespace

std::vector<std::string> estimated_in(const Problem& problem,
                                      const ExperimentDescription& experiment) {
  std::vector<std::string> names;
  for (const auto& e : problem.estimates) names.push_back(e.parameter);
  for (const auto& e : experiment.locals) names.push_back(e.parameter);
  for (const auto& e : experiment.row_locals) names.push_back(e.parameter);
  return names;
}

std::vector<std::string> parameters_of(const Problem& problem,
                                       const ExperimentDescription& experiment) {
  std::vector<std::string> names;
  if (experiment.system) {
    for (const auto& info : experiment.system->parameters()) names.push_back(info.id);
    // Parameters of the problem that the model does not have: of noise, scales, offsets.
    const auto add_used = [&](const std::string& name) {
      if (!contains(names, name) && observations_use(experiment, name)) {
        names.push_back(name);
      }
    };
    for (const auto& name : estimated_in(problem, experiment)) add_used(name);
    for (const auto& set : experiment.sets) {
      if (!set.estimate.empty()) names.push_back(set.estimate);
    }
    if (experiment.equilibrium) {
      for (const auto& set : experiment.equilibrium->sets) {
        if (!set.estimate.empty()) names.push_back(set.estimate);
      }
    }
    return names;
  }
  // What its formulas name and its data do not have.
  std::vector<std::string> known = experiment.data.header;
  for (const auto& name : estimated_in(problem, experiment)) known.push_back(name);
  for (const auto& set : experiment.sets) known.push_back(set.parameter);
  const auto add = [&](const FormulaText& formula) {
    for (const auto& name : names_in(formula, known, subject_of(experiment))) {
      if (experiment.data.find_column(name) < 0 && !contains(names, name)) names.push_back(name);
    }
  };
  for (const auto& observation : experiment.observations) {
    add(observation.quantity);
    if (observation.sigma.formula.empty()) continue;
    add(sigma_formula(observation, [&](const std::string& name) {
      return name != observation.column && contains(known, name);
    }));
  }
  for (const auto& requirement : experiment.requirements) {
    for (const auto& term : requirement.terms) add(term.formula);
  }
  return names;
}

void check_experiment(const Problem& problem, const ExperimentDescription& experiment,
                      std::vector<std::string>& warnings) {
  const Subject subject = subject_of(experiment);
  check_sets(problem, experiment, subject);
  check_equilibrium(problem, experiment, subject);
  check_locals(problem, experiment, subject, warnings);
  const auto estimated = estimated_in(problem, experiment);
  if (experiment.system) {
    check_model_bounds(problem, experiment);
    check_initial_states(experiment);
    check_grid(experiment, warnings);
    warn_of_late_data(experiment, subject, warnings);
    check_state_bounds(experiment);
  } else {
    check_is_static(experiment, subject);
    check_column_names(problem, experiment, subject);
    check_row_guesses(experiment, subject);
  }
  check_observations(experiment, estimated);
  check_requirements(experiment, estimated);
}

}  // namespace parfait::estimate
