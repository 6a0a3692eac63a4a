#include "parfait/run/simulation/simulation.h"

#include <fmt/format.h>

#include "parfait/integrate/driver/integrator.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/results/scene_files.h"
#include "parfait/io/text/csv.h"
#include "parfait/report/pages/simulation_report.h"
#include "parfait/run/job/job.h"
#include "parfait/run/job/last_files.h"
#include "parfait/run/job/origin.h"
#include "parfait/run/job/progress.h"
#include "parfait/run/job/run_folder.h"
#include "parfait/run/job/stopwatch.h"
#include "parfait/run/scene/motion_recorder.h"
#include "parfait/run/simulation/monitor.h"
#include "parfait/run/simulation/partition_watch.h"
#include "parfait/run/simulation/recorder.h"
#include "parfait/run/simulation/sensitivities.h"
#include "parfait/run/simulation/simulation_plan.h"
#include "parfait/run/simulation/simulation_result.h"
#include "parfait/run/simulation/start_state.h"
#include "parfait/run/simulation/step_log.h"

namespace parfait::run {
namespace {

/// A motion that is integrated while several look on.
class Motion {
 public:
  Motion(const Model& model, const SimulationPlan& plan, const Sensitivities& sensitivities)
      : model_(model),
        plan_(plan),
        recorder_(*model.system, model.parameter_values(), sensitivities, plan.quantities,
                  plan.times, plan.options),
        monitor_(*model.system, model.parameter_values(), model.mechanics != nullptr) {
    if (!model.mechanics) return;
    partition_.emplace(*model.mechanics, model.parameter_values());
    bodies_.emplace(*model.mechanics, model.parameter_values());
    recorder_.set_on_row([this](const integrate::Sample& sample) {
      bodies_->add(
          {.t = sample.t, .y = sample.y, .z = sample.z, .mode = sample.mode, .offset = {}});
    });
  }

  /// Integrates `state` until the end, or until it fails or is interrupted.
  integrate::Result run(dynamics::Workspace& workspace, integrate::State& state,
                        const Callbacks& callbacks, Job& job) {
    Progress progress(callbacks, job);
    integrate::Integrator integrator(*model_.system, workspace, plan_.options);
    recorder_.start(state);
    observe(state.t, state.y, state.mode);
    const auto on_step = [&](const integrate::AcceptedStep& step) {
      recorder_.add(step);
      if (!step.event) steps_.add(step.t1, step.t1 - step.t0);
      if (!step.event) observe(step.t1, step.curve.y1(), step.mode);
      if (recorder_.status() != dynamics::Status::kOk || recorder_.is_behind(step.t1)) return false;
      if (progress.is_due()) {
        progress.tell(step.t1 / plan_.until, fmt::format("t = {:.3g} s", step.t1));
      }
      return true;
    };
    auto result = integrator.run(state, plan_.until, on_step);
    recorder_.finish(state, result);
    return result;
  }

  Motion(const Motion&) = delete;
  Motion& operator=(const Motion&) = delete;

  const Recorder& recorder() const { return recorder_; }
  result::Scenes take_scenes() { return bodies_ ? bodies_->take_scenes() : result::Scenes(); }
  const StepLog& steps() const { return steps_; }
  const Monitor& monitor() const { return monitor_; }
  const PartitionWatch* partition() const { return partition_ ? &*partition_ : nullptr; }

 private:
  void observe(double t, dynamics::ConstVec y, dynamics::Mode mode) {
    monitor_.observe(t, y, mode);
    if (partition_) partition_->observe(t, y, mode);
  }

  const Model& model_;
  const SimulationPlan& plan_;
  Recorder recorder_;
  StepLog steps_;
  Monitor monitor_;
  std::optional<PartitionWatch> partition_;
  std::optional<MotionRecorder> bodies_;
};

void simulate_in(Job& job, const SimulationRequest& request, const Callbacks& callbacks,
                 SimulationRun& run) {
  Stopwatch watch;
  const Model model = with_accounts(
      request.model ? with_settings(*request.model, request.set)
                    : load_model(request.file, request.set,
                                 io::coordinates_of(request.coordinates, "--coordinates")),
      request.observe);
  // Now: what somebody does to the files meanwhile must neither cost the result nor its hashes.
  const result::Origin origin = {request.arguments, files_of(model)};
  run.timing.add("read", watch.lap());
  const auto& system = *model.system;
  auto plan = make_plan(request, model);
  plan.options.stop = &job.stop();
  const auto sensitivities = make_sensitivities(system, plan.sensitivities);
  job.everything_is_read();
  if (callbacks.on_ready) job.tell([&] { callbacks.on_ready(); });
  if (!request.out.empty()) run.claim = std::make_shared<FolderClaim>(request.out);
  Motion motion(model, plan, sensitivities);

  const auto workspace = system.make_workspace(sensitivities.count());
  system.bind(*workspace, model.parameter_values());
  if (sensitivities.count() > 0) system.bind_directions(*workspace, sensitivities.dp);
  auto start =
      make_start(model.file, system, *workspace, sensitivities, plan.options.projection_tolerance);
  if (plan.settle) settle(system, *workspace, start, plan.options.projection_tolerance);
  run.timing.add("start", watch.lap());

  integrate::State state = start.state;
  integrate::Result result;
  if (!start.equilibrium || start.equilibrium->found()) {
    result = motion.run(*workspace, state, callbacks, job);
  }
  run.timing.add("integrate", watch.lap());

  run.contents = model.contents;
  run.trajectory = motion.recorder().table();
  run.scenes = motion.take_scenes();
  run.result = make_result({.model = model,
                            .plan = plan,
                            .start = start,
                            .end = state,
                            .integration = result,
                            .recorder = motion.recorder(),
                            .monitor = motion.monitor(),
                            .partition = motion.partition()});
  run.steps = motion.steps().table();
  run.result.rows = run.trajectory.num_rows();
  run.result.units = units_of(*model.source, run.trajectory.header);
  run.result.verdict.origin = origin;
  run.result.motions = io::motion_files(run.scenes);
}

}  // namespace

SimulationRun simulate(const SimulationRequest& request, const Callbacks& callbacks) {
  SimulationRun run;
  Job job(callbacks);
  job.run([&] { simulate_in(job, request, callbacks, run); });
  return run;
}

std::filesystem::path save(SimulationRun& run, const std::filesystem::path& target) {
  Stopwatch watch;
  RunFolder folder(target, std::move(run.claim));
  folder.write("trajectory.csv", io::csv_text(run.trajectory));
  folder.write("steps.csv", io::csv_text(run.steps));
  for (const auto& [name, bytes] : io::scene_files(run.scenes)) folder.write(name, bytes);
  folder.write("report.html", report::simulation_report(run.result, run.trajectory, run.steps,
                                                        run.scenes, report::Liveness::kLive));
  return write_last_files(folder, run, watch);
}

}  // namespace parfait::run
