#include "parfait/run/motion/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/base/stop.h"
#include "parfait/io/foreign/heiman_lua.h"
#include "parfait/io/foreign/lua_model.h"
#include "parfait/io/foreign/osim.h"
#include "parfait/io/foreign/osim_writer.h"
#include "parfait/io/model/model_file.h"
#include "parfait/io/motion_files/motion_file.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/csv.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/table_scanner.h"
#include "parfait/io/text/text_file.h"
#include "parfait/motion/anthropometry/heiman.h"
#include "parfait/motion/calibration/advice.h"
#include "parfait/motion/quality/artefact.h"
#include "parfait/motion/scaling/body_scaling.h"
#include "parfait/motion/skeleton/mechanism_skeleton.h"
#include "parfait/run/fit/fit_result.h"
#include "parfait/run/job/job.h"
#include "parfait/run/job/last_files.h"
#include "parfait/run/job/origin.h"
#include "parfait/run/job/run_folder.h"
#include "parfait/run/job/stopwatch.h"
#include "parfait/run/job/version.h"
#include "parfait/run/motion/inverse_kinematics.h"
#include "parfait/run/motion/pose_scene.h"

namespace parfait::run {
namespace calibrate_run {
namespace {

using motion::component;
using motion::Vec3;

std::string cell(double x) {
  return std::isnan(x) ? "" : std::isinf(x) ? "inf" : io::number_text(x);
}

/// Height of the model's markers above its feet in the default pose: from the lowest to the
/// highest.
double height_of(const motion::Skeleton& skeleton) {
  motion::BoundGeometry bound;
  motion::bind(skeleton, motion::Geometry(skeleton), bound);
  const motion::MarkerPlan plan(skeleton);
  motion::MarkerKinematics kinematics(skeleton, plan);
  kinematics.bind(bound);
  kinematics.place(skeleton.initial_position());
  const auto& g = skeleton.tree.constants.gravity;
  const double size = std::sqrt(dot(g, g));
  double low = 1e9, high = -1e9;
  for (const auto& x : kinematics.positions()) {
    const double up = size > 0 ? -dot(x, g) / size : x.y;
    low = std::min(low, up);
    high = std::max(high, up);
  }
  return high - low;
}

/// The same of a measured frame.
double height_of(const MarkerTrialFile& trial, const motion::Skeleton& skeleton) {
  const auto& g = skeleton.tree.constants.gravity;
  const double size = std::sqrt(dot(g, g));
  std::vector<double> heights;
  for (int f = 0; f < trial.markers.num_frames; ++f) {
    double low = 1e9, high = -1e9;
    const auto y = trial.markers.frame(f);
    for (int m = 0; m < trial.markers.num_markers; ++m) {
      if (trial.markers.is_missing(f, m)) continue;
      const Vec3<double> x{y[3 * static_cast<std::size_t>(m)],
                           y[3 * static_cast<std::size_t>(m) + 1],
                           y[3 * static_cast<std::size_t>(m) + 2]};
      const double up = size > 0 ? -dot(x, g) / size : x.y;
      low = std::min(low, up);
      high = std::max(high, up);
    }
    if (high > low) heights.push_back(high - low);
  }
  if (heights.empty()) return 0;
  std::nth_element(heights.begin(),
                   heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 2),
                   heights.end());
  return heights[heights.size() / 2];
}

std::string parameters_csv(const motion::CalibrationResult& result) {
  std::vector<std::vector<std::string>> rows{{"name", "value", "sd", "low", "high", "naive_sd",
                                              "prior_mean", "prior_sd", "moved", "told_by_data"}};
  for (const auto& p : result.parameters) {
    const double none = std::nan("");
    rows.push_back({p.name, cell(p.value), cell(p.sd), cell(p.low), cell(p.high), cell(p.naive_sd),
                    cell(p.prior_sd > 0 ? p.prior_mean : none),
                    cell(p.prior_sd > 0 ? p.prior_sd : none), cell(p.moved), cell(p.told_by_data)});
  }
  return io::csv_text(rows);
}

std::string lengths_csv(const motion::CalibrationResult& result) {
  std::vector<std::vector<std::string>> rows{
      {"name", "value [m]", "sd [m]", "low [m]", "high [m]", "naive_sd [m]"}};
  for (const auto& l : result.lengths) {
    rows.push_back(
        {l.name, cell(l.value), cell(l.sd), cell(l.low), cell(l.high), cell(l.naive_sd)});
  }
  return io::csv_text(rows);
}

/// Centres of joints on the bodies that carry them, with the standard deviation of each component.
std::string centres_csv(const motion::CalibrationResult& result) {
  std::vector<std::vector<std::string>> rows{
      {"joint of", "on", "x [m]", "y [m]", "z [m]", "x.sd [m]", "y.sd [m]", "z.sd [m]"}};
  const auto& skeleton = result.model->skeleton;
  const auto np = static_cast<Eigen::Index>(result.parameters.size());
  for (int c = 0; c < skeleton.tree.num_bodies(); ++c) {
    const auto i = static_cast<std::size_t>(c);
    const int parent = skeleton.tree.bodies[i].parent;
    if (parent < 0) continue;
    const auto a = static_cast<std::size_t>(parent);
    std::vector<std::string> row{skeleton.tree.bodies[i].name, skeleton.tree.bodies[a].name};
    std::vector<std::string> deviations;
    for (int k = 0; k < 3; ++k) {
      const double place = component(result.geometry.parent_place[i], k);
      const double scale = component(result.geometry.scale[a], k);
      row.push_back(cell(place * scale));
      Eigen::VectorXd gradient = Eigen::VectorXd::Zero(np);
      for (Eigen::Index p = 0; p < np; ++p) {
        for (const auto& term : result.model->parameters[static_cast<std::size_t>(p)].terms) {
          if (term.axis != k) continue;
          if (term.kind == motion::GeometryKind::kScale && term.index == parent) {
            gradient[p] += term.factor * place;
          } else if (term.kind == motion::GeometryKind::kParentPlace && term.index == c) {
            gradient[p] += term.factor * scale;
          }
        }
      }
      deviations.push_back(
          cell(std::sqrt(std::max(0.0, gradient.dot(result.covariance * gradient)))));
    }
    row.insert(row.end(), deviations.begin(), deviations.end());
    rows.push_back(row);
  }
  return io::csv_text(rows);
}

std::string markers_csv(const motion::CalibrationResult& result) {
  std::vector<std::vector<std::string>> rows{
      {"marker", "body", "role", "x [m]", "y [m]", "z [m]", "moved [m]"}};
  const auto& skeleton = result.model->skeleton;
  for (std::size_t m = 0; m < skeleton.markers.size(); ++m) {
    const auto& marker = skeleton.markers[m];
    const auto body = static_cast<std::size_t>(marker.body);
    const auto x = motion::times(result.geometry.scale[body], result.geometry.place[m]);
    const auto d = result.geometry.place[m] - marker.place;
    rows.push_back({marker.name, skeleton.tree.bodies[body].name,
                    marker.is_anatomical ? "anatomical" : "tracking", cell(x.x), cell(x.y),
                    cell(x.z), cell(std::sqrt(dot(d, d)))});
  }
  return io::csv_text(rows);
}

std::string artefacts_csv(const result::Calibration& result) {
  std::vector<std::vector<std::string>> rows{
      {"trial", "marker", "rms [m]", "noise [m]", "lasts [s]"}};
  for (const auto& a : result.artefacts) {
    rows.push_back({a.trial, a.marker, cell(a.rms), cell(a.noise), cell(a.seconds)});
  }
  return io::csv_text(rows);
}

bool is_heiman(const CalibrateRequest& request) {
  return request.model == "heiman";
}

/// HeiMan's height and mass as the user gives them, or as a file says it.
CalibrateRequest with_subject(const CalibrateRequest& request, std::vector<std::string>& told) {
  CalibrateRequest out = request;
  if (!is_heiman(request) || (request.height > 0 && request.mass > 0)) return out;
  std::vector<std::string> files = request.statics;
  files.insert(files.end(), request.trials.begin(), request.trials.end());
  for (const auto& file : files) {
    const auto motion = io::read_motion_file(file);
    if (!motion.trial) continue;
    const auto& subject = motion.trial->subject;
    if (out.height == 0 && subject.height > 0) {
      out.height = subject.height;
      told.push_back(fmt::format("the subject is {:g} m tall: {} says so.", out.height, file));
    }
    if (out.mass == 0 && subject.mass > 0) {
      out.mass = subject.mass;
      told.push_back(fmt::format("the subject has {:g} kg: {} says so.", out.mass, file));
    }
  }
  if (out.height == 0 || out.mass == 0) {
    throw base::InputError(
        fmt::format("calibrate heiman: needs --height (m) and --mass (kg) of the subject; no file "
                    "says {}.",
                    out.height > 0 ? "the mass"
                    : out.mass > 0 ? "the height"
                                   : "them"));
  }
  return out;
}

/// HeiMan of the subject's height and mass.
io::LuaModel heiman_of(const CalibrateRequest& request) {
  motion::HeiManRequest person;
  person.height = request.height;
  person.mass = request.mass;
  return io::read_lua_model_text(io::heiman_lua_text(motion::make_heiman(person)), "heiman.lua");
}

/// What HeiMan leaves free: lengths along the segments, hips along all axes, markers.
std::vector<motion::GeometryPrior> heiman_priors() {
  return {{"joint", "Thigh", 0.03, 0},
          {"joint",
           "Shank.z Foot.z MiddleTrunk.z UpperTrunk.z Clavicula.z UpperArm.y LowerArm.z Neck.z "
           "Head.z",
           0.03, 0},
          {"joint", "*", 0, 0},
          {"turn", "*", 0, 0},
          {"marker", "*", 0.03, 0}};
}

/// The user's file with the numbers of the subject, and its name; empty for kinds of files that are
/// not written.
std::pair<std::string, std::string> model_text(const CalibrateRequest& request,
                                               const motion::CalibrationResult& found,
                                               std::vector<std::string>& told) {
  const auto& skeleton = found.model->skeleton;
  if (is_heiman(request) || request.model.ends_with(".lua")) {
    auto model = is_heiman(request) ? heiman_of(request) : io::read_lua_model(request.model);
    motion::set_geometry(model.description, skeleton, found.geometry, request.mass);
    return {"model.lua", io::lua_model_text(model)};
  }
  if (request.model.ends_with(".xml")) {
    auto description = io::read_model(request.model);
    motion::set_geometry(description, skeleton, found.geometry, request.mass);
    return {"model.xml", io::model_text(description)};
  }
  if (!request.model.ends_with(".osim")) {
    told.push_back("no model is written: only .osim, .lua and .xml are.");
    return {};
  }
  const std::string text = io::read_text_file(request.model);
  auto description = io::read_osim_text(text, request.model);
  motion::set_geometry(description, skeleton, found.geometry, request.mass);
  return {"model.osim", io::osim_text(text, request.model, description,
                                      motion::factors_of(skeleton, found.geometry), told)};
}

motion::CalibrationOptions options_of(const CalibrateRequest& request) {
  motion::CalibrationOptions options;
  options.symmetric = request.symmetric;
  options.sigma = request.sigma;
  options.max_frames = request.max_frames;
  options.free_scales = options.free_markers = options.free_joints = false;
  std::vector<std::string> free = request.free;
  if (free.empty()) free = {is_heiman(request) ? "joints" : "scales", "markers"};
  for (const std::string& what : free) {
    if (what == "scales") {
      options.free_scales = true;
    } else if (what == "markers") {
      options.free_markers = true;
    } else if (what == "joints") {
      options.free_joints = true;
    } else {
      throw base::InputError(
          fmt::format("--free {}: is not one of scales, markers, joints.", what));
    }
  }
  if (request.priors == "none") {
    options.priors = false;
  } else if (!request.priors.empty()) {
    options.own_priors = read_priors(request.priors, options.sigma);
  }
  // After the user's own, which count first. Without priors these still say what is free.
  if (is_heiman(request) && request.free.empty()) {
    const auto own = heiman_priors();
    options.own_priors.insert(options.own_priors.end(), own.begin(), own.end());
  }
  if (!(options.sigma > 0)) throw base::InputError("--sigma: must be > 0.");
  return options;
}

int every_of(const CalibrateRequest& request, const std::string& trial) {
  for (const std::string& setting : request.every) {
    const auto equals = setting.rfind('=');
    if (setting.substr(0, equals) == trial && equals != std::string::npos) {
      return std::atoi(setting.c_str() + equals + 1);
    }
  }
  return 0;
}

void check_every(const CalibrateRequest& request, const std::vector<MarkerTrialFile>& trials) {
  std::vector<std::string> names;
  names.reserve(trials.size());
  for (const auto& trial : trials) names.push_back(trial.name);
  for (const std::string& setting : request.every) {
    const auto equals = setting.rfind('=');
    const std::string name = setting.substr(0, equals);
    if (equals == std::string::npos || std::atoi(setting.c_str() + equals + 1) < 1) {
      throw base::InputError(fmt::format("--every {}: must be TRIAL=number, at least 1.", setting));
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw base::InputError(fmt::format("--every {}: there is no trial \"{}\".{}", setting, name,
                                         base::suggestion(name, names)));
    }
  }
}

void fill(const motion::CalibrationResult& found, result::Calibration& out) {
  out.rms = found.rms;
  out.marker_sd = out.sigma * std::sqrt(found.variance);
  out.iterations = found.iteration.iterations;
  out.num_undetermined = found.num_undetermined;
  out.num_by_prior = found.num_by_prior;
  out.undetermined = found.undetermined;
  for (std::size_t i = 0; found.parameters.empty() && i < found.model->parameters.size(); ++i) {
    const auto& p = found.model->parameters[i];
    auto& reached = out.parameters.emplace_back();  // interrupted: nothing is known but the value
    reached.name = p.name;
    reached.initial = p.initial;
    reached.value = found.p[static_cast<Eigen::Index>(i)];
    reached.sd = reached.naive_sd = reached.low = reached.high = std::nan("");
    reached.prior_mean = p.prior_mean;
    reached.prior_sd = p.prior_sd > 0 ? p.prior_sd : std::nan("");
    reached.moved = reached.told_by_data = std::nan("");
  }
  for (const auto& p : found.parameters) {
    out.parameters.push_back({p.name, p.value, p.initial, p.sd, p.naive_sd, p.low, p.high,
                              p.prior_mean, p.prior_sd > 0 ? p.prior_sd : std::nan(""), p.moved,
                              p.told_by_data});
  }
  for (const auto& p : found.shapes) {
    out.shapes.push_back({p.name, p.value, p.initial, p.sd, p.naive_sd, p.low, p.high, p.prior_mean,
                          p.prior_sd, p.moved, p.told_by_data});
  }
  for (const auto& l : found.lengths) {
    out.lengths.push_back({l.name, l.value, l.sd, l.naive_sd, l.low, l.high});
  }
}

}  // namespace
}  // namespace calibrate_run

