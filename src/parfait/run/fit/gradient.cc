#include "parfait/run/fit/gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/estimate/objective/objective.h"
#include "parfait/estimate/problem/check_problem.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/number.h"
#include "parfait/run/fit/problem_changes.h"
#include "parfait/run/job/job.h"
#include "parfait/run/job/run_folder.h"
#include "parfait/run/job/stopwatch.h"
#include "parfait/run/job/version.h"

namespace parfait::run {

using estimate::GradientBy;

double bytes_of(const std::string& text, const std::string& what) {
  const auto fail = [&] {
    throw base::InputError(
        fmt::format("{} {}: must be a size such as 512MB, 2GB or 1e9.", what, text));
  };
  const auto unit_at = text.find_first_of("kKMG");
  std::string number = text.substr(0, unit_at);
  double factor = 1;
  if (unit_at != std::string::npos) {
    std::string unit = text.substr(unit_at);
    std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return std::toupper(c); });
    factor = unit == "KB" ? 1e3 : unit == "MB" ? 1e6 : unit == "GB" ? 1e9 : 0;
  }
  while (!number.empty() && number.back() == ' ') number.pop_back();
  const auto parsed = io::parse_number(number);
  if (parsed.kind != io::NumberKind::kNumber || factor == 0 || !(parsed.value > 0)) fail();
  return factor * parsed.value;
}

