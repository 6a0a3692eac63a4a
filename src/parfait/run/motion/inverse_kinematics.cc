#include "parfait/run/motion/inverse_kinematics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "parfait/base/counted.h"
#include "parfait/base/error.h"
#include "parfait/base/stop.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/csv.h"
#include "parfait/io/text/number.h"
#include "parfait/run/job/job.h"
#include "parfait/run/job/last_files.h"
#include "parfait/run/job/origin.h"
#include "parfait/run/job/run_folder.h"
#include "parfait/run/job/stopwatch.h"
#include "parfait/run/job/version.h"
#include "parfait/run/motion/pose_scene.h"
#include "parfait/run/motion/walk.h"

namespace parfait::run {
namespace inverse_kinematics_run {
namespace {

using motion::CoordinateState;

result::ErrorSummary summary_of(const motion::MarkerErrors& errors) {
  return {errors.count, errors.rms, errors.mean, errors.max, errors.mean_frame_max};
}

std::string cell(double x) {
  return std::isnan(x) ? "" : io::number_text(x);
}

std::string angles_csv(const motion::Skeleton& skeleton, const motion::TrialPoses& poses,
                       const std::vector<double>& t, bool degrees) {
  std::vector<std::vector<std::string>> rows(1);
  rows[0].emplace_back("t");
  for (const auto& c : skeleton.coordinates) {
    if (c.q < 0) continue;
    const std::string unit = !c.is_angle ? "m" : degrees ? "deg" : "rad";
    rows[0].push_back(c.name + " [" + unit + "]");
    rows[0].push_back(c.name + ".sd [" + unit + "]");
  }
  const auto nq = static_cast<std::size_t>(skeleton.tree.nq);
  const auto nv = static_cast<std::size_t>(skeleton.tree.nv);
  for (std::size_t f = 0; f < t.size(); ++f) {
    base::leave_if_stopped();
    auto& row = rows.emplace_back();
    row.push_back(io::number_text(t[f]));
    for (std::size_t j = 0; j < nv; ++j) {
      const auto& c = skeleton.coordinates[j];
      if (c.q < 0) continue;
      const double unit = c.is_angle && degrees ? 180 / std::numbers::pi : 1;
      row.push_back(cell(unit * poses.q[f * nq + static_cast<std::size_t>(c.q)]));
      row.push_back(cell(unit * poses.sd[f * nv + j]));
    }
  }
  return io::csv_text(rows);
}

std::string errors_csv(const motion::Skeleton& skeleton, const MarkerTrialFile& trial,
                       const motion::TrialPoses& poses) {
  std::vector<std::vector<std::string>> rows(1);
  rows[0].emplace_back("t");
  for (int m = 0; m < skeleton.num_markers(); ++m) {
    if (trial.markers.label[static_cast<std::size_t>(m)] < 0) continue;
    rows[0].push_back(skeleton.markers[static_cast<std::size_t>(m)].name);
  }
  for (int f = 0; f < poses.num_frames; ++f) {
    base::leave_if_stopped();
    auto& row = rows.emplace_back();
    row.push_back(io::number_text(trial.data.t[static_cast<std::size_t>(f)]));
    for (int m = 0; m < skeleton.num_markers(); ++m) {
      if (trial.markers.label[static_cast<std::size_t>(m)] < 0) continue;
      row.push_back(cell(motion::marker_error(trial.markers, poses, f, m)));
    }
  }
  return io::csv_text(rows);
}

}  // namespace
}  // namespace inverse_kinematics_run

result::TrialPoseFacts describe_poses(const motion::Skeleton& skeleton,
                                      const MarkerTrialFile& trial, const motion::TrialPoses& poses,
                                      const std::vector<double>& weights, bool degrees,
                                      std::vector<std::pair<std::string, std::string>>& tables) {
  using motion::CoordinateState;
  result::TrialPoseFacts facts;
  facts.trial = trial.name;
  facts.file = trial.file;
  facts.frames = poses.num_frames;
  if (!trial.data.t.empty()) {
    facts.start = trial.data.t.front();
    facts.end = trial.data.t.back();
  }
  facts.axes = trial.axes;
  facts.only_model = trial.markers.only_model;
  facts.only_data = trial.markers.only_data;
  std::vector<char> anatomical(weights.size()), tracking(weights.size()), used(weights.size());
  for (std::size_t m = 0; m < weights.size(); ++m) {
    used[m] = weights[m] > 0;
    anatomical[m] = used[m] && skeleton.markers[m].is_anatomical;
    tracking[m] = used[m] && !skeleton.markers[m].is_anatomical;
  }
  const auto errors = motion::marker_errors(trial.markers, poses, used);
  facts.errors = inverse_kinematics_run::summary_of(errors);
  facts.anatomical =
      inverse_kinematics_run::summary_of(motion::marker_errors(trial.markers, poses, anatomical));
  facts.tracking =
      inverse_kinematics_run::summary_of(motion::marker_errors(trial.markers, poses, tracking));
  if (errors.max_frame >= 0) {
    facts.max_time = trial.data.t[static_cast<std::size_t>(errors.max_frame)];
    facts.max_marker = skeleton.markers[static_cast<std::size_t>(errors.max_marker)].name;
  }
  facts.marker_sd = std::sqrt(poses.variance);
  double iterations = 0;
  for (std::size_t f = 0; f < poses.iterations.size(); ++f) {
    iterations += poses.iterations[f];
    facts.max_iterations = std::max(facts.max_iterations, poses.iterations[f]);
    facts.not_converged += !poses.converged[f];
  }
  facts.mean_iterations = poses.num_frames > 0 ? iterations / poses.num_frames : 0;
  for (const int j : poses.unseen) {
    facts.unseen.push_back(skeleton.coordinates[static_cast<std::size_t>(j)].name);
  }
  const auto nv = skeleton.coordinates.size();
  for (std::size_t j = 0; j < nv; ++j) {
    base::leave_if_stopped();
    int limit = 0, unseen = 0;
    for (std::size_t f = 0; f < poses.iterations.size(); ++f) {
      const CoordinateState state = poses.states[f * nv + j];
      limit += state == CoordinateState::kAtLower || state == CoordinateState::kAtUpper;
      unseen += state == CoordinateState::kUnseen;
    }
    if (limit > 0) facts.at_limit.push_back({skeleton.coordinates[j].name, limit});
    if (unseen > 0 && unseen < poses.num_frames) {
      facts.partly_unseen.push_back({skeleton.coordinates[j].name, unseen});
    }
  }
  for (int m = 0; m < skeleton.num_markers(); ++m) {
    base::leave_if_stopped();
    const auto i = static_cast<std::size_t>(m);
    if (trial.markers.label[i] < 0) continue;
    std::vector<char> only(weights.size(), 0);
    only[i] = 1;
    const auto own = motion::marker_errors(trial.markers, poses, only);
    facts.missing += poses.num_frames - own.count;
    facts.markers.push_back({skeleton.markers[i].name,
                             skeleton.markers[i].is_anatomical ? "anatomical" : "tracking",
                             own.count, own.rms, own.mean, own.max});
  }
  facts.files = {trial.name + ".angles.csv", trial.name + ".mot",
                 trial.name + ".marker_errors.csv"};
  tables.emplace_back(facts.files[0],
                      inverse_kinematics_run::angles_csv(skeleton, poses, trial.data.t, degrees));
  tables.emplace_back(facts.files[1], motion_text(skeleton, poses, trial.data.t, trial.name));
  tables.emplace_back(facts.files[2], inverse_kinematics_run::errors_csv(skeleton, trial, poses));
  return facts;
}

std::vector<report::TrialCurves::Event> walking_events(const motion::Skeleton& skeleton,
                                                       const MarkerTrialFile& trial,
                                                       const motion::TrialPoses& poses) {
  std::vector<report::TrialCurves::Event> out;
  auto walk = walk_of(trial.trial);
  if (!walk) walk = walk_of(skeleton, poses, trial.data.t);
  if (!walk) return out;
  for (const auto& event : find_events(trial.trial, walk->paths).used) {
    out.push_back(
        {event.t, event.side == motion::Side::kLeft, event.kind == motion::GaitEventKind::kStrike});
  }
  return out;
}

std::vector<report::TrialCurves> curves_of(
    const std::vector<std::pair<std::string, std::string>>& tables,
    const std::vector<std::vector<report::TrialCurves::Event>>& events) {
  std::vector<report::TrialCurves> out;
  const std::string ending = ".angles.csv";
  for (const auto& [name, text] : tables) {
    if (!name.ends_with(ending)) continue;
    out.push_back({name.substr(0, name.size() - ending.size()), io::read_table_text(text, name),
                   out.size() < events.size() ? events[out.size()]
                                              : std::vector<report::TrialCurves::Event>{}});
  }
  return out;
}

namespace inverse_kinematics_run {
namespace {

InverseKinematicsRun find_poses(const InverseKinematicsRequest& request, const Callbacks& callbacks,
                                Job& job) {
  Stopwatch watch;
  if (!request.out.empty()) check_replaceable(request.out);
  const motion::Skeleton skeleton = read_skeleton(request.model);
  const auto weights = marker_weights(skeleton, request.tasks, request.weights);
  const auto trials = read_trials(request.trials, skeleton, request.reading);
  InverseKinematicsRun run;
  run.timing.add("read", watch.lap());

  auto& result = run.result;
  result.verdict = {version(), "done", false, "done", {}};
  std::vector<NamedFile> files = {{"model", request.model}, {"tasks", request.tasks}};
  for (const auto& trial : request.trials) files.emplace_back("trial", trial);
  result.verdict.origin = {request.arguments, hashed_files(files)};
  result.model = request.model;
  result.method = request.damped ? "damped" : "gauss_newton";
  result.limits = request.limits && !request.damped;
  for (const auto& c : skeleton.coordinates) result.coordinates.push_back(c.name);
  job.everything_is_read();
  motion::PoseOptions options;
  options.stop = &job.stop();
  options.limits = request.limits;
  if (request.damped) {
    options.method = motion::PoseMethod::kDamped;
    options.max_iterations = 1000;
  }
  motion::BoundGeometry geometry;
  const motion::Geometry described(skeleton);
  motion::bind(skeleton, described, geometry);
  run.scenes.scenes.push_back(skeleton_scene(skeleton, described, request.model));
  auto& warnings = result.verdict.warnings;
  for (const auto& trial : trials) {
    warnings.insert(warnings.end(), trial.warnings.begin(), trial.warnings.end());
    if (!trial.axes.empty() && request.reading.axes.empty()) {
      warnings.push_back(fmt::format("{}: axes of the file became {} of the model's ({}).",
                                     trial.name, trial.axes, trial.axes_reason));
    }
    if (callbacks.on_progress) {
      const double done = static_cast<double>(result.trials.size());
      job.tell(
          [&] { callbacks.on_progress(done / static_cast<double>(trials.size()), trial.name); });
    }
    const auto poses = motion::solve_poses(skeleton, geometry, trial.markers, weights, options);
    run.timing.add("poses of " + trial.name, watch.lap());
    // A trial counts once everything is said about it.
    const std::size_t num_tables = run.tables.size();
    std::optional<result::TrialPoseFacts> found;
    const bool whole = base::unless_stopped(job.stop(), [&] {
      auto motion = pose_motion(skeleton, described, trial, poses);
      auto events = walking_events(skeleton, trial, poses);
      found = describe_poses(skeleton, trial, poses, weights, request.degrees, run.tables);
      run.scenes.motions.push_back(std::move(motion));
      run.events.push_back(std::move(events));
    });
    if (!whole) {
      run.tables.resize(num_tables);
      result.verdict.status = result.verdict.message = "interrupted";
      result.verdict.partial = true;
      return run;
    }
    result::TrialPoseFacts& facts = *found;
    if (!facts.unseen.empty()) {
      warnings.push_back(fmt::format("{}: no marker sees {}; {} the default.", trial.name,
                                     base::listing(facts.unseen),
                                     facts.unseen.size() == 1 ? "it keeps" : "they keep"));
    }
    if (facts.not_converged > 0) {
      warnings.push_back(fmt::format("{}: the pose of {} did not converge.", trial.name,
                                     base::counted(facts.not_converged, "frame", "frames")));
    }
    if (facts.errors.rms > 0.05) {
      warnings.push_back(
          fmt::format("{}: markers are off by {:.0f} mm (rms): the model does not have the size of "
                      "the subject, "
                      "or markers have other places or names. parfait calibrate fits it.",
                      trial.name, 1e3 * facts.errors.rms));
    }
    result.trials.push_back(std::move(facts));
  }
  run.timing.add("tables", watch.lap());
  return run;
}

}  // namespace
}  // namespace inverse_kinematics_run

InverseKinematicsRun inverse_kinematics(const InverseKinematicsRequest& request,
                                        const Callbacks& callbacks) {
  Job job(callbacks, request.threads > 0 ? std::optional(request.threads) : std::nullopt);
  InverseKinematicsRun run;
  job.run([&] { run = inverse_kinematics_run::find_poses(request, callbacks, job); });
  return run;
}

std::string report_page(const InverseKinematicsRun& run) {
  return report::poses_report(run.result, curves_of(run.tables, run.events), run.scenes,
                              report::Liveness::kLive);
}

std::filesystem::path save(InverseKinematicsRun& run, const std::filesystem::path& target) {
  return save_with_report(run, target);
}

}  // namespace parfait::run
