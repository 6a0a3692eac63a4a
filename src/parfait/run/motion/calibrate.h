#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "parfait/motion/calibration/calibration.h"
#include "parfait/report/pages/motion_report.h"
#include "parfait/result/calibration.h"
#include "parfait/result/scene.h"
#include "parfait/run/job/callbacks.h"
#include "parfait/run/motion/motion_inputs.h"

/// A subject's model from measured markers.
namespace parfait::run {

struct CalibrateRequest {
  /// A file, or "heiman": HeiMan of the given height and mass (--heiman of `parfait human`), whose
  /// joints are free along its lengths.
  std::string model;
  std::vector<std::string> trials;
  std::vector<std::string> statics{};  ///< trials of somebody who stands; they count like others
  /// Trials that move joints: centres and axes as they show them, beside those that are found;
  /// hips as priors.
  std::vector<std::string> functional{};
  std::vector<std::string> segments{};  ///< "ThighLeft=LF01,LF02": markers beside the model's
  /// m, kg of the subject; 0: not given. For "heiman" as files say it, then.
  double height = 0, mass = 0;
  double model_height = 0;          ///< m; needed with `height`, but for "heiman"
  std::vector<std::string> free{};  ///< scales, markers, joints; empty: scales and markers
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
  /// How it was asked for, if on a command line: goes into the result.
  std::vector<std::string> arguments{};
};

struct CalibrateRun {
  result::Calibration result;
  std::vector<std::pair<std::string, std::string>> tables;
  result::Scenes scenes;  ///< the skeleton in every trial, for the report
  std::vector<std::vector<report::TrialCurves::Event>> events;  ///< of walking, trial by trial
  result::Timing timing;
};

/// A table of priors (CSV: what,name,sd,mean): what is scale, marker, joint, turn or sigma. sd 0
/// fixes, inf frees. InputError with the line of what makes no sense.
std::vector<motion::GeometryPrior> read_priors(const std::string& file, double& sigma);

/// Where `stop` of the callbacks ends it, the result has the parameters reached, without statistics
/// and poses. `on_iteration` is told each point.
CalibrateRun calibrate(const CalibrateRequest& request, const Callbacks& callbacks = {});
/// The page a person looks at, as `save` writes it.
std::string report_page(const CalibrateRun& run);
std::filesystem::path save(CalibrateRun& run, const std::filesystem::path& target);

}  // namespace parfait::run
