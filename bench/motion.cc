#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <map>
#include <random>

#include "parfait/base/error.h"
#include "parfait/motion/anthropometry/heiman.h"
#include "parfait/motion/calibration/advice.h"
#include "parfait/motion/calibration/calibration.h"
#include "parfait/motion/skeleton/mechanism_skeleton.h"
#include "parfait/run/motion/joints.h"
#include "parfait/run/motion/motion_inputs.h"

// What docs/motion.md says about poses and calibration on a subject's measured trials:
//
//   bench_motion FOLDER [poses] [calibration] [truth] [truth_frames] [artefact] [labels]
//                [gaps] [adds] [heiman C3D] [hip C3D]
//
// `heiman` takes the demo trial of Puppeteer, `hip` a functional trial of a left hip (BTKData).
// FOLDER has Models/optimized_scale_and_markers.osim, Models/unscaled_generic.osim and
// MarkerData/{walking1,STS1,static1}.trc (Subject4 of AddBiomechanics, in the test data of
// nimblephysics). Without further words everything but those that take minutes (`truth`,
// `truth_frames`, `artefact`) or other files.
namespace {

using namespace parfait;  // NOLINT(google-build-using-namespace): a program
using Eigen::Index;
using Eigen::VectorXd;
using motion::CalibrationOptions;
using motion::CalibrationTrial;
using motion::Geometry;
using motion::Skeleton;

struct Clock {
  std::chrono::steady_clock::time_point wall = std::chrono::steady_clock::now();
  std::clock_t cpu = std::clock();
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  }
  double cpu_seconds() const { return static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC; }
};

int num_missed = 0;

void told(const std::string& what, double value, double low, double high, const char* unit) {
  const bool met = value >= low && value <= high;
  num_missed += !met;
  fmt::print("  {:<58}{:>12.4f} {:<8}{:>10g} ... {:<10g}{}\n", what, value, unit, low, high,
             met ? "" : "MISSED");
}

struct Data {
  explicit Data(const std::filesystem::path& folder)
      : optimized(
            run::read_skeleton((folder / "Models/optimized_scale_and_markers.osim").string())),
        generic(run::read_skeleton((folder / "Models/unscaled_generic.osim").string())) {
    for (const char* name : {"walking1", "STS1", "static1"}) {
      files.push_back((folder / "MarkerData" / (std::string(name) + ".trc")).string());
    }
  }
  std::vector<run::MarkerTrialFile> trials(const Skeleton& skeleton, bool relabel) const {
    run::TrialReading reading;
    reading.relabel = relabel;
    return run::read_trials(files, skeleton, reading);
  }

  Skeleton optimized, generic;
  std::vector<std::string> files;
};

std::vector<double> ones(const Skeleton& skeleton) {
  return std::vector<double>(skeleton.markers.size(), 1.0);
}

void poses(const Data& data) {
  fmt::print("poses of the model of AddBiomechanics\n");
  const auto trials = data.trials(data.optimized, false);
  motion::BoundGeometry geometry;
  motion::bind(data.optimized, Geometry(data.optimized), geometry);
  const double expected[3] = {10.336, 9.824, 12.803}, unlimited[3] = {10.240, 9.824, 12.737};
  for (std::size_t t = 0; t < 3; ++t) {
    for (const bool limits : {true, false}) {
      motion::PoseOptions options;
      options.limits = limits;
      const Clock clock;
      const auto found = motion::solve_poses(data.optimized, geometry, trials[t].markers,
                                             ones(data.optimized), options);
      const double cpu = clock.cpu_seconds();
      const auto errors = motion::marker_errors(trials[t].markers, found);
      const double rms = limits ? expected[t] : unlimited[t];
      told(trials[t].name + (limits ? "" : ", limits off") + ": rms", 1e3 * errors.rms, rms - 0.005,
           rms + 0.005, "mm");
      if (!limits) continue;
      double iterations = 0;
      for (const int n : found.iterations) iterations += n;
      told(trials[t].name + ": iterations per frame", iterations / found.num_frames, 0, 8, "");
      told(trials[t].name + ": time per frame and core", 1e6 * cpu / found.num_frames, 0, 200,
           "us");
      double outside = 0;
      for (int f = 0; f < found.num_frames; ++f) {
        for (const auto& c : data.optimized.coordinates) {
          if (c.q < 0 || c.upper - c.lower > 6.28) continue;
          const double q = found.pose(f, data.optimized.tree.nq)[static_cast<std::size_t>(c.q)];
          outside = std::max({outside, c.lower - q, q - c.upper});
        }
      }
      told(trials[t].name + ": outside of limits", outside, 0, 1e-9, "rad");
    }
  }
}

