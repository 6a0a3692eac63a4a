#include "parfait/run/design/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "parfait/base/error.h"
#include "parfait/base/stop.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/io/problem/design_file.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/io/results/design_tables.h"
#include "parfait/io/results/result_json.h"
#include "parfait/report/pages/design_report.h"
#include "parfait/run/fit/earlier_fit.h"
#include "parfait/run/job/job.h"
#include "parfait/run/job/origin.h"
#include "parfait/run/job/stopwatch.h"
#include "parfait/run/job/version.h"

namespace parfait::run {
namespace design_run {
namespace {

namespace fs = std::filesystem;
using estimate::DesignResult;
using estimate::ExperimentDescription;

/// The design, the problem and the result it builds on, and the models of what is planned.
std::vector<result::InputFile> files_of(const std::string& file, const io::DesignFile& read) {
  const auto folder = fs::path(file).parent_path();
  std::vector<NamedFile> files = {{"design", file}, {"problem", read.design.known.file}};
  if (!read.result.empty()) {
    const auto path = folder / read.result;
    files.emplace_back("result", (fs::is_directory(path) ? path / "result.json" : path).string());
  }
  for (const auto& planned : read.design.planned) {
    if (!planned.base.model.empty()) {
      files.emplace_back("model", (folder / planned.base.model).string());
    }
  }
  return hashed_files(files);
}

constexpr const char* kGradient =
    "central differences of the sensitivity matrices along recorded steps, by way of the "
    "information "
    "(step 1e-4 of the range of a variable)";

std::optional<result::DesignMeasures> measures_of(
    const std::optional<estimate::DesignMeasures>& of) {
  if (!of) return {};
  return result::DesignMeasures{.psi = of->psi,
                                .trace_C = of->trace_C,
                                .log_det_M = of->log_det_M,
                                .lambda_min = of->lambda_min,
                                .trace_M = of->trace_M,
                                .max_sd = of->max_sd,
                                .condition = of->condition};
}

/// The file of an experiment's data, which is still to be measured; one for each.
std::string data_name(const std::string& id, std::set<std::string>& taken) {
  std::string name = id + ".csv";
  for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}_{}.csv", id, i);
  return name;
}

void add_next(const estimate::DesignProblem& problem, const DesignResult& found, DesignRun& run) {
  run.next = problem.known;
  std::set<std::string> taken = {"samples.csv", "inputs.csv", "information.csv"};
  std::set<std::string> ids;
  for (const auto& e : run.next.experiments) ids.insert(e.id);
  for (std::size_t e = 0; e < found.experiments.size(); ++e) {
    if (found.copies[e] == 0) continue;
    ExperimentDescription planned = found.experiments[e];
    if (!found.inputs[e].empty()) {
      const std::string name = fmt::format("{}_model.xml", planned.id);
      run.models.push_back({.name = name, .source = planned.model, .inputs = found.inputs[e]});
      planned.model = name;
    }
    for (int copy = 0; copy < found.copies[e]; ++copy) {
      ExperimentDescription one = planned;
      if (found.copies[e] > 1) one.id = fmt::format("{}_{}", planned.id, copy + 1);
      while (!ids.insert(one.id).second) one.id += "_next";
      one.data = estimate::sample_table(*one.samples, one.data.time, one.observations);
      one.data.file = data_name(one.id, taken);
      run.next.experiments.push_back(std::move(one));
    }
  }
}

result::DesignTables tables_of(const estimate::DesignProblem& problem, const DesignResult& found) {
  result::DesignTables out;
  for (const auto& c : found.chosen) {
    const auto e = static_cast<std::size_t>(c.experiment);
    out.samples.push_back({.experiment = problem.planned[e].base.id,
                           .label = c.label,
                           .t = c.t,
                           .weight = c.weight,
                           .count = c.count,
                           .gain = c.gain});
  }
  for (std::size_t e = 0; e < found.inputs.size(); ++e) {
    for (const auto& input : found.inputs[e]) {
      out.inputs.push_back(fmt::format("{}: {}", problem.planned[e].base.id, input.id));
      auto& table = out.input_tables.emplace_back();
      table.header = {"t", input.id};
      table.columns = {input.t, input.value};
      out.input_steps.push_back(input.interpolation == expr::Interpolation::kPrevious);
    }
  }
  const auto k = static_cast<int>(found.information.rows());
  out.information = result::Matrix(k, k);
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < k; ++j) out.information(i, j) = found.information(i, j);
  }
  return out;
}

