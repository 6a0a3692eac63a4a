#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parfait/io/motion_files/trial.h"
#include "parfait/motion/gait/gait_events.h"
#include "parfait/motion/poses/inverse_kinematics.h"

namespace parfait::run {

/// Where pelvis, heels and toes are in a trial (metres), and which markers say so.
struct Walk {
  motion::WalkPaths paths;
  std::string points;  ///< "pelvis LPSI, RPSI; heels LHEE, RHEE; toes LTOE, RTOE"
};

/// By names that laboratories use (Plug-in Gait, OpenSim's examples and their kin). None: a heel, a
/// toe or the pelvis is missing, or the file does not know what is up.
std::optional<Walk> walk_of(const io::Trial& trial);

/// By the poses of a model: the origin of its root, and of the markers on a foot and what hangs on
/// it (calcn_r, foot_r, toes_r, ... by their names) the hindmost and the foremost.
std::optional<Walk> walk_of(const motion::Skeleton& skeleton, const motion::TrialPoses& poses,
                            const std::vector<double>& t);

std::vector<motion::GaitEvent> events_of_file(const io::Trial& trial);
std::vector<motion::PlateSignal> plates_of(const io::Trial& trial);

/// Used: those of the file; without any strike there, those of the paths, at the time of the force
/// where there is one, and moved by the mean difference of the kind where there is none.
struct GaitEvents {
  std::vector<motion::GaitEvent> of_file, by_forces, by_kinematics, used;
  std::string source;
};
GaitEvents find_events(const io::Trial& trial, const motion::WalkPaths& paths);

}  // namespace parfait::run
