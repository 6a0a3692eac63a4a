#pragma once

#include <vector>

#include "parfait/motion/poses/inverse_kinematics.h"

namespace parfait::motion {

/// Two labels that were exchanged in one frame, or one that names the marker of another which is
/// missing there.
struct LabelSwap {
  int frame = 0;
  int a = 0, b = 0;        ///< labels
  bool b_missing = false;  ///< what is called `a` is `b`; `a` is missing then
  double separation = 0;   ///< m, between where the two should be
  double before = 0;       ///< m, largest distance to where they should be, as labelled
  double after = 0;        ///< the same when exchanged
};

/// Swaps by the motion of each marker alone, without a model.
///
/// Prediction  Place of a marker in a frame by a quadratic in time through the five frames before
///             and after it, fitted robustly (the frame itself does not count; linear where there
///             are fewer than five).
/// Swap        Both markers are nearer to the other's prediction than 0.3 of the distance of the
///             predictions, farther than 0.7 of it from their own, and the distance exceeds 8 times
///             the noise of the fits and 4 mm. The clearest first; what follows is predicted with
///             it repaired.
/// Blind side  Swaps that last for more than about three frames in a row bend the prediction
/// itself.
std::vector<LabelSwap> find_swaps(const MarkerData& data);

/// The data with these labels exchanged.
void repair(MarkerData& data, const std::vector<LabelSwap>& swaps);

}  // namespace parfait::motion
