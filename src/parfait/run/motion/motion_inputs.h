#pragma once

#include <string>
#include <vector>

#include "parfait/io/motion_files/trial.h"
#include "parfait/motion/poses/inverse_kinematics.h"
#include "parfait/motion/quality/label_check.h"

/// What inverse kinematics and calibration read: a model with markers, and trials.
namespace parfait::run {

/// InputError if the file is not a mechanism with markers.
motion::Skeleton read_skeleton(const std::string& file);

struct MarkerTrialFile {
  std::string name;  ///< of the file, without its ending; made unique among all
  std::string file;
  std::string axes;  ///< "x,z,-y": how the axes were turned; empty: not
  std::string axes_reason;
  motion::MarkerData data;
  motion::MatchedMarkers markers;
  std::vector<std::string> warnings;
  std::vector<motion::LabelSwap> swaps;  ///< labels that were exchanged
  io::Trial trial;                       ///< all of it, in metres and in the axes of the model
};

struct TrialReading {
  std::string units{};   ///< instead of what files say
  std::string axes{};    ///< instead of turning the file's up to the model's; "x,y,z": as they are
  bool relabel = false;  ///< exchanged labels are repaired, not only told
  /// A table model,file of names of markers, or "guess": names of the same landmark are taken for
  /// each other. Otherwise such names are only told.
  std::string names{};
  std::vector<std::string> name{};  ///< "LASI=L.ASIS": a marker of the model, its label in files
};

/// Axes  Where gravity of the model and the direction that is up in the file disagree, the file is
///       turned about a horizontal axis, and that is told.
/// InputError if a file has no markers of the model.
std::vector<MarkerTrialFile> read_trials(const std::vector<std::string>& files,
                                         const motion::Skeleton& skeleton,
                                         const TrialReading& reading);

/// One weight per marker of the skeleton: 1, or as in an OpenSim task set or setup file (markers it
/// does not apply have 0), or as "NAME=2". InputError for a marker the model does not have.
std::vector<double> marker_weights(const motion::Skeleton& skeleton, const std::string& tasks_file,
                                   const std::vector<std::string>& settings);

/// Coordinates over time: angles in degrees, as OpenSim reads it.
std::string motion_text(const motion::Skeleton& skeleton, const motion::TrialPoses& poses,
                        const std::vector<double>& t, const std::string& name);

}  // namespace parfait::run
