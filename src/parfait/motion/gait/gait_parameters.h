#pragma once

#include <vector>

#include "parfait/motion/gait/gait_events.h"

namespace parfait::motion {

/// From a strike of a foot to its next one. Lengths in m along the direction of walking, times in
/// s; NaN: an event or a marker is missing.
struct Stride {
  Side side = Side::kLeft;
  double start = 0, end = 0;
  double length = 0;          ///< of the heel; on a treadmill the belt's way
  double speed = 0;           ///< length / duration
  double step_length = 0;     ///< at its end: how far its heel is ahead of the other one
  double step_duration = 0;   ///< from the strike of the other foot within it to its end
  double step_width = 0;      ///< at its end, across the direction of walking
  double stance = 0;          ///< share of the duration until the foot leaves the ground
  double double_support = 0;  ///< share during which both feet are on the ground

  double duration() const { return end - start; }
};

std::vector<Stride> find_strides(const WalkPaths& paths, const std::vector<GaitEvent>& events);

/// Values between two times at 0, 1, ..., 100 %, by lines between samples; NaN where there are
/// none.
std::vector<double> over_cycle(const std::vector<double>& t, const std::vector<double>& values,
                               double start, double end);

/// Mean and standard deviation (n - 1) of curves at each per cent; sd NaN for a single curve.
struct CycleBand {
  std::vector<double> mean, sd;
  int count = 0;
};
CycleBand band_of(const std::vector<std::vector<double>>& curves);

}  // namespace parfait::motion
