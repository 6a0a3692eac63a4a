#include "parfait/estimate/problem/check_problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/estimate/problem/check_problem_parts.h"
#include "parfait/estimate/problem/problem_counts.h"
#include "parfait/estimate/problem/requirement_text.h"

namespace parfait::estimate {

void Subject::fail_at(const Place& where, const std::string& message) const {
  throw base::InputError(where, label.empty() ? message : label + ": " + message);
}

void Subject::fail(const std::string& message) const {
  fail_at(place, message);
}

Subject Subject::part(const Place& where, const std::string& what) const {
  return {where, label.empty() ? what : label + ", " + what};
}

Subject subject_of(const ExperimentDescription& experiment) {
  return {experiment.place, fmt::format("experiment \"{}\"", experiment.id)};
}

void NameCheck::add(const std::string& name, const Subject& subject, const char* what) {
  const auto [first, is_new] = lines_.try_emplace(name, subject.place.line);
  if (is_new) return;
  subject.fail(fmt::format(
      "\"{}\" is {} twice{}.", name, what,
      first->second > 0 ? fmt::format(", first in line {}", first->second) : std::string()));
}

void check_known(const std::string& name, const std::vector<std::string>& known, const char* one,
                 const char* many, const Subject& subject) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  subject.fail(fmt::format("\"{}\" is not a {}.{} {}: {}.", name, one,
                           base::suggestion(name, known), many,
                           known.empty() ? "there are none" : base::listing(known)));
}

namespace {

void check_experiment_ids(const Problem& problem) {
  if (problem.experiments.empty()) {
    throw base::InputError({problem.file}, "the problem has no experiment.");
  }
  NameCheck ids;
  for (const auto& experiment : problem.experiments) {
    const Subject subject = subject_of(experiment);
    if (!base::is_identifier(experiment.id)) {
      subject.fail("an id is made of letters, digits and _, and does not begin with a digit.");
    }
    ids.add(experiment.id, subject, "used as an id");
  }
}

/// Each parameter is known to at least one experiment.
void check_shared_names(const Problem& problem) {
  std::vector<std::string> known;
  for (const auto& experiment : problem.experiments) {
    for (const auto& name : parameters_of(problem, experiment)) {
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    }
  }
  NameCheck names;
  for (const auto& estimate : problem.estimates) {
    const Subject subject{estimate.place, fmt::format("estimate \"{}\"", estimate.parameter)};
    names.add(estimate.parameter, subject, "estimated");
    if (std::find(known.begin(), known.end(), estimate.parameter) != known.end()) continue;
    subject.fail(fmt::format("no experiment has a parameter \"{}\".{} Parameters: {}.",
                             estimate.parameter, base::suggestion(estimate.parameter, known),
                             known.empty() ? "there are none" : base::listing(known)));
  }
}

/// More equations than there are unknowns to obey them.
void warn_of_many_equations(const std::vector<Requirement>& requirements, int num_unknowns,
                            const char* unknowns, std::vector<std::string>& warnings) {
  std::vector<std::string> equations;
  for (const auto& requirement : requirements) {
    if (!requirement.inequality) equations.push_back(requirement_text(requirement));
  }
  const int count = static_cast<int>(equations.size());
  if (count <= num_unknowns) return;
  warnings.push_back(
      fmt::format("more required equations ({}) than {} ({}): they hold only if some follow from "
                  "others: {}.",
                  count, unknowns, num_unknowns, base::listing(equations)));
}

void warn_of_many_equations(const Problem& problem, int num_unknowns,
                            std::vector<std::string>& warnings) {
  std::vector<Requirement> all = problem.requirements;
  for (const auto& experiment : problem.experiments) {
    all.insert(all.end(), experiment.requirements.begin(), experiment.requirements.end());
  }
  const std::size_t before = warnings.size();
  warn_of_many_equations(problem.requirements, static_cast<int>(problem.estimates.size()),
                         "shared parameters", warnings);
  if (warnings.size() > before) return;
  warn_of_many_equations(all, num_unknowns, "unknown parameters and initial states", warnings);
}

}  // namespace

std::vector<std::string> check(const Problem& problem) {
  std::vector<std::string> warnings;
  check_experiment_ids(problem);
  for (const auto& estimate : problem.estimates) {
    check_estimate(estimate, {estimate.place, fmt::format("estimate \"{}\"", estimate.parameter)},
                   warnings);
  }
  int num_measurements = 0;
  for (const auto& experiment : problem.experiments) {
    num_measurements += check_data(experiment, warnings);
    check_experiment(problem, experiment, warnings);
  }
  check_shared_names(problem);
  check_requirements(problem);
  check_fit_options(problem, warnings);
  int num_unknowns = static_cast<int>(problem.estimates.size());
  for (const auto& experiment : problem.experiments) {
    // States tied by constraints are fewer unknowns; by how many at least, if some are redundant.
    const auto sizes = experiment.system ? experiment.system->sizes() : dynamics::Sizes{};
    num_unknowns += std::max(0, num_free_initial(experiment) - sizes.num_pos - sizes.num_vel);
    num_unknowns += static_cast<int>(experiment.locals.size());
    num_unknowns += static_cast<int>(experiment.row_locals.size()) * experiment.data.num_rows();
  }
  const bool has_costs = std::ranges::any_of(
      problem.experiments, [](const ExperimentDescription& e) { return !e.costs.empty(); });
  if (num_measurements < num_unknowns && !has_costs) {
    warnings.push_back(fmt::format(
        "{} measurements for {} unknown parameters and initial states: without priors and "
        "requirements they cannot all be determined.",
        num_measurements, num_unknowns));
  }
  warn_of_many_equations(problem, num_unknowns, warnings);
  return warnings;
}

void check_estimated(const Problem& problem) {
  if (problem.experiments.empty() || estimates_anything(problem)) return;
  throw base::InputError({problem.file},
                         "nothing is estimated: there is no <estimate>, no <local> and no initial "
                         "state that is free.");
}

}  // namespace parfait::estimate
