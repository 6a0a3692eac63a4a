#pragma once

#include <vector>

#include "parfait/motion/poses/inverse_kinematics.h"

namespace parfait::motion {

/// What is left of one marker in a trial after the poses were found: a part that is new in every
/// frame, and one that lasts, the motion of the skin.
struct MarkerArtefact {
  int marker = 0;
  int count = 0;       ///< frames that see it
  double rms = 0;      ///< m, of |model - measured|
  double noise = 0;    ///< m, of that the part without memory
  double seconds = 0;  ///< for which an error lasts: step (1 / 2 + sum of autocorrelations)
};

/// Of all markers that at least ten frames see. With rho(k) the autocorrelation of the three
/// components together, the line through rho(1) and rho(2) says at 0 what has a memory:
///
///   noise^2 = (1 - min(1, 2 rho(1) - rho(2))) rms^2
///
/// The sum ends where rho is first below 0.05. `t`: times of the frames, evenly spaced.
std::vector<MarkerArtefact> marker_artefacts(const MatchedMarkers& markers, const TrialPoses& poses,
                                             const std::vector<double>& t);

}  // namespace parfait::motion
