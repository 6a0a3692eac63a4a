#include "parfait/run/motion/joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/io/motion_files/axes_units.h"
#include "parfait/io/motion_files/motion_file.h"
#include "parfait/io/text/csv.h"
#include "parfait/io/text/number.h"
#include "parfait/motion/skeleton/marker_names.h"

namespace parfait::run {
namespace joints_run {
namespace {

std::vector<int> labels_of(const motion::MarkerData& data, const std::vector<std::string>& names,
                           const char* option) {
  std::vector<int> out;
  for (const auto& name : names) {
    const auto found = std::find_if(data.labels.begin(), data.labels.end(), [&](const auto& label) {
      return label == name || label.ends_with(":" + name);
    });
    if (found == data.labels.end()) {
      throw base::InputError(fmt::format("{} {}: the trial has no such marker.{}", option, name,
                                         base::suggestion(name, data.labels)));
    }
    const int label = static_cast<int>(found - data.labels.begin());
    if (std::find(out.begin(), out.end(), label) != out.end()) {
      throw base::InputError(fmt::format("{} {}: it is named twice.", option, name));
    }
    out.push_back(label);
  }
  return out;
}

/// Right ASIS, left ASIS, right PSIS, left PSIS among the names; false: they are not all there.
bool find_pelvis(const std::vector<std::string>& names, std::array<int, 4>& out) {
  const std::array<const char*, 4> wanted{"rasi", "lasi", "rpsi", "lpsi"};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto found = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
      const auto landmark = motion::landmark_of(name);
      return landmark == wanted[i] || (i >= 2 && landmark == "sacr");
    });
    if (found == names.end()) return false;
    out[i] = static_cast<int>(found - names.begin());
  }
  return true;
}

}  // namespace
}  // namespace joints_run

JointsRun find_joint(const JointsRequest& request) {
  io::MotionFile file = io::read_motion_file(request.trial);
  if (!file.trial || file.trial->markers.size() == 0) {
    throw base::InputError({request.trial, 0, 0}, "has no markers.");
  }
  io::Trial& trial = *file.trial;
  if (!request.reading.units.empty()) {
    if (io::metres_in(request.reading.units) == 0) {
      throw base::InputError(fmt::format(
          "--units {}: not a unit of length; for example mm, cm or m.", request.reading.units));
    }
    trial.length_unit = request.reading.units;
    trial.metres_per_unit = io::metres_in(request.reading.units);
  }
  io::to_metres(
      trial, request.reading.axes.empty() ? io::AxisMap{} : io::parse_axes(request.reading.axes));
  motion::MarkerData data;
  for (const auto& point : trial.markers.points) data.labels.push_back(point.name);
  for (std::size_t f = 0; f < trial.num_frames; ++f) data.t.push_back(trial.time(f));
  data.xyz = trial.markers.xyz;

  JointsRun run;
  const auto proximal_labels = joints_run::labels_of(data, request.proximal, "--proximal");
  const auto distal_labels = joints_run::labels_of(data, request.distal, "--distal");
  auto proximal = motion::make_cluster(data, proximal_labels);
  const auto distal = motion::make_cluster(data, distal_labels);
  std::array<int, 4> landmarks{};
  run.is_pelvis = joints_run::find_pelvis(request.proximal, landmarks);
  if (run.is_pelvis) {
    motion::to_pelvis_axes(data, proximal, landmarks);
    run.axes = "of the pelvis: x forward, y left, z up, origin between the ASIS";
  } else {
    run.axes = "of the laboratory as the first frame sees it, origin in the middle of the markers";
  }
  run.proximal_rms = proximal.rms;
  run.distal_rms = distal.rms;
  run.joint = motion::score_joint(proximal, distal, data.t, request.hinge);
  run.gamage = motion::gamage_lasenby(data, proximal, distal_labels);
  // A hinge lets both places move along its axis together; a ball does not.
  if (!request.hinge && run.joint.axis_ratio < 0.1) {
    run.warnings.push_back(
        "the motion is that of a hinge, which tells an axis and no centre: --hinge.");
  }
  if (request.hinge && run.joint.axis_ratio > 0.5) {
    run.warnings.push_back(
        "the motion is not that of a hinge: no direction stands out as its axis.");
  }
  return run;
}

std::string joints_text(const JointsRun& run) {
  std::string out;
  const auto line = [&](const char* what, const Eigen::Vector3d& c, const std::string& rest) {
    out += fmt::format("  {:<18}{:>9.1f}{:>9.1f}{:>9.1f}  {}\n", what, 1e3 * c.x(), 1e3 * c.y(),
                       1e3 * c.z(), rest);
  };
  out += fmt::format("axes {}\n", run.axes);
  out += fmt::format("  {:<18}{:>9}{:>9}{:>9}\n", "centre [mm]", "x", "y", "z");
  const auto half = run.joint.half_axes();
  line("SCoRE", run.joint.center,
       fmt::format("gap {:.1f} mm; 95 % within an ellipsoid of half axes {:.1f}, {:.1f}, {:.1f} mm",
                   1e3 * run.joint.gap, 1e3 * half[0], 1e3 * half[1], 1e3 * half[2]));
  line("Gamage, Lasenby", run.gamage,
       fmt::format("{:.1f} mm from SCoRE", 1e3 * (run.gamage - run.joint.center).norm()));
  out += fmt::format("  {:<18}{:>9.4f}{:>9.4f}{:>9.4f}  ratio of singular values {:.2f}\n",
                     "axis (SARA)", run.joint.axis.x(), run.joint.axis.y(), run.joint.axis.z(),
                     run.joint.axis_ratio);
  out += fmt::format(
      "  {} frames; an error lasts {:.2f} s; markers beside rigid segments {:.1f} and "
      "{:.1f} mm rms\n",
      run.joint.num_frames, run.joint.seconds, 1e3 * run.proximal_rms, 1e3 * run.distal_rms);
  for (const auto& warning : run.warnings) out += "warning: " + warning + "\n";
  return out;
}

std::string joints_csv(const JointsRun& run) {
  const auto row = [](const char* what, const Eigen::Vector3d& c) {
    return std::vector<std::string>{what, io::number_text(c.x()), io::number_text(c.y()),
                                    io::number_text(c.z())};
  };
  const Eigen::Vector3d sd = run.joint.covariance.diagonal().cwiseSqrt();
  return io::csv_text({{"what", "x", "y", "z"},
                       row("score [m]", run.joint.center),
                       row("score.sd [m]", sd),
                       row("score.half_axes_95 [m]", run.joint.half_axes()),
                       row("gamage_lasenby [m]", run.gamage),
                       row("axis", run.joint.axis)});
}

}  // namespace parfait::run
