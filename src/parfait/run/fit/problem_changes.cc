#include "parfait/run/fit/problem_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "parfait/base/error.h"
#include "parfait/estimate/problem/sigma_formula.h"

namespace parfait::run {
namespace {

using estimate::Estimate;
using estimate::ExperimentDescription;
using estimate::Problem;

bool knows_parameter(const ExperimentDescription& experiment, const std::string& id) {
  const auto is_set = [&](const auto& s) { return s.parameter == id; };
  if (std::any_of(experiment.sets.begin(), experiment.sets.end(), is_set)) return true;
  if (!experiment.system) return false;
  if (estimate::observations_use(experiment, id)) return true;
  const auto& all = experiment.system->parameters();
  return std::any_of(all.begin(), all.end(), [&](const auto& p) { return p.id == id; });
}

void set_condition(ExperimentDescription& experiment, const std::string& id, double value) {
  for (auto& s : experiment.sets) {
    if (s.parameter != id) continue;
    s.value = value;
    s.estimate.clear();
    return;
  }
  experiment.sets.push_back({.parameter = id, .value = value});
}

/// All estimates of that name: the shared one, and local ones.
std::vector<Estimate*> estimates_of(Problem& problem, const std::string& id) {
  std::vector<Estimate*> found;
  const auto collect = [&](std::vector<Estimate>& estimates) {
    for (auto& estimate : estimates) {
      if (estimate.parameter == id) found.push_back(&estimate);
    }
  };
  collect(problem.estimates);
  for (auto& experiment : problem.experiments) collect(experiment.locals);
  return found;
}

std::vector<std::string> estimated_names(const Problem& problem) {
  std::vector<std::string> names;
  const auto collect = [&](const std::vector<Estimate>& estimates) {
    for (const auto& e : estimates) {
      if (std::find(names.begin(), names.end(), e.parameter) == names.end()) {
        names.push_back(e.parameter);
      }
    }
  };
  collect(problem.estimates);
  for (const auto& experiment : problem.experiments) collect(experiment.locals);
  return names;
}

std::vector<std::string> all_parameter_names(const Problem& problem) {
  auto names = estimated_names(problem);
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const auto& experiment : problem.experiments) {
    for (const auto& s : experiment.sets) add(s.parameter);
    if (!experiment.system) continue;
    for (const auto& p : experiment.system->parameters()) add(p.id);
  }
  return names;
}

}  // namespace

void set_values(const std::vector<Setting>& settings, Problem& problem) {
  for (const auto& setting : settings) {
    find_parameter(setting, all_parameter_names(problem));
    const auto estimates = estimates_of(problem, setting.id);
    for (Estimate* estimate : estimates) {
      check_bounds(setting, estimate->lower, estimate->upper);
      estimate->initial = setting.value;
    }
    if (!estimates.empty()) continue;
    for (auto& experiment : problem.experiments) {
      if (knows_parameter(experiment, setting.id)) {
        set_condition(experiment, setting.id, setting.value);
      }
    }
  }
}

void fix_parameters(const std::vector<std::string>& ids, Problem& problem) {
  for (const auto& id : ids) {
    const auto is_it = [&](const Estimate& e) { return e.parameter == id; };
    if (estimates_of(problem, id).empty()) {
      const auto names = estimated_names(problem);
      throw base::InputError(
          fmt::format("--fix {}: is not an estimated parameter.{} Estimated: {}.", id,
                      base::suggestion(id, names), names.empty() ? "none" : base::listing(names)));
    }
    const auto shared = std::find_if(problem.estimates.begin(), problem.estimates.end(), is_it);
    if (shared != problem.estimates.end()) {
      const double value = shared->initial;
      problem.estimates.erase(shared);
      for (auto& experiment : problem.experiments) {
        const bool is_local =
            std::any_of(experiment.locals.begin(), experiment.locals.end(), is_it);
        // Without a model any name may stand in its formulas.
        const bool knows = !experiment.system || knows_parameter(experiment, id);
        if (knows && !is_local) set_condition(experiment, id, value);
        const auto put = [&](estimate::SetParameter& s) {
          if (s.estimate != id) return;
          s.value = value;
          s.estimate.clear();
        };
        std::ranges::for_each(experiment.sets, put);
        if (experiment.equilibrium) std::ranges::for_each(experiment.equilibrium->sets, put);
      }
      for (auto& requirement : problem.requirements) {
        for (auto& term : requirement.terms) {
          term.formula.text = substituted(term.formula.text, id, value);
        }
      }
    }
    for (auto& experiment : problem.experiments) {
      const auto local = std::find_if(experiment.locals.begin(), experiment.locals.end(), is_it);
      if (local == experiment.locals.end()) continue;
      const double value = local->initial;
      experiment.locals.erase(local);
      set_condition(experiment, id, value);
    }
  }
}

std::string substituted(const std::string& formula, const std::string& name, double value) {
  const auto begins_word = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  const auto continues_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  };
  std::string out;
  for (std::size_t i = 0; i < formula.size();) {
    std::size_t end = i + 1;
    // A word, or a number with its exponent ("1e5"), whose letters are no names.
    if (continues_word(formula[i])) {
      while (end < formula.size() && continues_word(formula[end])) ++end;
    }
    const std::string word = formula.substr(i, end - i);
    out += begins_word(formula[i]) && word == name ? fmt::format("({})", value) : word;
    i = end;
  }
  return out;
}

}  // namespace parfait::run
