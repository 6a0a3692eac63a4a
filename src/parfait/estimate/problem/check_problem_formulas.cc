#include <fmt/format.h>

#include <algorithm>

#include "parfait/estimate/problem/check_problem_parts.h"
#include "parfait/estimate/problem/formula_names.h"
#include "parfait/estimate/problem/horizon.h"
#include "parfait/estimate/problem/observation_kind.h"
#include "parfait/estimate/problem/sigma_formula.h"

namespace parfait::estimate {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool any_of(const std::vector<std::string>& names, const std::vector<std::string>& wanted) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return contains(wanted, name); });
}

/// Names of parameters in the formulas of an experiment; `estimated` includes those of rows.
std::vector<std::string> parameter_names(const ExperimentDescription& experiment,
                                         const std::vector<std::string>& estimated) {
  std::vector<std::string> names;
  if (experiment.system) {
    for (const auto& info : experiment.system->parameters()) names.push_back(info.id);
    return names;
  }
  names = estimated;
  for (const auto& set : experiment.sets) names.push_back(set.parameter);
  return names;
}

Subject subject_of(const Requirement& requirement, const Subject& whole) {
  return whole.part(requirement.place, "require");
}

void check_has_terms(const Requirement& requirement, const Subject& subject) {
  if (requirement.terms.empty()) subject.fail("a requirement needs a formula.");
  for (const auto& term : requirement.terms) {
    if (term.formula.empty()) subject.fail("a term is empty.");
  }
}

/// Distribution and the formula of sigma.
void check_noise(const ExperimentDescription& experiment, const Observation& observation,
                 const std::vector<std::string>& names, const std::vector<std::string>& estimated,
                 const Subject& subject) {
  const Noise& noise = observation.noise;
  if (noise.distribution == Noise::Distribution::kStudent &&
      !(noise.df > 0 && std::isfinite(noise.df))) {
    subject.fail(fmt::format("df = {}: must be > 0.", noise.df));
  }
  const bool is_plain = noise == Noise{} && observation.sigma.formula.empty();
  if (!is_plain && !experiment.row_locals.empty()) {
    subject.fail("unknowns of single rows allow normal errors with a given sigma only.");
  }
  if (observation.sigma.formula.empty()) return;
  std::vector<std::string> others = estimated;
  for (const SetParameter& set : experiment.sets) others.push_back(set.parameter);
  if (!experiment.system) {
    const auto is_known = [&](const std::string& name) {
      return name != observation.column && contains(names, name);
    };
    static_cast<void>(names_in(sigma_formula(observation, is_known), names, subject));
    return;
  }
  std::vector<std::string> own = others;
  for (const auto& state : experiment.system->state_names()) own.push_back(state);
  for (const auto& info : experiment.system->parameters()) own.push_back(info.id);
  const FormulaText sigma =
      sigma_formula(observation, [&](const std::string& name) { return contains(own, name); });
  if (kind_of(observation).is_at_row_time()) {
    static_cast<void>(names_in(sigma, *experiment.system, subject, others));
  } else {
    static_cast<void>(names_in(sigma, others, subject));
  }
}

}  // namespace

void check_observations(const ExperimentDescription& experiment,
                        const std::vector<std::string>& estimated) {
  auto known = experiment.data.header;
  if (!experiment.system) {
    for (auto& name : parameter_names(experiment, estimated)) known.push_back(std::move(name));
  }
  for (const auto& observation : experiment.observations) {
    const Subject subject =
        subject_of(experiment)
            .part(observation.place, fmt::format("observe \"{}\"", observation.column));
    check_noise(experiment, observation, known, estimated, subject);
    if (experiment.system) {
      kind_of(observation).check(observation, experiment, estimated, subject);
      continue;
    }
    if (observation.quantity.empty()) subject.fail("a quantity is missing.");
    if (!observation.settings.empty()) {
      subject.fail(fmt::format("\"{}\" is for experiments with a model.",
                               observation.settings.front().name));
    }
    if (any_of(names_in(observation.quantity, known, subject), estimated)) continue;
    subject.fail(
        fmt::format("\"{}\" depends on no estimated parameter, so it cannot be "
                    "used to estimate anything.",
                    observation.quantity.text));
  }
}

void check_requirements(const ExperimentDescription& experiment,
                        const std::vector<std::string>& estimated) {
  auto parameters = parameter_names(experiment, estimated);
  for (const auto& row : experiment.row_locals) std::erase(parameters, row.parameter);
  for (const auto& requirement : experiment.requirements) {
    const Subject subject = subject_of(requirement, subject_of(experiment));
    check_has_terms(requirement, subject);
    bool matters = false;
    for (const auto& term : requirement.terms) {
      if (!term.at) {
        matters |= any_of(names_in(term.formula, parameters, subject), estimated);
        continue;
      }
      if (!experiment.system) {
        subject.fail(
            fmt::format("at = {}: this experiment has no model, and so no time.", *term.at));
      }
      const auto [begin, end] = horizon_of(experiment);
      if (!(*term.at >= begin && *term.at <= end)) {
        subject.fail(fmt::format("at = {} is outside the experiment, which lasts from {} to {}.",
                                 *term.at, begin, end));
      }
      matters |= varies(names_in(term.formula, *experiment.system, subject), *experiment.system,
                        estimated);
    }
    if (!matters) subject.fail("it depends on nothing that is estimated.");
  }
}

void check_requirements(const Problem& problem) {
  std::vector<std::string> shared;
  for (const auto& estimate : problem.estimates) shared.push_back(estimate.parameter);
  for (const auto& requirement : problem.requirements) {
    const Subject subject = subject_of(requirement, Subject{});
    check_has_terms(requirement, subject);
    bool matters = false;
    for (const auto& term : requirement.terms) {
      if (term.at) {
        subject.fail(fmt::format(
            "at = {}: only requirements inside an experiment have a time; this one may use "
            "parameters.",
            *term.at));
      }
      matters |= !names_in(term.formula, shared, subject).empty();
    }
    if (!matters) subject.fail("it depends on nothing that is estimated.");
  }
}

}  // namespace parfait::estimate
