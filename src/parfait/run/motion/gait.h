#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "parfait/result/gait.h"
#include "parfait/result/origin.h"
#include "parfait/run/job/callbacks.h"
#include "parfait/run/motion/motion_inputs.h"

/// What a laboratory asks of walking trials.
namespace parfait::run {

struct GaitRequest {
  std::vector<std::string> trials;  ///< files with markers (C3D, TRC)
  /// MOT or STO files, one per trial in their order: curves over the cycle besides those that the
  /// trials have as outputs of a model.
  std::vector<std::string> curves{};
  std::string units{};
  double emg_cutoff = 6;  ///< Hz
  std::filesystem::path out{};
  /// How it was asked for, if on a command line: goes into the result.
  std::vector<std::string> arguments{};
};

struct GaitRun {
  result::Gait result;
  std::vector<result::GaitCurve> curves;
  std::vector<std::pair<std::string, std::string>> tables;
  result::Timing timing;
};

/// Events (of the file, from forces, from kinematics, compared), strides, their parameters over all
/// trials, angles, moments and EMG envelopes over the cycle. InputError for what cannot be read.
/// Where `stop` of the callbacks ends it, the result has the trials that were done.
GaitRun analyse_gait(const GaitRequest& request, const Callbacks& callbacks = {});
/// The page a person looks at, as `save` writes it.
std::string report_page(const GaitRun& run);
std::filesystem::path save(GaitRun& run, const std::filesystem::path& target);

}  // namespace parfait::run