CalibrationOptions priors_of_the_example() {
  CalibrationOptions options;
  options.own_priors = {{"scale", "ulna radius", 0.1, 1}};
  return options;
}

std::vector<CalibrationTrial> calibration_trials(const std::vector<run::MarkerTrialFile>& trials,
                                                 const std::array<int, 3>& every) {
  std::vector<CalibrationTrial> out;
  for (std::size_t t = 0; t < 3; ++t) {
    out.push_back({trials[t].name, trials[t].markers, trials[t].data.t, every[t]});
  }
  return out;
}

double hip_distance(const Data& data, const motion::CalibrationResult& result,
                    const std::vector<run::MarkerTrialFile>& trials, const char* marker,
                    const char* femur) {
  motion::BoundGeometry bound;
  motion::bind(data.generic, result.geometry, bound);
  const motion::MarkerPlan plan(data.generic);
  motion::MarkerKinematics kinematics(data.generic, plan);
  kinematics.bind(bound);
  const int m = data.generic.find_marker(marker), body = data.generic.find_body(femur);
  double sum = 0;
  int count = 0;
  for (std::size_t t = 0; t < trials.size(); ++t) {
    const auto found =
        motion::solve_poses(data.generic, bound, trials[t].markers, ones(data.generic), {});
    for (const int f : result.frames[t]) {
      if (trials[t].markers.is_missing(f, m)) continue;
      kinematics.place(found.pose(f, data.generic.tree.nq));
      const double* y = trials[t].markers.frame(f).data() + 3 * static_cast<std::size_t>(m);
      const auto d = kinematics.frame(body).p - math::Vec3<double>{y[0], y[1], y[2]};
      sum += std::sqrt(dot(d, d));
      ++count;
    }
  }
  return sum / count;
}

void calibration(const Data& data) {
  fmt::print("calibration of the generic model\n");
  const auto trials = data.trials(data.generic, true);
  const auto run = [&](const CalibrationOptions& options, const std::array<int, 3>& every) {
    return motion::calibrate(data.generic, calibration_trials(trials, every), ones(data.generic),
                             options);
  };
  const auto all_frames = [&](const motion::CalibrationResult& result,
                              const std::array<double, 3>& limit, const std::string& what) {
    motion::BoundGeometry bound;
    motion::bind(data.generic, result.geometry, bound);
    for (std::size_t t = 0; t < 3; ++t) {
      const auto found =
          motion::solve_poses(data.generic, bound, trials[t].markers, ones(data.generic), {});
      told(what + trials[t].name + ", all frames: rms",
           1e3 * motion::marker_errors(trials[t].markers, found).rms, 0, limit[t], "mm");
    }
  };
  {
    const Clock clock;
    const auto result = run(priors_of_the_example(), {5, 50, 170});
    told("59 frames: time of two cores", 0.5 * clock.cpu_seconds(), 0, 0.1, "s");
    told("59 frames: iterations", result.iteration.iterations, 0, 15, "");
    told("fit: rms", 1e3 * result.rms, 0, 5.8, "mm");
    all_frames(result, {5.6, 6.2, 5.3}, "");
    double moved = 0;
    int count = 0;
    for (std::size_t m = 0; m < data.generic.markers.size(); ++m) {
      if (!data.generic.markers[m].is_anatomical) continue;
      const auto d = result.geometry.place[m] - data.generic.markers[m].place;
      moved += dot(d, d);
      ++count;
    }
    told("anatomical markers moved: rms", 1e3 * std::sqrt(moved / count), 0, 17, "mm");
    told("right hip centre to the lab's",
         1e3 * hip_distance(data, result, trials, "R_HJC", "femur_r"), 0, 12, "mm");
    told("left hip centre to the lab's",
         1e3 * hip_distance(data, result, trials, "L_HJC", "femur_l"), 0, 12, "mm");
    told("directions that markers do not tell", result.num_undetermined, 12, 12, "");
    for (const auto& length : result.lengths) {
      fmt::print("    {:<40}{:>8.1f} mm, sd {:.1f} (naive {:.1f})\n", length.name,
                 1e3 * length.value, 1e3 * length.sd, 1e3 * length.naive_sd);
    }
  }
  {
    CalibrationOptions scales;
    scales.own_priors = {
        {"scale", "ulna radius", 0.3, 1}, {"scale", "*", 0.3, 1}, {"marker", "anatomical", 0, 0}};
    all_frames(run(scales, {5, 50, 170}), {9, 9, 9}, "scales only: ");
  }
  {
    const Clock clock;
    const auto result = run(priors_of_the_example(), {1, 2, 3});
    fmt::print("  {} frames: {:.2f} s, {:.2f} s of processors\n",
               result.frames[0].size() + result.frames[1].size() + result.frames[2].size(),
               clock.seconds(), clock.cpu_seconds());
    told("1004 frames x 171 parameters: time of two cores", 0.5 * clock.cpu_seconds(), 0, 2, "s");
    told("1004 frames x 171 parameters: iterations", result.iteration.iterations, 0, 15, "");
    for (const auto& trial : result.trials) {
      fmt::print("    {:<10} {:>4} frames are worth {:.1f} ({:.2f} s each), lag one {:.3f}\n",
                 trial.trial, trial.num_frames, trial.effective_frames, trial.seconds,
                 trial.lag_one);
    }
  }
}