std::vector<motion::GeometryPrior> read_priors(const std::string& file, double& sigma) {
  const std::string text = io::read_text_file(file);
  io::TableScanner scanner(text, file);
  const auto header = io::read_header(scanner, file);
  const std::vector<std::string> expected{"what", "name", "sd", "mean"};
  if (header.size() < 3 || !std::equal(header.begin(), header.end(), expected.begin())) {
    throw base::InputError({file, 1, 1}, "the columns must be what,name,sd and, if wanted, mean.");
  }
  std::vector<motion::GeometryPrior> out;
  for (std::vector<io::Cell> row; scanner.next_row(row);) {
    io::check_width(row, header.size());
    motion::GeometryPrior prior;
    prior.what = row[0].text;
    prior.name = row[1].text;
    prior.sd = io::cell_number(row[2], "sd", true);
    if (std::isnan(prior.sd) || prior.sd < 0) {
      throw base::InputError(row[2].place, "sd: must be a number, at least 0.");
    }
    if (header.size() > 3) {
      const double mean = io::cell_number(row[3], "mean");
      prior.mean = std::isnan(mean) ? 0 : mean;
    }
    if (prior.what == "sigma") {
      if (!(prior.sd > 0)) throw base::InputError(row[2].place, "sigma: must be > 0.");
      sigma = prior.sd;
      continue;
    }
    const auto& kinds = motion::prior_kinds();
    if (std::find(kinds.begin(), kinds.end(), prior.what) == kinds.end()) {
      throw base::InputError(row[0].place, fmt::format("\"{}\" is not one of {}, sigma.",
                                                       prior.what, base::listing(kinds)));
    }
    out.push_back(prior);
  }
  return out;
}

