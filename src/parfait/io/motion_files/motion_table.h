#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "parfait/io/motion_files/file_warnings.h"

/// Tables of numbers over time: coordinates of a model, forces on it, and whatever else programs
/// store so.
///
///   MOT, STO  OpenSim and SIMM. A header of lines `key=value` (or `key value`) up to `endheader`,
///   which may be
///             missing, then the names of the columns, then rows. `inDegrees` says what angles are
///             in; without it files of version 1 and older have degrees, later ones radians.
///   CSV       MeshUp and Puppeteer: `COLUMNS:` Time, FRAME:R:-Y, ... then `DATA:`, or rows of
///   numbers alone.
///             Angles are in degrees unless a column ends in :rad.
///   FF        forces of MeshUp: time, then point, force and torque of each, three numbers each.
///
/// Oddities are warnings with their line; InputError if there is no row.
namespace parfait::io {

enum class AngleUnit { kDegrees, kRadians };

struct MotionTable {
  std::string file;
  std::string format;                 ///< "MOT", "STO", "MeshUp CSV", "MeshUp forces"
  std::string name;                   ///< first line of a MOT or STO file
  std::vector<std::string> comments;  ///< header lines that are not settings
  int version = 0;                    ///< 0: not given
  AngleUnit angles = AngleUnit::kDegrees;
  bool angles_stated = false;        ///< by the file
  std::vector<std::string> columns;  ///< without the time
  std::vector<double> time;
  std::vector<std::vector<double>> values;  ///< one per column; NaN: empty
  std::vector<FileWarning> warnings;

  std::size_t num_rows() const { return time.size(); }
  int find(std::string_view column) const;  ///< -1: there is none
};

MotionTable read_storage(const std::filesystem::path& file);
MotionTable read_storage_text(std::string_view text, const std::string& file_name);
/// Law: reading gives the same table.
std::string storage_text(const MotionTable& table);
void write_storage(const MotionTable& table, const std::filesystem::path& file);

/// `DATA_FROM: other.csv` is looked up beside the file.
MotionTable read_meshup(const std::filesystem::path& file);
MotionTable read_meshup_text(std::string_view text, const std::string& file_name);
std::string meshup_text(const MotionTable& table);
void write_meshup(const MotionTable& table, const std::filesystem::path& file);

MotionTable read_meshup_forces(const std::filesystem::path& file);
MotionTable read_meshup_forces_text(std::string_view text, const std::string& file_name);
std::string meshup_forces_text(const MotionTable& table);

/// What a column of a MeshUp file moves.
struct MeshupColumn {
  std::string frame;
  char kind = 'R';  ///< R rotation, T translation, S scale
  int axis = 0;     ///< 0, 1, 2
  int sign = 1;
  AngleUnit unit = AngleUnit::kDegrees;
};
/// False unless the name is FRAME:kind:axis or FRAME:kind:axis:unit.
bool parse_meshup_column(std::string_view name, MeshupColumn& column);

}  // namespace parfait::io
