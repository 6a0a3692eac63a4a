#include "parfait/run/fit/minimization.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "parfait/base/counted.h"
#include "parfait/base/error.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/objective/minimize.h"
#include "parfait/estimate/objective/minimize_residuals.h"
#include "parfait/estimate/objective/objective.h"
#include "parfait/estimate/problem/check_problem.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/fit/gradient.h"
#include "parfait/run/fit/problem_changes.h"
#include "parfait/run/job/job.h"
#include "parfait/run/job/origin.h"
#include "parfait/run/job/run_folder.h"
#include "parfait/run/job/stopwatch.h"
#include "parfait/run/job/version.h"

namespace parfait::run {
namespace minimization {
namespace {

using Eigen::VectorXd;

/// Indices of the two parameters of --contour.
std::array<int, 2> contour_indices(const std::vector<std::string>& names,
                                   const estimate::Unknowns& unknowns) {
  if (names.size() != 2 || names[0] == names[1]) {
    throw base::InputError("--contour: give two estimated parameters, as in --contour k,d.");
  }
  std::array<int, 2> out{};
  for (std::size_t i = 0; i < 2; ++i) {
    out[i] = unknowns.find(names[i]);
    if (out[i] >= 0) continue;
    throw base::InputError(fmt::format("--contour: \"{}\" is not estimated.{} Estimated: {}.",
                                       names[i], base::suggestion(names[i], unknowns.names()),
                                       base::listing(unknowns.names())));
  }
  return out;
}

/// J where the iteration went and half as far around, the others as found.
void add_contour(estimate::Objective& objective, const std::vector<estimate::MinimizeStep>& path,
                 const std::array<int, 2>& which, const VectorXd& x, const Job& job,
                 MinimizationRun& run) {
  constexpr int kPoints = 31;
  double low[2], high[2];
  for (int k = 0; k < 2; ++k) {
    low[k] = high[k] = x[which[static_cast<std::size_t>(k)]];
    for (const auto& step : path) {
      low[k] = std::min(low[k], step.x[which[static_cast<std::size_t>(k)]]);
      high[k] = std::max(high[k], step.x[which[static_cast<std::size_t>(k)]]);
    }
    const double width = std::max(high[k] - low[k], 0.1);
    const auto i = which[static_cast<std::size_t>(k)];
    low[k] = std::max(low[k] - 0.5 * width, objective.unknowns().lower()[i]);
    high[k] = std::min(high[k] + 0.5 * width, objective.unknowns().upper()[i]);
  }
  for (const int i : which) {
    run.contour.parameters.push_back(objective.unknowns().estimate(i).parameter);
  }
  VectorXd at = x;
  for (int i = 0; i < kPoints; ++i) {
    for (int j = 0; j < kPoints; ++j) {
      if (job.stopped()) return;
      at[which[0]] = low[0] + (high[0] - low[0]) * i / (kPoints - 1);
      at[which[1]] = low[1] + (high[1] - low[1]) * j / (kPoints - 1);
      const VectorXd p = objective.unknowns().values(at);
      const auto value = objective.value(p);
      run.contour.points.push_back(
          {p[which[0]], p[which[1]], value.exists() ? value.total : std::nan("")});
    }
  }
}

/// A problem as the minimizers want it: functions of the scaled unknowns x.
class Search {
 public:
  Search(const estimate::Problem& problem, estimate::Objective& objective, estimate::GradientBy by,
         double memory)
      : problem_(problem), objective_(objective), by_(by), memory_(memory) {}

  estimate::MinimizeResult run(estimate::MinimizeOptions options,
                               const std::function<bool(const estimate::MinimizeStep&)>& on_step) {
    const estimate::Unknowns& x = objective_.unknowns();
    if (options.method == estimate::Descent::kLsmr) {
      return estimate::minimize_residuals(residuals(), x.initial(), x.lower(), x.upper(), sizes(),
                                          options, on_step);
    }
    if (options.line_search == estimate::StepSearch::kParallel) {
      options.values = [&](const std::vector<VectorXd>& points) { return values(points); };
    }
    const estimate::ScalarFunction f = [&](const VectorXd& at, double& value, VectorXd* g) {
      const VectorXd p = x.values(at);
      const auto found = g ? objective_.gradient(p, by_, *g) : objective_.value(p);
      value = found.total;
      if (g) g->array() *= x.derivatives(at).array();
      return exists(found);
    };
    return estimate::minimize(f, x.initial(), x.lower(), x.upper(), options, on_step);
  }

  /// Why the last evaluation did not go well.
  const std::string& why() const { return why_; }