namespace calibrate_run {
namespace {

/// "ThighLeft=LF01,LF02" as a body and labels.
std::vector<motion::FunctionalSegment> segments_of(const CalibrateRequest& request) {
  std::vector<motion::FunctionalSegment> out;
  for (const std::string& setting : request.segments) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == setting.size()) {
      throw base::InputError(fmt::format(
          "--segment {}: must be BODY=MARKER,MARKER: a body of the model and names in the files.",
          setting));
    }
    auto& segment = out.emplace_back();
    segment.body = setting.substr(0, equals);
    for (std::size_t at = equals + 1; at <= setting.size();) {
      const auto comma = std::min(setting.find(',', at), setting.size());
      if (comma > at) segment.labels.push_back(setting.substr(at, comma - at));
      at = comma + 1;
    }
  }
  if (!out.empty() && request.functional.empty()) {
    throw base::InputError("--segment: needs --functional, a trial that moves the joints.");
  }
  return out;
}

/// Joints as functional trials show them.
std::vector<motion::FunctionalCentre> functional_centres(const CalibrateRequest& request,
                                                         const motion::Skeleton& skeleton,
                                                         std::vector<std::string>& told) {
  const auto segments = segments_of(request);
  if (request.functional.empty()) return {};
  std::vector<motion::FunctionalTrial> trials;
  for (auto& trial : read_trials(request.functional, skeleton, request.reading)) {
    told.insert(told.end(), trial.warnings.begin(), trial.warnings.end());
    trials.push_back({trial.name, std::move(trial.data)});
  }
  auto out = motion::find_functional_centres(skeleton, trials, segments, told);
  if (out.empty()) {
    told.push_back(
        "--functional: no joint is found. Both of its bodies need three markers and must move "
        "against each other; --segment BODY=MARKERS names those that the model does not have.");
  }
  return out;
}

