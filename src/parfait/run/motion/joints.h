#pragma once

#include <string>
#include <vector>

#include "parfait/motion/joints/functional_joint.h"
#include "parfait/run/motion/motion_inputs.h"

/// Functional joint centres and axes from a trial.
namespace parfait::run {

struct JointsRequest {
  std::string trial;
  std::vector<std::string> proximal, distal;  ///< names of markers
  bool hinge = false;                         ///< an axis instead of a centre
  TrialReading reading{};
};

struct JointsRun {
  std::string axes;  ///< of the proximal segment, in words
  motion::FunctionalJoint joint;
  Eigen::Vector3d gamage = Eigen::Vector3d::Zero();
  double proximal_rms = 0, distal_rms = 0;  ///< m: how little rigid the segments are
  bool is_pelvis = false;
  std::vector<std::string> warnings;
};

/// A segment that carries the four markers of a pelvis has its axes (x forward, y left, z up,
/// origin between the ASIS); another those of the laboratory in the first frame that sees it, with
/// its origin in the middle of its markers.
JointsRun find_joint(const JointsRequest& request);

/// For a person, and as a table.
std::string joints_text(const JointsRun& run);
std::string joints_csv(const JointsRun& run);

}  // namespace parfait::run
