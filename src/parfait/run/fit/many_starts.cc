#include "parfait/run/fit/many_starts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/counted.h"
#include "parfait/base/error.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/text_file.h"

namespace parfait::run {
namespace many_starts {
namespace {

using estimate::MultiStart;
using estimate::StartResult;

/// Arguments that decide how a single start ends: the others may differ when work goes on.
std::vector<std::string> deciding(const std::vector<std::string>& arguments) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto is = [&](std::string_view name) {
      return arguments[i] == name || arguments[i].starts_with(std::string(name) + "=");
    };
    if (is("--certify")) continue;
    if (is("--starts") || is("--profile")) {
      if (arguments[i].find('=') == std::string::npos) ++i;
      continue;
    }
    out.push_back(arguments[i]);
  }
  return out;
}

/// What an earlier, interrupted run has done already.
std::vector<StartResult> earlier_starts(const FitRequest& request, const result::Origin& origin) {
  const auto file = request.out / "result.json";
  const auto fail = [&](const std::string& why) {
    throw base::InputError(fmt::format("--resume: {} {}", file.string(), why));
  };
  if (!std::filesystem::is_regular_file(file)) fail("is not there: nothing can be resumed.");
  const auto fit = io::read_fit_text(io::read_text_file(file), file.string());
  if (!fit.starts) fail("is a fit without --starts.");
  if (fit.starts->seed != request.seed) {
    fail(fmt::format("was made with --seed {}.", fit.starts->seed));
  }
  if (fit.verdict.origin.files != origin.files) fail("was made from other files.");
  if (deciding(fit.verdict.origin.arguments) != deciding(request.arguments)) {
    fail("was made with other options.");
  }
  std::vector<StartResult> starts;
  for (const auto& start : fit.starts->list) {
    StartResult& out = starts.emplace_back();
    out.number = start.number;
    out.status = start.status;
    out.message = start.message;
    out.objective = start.objective;
    out.first_objective = start.first_objective;
    out.infeasibility = start.constraints;
    out.iterations = start.iterations;
    out.linearizations = start.linearizations;
    out.initial = start.initial;
    out.values = start.values;
  }
  return starts;
}

result::Start start_of(const StartResult& start) {
  return {.number = start.number,
          .status = start.status,
          .message = start.message,
          .objective = start.objective,
          .first_objective = start.first_objective,
          .constraints = start.infeasibility,
          .iterations = start.iterations,
          .linearizations = start.linearizations,
          .minimum = start.minimum,
          .initial = start.initial,
          .values = start.values};
}

/// Parameters begin where the start ended: of work that was interrupted, the best so far.
void begin_at_end(const StartResult& start, const estimate::Ensemble& ensemble,
                  estimate::Problem& problem) {
  std::size_t at = 0;
  const auto set = [&](std::vector<estimate::Estimate>& estimates) {
    for (auto& estimate : estimates) {
      if (at >= start.values.size()) return;
      estimate.initial = std::clamp(start.values[at++], estimate.lower, estimate.upper);
    }
  };
  set(problem.estimates);
  for (std::size_t e = 0; e < problem.experiments.size(); ++e) {
    set(problem.experiments[e].locals);
    at += ensemble.experiment(static_cast<int>(e)).layout().initial_unknowns.size();
  }
}

}  // namespace
}  // namespace many_starts

StartsPlan plan_starts(const FitRequest& request, const estimate::Problem& problem,
                       const result::Origin& origin) {
  StartsPlan plan{estimate::StartPoints(estimate::make_start_space(problem), *request.starts,
                                        static_cast<std::uint64_t>(request.seed)),
                  {}};
  if (request.resume) plan.earlier = many_starts::earlier_starts(request, origin);
  return plan;
}

ManyStarts fit_many_starts(const StartsPlan& plan, std::int64_t seed,
                           const estimate::PreparedProblem& prepared, const OnStart& on_start) {
  const auto& problem = prepared.problem();
  const auto& points = plan.points;
  estimate::MultiStartSettings settings;
  settings.earlier = plan.earlier;
  double best_objective = result::kInfinity;
  settings.on_start = [&](int done, int all, const estimate::StartResult& start) {
    if (start.objective < best_objective) best_objective = start.objective;
    const double fraction = done / static_cast<double>(all);
    on_start(fraction,
             fmt::format("starts: {} of {}, best objective {:.6g}", done, all, best_objective));
  };
  const auto found = fit_from_many_starts(problem, points, prepared.team(), settings);

  ManyStarts out;
  out.starts.count = points.count();
  out.starts.seed = seed;
  out.starts.names = prepared.estimate_names();
  out.starts.kept = points.space().kept;
  for (const auto& minimum : found.minima) {
    out.starts.minima.push_back({.objective = minimum.objective,
                                 .starts = minimum.count,
                                 .best = minimum.best,
                                 .low = minimum.low,
                                 .high = minimum.high});
  }
  for (const auto& start : found.starts) {
    out.starts.list.push_back(many_starts::start_of(start));
  }
  const auto* best = found.best();
  out.starts.reported = best != nullptr ? best->number : 0;
  out.problem = points.problem_of(problem, out.starts.reported);
  if (found.interrupted && best != nullptr) {
    many_starts::begin_at_end(*best, prepared.ensemble(), out.problem);
  }
  return out;
}

}  // namespace parfait::run