 private:
  bool exists(const estimate::ObjectiveValue& value) {
    why_ = value.why;
    return value.exists();
  }

  estimate::ResidualFunction residuals() {
    const estimate::Unknowns& x = objective_.unknowns();
    return {.linearize =
                [this, &x](const VectorXd& at, VectorXd& r) {
                  dp_dx_ = x.derivatives(at);
                  return exists(objective_.linearize(x.values(at), r));
                },
            .times =
                [this](const VectorXd& v, VectorXd& Jv) {
                  return exists(objective_.times(dp_dx_.cwiseProduct(v), Jv));
                },
            .transposed_times =
                [this](const VectorXd& u, VectorXd& Jt_u) {
                  if (!exists(objective_.transposed_times(u, Jt_u))) return false;
                  Jt_u = dp_dx_.cwiseProduct(Jt_u);
                  return true;
                },
            .value =
                [this, &x](const VectorXd& at, double& f) {
                  const auto found = objective_.value(x.values(at));
                  f = found.total;
                  return exists(found);
                }};
  }

  /// Of the unknowns: what they are at the start, so that units do not matter; logarithms and
  /// zeros 1.
  VectorXd sizes() const {
    const estimate::Unknowns& x = objective_.unknowns();
    VectorXd out = x.initial().cwiseAbs();
    for (int i = 0; i < x.size(); ++i) {
      if (x.is_log(i) || out[i] == 0) out[i] = 1;
    }
    return out;
  }

  /// At several points at once, each with an objective of its own.
  std::vector<double> values(const std::vector<VectorXd>& points) {
    std::vector<double> out(points.size());
    while (others_.size() < points.size()) {
      others_.push_back(std::make_unique<estimate::Objective>(problem_, memory_));
    }
    tbb::parallel_for(std::size_t{0}, points.size(), [&](std::size_t i) {
      const auto found = others_[i]->value(objective_.unknowns().values(points[i]));
      out[i] = found.exists() ? found.total : std::nan("");
    });
    return out;
  }

