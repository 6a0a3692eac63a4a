#include "parfait/run/motion/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/io/foreign/osim.h"
#include "parfait/io/foreign/osim_scale_setup.h"
#include "parfait/io/foreign/osim_writer.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/csv.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/text_file.h"
#include "parfait/motion/scaling/body_scaling.h"
#include "parfait/motion/scaling/static_trial.h"
#include "parfait/motion/skeleton/mechanism_skeleton.h"
#include "parfait/run/job/job.h"
#include "parfait/run/job/last_files.h"
#include "parfait/run/job/run_folder.h"
#include "parfait/run/job/stopwatch.h"
#include "parfait/run/job/version.h"

namespace parfait::run {
namespace scale_run {
namespace {

using io::OsimScaleSetup;
using motion::ScaleFactors;

/// Whether the model has the body; one that it does not have is told, as setups are made for
/// several models.
bool has_body(const mechanism::Description& model, const std::string& body,
              const base::Place& place, std::vector<std::string>& warnings) {
  std::vector<std::string> ids;
  for (const auto& each : model.bodies) ids.push_back(each.id);
  if (std::find(ids.begin(), ids.end(), body) != ids.end()) return true;
  warnings.push_back(fmt::format("{}: the model has no body \"{}\".{}", place.text(), body,
                                 base::suggestion(body, ids)));
  return false;
}

int marker_of(const motion::Skeleton& skeleton, const std::string& name, const base::Place& place) {
  const int found = skeleton.find_marker(name);
  if (found >= 0) return found;
  std::vector<std::string> names;
  for (const auto& marker : skeleton.markers) names.push_back(marker.name);
  throw base::InputError(
      place, fmt::format("the model has no marker \"{}\".{}", name, base::suggestion(name, names)));
}

int label_of(const motion::MarkerData& data, const std::string& name, const std::string& file,
             const base::Place& place) {
  const auto found = std::find(data.labels.begin(), data.labels.end(), name);
  if (found != data.labels.end()) return static_cast<int>(found - data.labels.begin());
  throw base::InputError(place, fmt::format("\"{}\" has no marker \"{}\".{}", file, name,
                                            base::suggestion(name, data.labels)));
}

motion::FrameRange frames_of(const std::vector<double>& t,
                             const std::optional<OsimScaleSetup::Window>& window) {
  if (!window) return {0, static_cast<int>(t.size()) - 1};
  return motion::frames_between(t, window->start, window->end);
}

ScaleFactors measured_factors(const OsimScaleSetup& setup, const mechanism::Description& model,
                              const motion::Skeleton& skeleton, const TrialReading& reading,
                              std::vector<result::ScalingMeasurement>& out,
                              std::vector<std::string>& warnings) {
  ScaleFactors factors;
  if (setup.measurements.empty()) return factors;
  if (setup.scaling_trial.empty()) {
    throw base::InputError("the setup has measurements, but names no trial: --static gives one.");
  }
  const auto trial = read_trials({setup.scaling_trial.string()}, skeleton, reading).front();
  warnings.insert(warnings.end(), trial.warnings.begin(), trial.warnings.end());
  const auto frames = frames_of(trial.data.t, setup.scaling_window);
  for (const auto& measurement : setup.measurements) {
    auto& told = out.emplace_back();
    told.name = measurement.name;
    double sum = 0;
    for (const auto& pair : measurement.pairs) {
      const int a = marker_of(skeleton, pair.a, pair.place),
                b = marker_of(skeleton, pair.b, pair.place);
      const double model_length = motion::model_distance(skeleton, a, b);
      const double measured =
          motion::mean_distance(trial.data, label_of(trial.data, pair.a, trial.file, pair.place),
                                label_of(trial.data, pair.b, trial.file, pair.place), frames);
      if (std::isnan(measured) || !(model_length > 0)) {
        throw base::InputError(pair.place,
                               fmt::format("{} and {} are never both measured in this time, or lie "
                                           "in one place on the model.",
                                           pair.a, pair.b));
      }
      told.pairs.push_back({pair.a, pair.b, model_length, measured});
      sum += measured / model_length;
    }
    told.factor = sum / static_cast<double>(measurement.pairs.size());
    for (const auto& target : measurement.bodies) {
      if (!has_body(model, target.body, target.place, warnings)) continue;
      auto& s = factors.try_emplace(target.body, std::array<double, 3>{1, 1, 1}).first->second;
      for (std::size_t k = 0; k < 3; ++k) {
        if (target.axes[k]) s[k] = told.factor;
      }
    }
  }
  return factors;
}

motion::PoseOptions goals_of(const OsimScaleSetup& setup, const motion::Skeleton& skeleton,
                             double marker_weight) {
  motion::PoseOptions options;
  options.goals.resize(skeleton.coordinates.size());
  std::vector<std::string> names;
  for (const auto& c : skeleton.coordinates) names.push_back(c.name);
  for (const auto& task : setup.coordinate_tasks) {
    const int c = skeleton.find_coordinate(task.coordinate);
    if (c < 0) {
      const bool follows = std::any_of(skeleton.followers.begin(), skeleton.followers.end(),
                                       [&](const auto& f) { return f.name == task.coordinate; });
      if (follows) continue;
      throw base::InputError(task.place,
                             fmt::format("the model has no coordinate \"{}\".{}", task.coordinate,
                                         base::suggestion(task.coordinate, names)));
    }
    const auto j = static_cast<std::size_t>(c);
    options.goals[j] = {task.weight * marker_weight,
                        task.value.value_or(skeleton.coordinates[j].initial)};
  }
  return options;
}

/// The static pose, and markers where it sees them.
void place_markers(const OsimScaleSetup& setup, const TrialReading& reading,
                   mechanism::Description& model, ScaleRun& run) {
  auto& result = run.result;
  const motion::Skeleton skeleton = motion::make_skeleton(model);
  if (setup.static_trial.empty()) {
    throw base::InputError("the setup places markers, but names no trial: --static gives one.");
  }
  const auto trial = read_trials({setup.static_trial.string()}, skeleton, reading).front();
  result.trial = trial.file;
  const auto mean = motion::mean_frame(trial.markers, frames_of(trial.data.t, setup.static_window));
  std::vector<double> weights(skeleton.markers.size(), 0.0);
  for (const auto& task : setup.marker_tasks) {
    // OpenSim's tasks may name markers that the model does not have.
    const int m = skeleton.find_marker(task.marker);
    if (m < 0) {
      result.verdict.warnings.push_back(
          fmt::format("{}: the model has no marker \"{}\".", task.place.text(), task.marker));
      continue;
    }
    weights[static_cast<std::size_t>(m)] = task.weight;
  }
  double sum = 0;
  for (std::size_t m = 0; m < weights.size(); ++m) {
    if (!mean.is_missing(0, static_cast<int>(m))) sum += weights[m];
  }
  if (!(sum > 0)) throw base::InputError("no marker of the static trial has a weight.");
  motion::BoundGeometry geometry;
  motion::bind(skeleton, motion::Geometry(skeleton), geometry);
  const auto poses =
      motion::solve_poses(skeleton, geometry, mean, weights, goals_of(setup, skeleton, sum));
  if (!poses.converged[0]) {
    result.verdict.status = "not_converged";
    result.verdict.partial = true;
    result.verdict.warnings.emplace_back("the static pose did not converge.");
  }
  std::vector<char> used(weights.size());
  for (std::size_t m = 0; m < weights.size(); ++m) used[m] = weights[m] > 0;
  const auto errors = motion::marker_errors(mean, poses, used);
  result.static_rms = errors.rms;
  result.static_max = errors.max;
  const auto places = motion::places_in_pose(skeleton, poses.q, mean);
  run.tables.emplace_back("static.mot", motion_text(skeleton, poses, {0.0}, "static"));
  for (auto& marker : model.skin_markers) {
    const int m = skeleton.find_marker(marker.name);
    if (m < 0) continue;
    const auto i = static_cast<std::size_t>(m);
    const std::array<double, 3> place{places[i].x, places[i].y, places[i].z};
    double moved = 0;
    if (!marker.fixed && !mean.is_missing(0, m)) {
      for (std::size_t k = 0; k < 3; ++k) {
        moved += (place[k] - marker.o[k]) * (place[k] - marker.o[k]);
      }
      marker.o = place;
    }
    result.markers.push_back({marker.name, marker.body, marker.fixed,
                              motion::marker_error(mean, poses, 0, m), std::sqrt(moved),
                              weights[i]});
  }
}

std::string cell(double x) {
  return std::isnan(x) ? "" : io::number_text(x);
}

void add_tables(const mechanism::Description& model, ScaleRun& run) {
  std::vector<std::vector<std::string>> bodies{
      {"body", "x", "y", "z", "mass_before [kg]", "mass [kg]"}};
  for (const auto& body : run.result.bodies) {
    bodies.push_back({body.body, cell(body.factors[0]), cell(body.factors[1]),
                      cell(body.factors[2]), cell(body.mass_before), cell(body.mass)});
  }
  run.tables.emplace_back("factors.csv", io::csv_text(bodies));
  if (run.result.markers.empty()) return;
  std::vector<std::vector<std::string>> markers{
      {"marker", "body", "x [m]", "y [m]", "z [m]", "moved [m]", "error [m]", "weight", "fixed"}};
  for (const auto& marker : run.result.markers) {
    const auto found = std::find_if(model.skin_markers.begin(), model.skin_markers.end(),
                                    [&](const auto& each) { return each.name == marker.marker; });
    markers.push_back({marker.marker, marker.body, cell(found->o[0]), cell(found->o[1]),
                       cell(found->o[2]), cell(marker.moved), cell(marker.error),
                       cell(marker.weight), marker.fixed ? "yes" : "no"});
  }
  run.tables.emplace_back("marker_places.csv", io::csv_text(markers));
}

ScaleRun scale_model(const ScaleRequest& request, const Job& job) {
  Stopwatch watch;
  if (!request.out.empty()) check_replaceable(request.out);
  io::OsimScaleSetup setup = io::read_osim_scale_setup(request.setup);
  if (!request.model.empty()) setup.model = request.model;
  if (!request.trial.empty()) setup.scaling_trial = setup.static_trial = request.trial;
  if (request.mass > 0) setup.mass = request.mass;
  if (setup.model.empty()) {
    throw base::InputError({request.setup, 0, 0}, "names no <model_file>: --model gives one.");
  }
  ScaleRun run;
  auto& result = run.result;
  result.verdict = {version(), "done", false, "done", setup.left_out};
  result.setup = request.setup;
  result.model = setup.model.string();
  result.as_opensim = request.as_opensim;
  result.static_rms = result.static_max = std::nan("");
  std::string text = io::read_text_file(setup.model);
  if (!setup.markers.empty()) {
    text = io::with_markers(text, result.model, io::read_osim_marker_set(setup.markers));
  }
  mechanism::Description model = io::read_osim_text(text, result.model);
  const motion::Skeleton skeleton = motion::make_skeleton(model);
  run.timing.add("read", watch.lap());
  const auto interrupted = [&] {
    if (!job.stopped()) return false;
    result.verdict.status = result.verdict.message = "interrupted";
    return result.verdict.partial = true;
  };
  if (interrupted()) return run;

  motion::ScaleFactors factors;
  for (const auto& how : setup.scales ? setup.order : std::vector<std::string>{}) {
    if (how == "measurements") {
      for (const auto& [body, s] : measured_factors(setup, model, skeleton, request.reading,
                                                    result.measurements, result.verdict.warnings)) {
        factors[body] = s;
      }
    } else {
      for (const auto& each : setup.manual) {
        if (has_body(model, each.body, each.place, result.verdict.warnings)) {
          factors[each.body] = each.factors;
        }
      }
    }
  }
  const auto rule =
      request.as_opensim ? motion::ScalingRule::kOpenSim : motion::ScalingRule::kExact;
  result.mass_before = motion::total_mass(model);
  std::vector<double> masses;
  for (const auto& body : model.bodies) masses.push_back(body.mass.number);
  motion::scale_geometry(model, factors, rule);
  motion::scale_masses(model, factors, {setup.mass, setup.keeps_mass_distribution, rule});
  result.mass = motion::total_mass(model);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const auto& body = model.bodies[b];
    const auto found = factors.find(body.id);
    std::vector<double> s{1, 1, 1};
    if (found != factors.end()) s.assign(found->second.begin(), found->second.end());
    result.bodies.push_back({body.id, s, masses[b], body.mass.number});
  }
  run.timing.add("scaling", watch.lap());
  if (interrupted()) return run;
  if (setup.places_markers) place_markers(setup, request.reading, model, run);
  run.timing.add("markers", watch.lap());
  if (interrupted()) return run;
  std::vector<std::string> told;
  run.tables.emplace_back("model.osim", io::osim_text(text, result.model, model, factors, told));
  for (const auto& words : told) result.verdict.warnings.push_back("model.osim: " + words);
  add_tables(model, run);
  run.timing.add("tables", watch.lap());
  return run;
}

}  // namespace
}  // namespace scale_run

ScaleRun scale(const ScaleRequest& request, const Callbacks& callbacks) {
  Job job(callbacks);
  ScaleRun run;
  job.run([&] { run = scale_run::scale_model(request, job); });
  return run;
}

std::filesystem::path save(ScaleRun& run, const std::filesystem::path& target) {
  Stopwatch watch;
  RunFolder folder(target);
  for (const auto& [name, text] : run.tables) folder.write(name, text);
  return write_last_files(folder, run, watch);
}

}  // namespace parfait::run