result::Design result_of(const estimate::DesignProblem& problem, const DesignResult& found) {
  result::Design out;
  out.design = problem.file;
  out.criterion = text(problem.criterion);
  out.relative = problem.relative;
  out.interest = found.interest;
  out.method = problem.method == estimate::BoxMethod::kGradient ? "gradient" : "bfgs";
  out.gradient = found.variables.empty() ? "none: no numbers were designed" : kGradient;
  out.known = measures_of(found.known);
  out.start = measures_of(found.start);
  out.measures = *measures_of(found.design);
  for (const auto& p : found.sds) {
    out.parameters.push_back({.id = p.parameter,
                              .value = p.value,
                              .of_interest = p.of_interest,
                              .sd_known = p.known,
                              .sd_start = p.start,
                              .sd_design = p.design});
  }
  for (const auto& v : found.variables) {
    out.variables.push_back(
        {.name = v.name, .lower = v.lower, .upper = v.upper, .start = v.start, .value = v.value});
  }
  out.violation = found.violation;
  if (found.selection) {
    out.choice = result::DesignChoice{.gap = found.selection->gap,
                                      .certified = found.selection->certified,
                                      .remark = found.selection->remark,
                                      .efficiency = found.selection->efficiency,
                                      .iterations = found.selection->iterations};
  }
  for (std::size_t e = 0; e < found.experiments.size(); ++e) {
    auto& experiment = out.experiments.emplace_back();
    experiment.id = found.experiments[e].id;
    experiment.copies = found.copies[e];
    if (!problem.planned[e].continuous)
      experiment.times = found.experiments[e].samples->all_times();
    for (const auto& o : found.experiments[e].observations) experiment.columns.push_back(o.column);
  }
  for (const auto& s : found.starts) {
    out.starts.push_back({.psi = s.psi,
                          .violation = s.violation,
                          .iterations = s.iterations,
                          .converged = s.converged});
  }
  if (const auto& s = found.switching) {
    out.switching = result::DesignSwitching{.times = s->t,
                                            .iterations = s->iterations,
                                            .converged = s->converged,
                                            .psi = s->psi,
                                            .residual = s->residual,
                                            .is_minimum = s->is_minimum,
                                            .keeps_sign = s->keeps_sign};
  }
  out.best_reached = found.best_reached;
  out.robust_samples = problem.robust.samples;
  out.linearizations = found.linearizations;
  return out;
}

}  // namespace
}  // namespace design_run

