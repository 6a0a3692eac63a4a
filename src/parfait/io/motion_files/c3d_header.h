#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "parfait/io/motion_files/c3d_parameters.h"
#include "parfait/io/motion_files/trial.h"

/// The first 512 bytes of a C3D file, and what the header and the parameters say together about
/// where and how the data are stored. Where they disagree, one is believed and it is told.
namespace parfait::io {

struct C3dHeader {
  std::int64_t start = 0;       ///< zero bytes that some programs write before the file
  std::int64_t parameters = 0;  ///< byte where the parameter section begins
  Processor processor = Processor::kIntel;
  int num_points = 0;
  int analog_per_frame = 0;             ///< channels times samples per frame
  int first_frame = 1, last_frame = 0;  ///< 16 bits: 65535 means "at least"
  float scale = 0;
  std::int64_t data = 0;  ///< byte where the frames begin; 0: not said
  int samples_per_frame = 0;
  float rate = 0;
  std::vector<TrialEvent> events;  ///< the old kind, at most 18
};

/// InputError if the bytes are too few or nothing in them can be the parameter section of a C3D
/// file.
C3dHeader read_c3d_header(Bytes bytes, const std::string& file_name, WarningLog& log);

/// Where the numbers of a frame are and what they mean.
struct C3dLayout {
  std::int64_t data = 0;
  bool is_float = true;
  float scale = 1;  ///< |POINT:SCALE|
  std::size_t num_points = 0;
  std::size_t num_channels = 0;
  std::size_t samples_per_frame = 1;
  std::int64_t first_frame = 1;
  std::size_t num_frames = 0;
  double rate = 0;

  std::int64_t number_bytes() const { return is_float ? 4 : 2; }
  std::int64_t frame_bytes() const {
    return static_cast<std::int64_t>(4 * num_points + num_channels * samples_per_frame) *
           number_bytes();
  }
};

/// InputError if no frame can be decoded.
C3dLayout find_c3d_layout(const NumberReader& file, const C3dHeader& header,
                          const C3dParameters& parameters, const std::string& file_name,
                          WarningLog& log);

}  // namespace parfait::io
