#include "parfait/run/fit/fit_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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
  constexpr std::array kAll{Globalization::kFull, Globalization::kNatural, Globalization::kRmt,
                            Globalization::kLm};
  std::vector<std::string> names;
  for (const auto g : kAll) {
    if (name == estimate::text(g)) return g;
    names.emplace_back(estimate::text(g));
  }
  throw base::InputError(fmt::format("--globalization {}: does not exist.{} Must be one of: {}.",
                                     name, base::suggestion(name, names), base::listing(names)));
}

/// Found before anything is computed.
void check_profiles(const std::vector<std::string>& profiles, const estimate::Problem& problem) {
  std::vector<std::string> names;
  for (const auto& e : problem.estimates) names.push_back(e.parameter);
  for (const auto& profile : profiles) {
    if (std::find(names.begin(), names.end(), profile) != names.end()) continue;
    throw base::InputError(fmt::format(
        "--profile {}: is not a parameter that is estimated for all experiments.{} Parameters: {}.",
        profile, base::suggestion(profile, names), names.empty() ? "none" : base::listing(names)));
  }
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
  FitPlan plan;
  auto& problem = plan.problem =
      request.problem ? *request.problem
                      : io::parse_problem(request.file,
                                          io::coordinates_of(request.coordinates, "--coordinates"));
  estimate::check_measured(problem);
  auto& iteration = problem.options.iteration;
  if (!request.globalization.empty()) {
    iteration.globalization = globalization_of(request.globalization);
  }
  iteration.tolerance = request.tolerance.value_or(iteration.tolerance);
  iteration.max_iterations = request.max_iterations.value_or(iteration.max_iterations);
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
  check_profiles(request.profile, problem);
  return plan;
}

}  // namespace parfait::run
