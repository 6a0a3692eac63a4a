#pragma once

#include <string>
#include <vector>

#include "parfait/motion/poses/pose_solver.h"

namespace parfait::motion {

/// Measured markers of a trial, in metres and in the axes of the model; NaN: missing.
struct MarkerData {
  std::vector<std::string> labels;
  std::vector<double> t;    ///< s
  std::vector<double> xyz;  ///< 3 (frame * labels.size() + label) + axis

  int num_frames() const { return static_cast<int>(t.size()); }
  const double* at(int frame, int label) const {
    return &xyz[3 * (static_cast<std::size_t>(frame) * labels.size() + label)];
  }
};

/// Measured places in the order of the skeleton's markers; NaN where there is none.
struct MatchedMarkers {
  std::vector<int> label;  ///< of each marker of the skeleton; -1: not measured
  std::vector<std::string> on_both, only_model, only_data;
  std::vector<double> y;  ///< 3 (frame * markers + marker) + axis
  int num_frames = 0, num_markers = 0;

  std::span<const double> frame(int f) const {
    const auto size = 3 * static_cast<std::size_t>(num_markers);
    return {y.data() + static_cast<std::size_t>(f) * size, size};
  }
  bool is_missing(int f, int m) const;
};
MatchedMarkers match_markers(const Skeleton& skeleton, const MarkerData& data);

/// Poses of all frames. Standard deviations are those of q for independent errors of the marker
/// coordinates, given the geometry of the skeleton. Each marker has the variance of what is left of
/// it in the trial, leverage taken into account; with a fiftieth of the weight that of all,
///
///   s^2 = sum over frames of the objective / (sum over frames of 3 visible - free coordinates),
///
/// both for weight 1.
struct TrialPoses {
  int num_frames = 0;
  std::vector<double> q;                ///< frame by frame, nq each
  std::vector<double> sd;               ///< nv each; NaN: at a limit, locked or unseen
  std::vector<CoordinateState> states;  ///< nv each
  std::vector<double> objective;
  std::vector<int> num_visible, iterations;
  std::vector<char> converged;
  std::vector<double> markers;  ///< model places, 3 per marker, frame by frame
  double variance = 0;          ///< s^2, m^2 per unit weight; NaN without degrees of freedom
  int degrees_of_freedom = 0;
  std::vector<int> unseen;  ///< coordinates that no marker sees in any frame

  std::span<const double> pose(int f, int nq) const {
    return {q.data() + static_cast<std::size_t>(f) * nq, static_cast<std::size_t>(nq)};
  }
};

/// A pose that somebody else found for a frame.
struct KnownPose {
  int frame = 0;
  std::vector<double> q;
};

/// All frames of a trial.
///
/// Starts   Frames are solved in chunks of 64. The first frames of all chunks are solved one after
///          the other, each from the one before it, the first of all from afar; then the chunks in
///          parallel, each frame from the extrapolation of the two before it. At the end every chunk
///          must go on where the one before it ended, or is solved again from there. So nothing
///          depends on the number of threads.
/// Leaps    Where a coordinate leaps from one frame to the next, the frames on both sides are tried
///          from the pose of the other side, as far as that fits better: few markers leave a limb
///          more than one place. First frames of chunks are tried with limbs as the model has them,
///          and the first of all with joints turned that carry markers far off.
/// Known    Frames are tried from their known poses as well; what fits better there goes on to the
///          frames on both sides.
/// Gaps     A frame without markers keeps the pose before it, and all its coordinates are unseen.
TrialPoses solve_poses(const Skeleton& skeleton, const BoundGeometry& geometry,
                       const MatchedMarkers& markers, std::span<const double> weights,
                       const PoseOptions& options, std::span<const double> start = {},
                       const std::vector<KnownPose>& known = {});

/// Root mean square of |model - measured| over visible markers, and the mean over frames of the
/// largest.
struct MarkerErrors {
  double rms = 0, mean = 0, max = 0, mean_frame_max = 0;
  int max_frame = -1, max_marker = -1;
  int count = 0;
};
/// `selected`: one per marker, 0: left out; empty: all.
MarkerErrors marker_errors(const MatchedMarkers& markers, const TrialPoses& poses,
                           std::span<const char> selected = {});
/// |model - measured| of one sample; NaN where it is missing.
double marker_error(const MatchedMarkers& markers, const TrialPoses& poses, int frame, int marker);

}  // namespace parfait::motion
