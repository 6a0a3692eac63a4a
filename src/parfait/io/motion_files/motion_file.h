#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parfait/io/motion_files/bvh.h"
#include "parfait/io/motion_files/motion_table.h"
#include "parfait/io/motion_files/trial.h"

/// Any motion file: which kind it is, what is in it, and what is in it as CSV.
namespace parfait::io {

enum class MotionKind { kC3d, kTrc, kStorage, kBvh, kMeshup, kMeshupForces };

/// By the name's ending, or by the first bytes if that says nothing. InputError if it is none of
/// them.
MotionKind motion_kind(const std::filesystem::path& file);

/// C3D and TRC files give a trial, MOT, STO and MeshUp files a table, BVH files both.
struct MotionFile {
  MotionKind kind = MotionKind::kC3d;
  std::optional<Trial> trial;
  std::optional<MotionTable> table;

  const std::string& format() const { return trial ? trial->format : table->format; }
  const std::vector<FileWarning>& warnings() const {
    return trial ? trial->warnings : table->warnings;
  }
};

MotionFile read_motion_file(const std::filesystem::path& file);

/// Names and texts of the CSV files that tell what a trial contains (in the trial's units); those
/// that would be empty are left out:
///
///   markers.csv    t, <marker>.x, .y, .z                missing positions are empty cells
///   outputs.csv    t, <output>.x, .y, .z                what a model computed
///   analog.csv     t, <channel>                         at the analog rate
///   wrenches.csv   t, plate1.fx fy fz, .mx my mz (about the lab's origin), .px py pz (centre of
///   pressure),
///                  .free_moment                         on the subject, at the analog rate
///   events.csv     t, label, context, subject, description
std::vector<std::pair<std::string, std::string>> trial_tables(const Trial& trial);
/// motion.csv: t and all columns.
std::pair<std::string, std::string> table_file(const MotionTable& table);

}  // namespace parfait::io