/// Poses of the measured walk and of standing up, for synthetic truth.
std::vector<std::vector<double>> true_poses(const Data& data, bool all_of_the_walk,
                                            int offset = 0) {
  const auto trials = data.trials(data.optimized, true);
  motion::BoundGeometry bound;
  motion::bind(data.optimized, Geometry(data.optimized), bound);
  std::vector<std::vector<double>> out;
  for (std::size_t t = 0; t < 2; ++t) {
    const auto found =
        motion::solve_poses(data.optimized, bound, trials[t].markers, ones(data.optimized), {});
    const int every = all_of_the_walk ? 1 : t == 0 ? 15 : 140;
    for (int f = every * offset / 8; f < found.num_frames; f += every) {
      const auto q = found.pose(f, data.optimized.tree.nq);
      out.emplace_back(q.begin(), q.end());
    }
    if (all_of_the_walk) break;
  }
  return out;
}

/// Coverage of 95 % intervals of lengths over replicates: artefact (m) with correlation time tau
/// (frames); 0: white noise.
void coverage(const Data& data, double sigma, double tau, int replicates, int offset = 0) {
  const auto poses = true_poses(data, tau > 0, offset);
  CalibrationOptions options;
  options.sigma = sigma;
  options.scale_sd = 0.05;
  options.tracking_sd = 0.02;
  options.own_priors = {{"scale", "ulna radius", 0.05, 1}};
  const auto parameters = motion::make_parameters(data.generic, options);
  const Skeleton& skeleton = data.generic;
  const std::vector<std::string> names{"pelvis (femur_r to femur_l)", "femur_r (to tibia_r)",
                                       "tibia_r (to talus_r)", "torso (humerus_r to humerus_l)",
                                       "humerus_r (to ulna_r)"};
  std::vector<double> squares(names.size()), sd(names.size());
  int covered = 0, naive = 0, count = 0, iterations = 0;
  for (int k = 0; k < replicates; ++k) {
    std::mt19937 random(static_cast<unsigned>(1000 + k));
    std::normal_distribution<double> normal;
    VectorXd p(static_cast<Index>(parameters.size()));
    for (Index i = 0; i < p.size(); ++i) {
      const auto& parameter = parameters[static_cast<std::size_t>(i)];
      p[i] = parameter.prior_mean + parameter.prior_sd * normal(random);
    }
    const Geometry truth = motion::geometry_at(skeleton, parameters, p);
    motion::BoundGeometry bound;
    motion::bind(skeleton, truth, bound);
    const motion::MarkerPlan plan(skeleton);
    motion::MarkerKinematics kinematics(skeleton, plan);
    kinematics.bind(bound);
    motion::MarkerData measured;
    for (const auto& marker : skeleton.markers) measured.labels.push_back(marker.name);
    const double keep = tau > 0 ? std::exp(-1 / tau) : 0;
    std::vector<double> state(3 * skeleton.markers.size());
    for (std::size_t f = 0; f < poses.size(); ++f) {
      measured.t.push_back(0.01 * static_cast<double>(f));
      kinematics.place(poses[f]);
      std::size_t i = 0;
      for (const auto& x : kinematics.positions()) {
        for (const double value : {x.x, x.y, x.z}) {
          double& e = state[i++];
          e = f == 0 ? normal(random) : keep * e + std::sqrt(1 - keep * keep) * normal(random);
          measured.xyz.push_back(value + sigma * e);
        }
      }
    }
    const auto result = motion::calibrate(
        skeleton, {{"truth", motion::match_markers(skeleton, measured), measured.t, 1}},
        ones(skeleton), options);
    iterations += result.iteration.iterations;
    const auto lengths = motion::geometry_lengths(*result.model, truth);
    for (std::size_t l = 0; l < lengths.size(); ++l) {
      const auto at = std::find(names.begin(), names.end(), lengths[l].name);
      if (at == names.end()) continue;
      const auto n = static_cast<std::size_t>(at - names.begin());
      const double error = result.lengths[l].value - lengths[l].value;
      squares[n] += error * error;
      sd[n] += result.lengths[l].sd;
      ++count;
      covered += std::abs(error) < 1.959964 * result.lengths[l].sd;
      naive += std::abs(error) < 1.959964 * result.lengths[l].naive_sd;
    }
  }
  const double share = static_cast<double>(covered) / count;
  if (tau > 0) {
    told("coverage of 95 % intervals", share, 0.90, 0.97, "");
    told("coverage of naive intervals", static_cast<double>(naive) / count, 0, 0.6, "");
  } else {
    told("coverage of 95 % intervals", share, 0.93, 0.97, "");
    told("iterations", static_cast<double>(iterations) / replicates, 0, 12, "");
  }
  const double limit[] = {3, 0.8, 1.8, 100, 100};
  for (std::size_t n = 0; n < names.size(); ++n) {
    fmt::print("    {:<36} rms error {:.2f} mm\n", names[n],
               1e3 * std::sqrt(squares[n] / replicates));
    if (tau == 0) told(names[n] + ": mean sd", 1e3 * sd[n] / replicates, 0, limit[n], "mm");
  }
}

