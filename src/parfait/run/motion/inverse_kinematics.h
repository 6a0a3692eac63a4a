#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "parfait/report/pages/motion_report.h"
#include "parfait/result/inverse_kinematics.h"
#include "parfait/run/motion/motion_inputs.h"

/// Poses of a model from measured markers.
namespace parfait::run {

struct InverseKinematicsRequest {
  std::string model;
  std::vector<std::string> trials;
  std::string tasks{};                 ///< OpenSim's weights of markers
  std::vector<std::string> weights{};  ///< "MARKER=2"
  bool limits = true;
  bool damped = false;  ///< the method of Felis 2015, 4.4.3
  bool degrees = false;
  int threads = 0;  ///< 0: all cores
  TrialReading reading{};
  std::filesystem::path out{};
};

struct InverseKinematicsRun {
  result::InverseKinematics result;
  std::vector<std::pair<std::string, std::string>> tables;
  result::Timing timing;
};

/// The facts of one trial, and its tables <trial>.angles.csv (t, each coordinate and its standard
/// deviation), <trial>.mot and <trial>.marker_errors.csv (t, |model - measured| of each marker).
result::TrialPoseFacts describe_poses(const motion::Skeleton& skeleton,
                                      const MarkerTrialFile& trial, const motion::TrialPoses& poses,
                                      const std::vector<double>& weights, bool degrees,
                                      std::vector<std::pair<std::string, std::string>>& tables);

/// The curves of the angle tables among `tables`, for reports.
std::vector<report::TrialCurves> curves_of(
    const std::vector<std::pair<std::string, std::string>>& tables);

/// InputError for what cannot be read or does not fit together.
InverseKinematicsRun inverse_kinematics(const InverseKinematicsRequest& request);
std::filesystem::path save(InverseKinematicsRun& run, const std::filesystem::path& target);

}  // namespace parfait::run