void describe_functional(const std::vector<motion::FunctionalCentre>& centres,
                         const motion::CalibrationResult& found, result::Calibration& out) {
  const auto& skeleton = found.model->skeleton;
  for (const auto& centre : centres) {
    const auto apart = motion::apart_from(centre, skeleton, found.geometry);
    const auto& body = skeleton.tree.bodies[static_cast<std::size_t>(centre.body)];
    auto& facts = out.functional.emplace_back();
    facts.trial = centre.trial;
    facts.joint = body.name;
    facts.what = centre.is_hinge ? "axis" : "centre";
    facts.axes =
        centre.on_pelvis
            ? "forward, left, up"
            : "x, y, z of " + skeleton.tree.bodies[static_cast<std::size_t>(body.parent)].name;
    facts.apart = {apart.x(), apart.y(), apart.z()};
    facts.distance = apart.norm();
    facts.half_axis = centre.joint.half_axes()[0];
    facts.gap = centre.joint.gap;
    facts.frames = centre.joint.num_frames;
    const std::string name = "hip of " + body.name + " (functional)";
    facts.is_prior = std::any_of(found.shapes.begin(), found.shapes.end(),
                                 [&](const auto& shape) { return shape.name.starts_with(name); });
  }
}

std::string functional_csv(const result::Calibration& result) {
  std::vector<std::vector<std::string>> rows{{"joint of", "what", "trial", "distance [m]", "x [m]",
                                              "y [m]", "z [m]", "axes", "half_axis_95 [m]",
                                              "gap [m]", "prior"}};
  for (const auto& j : result.functional) {
    rows.push_back({j.joint, j.what, j.trial, cell(j.distance), cell(j.apart[0]), cell(j.apart[1]),
                    cell(j.apart[2]), j.axes, cell(j.half_axis), cell(j.gap),
                    j.is_prior ? "yes" : "no"});
  }
  return io::csv_text(rows);
}

