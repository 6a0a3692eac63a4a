#pragma once

#include <filesystem>
#include <string>

#include "parfait/io/motion_files/c3d_parameters.h"
#include "parfait/io/motion_files/trial.h"

/// C3D files (www.c3d.org): markers, analog channels, events and force plates in one binary file.
///
/// Reading never fails for an oddity: every one becomes a warning with its byte offset in
/// `trial.warnings`. Only a file of which no frame can be decoded is an InputError. The cost is
/// linear in the size of the file, and nothing outside of it is read whatever it claims.
///
/// Law: reading what `c3d_bytes` wrote gives the same trial, and parameters that say the same stay
/// as they are, byte for byte (docs/motion_files.md).
namespace parfait::io {

struct C3dFile {
  Trial trial;
  C3dParameters parameters;
  Processor processor = Processor::kIntel;
  bool is_float = true;  ///< numbers of the data section; otherwise 16-bit integers
  double scale = 0.1;    ///< |POINT:SCALE|: length unit of integer points and of residuals
};

C3dFile read_c3d(const std::filesystem::path& file);
C3dFile read_c3d_bytes(Bytes bytes, const std::string& file_name);

/// The file as Intel floats. `file.trial` decides; `file.parameters` supplies all that it does not
/// say and may be empty.
std::string c3d_bytes(const C3dFile& file);
void write_c3d(const C3dFile& file, const std::filesystem::path& path);

}  // namespace parfait::io
