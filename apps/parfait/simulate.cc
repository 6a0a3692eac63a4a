#include <fmt/format.h>

#include "command.h"
#include "interrupt.h"
#include "loaded_model.h"
#include "monitor.h"
#include "parfait/integrate/integrator.h"
#include "progress.h"
#include "recorder.h"
#include "run_folder.h"
#include "simulate_request.h"
#include "simulation_report.h"
#include "start_state.h"
#include "stopwatch.h"

// parfait simulate: a model file in, its motion out.
namespace parfait::app {
namespace {

/// Integrates `state` until the end, or until it fails or is interrupted.
integrate::Result run(const LoadedModel& model, const SimulatePlan& plan,
                      dynamics::Workspace& workspace, integrate::State& state, Recorder& recorder,
                      Monitor& monitor, PartitionWatch* partition, const InterruptWatch& interrupt,
                      bool show_progress) {
  Progress progress(show_progress);
  integrate::Integrator integrator(*model.system, workspace, plan.options);
  recorder.start(state);
  const auto look = [&](double t, dynamics::ConstVec y, dynamics::Mode mode) {
    monitor.look(t, y, mode);
    if (partition) partition->look(t, y, mode);
  };
  look(state.t, state.y, state.mode);
  const auto on_step = [&](const integrate::AcceptedStep& step) {
    recorder.add(step);
    if (!step.event) look(step.t1, step.curve.y1(), step.mode);
    if (progress.is_due()) {
      progress.show(step.t1 / plan.until, fmt::format("t = {:.3g} s", step.t1));
    }
    return !interrupt.requested() && recorder.status() == dynamics::Status::kOk;
  };
  auto result = integrator.run(state, plan.until, on_step);
  recorder.finish(state, result);
  return result;
}

/// What came of it, in the order in which it can fail.
Verdict judge(const StartState& start, const Recorder& recorder, const integrate::Result& result) {
  if (start.equilibrium && !start.equilibrium->found()) {
    return {"not_settled", "not simulated: " + start.equilibrium->message(), false};
  }
  if (recorder.status() != dynamics::Status::kOk) {
    return {integrate::text(integrate::Outcome::kSystemFailed), recorder.message(), false};
  }
  return {integrate::text(result.outcome), result.message(), result.finished()};
}

int simulate(const SimulateRequest& request, const Common& common) {
  const InterruptWatch interrupt;
  Stopwatch watch;
  Json timing = {{"total", 0.0}};

  const auto model = load_model(request.file, parse_settings(request.set));
  timing["read"] = watch.lap();
  const auto& system = *model.system;
  const auto plan = make_plan(request, model);
  const auto p = model.parameter_values();
  const auto sensitivities = make_sensitivities(system, plan.sensitivities);
  RunFolder folder(plan.out);
  Recorder recorder(system, p, sensitivities, plan.quantities, plan.times, plan.options);
  Monitor monitor(system, p, model.mechanics != nullptr);
  std::optional<PartitionWatch> partition;
  if (model.mechanics) partition.emplace(*model.mechanics, p);

  const auto workspace = system.make_workspace(sensitivities.count());
  system.bind(*workspace, p);
  if (sensitivities.count() > 0) system.bind_directions(*workspace, sensitivities.dp);
  auto start = make_start(request.file, system, *workspace, sensitivities,
                          plan.options.projection_tolerance);
  if (plan.settle) settle(system, *workspace, start, plan.options.projection_tolerance);
  timing["start"] = watch.lap();

  integrate::State state = start.state;
  integrate::Result result;
  if (!start.equilibrium || start.equilibrium->found()) {
    const bool show_progress = !common.quiet && !common.json;
    result = run(model, plan, *workspace, state, recorder, monitor,
                 partition ? &*partition : nullptr, interrupt, show_progress);
  }
  timing["integrate"] = watch.lap();

  const auto table = recorder.table();
  const Simulation simulation{.model = model,
                              .plan = plan,
                              .start = start,
                              .end = state,
                              .result = result,
                              .monitor = monitor,
                              .partition = partition ? &*partition : nullptr,
                              .table = table,
                              .verdict = judge(start, recorder, result)};
  const Json summary = as_json(simulation);
  folder.write("trajectory.csv", io::csv_text(table));
  folder.write_json("result.json", summary);
  timing["write"] = watch.lap();
  double total = 0;
  for (const auto& stage : timing) total += stage.get<double>();
  timing["total"] = total;
  folder.write_json("timing.json", timing);
  folder.commit();

  if (common.json) {
    fmt::print("{}\n", summary.dump(2));
  } else if (!common.quiet) {
    print(simulation, total);
  }
  const auto& verdict = simulation.verdict;
  if (!verdict.finished && (common.json || common.quiet)) {
    fmt::print(stderr, "{}\n", verdict.message);
  }
  return verdict.finished ? kDone : kNotFinished;
}

}  // namespace

Command add_simulate(CLI::App& app, const Common& common) {
  auto* parser = app.add_subcommand("simulate", "compute the motion of a model");
  auto request = std::make_shared<SimulateRequest>();
  add_options(*parser, *request);
  return {parser, [request, &common] { return simulate(*request, common); }};
}

}  // namespace parfait::app
