#pragma once

#include <string>
#include <vector>

#include "parfait/motion/poses/inverse_kinematics.h"

/// What scaling takes from somebody who stands still.
namespace parfait::motion {

/// Frames of a trial, both included.
struct FrameRange {
  int first = 0, last = -1;
};
/// From the last frame that is not after `start` to the first that is not before `end`, as far as
/// there are such frames.
FrameRange frames_between(const std::vector<double>& t, double start, double end);

/// Mean over the frames that have both of |y_a - y_b|, of two labels; NaN: there is none.
double mean_distance(const MarkerData& data, int a, int b, const FrameRange& frames);
/// |x_a - x_b| of two markers of the skeleton in its initial position.
double model_distance(const Skeleton& skeleton, int a, int b);

/// One frame: the mean place of each marker over the frames that have it.
MatchedMarkers mean_frame(const MatchedMarkers& markers, const FrameRange& frames);

/// Places on their bodies, in the axes of these, at which the markers of the skeleton would be seen
/// where they are measured (one frame), in the pose q. A marker that is not measured keeps its
/// place.
std::vector<Vec3<double>> places_in_pose(const Skeleton& skeleton, const std::vector<double>& q,
                                         const MatchedMarkers& measured);

}  // namespace parfait::motion