CalibrateRun find_geometry(const CalibrateRequest& asked, const Callbacks& callbacks, Job& job) {
  Stopwatch watch;
  if (!asked.out.empty()) check_replaceable(asked.out);
  std::vector<std::string> told_first;
  const CalibrateRequest request = with_subject(asked, told_first);
  const motion::Skeleton skeleton = is_heiman(request)
                                        ? motion::make_skeleton(heiman_of(request).description)
                                        : read_skeleton(request.model);
  const auto weights = marker_weights(skeleton, request.tasks, request.weights);
  motion::CalibrationOptions options = options_of(request);
  options.poses.stop = &job.stop();
  std::vector<std::string> files = request.trials;
  files.insert(files.end(), request.statics.begin(), request.statics.end());
  const auto trials = read_trials(files, skeleton, request.reading);
  check_every(request, trials);
  options.functional = functional_centres(request, skeleton, told_first);
  CalibrateRun run;
  auto& result = run.result;
  result.verdict = {version(), "converged", false, "", {}};
  std::vector<NamedFile> read = {
      {"model", request.model}, {"priors", request.priors}, {"tasks", request.tasks}};
  for (const auto& file : files) read.emplace_back("trial", file);
  for (const auto& file : request.functional) read.emplace_back("functional trial", file);
  if (request.reading.names != "guess") read.emplace_back("names", request.reading.names);
  result.verdict.origin = {request.arguments, hashed_files(read)};
  auto& warnings = result.verdict.warnings;
  warnings = told_first;
  result.model = request.model;
  result.sigma = options.sigma;

  // How much larger the subject is than the model: by their heights, or by those of their markers.
  if (is_heiman(request)) {
    options.scale_mean = 1;
  } else if (request.height > 0) {
    if (!(request.model_height > 0)) {
      throw base::InputError("--height: needs --model-height, which no model file tells.");
    }
    options.scale_mean = request.height / request.model_height;
  } else if (!request.statics.empty()) {
    const double model = height_of(skeleton);
    const double subject = height_of(trials[request.trials.size()], skeleton);
    const double ratio = model > 0 ? subject / model : 0;
    if (ratio > 0.5 && ratio < 2) options.scale_mean = ratio;
  }
  std::vector<motion::CalibrationTrial> data;
  for (const auto& trial : trials) {
    data.push_back({trial.name, trial.markers, trial.data.t, every_of(request, trial.name)});
    warnings.insert(warnings.end(), trial.warnings.begin(), trial.warnings.end());
    if (!trial.axes.empty() && request.reading.axes.empty()) {
      warnings.push_back(fmt::format("{}: axes of the file became {} of the model's ({}).",
                                     trial.name, trial.axes, trial.axes_reason));
    }
  }
  run.timing.add("read", watch.lap());
  job.everything_is_read();
  const std::vector<std::string> no_names;
  const motion::CalibrationResult found = motion::calibrate(
      skeleton, data, weights, options, [&](const estimate::Iteration& iteration, estimate::VecIn) {
        if (callbacks.on_iteration) {
          const IterationRecord record{iteration_of(iteration), no_names, {}};
          job.tell([&] { callbacks.on_iteration(record); });
        }
        return !job.stopped();
      });
  run.timing.add("calibration", watch.lap());
  motion::CalibrationAdvice advice;
  if (!job.stopped()) advice = motion::advise(found, data, weights, options);
  for (const auto& adds : advice.adds) {
    result.adds.push_back({adds.trial, adds.length, adds.sd, adds.sd_without});
  }
  for (const auto& further : advice.further) {
    result.further.push_back({further.coordinates, further.low, further.high, further.length,
                              further.sd, further.promised_sd});
  }
  run.timing.add("advice", watch.lap());
  result.verdict.message = found.iteration.message;
  if (!found.iteration.converged()) {
    result.verdict.status = "not_converged";
    result.verdict.partial = true;
    warnings.push_back(fmt::format(
        "not converged: {}. Numbers still move, mostly along what the markers do not tell (below). "
        "More markers in common with the model, more different motion or narrower priors help.",
        found.iteration.message));
  }
  fill(found, result);
  describe_functional(options.functional, found, result);
  if (!result.functional.empty()) {
    run.tables.emplace_back("functional_joints.csv", functional_csv(result));
  }
  run.tables.emplace_back("parameters.csv", parameters_csv(found));
  run.tables.emplace_back("lengths.csv", lengths_csv(found));
  run.tables.emplace_back("joint_centres.csv", centres_csv(found));
  run.tables.emplace_back("marker_places.csv", markers_csv(found));

  const auto interrupted = [&] {
    result.verdict.status = result.verdict.message = "interrupted";
    result.verdict.partial = true;
    return run;
  };
  if (job.stopped()) return interrupted();

  // Poses of all frames, with the model as it was and as it is.
  motion::BoundGeometry before, after;
  motion::bind(skeleton, motion::Geometry(skeleton), before);
  motion::bind(skeleton, found.geometry, after);
  run.scenes.scenes.push_back(skeleton_scene(skeleton, found.geometry, request.model));
  for (std::size_t t = 0; t < trials.size(); ++t) {
    const auto& trial = trials[t];
    motion::PoseOptions pose_options;
    pose_options.stop = &job.stop();
    const auto old_poses =
        motion::solve_poses(skeleton, before, trial.markers, weights, pose_options);
    const auto poses = motion::solve_poses(
        skeleton, after, trial.markers, weights, pose_options, {},
        t < found.poses.size() ? found.poses[t] : std::vector<motion::KnownPose>{});
    const std::size_t num_tables = run.tables.size();
    result::TrialPoseFacts facts;
    std::vector<motion::MarkerArtefact> artefacts;
    try {  // a trial counts once everything is said about it
      const base::StopScope describing(job.stop());
      base::leave_if_stopped();
      auto motion = pose_motion(skeleton, found.geometry, trial, poses);
      auto events = walking_events(skeleton, trial, poses);
      facts = describe_poses(skeleton, trial, poses, weights, request.degrees, run.tables);
      artefacts = motion::marker_artefacts(trial.markers, poses, trial.data.t);
      run.scenes.motions.push_back(std::move(motion));
      run.events.push_back(std::move(events));
    } catch (const base::Stopped&) {
      run.tables.resize(num_tables);
      return interrupted();
    }
    result::CalibrationTrialFacts& out = result.trials.emplace_back();
    out.trial = trial.name;
    out.file = trial.file;
    out.markers = static_cast<int>(trial.markers.on_both.size());
    out.only_model = trial.markers.only_model;
    out.only_data = trial.markers.only_data;
    out.all_frames = trial.markers.num_frames;
    out.rms_all = facts.errors.rms;
    out.start_rms = motion::marker_errors(trial.markers, old_poses).rms;
    if (t < found.trials.size()) {
      const auto& correlation = found.trials[t];
      out.frames = correlation.num_frames;
      out.rms = correlation.rms;
      out.lag_one = correlation.lag_one;
      out.inflation = correlation.inflation;
      out.effective_frames = correlation.effective_frames;
      out.seconds = correlation.seconds;
      out.by_blocks = correlation.by_blocks;
    }
    for (const auto& artefact : artefacts) {
      result.artefacts.push_back({trial.name,
                                  skeleton.markers[static_cast<std::size_t>(artefact.marker)].name,
                                  artefact.rms, artefact.noise, artefact.seconds});
    }
    if (!facts.unseen.empty() && t == 0) {
      warnings.push_back("no marker sees " + base::listing(facts.unseen) + ".");
    }
  }
  run.tables.emplace_back("marker_artefacts.csv", artefacts_csv(result));
  run.timing.add("poses", watch.lap());
  std::vector<std::string> told;
  auto [name, text] = model_text(request, found, told);
  const std::string of_file = name.empty() ? "" : name + ": ";
  for (const auto& words : told) warnings.push_back(of_file + words);
  if (!text.empty()) run.tables.emplace_back(name, std::move(text));
  run.timing.add("tables", watch.lap());
  return run;
}

}  // namespace
}  // namespace calibrate_run

CalibrateRun calibrate(const CalibrateRequest& request, const Callbacks& callbacks) {
  Job job(callbacks, request.threads > 0 ? std::optional(request.threads) : std::nullopt);
  CalibrateRun run;
  job.run([&] { run = calibrate_run::find_geometry(request, callbacks, job); });
  return run;
}

std::string report_page(const CalibrateRun& run) {
  return report::calibration_report(run.result, curves_of(run.tables, run.events), run.scenes,
                                    report::Liveness::kLive);
}

std::filesystem::path save(CalibrateRun& run, const std::filesystem::path& target) {
  return save_with_report(run, target);
}

}  // namespace parfait::run
