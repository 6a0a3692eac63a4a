#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "parfait/report/pages/motion_report.h"
#include "parfait/result/inverse_kinematics.h"
#include "parfait/result/scene.h"
#include "parfait/run/job/callbacks.h"
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
  /// How it was asked for, if on a command line: goes into the result.
  std::vector<std::string> arguments{};
};

struct InverseKinematicsRun {
  result::InverseKinematics result;
  std::vector<std::pair<std::string, std::string>> tables;
  result::Scenes scenes;  ///< the skeleton in every trial, for the report
  std::vector<std::vector<report::TrialCurves::Event>> events;  ///< of walking, trial by trial
  result::Timing timing;
};

/// The facts of one trial, and its tables <trial>.angles.csv (t, each coordinate and its standard
/// deviation), <trial>.mot and <trial>.marker_errors.csv (t, |model - measured| of each marker).
result::TrialPoseFacts describe_poses(const motion::Skeleton& skeleton,
                                      const MarkerTrialFile& trial, const motion::TrialPoses& poses,
                                      const std::vector<double>& weights, bool degrees,
                                      std::vector<std::pair<std::string, std::string>>& tables);

/// Events of walking in a trial, by its markers or by the poses; none: it is no walk.
std::vector<report::TrialCurves::Event> walking_events(const motion::Skeleton& skeleton,
                                                       const MarkerTrialFile& trial,
                                                       const motion::TrialPoses& poses);

/// The curves of the angle tables among `tables`, for reports, with the events of each trial.
std::vector<report::TrialCurves> curves_of(
    const std::vector<std::pair<std::string, std::string>>& tables,
    const std::vector<std::vector<report::TrialCurves::Event>>& events);

/// InputError for what cannot be read or does not fit together. Where `stop` of the callbacks ends
/// it, the result has the trials that were done.
InverseKinematicsRun inverse_kinematics(const InverseKinematicsRequest& request,
                                        const Callbacks& callbacks = {});
/// The page a person looks at, as `save` writes it.
std::string report_page(const InverseKinematicsRun& run);
std::filesystem::path save(InverseKinematicsRun& run, const std::filesystem::path& target);

}  // namespace parfait::run
