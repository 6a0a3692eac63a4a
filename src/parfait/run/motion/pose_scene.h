#pragma once

#include "parfait/motion/poses/inverse_kinematics.h"
#include "parfait/result/scene.h"
#include "parfait/run/motion/motion_inputs.h"

namespace parfait::run {

/// What can be seen of a skeleton: bones from each joint to those beyond it (to the markers of a
/// body that carries none), joints, and the places of markers.
result::Scene skeleton_scene(const motion::Skeleton& skeleton, const motion::Geometry& geometry,
                             const std::string& model);

/// How it moves in a trial, beside the measured markers: at most 400 frames, evenly thinned.
///
/// Gaps  A marker that is missing for at most 0.5 s is drawn where the model has it, displaced as
///       interpolated between both ends of the gap. That is for the eye only: nothing is computed
///       from it.
result::Motion pose_motion(const motion::Skeleton& skeleton, const motion::Geometry& geometry,
                           const MarkerTrialFile& trial, const motion::TrialPoses& poses);

}  // namespace parfait::run