/// What one trial adds to another, and whether a promise is kept.
void adds(const Data& data) {
  fmt::print("what trials add\n");
  const auto trials = data.trials(data.generic, true);
  const auto all = calibration_trials(trials, {5, 50, 170});
  const auto options = priors_of_the_example();
  const auto sd = [&](const motion::CalibrationResult& result, const std::string& name) {
    for (const auto& length : result.lengths) {
      if (length.name == name) return 1e3 * length.sd;
    }
    return std::nan("");
  };
  const auto walk = motion::calibrate(data.generic, {all[0]}, ones(data.generic), options);
  const auto both = motion::calibrate(data.generic, {all[0], all[1]}, ones(data.generic), options);
  for (const char* name :
       {"pelvis (femur_r to femur_l)", "femur_r (to tibia_r)", "tibia_r (to talus_r)"}) {
    fmt::print("    {:<36} sd {:.1f} mm from the walk, {:.1f} with standing up\n", name,
               sd(walk, name), sd(both, name));
  }
  for (const auto& told_of :
       motion::advise(both, {all[0], all[1]}, ones(data.generic), options).adds) {
    fmt::print("    {} tells most about {}: {:.1f} mm, without it {:.1f}\n", told_of.trial,
               told_of.length, 1e3 * told_of.sd, 1e3 * told_of.sd_without);
  }
  const auto further = motion::advise(walk, {all[0]}, ones(data.generic), options).further;
  for (const auto& trial : further) {
    // The promised trial, synthetic, with the errors that were found.
    motion::BoundGeometry bound;
    motion::bind(data.generic, walk.geometry, bound);
    const motion::MarkerPlan plan(data.generic);
    motion::MarkerKinematics kinematics(data.generic, plan);
    kinematics.bind(bound);
    motion::MarkerData more;
    std::mt19937 random(9);
    std::normal_distribution<double> noise(0, options.sigma * std::sqrt(walk.variance));
    std::vector<int> used;
    for (std::size_t m = 0; m < data.generic.markers.size(); ++m) {
      if (all[0].markers.label[m] < 0) continue;
      used.push_back(static_cast<int>(m));
      more.labels.push_back(data.generic.markers[m].name);
    }
    for (std::size_t f = 0; f < trial.poses.size(); ++f) {
      more.t.push_back(0.5 * static_cast<double>(f));
      kinematics.place(trial.poses[f]);
      for (const int m : used) {
        const auto& x = kinematics.positions()[static_cast<std::size_t>(m)];
        more.xyz.insert(more.xyz.end(),
                        {x.x + noise(random), x.y + noise(random), x.z + noise(random)});
      }
    }
    const auto after = motion::calibrate(
        data.generic, {all[0], {"more", motion::match_markers(data.generic, more), more.t, 1}},
        ones(data.generic), options);
    fmt::print("    {} by {}: {:.1f} mm, promised {:.1f}, found {:.1f}\n", trial.length,
               trial.coordinates[0], 1e3 * trial.sd, 1e3 * trial.promised_sd,
               sd(after, trial.length));
    told("found / promised", sd(after, trial.length) / (1e3 * trial.promised_sd), 0.8, 1.2, "");
  }
}

