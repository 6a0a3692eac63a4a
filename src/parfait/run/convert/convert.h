#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// A model file in another format.
namespace parfait::run {

struct ConvertRequest {
  std::string from;                           ///< .osim, .urdf, .lua, .xml
  std::string to;                             ///< .xml, or the format of `from`
  bool keep_fixed = false, floating = false;  ///< of URDF (io/foreign/urdf.h)
};

struct ConvertRun {
  std::string text;                   ///< of the new file
  std::vector<std::string> left_out;  ///< what the new file does not say
  std::string contents;               ///< "12 bodies, 12 joints, 23 coordinates"
};

/// InputError if `from` cannot be read, or cannot be written as `to`.
ConvertRun convert(const ConvertRequest& request);

/// Writes the file in one piece.
void save(const ConvertRun& run, const std::filesystem::path& file);

}  // namespace parfait::run
