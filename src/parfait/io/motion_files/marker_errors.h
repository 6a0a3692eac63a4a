#pragma once

#include <string>
#include <vector>

#include "parfait/io/motion_files/coordinate_motion.h"
#include "parfait/io/motion_files/trial.h"

namespace parfait::io {

/// How far measured markers are from those of a model that moves in a given way.
struct MarkerErrors {
  std::vector<std::string> markers;  ///< that model and data both have
  std::vector<std::string> not_on_model;
  std::size_t num_frames = 0, num_missing = 0;
  double rms = 0;      ///< m; root of the mean of |e|^2 over all visible samples
  double largest = 0;  ///< m
};

/// Frames of the trial are matched with rows of the motion by their times, to half a frame; frames
/// that the motion does not have are left out. The trial's axes are those of the model.
MarkerErrors marker_errors(const mechanism::Description& description,
                           const tree::MechanismTree& mechanism, const CoordinateMotion& motion,
                           const Trial& trial);

}  // namespace parfait::io