  const estimate::Problem& problem_;
  estimate::Objective& objective_;
  estimate::GradientBy by_;
  double memory_;
  std::vector<std::unique_ptr<estimate::Objective>> others_;  ///< of values()
  VectorXd dp_dx_;                                            ///< where residuals were linearized
  std::string why_;
};

/// How well least squares are known: Gauss-Newton, started where the minimum was found, says so
/// after a linearization, if it stays there.
void add_statistics(estimate::Problem problem, result::Minimization& to) {
  for (std::size_t i = 0; i < to.parameters.size(); ++i) {
    problem.estimates[i].initial = to.parameters[i].value;
  }
  const auto fit = estimate::fit(problem);
  double farthest = 0;
  for (std::size_t i = 0; i < to.parameters.size() && fit.has_values(); ++i) {
    const auto& known = fit.estimates[i].statistics;
    if (!std::isfinite(known.sd) || known.sd == 0) continue;
    farthest = std::max(farthest, std::abs(known.value - to.parameters[i].value) / known.sd);
  }
  if (!fit.converged() || farthest > 0.1) {
    to.verdict.warnings.push_back(
        fit.converged()
            ? fmt::format("Gauss-Newton does not stay at this minimum, but goes {:.2g} standard "
                          "deviations away; intervals are left out.",
                          farthest)
            : "Gauss-Newton does not converge from this minimum; intervals are left out.");
    return;
  }
  for (std::size_t i = 0; i < to.parameters.size(); ++i) {
    const auto& known = fit.estimates[i].statistics;
    if (!std::isfinite(known.sd) || known.sd == 0) continue;
    to.parameters[i].sd = known.sd;
    to.parameters[i].ci95 = {known.individual.low, known.individual.high};
  }
  for (const auto& finding : fit.identifiability.findings) {
    to.verdict.warnings.push_back(finding.text);
  }
}

MinimizationRun descend(const MinimizationRequest& request, Job& job,
                        const std::function<void(const result::Minimization::Step&)>& on_step) {
  Stopwatch watch;
  estimate::MinimizeOptions options;
  options.method = estimate::descent_of(request.method, "--method");
  options.line_search =
      estimate::line_search_of(request.line_search.value_or("wolfe"), "--line-search");
  options.max_iterations = request.max_iterations.value_or(options.max_iterations);
  options.tolerance = request.tolerance.value_or(options.tolerance);
  if (options.max_iterations < 0 || !(options.tolerance > 0)) {
    throw base::InputError("--max-iterations and --tolerance must be positive.");
  }
  if (request.gradient != "adjoint" && request.gradient != "forward") {
    throw base::InputError(
        fmt::format("--gradient {}: must be adjoint or forward.", request.gradient));
  }
  const bool is_lsmr = options.method == estimate::Descent::kLsmr;
  if (is_lsmr && request.gradient != "adjoint") {
    throw base::InputError("--gradient forward: the method lsmr needs products by adjoints.");
  }
  if (is_lsmr && request.line_search) {
    throw base::InputError("--line-search: the method lsmr has none, it halves its steps.");
  }
  const auto by = request.gradient == "adjoint" ? estimate::GradientBy::kAdjoint
                                                : estimate::GradientBy::kForward;
  estimate::Problem problem = request.problem ? *request.problem : io::parse_problem(request.file);
  set_values(request.set, problem);
  problem.options.integrator.stop = &job.stop();
  fix_parameters(request.fix, problem);
  MinimizationRun run;
  auto& out = run.result;
  out.verdict = {.version = version(),
                 .status = "converged",
                 .partial = false,
                 .message = "",
                 .warnings = estimate::check(problem),
                 .origin = {request.arguments, ProblemSources(problem, {}).files()}};
  if (!request.out.empty()) check_replaceable(request.out);
  const double memory = request.memory.empty() ? 1e9 : bytes_of(request.memory, "--memory");
  estimate::Objective objective(problem, memory);
  const estimate::Unknowns& unknowns = objective.unknowns();
  std::array<int, 2> contour{};
  if (!request.contour.empty()) {
    contour = contour_indices(request.contour, unknowns);
  }
  job.everything_is_read();
  run.has_costs = std::ranges::any_of(
      problem.experiments, [](const auto& experiment) { return !experiment.costs.empty(); });
  out.problem = request.file;
  out.method = text(options.method);
  out.line_search = is_lsmr ? "" : text(options.line_search);
  out.by = request.gradient;
  run.timing.add("read", watch.lap());

  Search search(problem, objective, by, memory);
  const auto found = search.run(options, [&](const estimate::MinimizeStep& step) {
    const Eigen::VectorXd p = unknowns.values(step.x);
    out.path.push_back({.iteration = step.iteration,
                        .objective = step.f,
                        .gradient = step.gradient,
                        .length = step.length,
                        .evaluations = step.evaluations,
                        .values = {p.begin(), p.end()}});
    if (on_step) job.tell([&] { on_step(out.path.back()); });
    return !job.stopped();
  });
  run.timing.add("minimize", watch.lap());
  using Outcome = estimate::MinimizeResult::Outcome;
  // Where the work was stopped, an evaluation may have failed for that alone.
  const Outcome outcome = job.stopped() ? Outcome::kInterrupted : found.outcome;
  out.verdict.status = text(outcome);
  out.verdict.partial = outcome != Outcome::kConverged;
  out.iterations = found.iterations;
  out.evaluations = found.evaluations;
  out.objective = found.f;
  switch (outcome) {
    case Outcome::kConverged:
      out.verdict.message = fmt::format("converged after {}",
                                        base::counted(found.iterations, "iteration", "iterations"));
      break;
    case Outcome::kFailed:
      out.verdict.message =
          "the objective does not exist at the initial parameters: " + search.why();
      return run;
    case Outcome::kStalled:
      out.verdict.message = "no step leads down any more, and the gradient is not small";
      break;
    case Outcome::kMaxIterations:
      out.verdict.message = fmt::format("not converged after {}",
                                        base::counted(found.iterations, "iteration", "iterations"));
      break;
    case Outcome::kInterrupted:
      out.verdict.message = "interrupted";
      break;
  }
  const Eigen::VectorXd p = unknowns.values(found.x);
  const Eigen::VectorXd dp_dx = unknowns.derivatives(found.x);
  for (int i = 0; i < unknowns.size(); ++i) {
    const auto& e = unknowns.estimate(i);
    out.parameters.push_back(
        {.id = e.parameter,
         .initial = e.initial,
         .value = p[i],
         .lower = e.lower,
         .upper = e.upper,
         .gradient = found.gradient[i] / dp_dx[i],
         .at_bound = found.x[i] <= unknowns.lower()[i] || found.x[i] >= unknowns.upper()[i]});
  }
  const auto value = objective.value(p);
  for (std::size_t i = 0; i < value.costs.size(); ++i) {
    out.costs.push_back({objective.cost_names()[i], value.costs[i]});
  }
  if (!run.has_costs && run.finished()) {
    add_statistics(problem, out);
    run.timing.add("statistics", watch.lap());
  }
  if (!request.contour.empty()) {
    add_contour(objective, found.path, contour, found.x, job, run);
    run.timing.add("contour", watch.lap());
  }
  return run;
}

}  // namespace
}  // namespace minimization

MinimizationRun minimize(const MinimizationRequest& request, const Callbacks& callbacks,
                         const std::function<void(const result::Minimization::Step&)>& on_step) {
  Job job(callbacks);
  MinimizationRun run;
  job.run([&] { run = minimization::descend(request, job, on_step); });
  return run;
}

std::vector<std::pair<std::string, std::string>> table_files(const MinimizationRun& run) {
  std::vector<std::pair<std::string, std::string>> files;
  const auto& result = run.result;
  std::string table = "parameter,initial,value,gradient,sd,ci95_low,ci95_high\n";
  std::string path = "iteration,objective,gradient,length,evaluations";
  for (const auto& p : result.parameters) {
    table += fmt::format("{},{},{},{}", p.id, p.initial, p.value, p.gradient);
    table += p.sd ? fmt::format(",{},{},{}\n", *p.sd, p.ci95[0], p.ci95[1]) : ",,,\n";
    path += "," + p.id;
  }
  path += "\n";
  for (const auto& step : result.path) {
    path += fmt::format("{},{},{},{},{}", step.iteration, step.objective, step.gradient,
                        step.length, step.evaluations);
    for (const double value : step.values) path += fmt::format(",{}", value);
    path += "\n";
  }
  files.emplace_back("parameters.csv", table);
  files.emplace_back("path.csv", path);
  if (!run.contour.points.empty()) {
    std::string contour =
        fmt::format("{},{},objective\n", run.contour.parameters[0], run.contour.parameters[1]);
    for (const auto& [a, b, J] : run.contour.points) {
      contour += std::isnan(J) ? fmt::format("{},{},\n", a, b) : fmt::format("{},{},{}\n", a, b, J);
    }
    files.emplace_back("contour.csv", contour);
  }
  return files;
}

std::string report_page(const MinimizationRun& run) {
  return report::minimization_report(run.result, run.contour, report::Liveness::kLive);
}

std::filesystem::path save(MinimizationRun& run, const std::filesystem::path& target) {
  RunFolder folder(target);
  for (const auto& [name, text] : table_files(run)) folder.write(name, text);
  folder.write("report.html", report_page(run));
  folder.write("timing.json", io::timing_text(run.timing));
  run.result.verdict.outputs = folder.outputs({"result.json"});
  folder.write("result.json", io::result_text(run.result));
  return folder.commit();
}

std::string minimization_header() {
  return fmt::format("{:>5}  {:>22}  {:>12}  {:>10}  {:>6}", "iter", "objective", "gradient",
                     "step", "evals");
}

std::string minimization_line(const result::Minimization::Step& step) {
  return fmt::format("{:>5}  {:>22.15g}  {:>12.3e}  {:>10.3g}  {:>6}", step.iteration,
                     step.objective, step.gradient, step.length, step.evaluations);
}

std::string minimization_text(const MinimizationRun& run, const std::filesystem::path& folder) {
  const auto& m = run.result;
  std::string out =
      fmt::format("{}: {} ({}), {} evaluations, J = {:.15g}\n", m.problem, m.verdict.message,
                  m.line_search.empty() ? m.method : m.method + ", " + m.line_search, m.evaluations,
                  m.objective);
  const bool has_sd =
      std::ranges::any_of(m.parameters, [](const auto& p) { return p.sd.has_value(); });
  out += fmt::format("{:<24} {:>16} {:>22} {:>14}", "parameter", "initial", "value", "dJ/dp");
  out += has_sd ? fmt::format(" {:>12}  95 % interval\n", "sd") : "\n";
  for (const auto& p : m.parameters) {
    out +=
        fmt::format("{:<24} {:>16.8g} {:>22.15g} {:>14.4g}", p.id, p.initial, p.value, p.gradient);
    if (p.sd) out += fmt::format(" {:>12.4g}  [{:.6g}, {:.6g}]", *p.sd, p.ci95[0], p.ci95[1]);
    out += p.at_bound ? "  at its bound\n" : "\n";
  }
  for (const auto& warning : m.verdict.warnings) out += fmt::format("warning: {}\n", warning);
  if (!folder.empty()) {
    out += fmt::format("results in {}: parameters.csv, path.csv, {}result.json, timing.json\n",
                       folder.string(), run.contour.points.empty() ? "" : "contour.csv, ");
  }
  return out;
}

}  // namespace parfait::run
