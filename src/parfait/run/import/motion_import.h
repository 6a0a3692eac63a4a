#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "parfait/result/motion_import.h"

/// What is in a motion file and what is odd about it, and its contents as tables in SI units.
namespace parfait::run {

struct MotionImportRequest {
  std::string file;     ///< C3D, TRC, MOT, STO, BVH, or MeshUp's CSV and FF
  std::string units{};  ///< of length, instead of what the file says
  std::string axes{};   ///< new axes from those of the file: "x,z,-y"
  /// Where save() will write: refused before anything is read if it must not be replaced.
  std::filesystem::path out{};
};

struct MotionImportRun {
  result::MotionImport result;
  std::vector<std::pair<std::string, std::string>> tables;  ///< names and texts of CSV files
  result::Timing timing;
};

/// InputError if nothing can be read, if the unit of length is neither known nor given, or if units
/// and axes make no sense.
MotionImportRun import_motion(const MotionImportRequest& request);

/// Writes the tables, result.json and timing.json.
std::filesystem::path save(MotionImportRun& run, const std::filesystem::path& target);

}  // namespace parfait::run