namespace design_run {
namespace {

DesignRun design(const DesignRequest& request, const Callbacks& callbacks, Job& job) {
  Stopwatch watch;
  DesignRun run;
  io::DesignFile file = io::read_design(request.file);
  auto& problem = file.design;
  if (!request.criterion.empty()) {
    const auto kind = estimate::criterion_kind(request.criterion);
    if (!kind) {
      throw base::InputError(fmt::format(
          "--criterion {}: is unknown. Must be one of: A, D, E, T, max_sd, c, prediction.",
          request.criterion));
    }
    problem.criterion = *kind;
  }
  if (request.starts) {
    if (*request.starts < 1) {
      throw base::InputError(fmt::format("--starts {}: must be at least 1.", *request.starts));
    }
    problem.starts = *request.starts;
  }
  if (!file.result.empty()) {
    const auto path = (std::filesystem::path(request.file).parent_path() / file.result);
    if (!std::filesystem::exists(path)) {
      throw base::InputError(file.result_place,
                             fmt::format("problem: there is no result {}.", path.string()));
    }
    EarlierFit::read(path).become_initial(problem.known);
  }
  if (!request.out.empty()) run.claim = std::make_shared<FolderClaim>(request.out);
  const result::Origin origin = {request.arguments, files_of(request.file, file)};
  run.timing.add("read", watch.lap());
  job.everything_is_read();
  if (callbacks.on_ready) job.tell(callbacks.on_ready);
  problem.known.options.interrupted = [&] { return job.stopped(); };
  problem.known.options.integrator.stop = &job.stop();
  estimate::DesignCallbacks inside;
  inside.on_start = [&](int start, int of, double psi) {
    if (!callbacks.on_progress) return;
    job.tell([&] {
      callbacks.on_progress(static_cast<double>(start) / of,
                            fmt::format("start {} of {}, criterion {:.6g}", start, of, psi));
    });
  };
  inside.interrupted = [&] { return job.stopped(); };
  estimate::DesignResult found;
  try {
    found = estimate::design(problem, inside);
  } catch (const base::InputError&) {
    if (job.stopped()) throw base::Stopped();  // before anything could be simulated
    throw;
  }
  problem.known.options.interrupted = {};
  problem.known.options.integrator.stop = nullptr;
  run.result = result_of(problem, found);
  run.tables = tables_of(problem, found);
  add_next(problem, found, run);
  auto& verdict = run.result.verdict;
  verdict.version = version();
  verdict.origin = origin;
  verdict.partial = found.interrupted;
  verdict.status = found.interrupted ? "interrupted" : "designed";
  verdict.message = found.interrupted ? "interrupted: the best design so far" : "designed";
  verdict.warnings = found.remarks;
  const auto unsettled = std::ranges::count_if(
      run.result.starts, [](const result::DesignSearch& s) { return !s.converged; });
  if (unsettled > 0) {
    verdict.warnings.push_back(
        fmt::format("{} of {} searches ended before their slope was small; more iterations "
                    "(<starts max_iterations>) may help",
                    unsettled, run.result.starts.size()));
  }
  if (const auto& s = run.result.switching; s && !(s->converged && s->is_minimum)) {
    verdict.warnings.emplace_back(
        s->converged
            ? "Newton's method on the switching conditions found no minimum: the switching "
              "times are those of the search"
            : "Newton's method on the switching conditions did not converge: the switching "
              "times are those of the search");
  } else if (s && !s->keeps_sign) {
    verdict.warnings.emplace_back(
        "the switching function has further roots: an input with more switches is better (more "
        "pieces or starts)");
  }
  if (run.result.choice && !run.result.choice->certified) {
    verdict.warnings.push_back("the choice is not certified: " + run.result.choice->remark);
  }
  run.timing.add("design", watch.lap());
  return run;
}

}  // namespace
}  // namespace design_run

DesignRun design(const DesignRequest& request, const Callbacks& callbacks) {
  Job job(callbacks);
  DesignRun run;
  job.run([&] { run = design_run::design(request, callbacks, job); });
  return run;
}

std::string report_page(const DesignRun& run) {
  return report::design_report(run.result, run.tables, report::Liveness::kLive);
}

std::filesystem::path save(DesignRun& run, const std::filesystem::path& target) {
  namespace fs = std::filesystem;
  Stopwatch watch;
  RunFolder folder(target, run.claim);
  for (const auto& [name, text] : io::design_table_files(run.result, run.tables)) {
    folder.write(name, text);
  }
  const fs::path old = fs::absolute(run.next.file).parent_path();
  for (const auto& model : run.models) {
    folder.write(model.name,
                 io::model_text_with_inputs(old / model.source, model.inputs, folder.target()));
  }
  // What is read stays where it is; what is still to be measured will lie beside the problem.
  estimate::Problem next = run.next;
  const auto is_made = [&](const std::string& name) {
    return std::ranges::find(run.models, name, &DesignRun::ModelFile::name) != run.models.end();
  };
  const auto move = [&](std::string& path) {
    if (path.empty() || fs::path(path).is_absolute() || is_made(path)) return;
    path = fs::proximate(old / path, folder.target()).string();
  };
  for (auto& e : next.experiments) {
    move(e.model);
    move(e.grid.values.file);
    const bool is_planned =
        e.samples && std::ranges::all_of(e.data.columns, [&](const auto& column) {
          return &column == &e.data.columns.front() ||
                 std::ranges::all_of(column, [](double x) { return std::isnan(x); });
        });
    if (!is_planned) move(e.data.file);
  }
  next.file = (folder.target() / "problem_next.xml").string();
  folder.write("problem_next.xml", io::problem_text(next));
  run.timing.add("write", watch.lap());
  run.result.verdict.outputs = folder.outputs({"result.json", "report.html", "timing.json"});
  folder.write("report.html", report_page(run));
  folder.write("timing.json", io::timing_text(run.timing));
  folder.write("result.json", io::result_text(run.result));
  return folder.commit();
}

}  // namespace parfait::run
