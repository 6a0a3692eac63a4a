#include <fmt/format.h>

#include "parfait/estimate/problem/check_problem_parts.h"
#include "parfait/estimate/problem/problem_counts.h"

namespace parfait::estimate {
namespace {

/// The method can integrate every model.
void check_method(const Problem& problem, const Subject& subject) {
  const FitOptions& options = problem.options;
  if (!options.integrator_given) return;
  const integrate::Method method = options.integrator.method;
  for (const auto& experiment : problem.experiments) {
    if (!experiment.system) continue;
    if (const auto why = obstacle(method, *experiment.system); !why.empty()) {
      subject.fail(fmt::format("integrator \"{}\": the model of experiment \"{}\" {}.",
                               integrate::text(method), experiment.id, why));
    }
    if (info(method).keeps_constraints && options.relaxation != Relaxation::kLimit) {
      subject.fail(
          fmt::format("integrator \"{}\": keeps the constraints in every step, which only "
                      "relaxation \"limit\" allows.",
                      integrate::text(method)));
    }
  }
}

/// Levenberg-Marquardt makes the variables that are left after condensing small, not the correction
/// of the matching conditions.
void warn_of_lm(const Problem& problem, std::vector<std::string>& warnings) {
  if (problem.options.iteration.globalization != Globalization::kLm) return;
  for (const auto& experiment : problem.experiments) {
    const int nodes = experiment.system ? count(experiment).nodes : 0;
    if (nodes < 2) continue;
    warnings.push_back(
        fmt::format("globalization \"lm\" is meant for problems without matching conditions, which "
                    "it does not damp; experiment \"{}\" has those of {} nodes. \"rmt\" and "
                    "\"natural\" damp them.",
                    experiment.id, nodes));
    return;
  }
}

}  // namespace

void check_fit_options(const Problem& problem, std::vector<std::string>& warnings) {
  const FitOptions& options = problem.options;
  const Subject subject{options.place.line > 0 ? options.place : Place{problem.file}, "options"};
  const auto require = [&](bool holds, const char* name, double value, const char* rule) {
    if (!holds) subject.fail(fmt::format("{} = {}: must be {}.", name, value, rule));
  };
  const auto& iteration = options.iteration;
  require(iteration.tolerance > 0 && iteration.tolerance < 1, "tol", iteration.tolerance,
          "> 0 and < 1");
  require(iteration.max_iterations.value_or(0) >= 0, "max_iterations",
          iteration.max_iterations.value_or(0), ">= 0");
  require(iteration.min_step > 0 && iteration.min_step < 1, "min_step", iteration.min_step,
          "> 0 and < 1");
  const auto& linear = options.linear;
  require(linear.huber_gamma > 0 && std::isfinite(linear.huber_gamma), "huber_gamma",
          linear.huber_gamma, "> 0");
  require(linear.rank_tolerance > 0 && linear.rank_tolerance < 1, "rank_tolerance",
          linear.rank_tolerance, "> 0 and < 1");
  require(options.confidence > 0 && options.confidence < 1, "confidence", options.confidence,
          "> 0 and < 1");
  require(options.relaxation_rate >= 0 && std::isfinite(options.relaxation_rate), "relaxation_rate",
          options.relaxation_rate, ">= 0");
  require(options.relaxation_factor > 0 && options.relaxation_factor < 1, "relaxation_factor",
          options.relaxation_factor, "> 0 and < 1");
  try {
    integrate::check_options(options.integrator);
  } catch (const base::InputError& error) {
    subject.fail(error.what());
  }
  check_method(problem, subject);
  if (linear.norm != Norm::kL2) {
    for (const auto& experiment : problem.experiments) {
      for (const auto& o : experiment.observations) {
        if (o.sigma.formula.empty() && o.noise.distribution == Noise::Distribution::kNormal)
          continue;
        subject.fail(
            fmt::format("norm = \"{}\": column \"{}\" of experiment \"{}\" says how its "
                        "errors are distributed, which is the norm; leave \"l2\".",
                        text(linear.norm), o.column, experiment.id));
      }
    }
  }
  warn_of_lm(problem, warnings);
}

}  // namespace parfait::estimate