/// HeiMan on the demo trial of Puppeteer (Felis' subject 3).
void heiman(const std::string& file) {
  fmt::print("HeiMan on {}\n", std::filesystem::path(file).filename().string());
  motion::HeiManRequest person;
  person.height = 1.86;
  person.mass = 80;
  const Skeleton skeleton = motion::make_skeleton(motion::make_heiman(person).model);
  const auto trials = run::read_trials({file}, skeleton, {});
  const auto& trial = trials[0];
  const auto distance = [&](const char* a, const char* b, double mean, double spread) {
    const auto& labels = trial.data.labels;
    const auto find = [&](const std::string& name) {
      return static_cast<int>(std::find(labels.begin(), labels.end(), name) - labels.begin());
    };
    double sum = 0, squares = 0;
    int count = 0;
    for (int f = 0; f < trial.data.num_frames(); ++f) {
      const double *x = trial.data.at(f, find(a)), *y = trial.data.at(f, find(b));
      const double d = 1e3 * std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
      if (std::isnan(d)) continue;
      sum += d;
      squares += d * d;
      ++count;
    }
    const double found = sum / count;
    told(fmt::format("{} to {}: mean", a, b), found, mean - 0.005, mean + 0.005, "mm");
    told(fmt::format("{} to {}: spread", a, b),
         std::sqrt((squares - count * found * found) / (count - 1)), spread - 0.01, spread + 0.01,
         "mm");
  };
  distance("RSHO", "RELB", 391.25, 1.55);
  distance("RKNE", "RANK", 462.09, 2.55);
  CalibrationOptions options;
  options.free_scales = false;
  options.free_joints = true;
  for (const char* lengths : {"Thigh",
                              "Shank.z Foot.z MiddleTrunk.z UpperTrunk.z Clavicula.z UpperArm.y "
                              "LowerArm.z Neck.z Head.z"}) {
    options.own_priors.push_back({"joint", lengths, 0.03, 0});
  }
  options.own_priors.push_back({"joint", "*", 0, 0});
  options.own_priors.push_back({"turn", "*", 0, 0});
  options.own_priors.push_back({"marker", "*", 0.03, 0});
  const auto result = motion::calibrate(skeleton, {{trial.name, trial.markers, trial.data.t, 8}},
                                        ones(skeleton), options);
  const auto errors = [&](const Geometry& geometry, const std::string& what, double mean,
                          double worst) {
    motion::BoundGeometry bound;
    motion::bind(skeleton, geometry, bound);
    const auto found = motion::solve_poses(skeleton, bound, trial.markers, ones(skeleton), {});
    double steps = 0, largest = 0;
    for (const int n : found.iterations) steps += n;
    for (int m = 0; m < skeleton.num_markers(); ++m) {
      double sum = 0;
      int count = 0;
      for (int f = 0; f < found.num_frames; ++f) {
        const double e = motion::marker_error(trial.markers, found, f, m);
        if (std::isnan(e)) continue;
        sum += e;
        ++count;
      }
      if (count > 0) largest = std::max(largest, sum / count);
    }
    const auto all = motion::marker_errors(trial.markers, found);
    told(what + "mean error", 1e3 * all.mean, 0, mean, "mm");
    told(what + "worst marker, mean", 1e3 * largest, 0, worst, "mm");
    if (worst < 100) told(what + "steps per frame", steps / found.num_frames, 0, 8, "");
    return all.mean;
  };
  const double own = errors(result.geometry, "", 2.6, 7);
  told("directions that markers do not tell", result.num_undetermined, 15, 15, "");
  for (const auto& length : result.lengths) {
    if (length.name != "Pelvis (ThighRight to ThighLeft)") continue;
    told("half distance of the hips", 500 * length.value, 85, 108, "mm");
    told("  its interval begins", 500 * length.low, 0, 96.4, "mm");
    told("  its interval ends", 500 * length.high, 96.4, 200, "mm");
  }
  // The lengths of subject 1 (table 6.1) with the markers of subject 3: poses alone.
  person.height = 1.82;
  person.set = {
      {"ClaviculaLength", 0.1799}, {"HipWidth", 0.0832},          {"LowerArmLength", 0.2764},
      {"PelvisHeight", 0.1498},    {"MiddleTrunkHeight", 0.1716}, {"NeckLength", 0.0258},
      {"ShankLength", 0.4827},     {"ShoulderHeight", 0.2239},    {"SuprasternaleHeight", 0.2239},
      {"ThighLength", 0.4141},     {"UpperArmLength", 0.3596}};
  Geometry other = result.geometry;
  other.parent_place =
      Geometry(motion::make_skeleton(motion::make_heiman(person).model)).parent_place;
  const double foreign = errors(other, "lengths of another subject: ", 1e3, 1e3);
  told("  beside the subject's own", foreign / own, 2, 100, "");
}