namespace gradient_run {
namespace {

GradientBy way_of(const GradientRequest& request) {
  if (request.continuous_steps.value_or(2) < 2) {
    throw base::InputError(
        fmt::format("--adjoint-steps {}: must be at least 2.", *request.continuous_steps));
  }
  for (const auto by : {GradientBy::kAdjoint, GradientBy::kForward, GradientBy::kContinuous}) {
    if (request.by != text(by)) continue;
    if (request.continuous_steps && by != GradientBy::kContinuous) {
      throw base::InputError("--adjoint-steps: belongs to --by continuous.");
    }
    if (request.adjoints && by == GradientBy::kForward) {
      throw base::InputError("--adjoint-out: directions have no adjoint variables.");
    }
    return by;
  }
  throw base::InputError(
      fmt::format("--by {}: must be adjoint, forward or continuous.", request.by));
}

/// t and dJ/dy of each state where it was kept; experiments, if there are several, one after the
/// other, each with the names of its states.
std::string adjoint_table(const std::vector<estimate::AdjointPath>& paths) {
  const bool several = paths.size() > 1;
  std::string out;
  for (const auto& path : paths) {
    if (out.empty() || path.states != paths.front().states) {
      out += several ? "experiment,t" : "t";
      for (const auto& state : path.states) out += "," + state;
      out += "\n";
    }
    for (std::size_t i = 0; i < path.t.size(); ++i) {
      out +=
          several ? fmt::format("{},{}", path.experiment, path.t[i]) : fmt::format("{}", path.t[i]);
      for (const double x : path.ybar[i]) out += fmt::format(",{}", x);
      out += "\n";
    }
  }
  return out;
}

GradientRun differentiate(const GradientRequest& request, Job& job) {
  Stopwatch watch;
  const GradientBy by = way_of(request);
  const double memory = request.memory.empty() ? 1e9 : bytes_of(request.memory, "--memory");
  estimate::Problem problem = request.problem ? *request.problem : io::parse_problem(request.file);
  set_values(request.set, problem);
  problem.options.integrator.stop = &job.stop();
  GradientRun run;
  auto& out = run.result;
  out.verdict = {.version = version(),
                 .status = "done",
                 .partial = false,
                 .message = "done",
                 .warnings = estimate::check(problem)};
  if (!request.out.empty()) check_replaceable(request.out);
  estimate::Objective objective(problem, memory);
  job.everything_is_read();
  out.problem = request.file;
  out.by = request.by;
  run.timing.add("read", watch.lap());

  if (by == GradientBy::kAdjoint || request.check) {
    for (const auto& id : objective.without_pull_backs()) {
      out.verdict.warnings.push_back(fmt::format(
          "experiment \"{}\": its model has no pull-backs of its own; the adjoint takes "
          "one direction for each state and parameter.",
          id));
    }
  }
  Eigen::VectorXd p(objective.size());
  for (int i = 0; i < objective.size(); ++i) p[i] = objective.unknowns().estimate(i).initial;
  const auto plain = objective.value(p);  // what it costs without a gradient
  run.seconds_forward = watch.lap();
  run.timing.add("value", run.seconds_forward);
  Eigen::VectorXd gradient, other;
  auto value = plain;
  if (request.continuous_steps) objective.set_continuous_steps(*request.continuous_steps);
  if (request.adjoints) objective.keep_adjoints();
  if (plain.exists()) value = objective.gradient(p, by, gradient);
  run.adjoints = objective.adjoints();
  run.seconds_gradient = watch.lap();
  run.timing.add(request.by, run.seconds_gradient);
  if (value.exists() && request.check) {
    const auto against = by == GradientBy::kForward ? GradientBy::kAdjoint : GradientBy::kForward;
    const auto checked = objective.gradient(p, against, other);
    if (!checked.exists()) value.why = checked.why;
    run.timing.add(text(against), watch.lap());
  }
  if (!value.exists()) {
    out.verdict.status = job.stopped() ? "interrupted" : "failed";
    out.verdict.message = value.why;
    out.verdict.partial = true;
    return run;
  }
  out.objective = value.total;
  for (std::size_t i = 0; i < value.costs.size(); ++i) {
    out.costs.push_back({objective.cost_names()[i], value.costs[i]});
  }
  out.steps = value.work.steps;
  out.events = value.work.events;
  out.tape_bytes = value.work.tape_bytes;
  out.tape_stride = value.work.tape_stride;
  if (by == GradientBy::kForward) std::swap(gradient, other);  // `gradient`: by adjoint, if any
  const Eigen::VectorXd& asked = by == GradientBy::kForward ? other : gradient;
  for (int i = 0; i < objective.size(); ++i) {
    result::Gradient::Entry entry;
    entry.parameter = objective.unknowns().estimate(i).parameter;
    entry.value = p[i];
    entry.gradient = asked[i];
    entry.relative = value.total != 0 ? p[i] * asked[i] / value.total : std::nan("");
    if (request.check) entry.forward = other[i];
    out.gradient.push_back(entry);
  }
  if (request.check) {
    const double size = other.lpNorm<Eigen::Infinity>();
    const double difference = (gradient - other).lpNorm<Eigen::Infinity>();
    out.difference = size > 0 ? difference / size : difference;
  }
  return run;
}

}  // namespace
}  // namespace gradient_run

GradientRun find_gradient(const GradientRequest& request, const Callbacks& callbacks) {
  Job job(callbacks);
  GradientRun run;
  job.run([&] { run = gradient_run::differentiate(request, job); });
  return run;
}

std::vector<std::pair<std::string, std::string>> table_files(const GradientRun& run) {
  if (!run.finished()) return {};
  std::string table = "parameter,value,gradient,relative\n";
  for (const auto& e : run.result.gradient) {
    table += fmt::format("{},{},{},{}\n", e.parameter, e.value, e.gradient, e.relative);
  }
  std::vector<std::pair<std::string, std::string>> files = {{"gradient.csv", table}};
  if (!run.adjoints.empty()) {
    files.emplace_back("adjoint.csv", gradient_run::adjoint_table(run.adjoints));
  }
  return files;
}

std::filesystem::path save(GradientRun& run, const std::filesystem::path& target) {
  RunFolder folder(target);
  for (const auto& [name, text] : table_files(run)) folder.write(name, text);
  folder.write("timing.json", io::timing_text(run.timing));
  run.result.verdict.outputs = folder.outputs({"result.json"});
  folder.write("result.json", io::result_text(run.result));
  return folder.commit();
}

}  // namespace parfait::run
