#include "parfait/run/simulation/modes.h"

#include <fmt/format.h>

#include "parfait/base/error.h"
#include "parfait/base/stop.h"
#include "parfait/dynamics/equilibrium.h"
#include "parfait/dynamics/modes.h"
#include "parfait/io/results/mode_tables.h"
#include "parfait/io/results/result_json.h"
#include "parfait/report/pages/modes_report.h"
#include "parfait/run/job/job.h"
#include "parfait/run/job/last_files.h"
#include "parfait/run/job/origin.h"
#include "parfait/run/job/run_folder.h"
#include "parfait/run/job/stopwatch.h"
#include "parfait/run/job/version.h"
#include "parfait/run/simulation/mode_shapes.h"

namespace parfait::run {
namespace find_modes_parts {

result::Equilibrium equilibrium_of(const dynamics::EquilibriumReport& report) {
  return {.status = text(report.outcome),
          .message = report.message(),
          .iterations = report.iterations,
          .evaluations = report.evaluations,
          .correction = report.correction,
          .residual = report.residual,
          .moved = report.moved,
          .prescribed_speed = report.prescribed_speed,
          .moving = report.moving};
}

}  // namespace find_modes_parts

namespace find_modes_parts {
namespace {

ModesRun find(const ModesRequest& request) {
  Stopwatch watch;
  if (request.count < 1) {
    throw base::InputError(fmt::format("--count {}: must be at least 1.", request.count));
  }
  const Model model = request.model
                          ? with_settings(*request.model, request.set)
                          : load_model(request.file, request.set,
                                       io::coordinates_of(request.coordinates, "--coordinates"));
  const auto& system = *model.system;
  if (!request.out.empty()) check_replaceable(request.out);
  const result::Origin origin = {request.arguments, files_of(model)};
  ModesRun run;
  run.contents = model.contents;
  run.timing.add("read", watch.lap());
  const auto workspace = system.make_workspace(0);
  system.bind(*workspace, model.parameter_values());
  std::vector<double> y(system.sizes().ny()), z(system.sizes().nz);
  system.start(*workspace, y, z);

  bool stopped = false;
  dynamics::EquilibriumReport report;
  const bool settles = !request.at_initial;
  dynamics::ModalAnalysis analysis;
  try {
    if (settles) report = find_equilibrium(system, *workspace, request.time, y, z);
    if (report.found()) analysis = analyze_modes(system, *workspace, request.time, y, z);
    base::leave_if_stopped();
  } catch (const base::Stopped&) {
    stopped = true;
  }
  const bool analyzed = !stopped && report.found() && analysis.status == dynamics::Status::kOk;

  auto& out = run.result;
  out.model = model.file;
  out.at = request.at_initial ? "initial" : "equilibrium";
  out.t = request.time;
  out.verdict = {.version = version(),
                 .status = "done",
                 .partial = !analyzed,
                 .message = "done",
                 .warnings = model.warnings,
                 .origin = origin};
  if (stopped) {
    out.verdict.status = out.verdict.message = "interrupted";
  } else if (!report.found()) {
    out.verdict.status = text(report.outcome);
    out.verdict.message = report.message();
  } else if (!analyzed) {
    out.verdict.status = "system_failed";
    out.verdict.message = fmt::format("{}: {}", out.at, dynamics::text(analysis.status));
  }
  if (settles) out.equilibrium = equilibrium_of(report);
  out.degrees_of_freedom = analysis.degrees_of_freedom;
  if (analyzed) out.stability = text(analysis.stability);
  out.growth = analysis.growth;
  out.residual = analysis.residual;
  out.neutral = analysis.neutral_names;
  out.drifts = analysis.drifts;
  out.num_modes = static_cast<int>(analysis.modes.size());
  const auto p = model.parameter_values();
  for (std::size_t i = 0; i < p.size(); ++i) {
    out.parameters.push_back({system.parameters()[i].id, p[i]});
  }
  if (analyzed) {
    run.shapes = make_shapes(model, request.time, y, z, analysis, request.count);
    out.modes = make_modes(analysis, run.shapes, system.sizes().nq);
  }
  run.timing.add("analyze", watch.lap());
  return run;
}

}  // namespace
}  // namespace find_modes_parts

ModesRun find_modes(const ModesRequest& request, const Callbacks& callbacks) {
  Job job(callbacks);
  ModesRun run;
  job.run([&] { run = find_modes_parts::find(request); });
  return run;
}

std::string report_page(const ModesRun& run) {
  return report::modes_report(run.result, run.shapes, report::Liveness::kLive);
}

std::filesystem::path save(ModesRun& run, const std::filesystem::path& target) {
  Stopwatch watch;
  RunFolder folder(target);
  if (run.finished()) {
    for (const auto& [name, text] : io::mode_table_files(run.result, run.shapes)) {
      folder.write(name, text);
    }
  }
  folder.write("report.html", report_page(run));
  return write_last_files(folder, run, watch);
}

}  // namespace parfait::run
