#pragma once

#include <map>
#include <string>
#include <vector>

#include "parfait/io/motion_files/c3d_header.h"
#include "parfait/io/motion_files/c3d_parameters.h"
#include "parfait/io/motion_files/trial.h"

/// What the parameters of a C3D file say about its points, channels, events and plates, and the
/// frames themselves. All of it is written so that the writer can ask what a reader would make of
/// parameters.
namespace parfait::io {

/// Names, kinds, units of the points: one per point of the file, in the order of the file.
std::vector<PointLabel> c3d_point_labels(const C3dParameters& parameters, std::size_t num_points,
                                         WarningLog& log);

/// How analog numbers become values: value = (number - offset) scale.
struct AnalogCalibration {
  std::vector<double> scale;  ///< ANALOG:SCALE times GEN_SCALE
  std::vector<double> offset;
  bool is_unsigned = false;  ///< 16-bit integers without sign
};
AnalogCalibration c3d_analog_calibration(const C3dParameters& parameters, std::size_t num_channels,
                                         WarningLog& log);

/// Channels with names and units, without values.
std::vector<AnalogChannel> c3d_analog_labels(const C3dParameters& parameters,
                                             std::size_t num_channels, WarningLog& log);

/// The group EVENT, sorted as the file has them.
std::vector<TrialEvent> c3d_events(const C3dParameters& parameters, WarningLog& log);

/// The group FORCE_PLATFORM; channels outside 0 ... num_channels - 1 become -1.
std::vector<ForcePlate> c3d_plates(const C3dParameters& parameters, std::size_t num_channels,
                                   WarningLog& log);

/// Decodes the frames into trial.markers, trial.outputs (which must have their labels) and
/// trial.analog.
void read_c3d_frames(Bytes bytes, const C3dLayout& layout, Processor processor,
                     const AnalogCalibration& calibration, Trial& trial, WarningLog& log);

}  // namespace parfait::io
