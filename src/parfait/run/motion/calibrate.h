#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "parfait/motion/calibration/calibration.h"
#include "parfait/result/calibration.h"
#include "parfait/run/motion/motion_inputs.h"

/// A subject's model from measured markers.
namespace parfait::run {

struct CalibrateRequest {
  std::string model;
  std::vector<std::string> trials;
  std::vector<std::string> statics{};  ///< trials of somebody who stands; they count like others
  double height = 0, mass = 0;         ///< m, kg of the subject; 0: not given
  double model_height = 0;             ///< m; needed with `height`
  std::vector<std::string> free{"scales", "markers"};  ///< or "joints"
  bool symmetric = true;
  std::string priors{};  ///< file, "none", or empty: the default ones
  double sigma = 0.01;   ///< m
  int max_frames = 300;
  std::vector<std::string> every{};  ///< "TRIAL=5": each fifth frame
  std::string tasks{};
  std::vector<std::string> weights{};
  bool degrees = false;
  int threads = 0;
  TrialReading reading{};
  std::filesystem::path out{};
};

struct CalibrateRun {
  result::Calibration result;
  std::vector<std::pair<std::string, std::string>> tables;
  result::Timing timing;
};

struct CalibrationProgress {
  int iteration = 0;
  double objective = 0, increment = 0;
};

/// A table of priors (CSV: what,name,sd,mean): what is scale, marker, joint, turn or sigma. sd 0
/// fixes, inf frees. InputError with the line of what makes no sense.
std::vector<motion::GeometryPrior> read_priors(const std::string& file, double& sigma);

CalibrateRun calibrate(const CalibrateRequest& request,
                       const std::function<bool(const CalibrationProgress&)>& on_iteration = {});
std::filesystem::path save(CalibrateRun& run, const std::filesystem::path& target);

}  // namespace parfait::run