/// SCoRE of a left hip beside what the laboratory's software found.
void hip(const std::string& file) {
  fmt::print("functional hip of {}\n", std::filesystem::path(file).filename().string());
  run::JointsRequest request;
  request.trial = file;
  request.proximal = {"RASI", "LASI", "RPSI", "LPSI"};
  request.distal = {"LF01", "LF02", "LF03", "LF04", "LF05", "LTHI"};
  const auto found = run::find_joint(request);
  const double expected[3] = {-64.7, 97.1, -85.1};
  for (int k = 0; k < 3; ++k) {
    told(fmt::format("SCoRE {}", "xyz"[k]), 1e3 * found.joint.center[k], expected[k] - 0.5,
         expected[k] + 0.5, "mm");
  }
  struct Witness {
    const char* name;
    Eigen::Vector3d center;
  };
  for (const auto& witness :
       {Witness{"Gamage", {-67.1, 100.7, -79.5}}, Witness{"SCoRE", {-64.1, 92.0, -74.2}},
        Witness{"NM", {-71.0, 98.8, -75.1}}}) {
    told(fmt::format("to {} of the laboratory", witness.name),
         (1e3 * found.joint.center - witness.center).norm(), 0, 13, "mm");
  }
  const auto half = found.joint.half_axes();
  fmt::print(
      "    gap {:.1f} mm; half axes of the 95 % ellipsoid {:.1f}, {:.1f}, {:.1f} mm; own Gamage "
      "({:.1f}, {:.1f}, {:.1f})\n",
      1e3 * found.joint.gap, 1e3 * half[0], 1e3 * half[1], 1e3 * half[2], 1e3 * found.gamage[0],
      1e3 * found.gamage[1], 1e3 * found.gamage[2]);
}

void labels(const Data& data) {
  fmt::print("labels\n");
  const auto trials = data.trials(data.generic, false);
  const std::vector<int> expected{7, 10, 19, 21, 23, 130};
  for (const auto& trial : trials) {
    std::vector<int> frames;
    for (const auto& swap : trial.swaps) frames.push_back(swap.frame);
    const bool walk = trial.name == "walking1";
    told(trial.name + ": swaps", static_cast<double>(frames.size()), walk ? 6 : 0, walk ? 6 : 0,
         "");
    if (walk) told("walking1: in the frames that are known", frames == expected ? 1 : 0, 1, 1, "");
    // Random exchanges of markers more than 3 cm apart.
    motion::MarkerData clean = trial.data;
    motion::repair(clean, trial.swaps);
    motion::MarkerData data_with = clean;
    std::mt19937 random(3);
    const auto n = clean.labels.size();
    std::vector<motion::LabelSwap> put;
    for (int f = 3; f < clean.num_frames() - 3; f += 7) {
      const int a = static_cast<int>(random() % n), b = static_cast<int>(random() % n);
      const double *x = clean.at(f, a), *y = clean.at(f, b);
      const double d = std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
      if (a == b || !(d > 0.03)) continue;
      put.push_back({f, std::min(a, b), std::max(a, b), false, d, 0, 0});
    }
    motion::repair(data_with, put);
    int hits = 0, others = 0;
    for (const auto& swap : motion::find_swaps(data_with)) {
      const bool known = std::any_of(put.begin(), put.end(), [&](const auto& p) {
        return p.frame == swap.frame && p.a == std::min(swap.a, swap.b) &&
               p.b == std::max(swap.a, swap.b);
      });
      hits += known;
      others += !known;
    }
    told(fmt::format("{}: found of {} that were put in", trial.name, put.size()),
         static_cast<double>(hits) / static_cast<double>(put.size()), 0.99, 1, "");
    told(trial.name + ": false alarms", others, 0, 0, "");
  }
}

