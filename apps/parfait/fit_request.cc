#include "fit_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "iteration_table.h"
#include "name_list.h"
#include "parfait/base/error.h"
#include "parfait/estimate/problem/check_problem.h"
#include "parfait/estimate/problem/problem_counts.h"
#include "parfait/io/problem_file.h"
#include "parfait/run/earlier_fit.h"
#include "parfait/run/problem_changes.h"

namespace parfait::app {
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
  auto& problem = plan.problem = io::read_problem(request.file);
  estimate::check_measured(problem);
  auto& iteration = problem.options.iteration;
  if (!request.globalization.empty()) {
    iteration.globalization = globalization_of(request.globalization);
  }
  iteration.tolerance = request.tolerance.value_or(iteration.tolerance);
  iteration.max_iterations = request.max_iterations.value_or(iteration.max_iterations);
  estimate::check_options(iteration);

  // An earlier result first, so that what is typed has the last word.
  std::optional<run::EarlierFit> earlier;
  if (!request.start.empty()) {
    earlier = run::EarlierFit::read(request.start);
    earlier->become_initial(problem);
  }
  run::set_values(run::parse_settings(request.set), problem);
  run::fix_parameters(split_names("--fix", request.fix), problem);
  if (!estimate::estimates_anything(problem)) evaluate_only(problem);
  estimate::check(problem);
  if (earlier) plan.start = earlier->make_start(problem);

  plan.profiles = split_names("--profile", request.profile);
  check_profiles(plan.profiles, problem);
  plan.certify = request.certify;
  plan.out = request.out.empty() ? "run" / std::filesystem::path(request.file).stem()
                                 : std::filesystem::path(request.out);
  return plan;
}

void add_options(CLI::App& parser, FitRequest& request) {
  const auto add = [&](const char* name, auto& value, const char* type, const char* help,
                       const char* group) {
    return parser.add_option(name, value, help)
        ->type_name(type)
        ->group(group)
        ->allow_extra_args(false);
  };
  parser.add_option("problem", request.file, "problem file")->required()->type_name("FILE");

  const char* what = "What to estimate";
  add("--set", request.set, "ID=VALUE",
      "initial value of an estimated parameter, or a condition; may be repeated", what);
  add("--fix", request.fix, "P,Q", "parameters that are held instead of estimated", what);
  add("--start", request.start, "RESULT", "start from an earlier result.json", what);

  const char* output = "What to find out and write";
  add("--profile", request.profile, "P,Q", "intervals from the profile likelihood", output);
  parser
      .add_flag("--certify", request.certify,
                "how far each estimate moves with a 100 times more careful integrator")
      ->group(output);
  add("--out", request.out, "DIR", "folder for the results (run/<problem name>)", output);

  const char* how = "How to compute it";
  add("--globalization", request.globalization, "NAME",
      "rmt, natural, full or lm (problem file, or rmt)", how);
  add("--tol", request.tolerance, "X", "largest last increment (problem file, or 1e-6)", how);
  add("--max-iterations", request.max_iterations, "N",
      "give up after so many (problem file, or 100)", how);
  add("--threads", request.threads, "N", "at most so many (all cores); results do not depend on it",
      how);
  parser.footer(iteration_legend());
}

}  // namespace parfait::app
