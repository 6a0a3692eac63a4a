#include "parfait/run/fit/fit_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "parfait/base/error.h"
#include "parfait/estimate/problem/check_problem.h"
#include "parfait/estimate/problem/problem_counts.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/run/fit/earlier_fit.h"
#include "parfait/run/fit/problem_changes.h"

namespace parfait::run {
namespace {

estimate::Globalization globalization_of(const std::string& name) {
  using estimate::Globalization;
  constexpr std::array kAll{Globalization::kAuto, Globalization::kFull, Globalization::kNatural,
                            Globalization::kRmt, Globalization::kLm};
  std::vector<std::string> names;
  for (const auto g : kAll) {
    if (name == estimate::text(g)) return g;
    names.emplace_back(estimate::text(g));
  }
  throw base::InputError(fmt::format("--globalization {}: does not exist.{} Must be one of: {}.",
                                     name, base::suggestion(name, names), base::listing(names)));
}

/// `--intervals N`; "auto" is chosen when the problem has been checked.
void set_intervals(const std::string& intervals, estimate::Problem& problem) {
  if (intervals.empty() || intervals == "auto") return;
  int count = 0;
  const auto [end, error] =
      std::from_chars(intervals.data(), intervals.data() + intervals.size(), count);
  if (error != std::errc() || end != intervals.data() + intervals.size() || count < 1) {
    throw base::InputError(
        fmt::format("--intervals {}: must be auto or a number of at least 1.", intervals));
  }
  for (auto& experiment : problem.experiments) {
    if (!experiment.system) continue;
    experiment.grid.intervals = count;
    experiment.grid.times.clear();
  }
}

/// What is wrong with them is found before anything is computed. "all" are all shared parameters.
std::vector<std::string> profiles_of(const std::vector<std::string>& profiles,
                                     const estimate::Problem& problem) {
  std::vector<std::string> names;
  for (const auto& e : problem.estimates) names.push_back(e.parameter);
  for (const auto& profile : profiles) {
    if (std::find(names.begin(), names.end(), profile) != names.end()) continue;
    if (profile == "all" && profiles.size() == 1) return names;
    throw base::InputError(fmt::format(
        "--profile {}: is not a parameter that is estimated for all experiments.{} Parameters: {}.",
        profile, base::suggestion(profile, names), names.empty() ? "none" : base::listing(names)));
  }
  return profiles;
}

/// Everything is held: what the values are worth is asked. No value is left that a requirement or a
/// bound could change.
void evaluate_only(estimate::Problem& problem) {
  problem.requirements.clear();
  for (auto& experiment : problem.experiments) {
    experiment.requirements.clear();
    experiment.state_bounds.clear();
  }
}

}  // namespace

FitPlan make_plan(const FitRequest& request) {
  if (request.threads && *request.threads < 1) {
    throw base::InputError(fmt::format("--threads {}: must be at least 1.", *request.threads));
  }
  if (request.starts && *request.starts < 1) {
    throw base::InputError(fmt::format("--starts {}: must be at least 1.", *request.starts));
  }
  if (request.seed < 0) {
    throw base::InputError(fmt::format("--seed {}: must not be negative.", request.seed));
  }
  if (request.resume && !request.starts) {
    throw base::InputError("--resume: goes on with a fit from many starts; --starts is missing.");
  }
  FitPlan plan;
  auto& problem = plan.problem =
      request.problem ? *request.problem
                      : io::parse_problem(request.file,
                                          io::coordinates_of(request.coordinates, "--coordinates"));
  estimate::check_measured(problem);
  if (!request.integrator.empty()) {
    problem.options.integrator_given = request.integrator != "auto";
    if (problem.options.integrator_given) {
      problem.options.integrator.method = integrate::method_of(request.integrator);
    }
  }
  auto& iteration = problem.options.iteration;
  if (!request.globalization.empty()) {
    iteration.globalization = globalization_of(request.globalization);
  }
  iteration.tolerance = request.tolerance.value_or(iteration.tolerance);
  if (request.max_iterations) iteration.max_iterations = request.max_iterations;
  estimate::check_options(iteration);

  // An earlier result first, so that what is typed has the last word.
  if (request.start_from) {
    plan.earlier.emplace(*request.start_from, request.start);
  } else if (!request.start.empty()) {
    plan.earlier = EarlierFit::read(request.start);
  }
  if (plan.earlier) plan.earlier->become_initial(problem);
  set_values(request.set, problem);
  fix_parameters(request.fix, problem);
  if (!estimate::estimates_anything(problem)) evaluate_only(problem);
  set_intervals(request.intervals, problem);
  plan.profiles = profiles_of(request.profile, problem);
  return plan;
}

}  // namespace parfait::run