void gaps(const Data& data) {
  fmt::print("gaps: 30 % of all samples deleted\n");
  const auto trials = data.trials(data.optimized, true);
  motion::BoundGeometry geometry;
  motion::bind(data.optimized, Geometry(data.optimized), geometry);
  for (const auto& trial : trials) {
    const auto whole =
        motion::solve_poses(data.optimized, geometry, trial.markers, ones(data.optimized), {});
    auto thinned = trial.markers;
    std::mt19937 random(5);
    for (std::size_t i = 0; i < thinned.y.size(); i += 3) {
      if (random() % 10 < 3) thinned.y[i] = thinned.y[i + 1] = thinned.y[i + 2] = std::nan("");
    }
    const auto rest =
        motion::solve_poses(data.optimized, geometry, thinned, ones(data.optimized), {});
    int within = 0, count = 0;
    std::map<std::string, std::pair<int, int>> beyond;  // of a coordinate: beyond 3 sd, samples
    const auto nv = static_cast<std::size_t>(data.optimized.tree.nv);
    for (std::size_t f = 0; f < whole.objective.size(); ++f) {
      for (std::size_t j = 0; j < nv; ++j) {
        const double sd = rest.sd[f * nv + j];
        if (std::isnan(sd)) continue;
        ++count;
        const bool held = std::abs(rest.q[f * nv + j] - whole.q[f * nv + j]) < 3 * sd;
        within += held;
        auto& entry = beyond[data.optimized.coordinates[j].name];
        entry.first += !held;
        ++entry.second;
      }
    }
    told(trial.name + ": angles that move by less than 3 sd", static_cast<double>(within) / count,
         0.99, 1, "");
    for (const auto& [name, entry] : beyond) {
      if (entry.first * 50 < entry.second) continue;
      fmt::print("    {:<24} {} of {} beyond\n", name, entry.first, entry.second);
    }
  }
}

int run_all(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr,
               "bench_motion FOLDER [poses] [calibration] [truth] [truth_frames] [artefact] "
               "[labels] [gaps] [adds] [heiman C3D] [hip C3D]\n");
    return 2;
  }
  const Data data{std::filesystem::path(argv[1])};
  std::vector<std::string> words(argv + 2, argv + argc);
  if (words.empty()) words = {"poses", "calibration", "adds", "labels", "gaps"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool has_file = i + 1 < words.size();
    if (word == "poses") {
      poses(data);
    } else if (word == "calibration") {
      calibration(data);
    } else if (word == "truth") {
      fmt::print("synthetic truth: 200 replicates, 2 mm white noise, {} poses\n",
                 true_poses(data, false).size());
      coverage(data, 0.002, 0, 200);
    } else if (word == "artefact") {
      fmt::print("synthetic truth: 100 replicates, 3 mm that last 0.2 s, 131 frames\n");
      coverage(data, 0.003, 20, 100);
    } else if (word == "labels") {
      labels(data);
    } else if (word == "gaps") {
      gaps(data);
    } else if (word == "adds") {
      adds(data);
    } else if (word == "truth_frames") {
      fmt::print("synthetic truth with other frames of the same trials, 10 replicates each\n");
      for (int offset = 0; offset < 8; ++offset) coverage(data, 0.002, 0, 10, offset);
    } else if (word == "heiman" && has_file) {
      heiman(words[++i]);
    } else if (word == "hip" && has_file) {
      hip(words[++i]);
    } else {
      throw base::InputError(fmt::format("\"{}\" is not one of the words.", word));
    }
  }
  fmt::print("{} missed\n", num_missed);
  return num_missed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_all(argc, argv);
  } catch (const base::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
