#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "parfait/io/motion_files/trial.h"

/// Where markers sit on the bodies of a model: the marker sets of OpenSim, in files of their own
/// (`<MarkerSet>`) or inside a model (.osim), of any version.
namespace parfait::io {

struct MarkerPlace {
  std::string name;
  std::string body;    ///< without "/bodyset/"
  Vec3 location{};     ///< in the body's axes [m]
  bool fixed = false;  ///< anatomical: its place is not to be moved when a model is fitted
  int line = 0;
};

struct MarkerSet {
  std::string name;
  std::vector<MarkerPlace> markers;
  std::vector<FileWarning> warnings;
};

/// InputError if the file is not XML or names no marker. Markers without a body or a location are
/// left out and told.
MarkerSet read_marker_set(const std::filesystem::path& file);
MarkerSet read_marker_set_text(std::string_view text, const std::string& file_name);
/// As OpenSim 3 and later read it. Law: reading gives the same markers.
std::string marker_set_text(const MarkerSet& set);

}  // namespace parfait::io
