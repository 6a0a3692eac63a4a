#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "parfait/base/error.h"
#include "parfait/io/foreign/osim_tasks.h"

namespace parfait::io {

/// A setup file of OpenSim's scale tool (<ScaleTool>).
struct OsimScaleSetup {
  struct Measurement {
    std::string name;
    struct Pair {
      std::string a, b;  ///< markers
      base::Place place{};
    };
    std::vector<Pair> pairs;
    struct Target {
      std::string body;
      std::array<bool, 3> axes{};
      base::Place place{};
    };
    std::vector<Target> bodies;
    base::Place place{};
  };
  struct ManualScale {
    std::string body;
    std::array<double, 3> factors{1, 1, 1};
    base::Place place{};
  };
  struct CoordinateTask {
    std::string coordinate;
    double weight = 1;
    std::optional<double> value{};  ///< manual value; none: the default of the model
    base::Place place{};
  };
  struct Window {
    double start = 0, end = 0;  ///< s
  };

  std::string name;
  double mass = 0;                       ///< kg; 0: as the model
  std::filesystem::path model, markers;  ///< markers: empty: those of the model
  bool scales = true;
  std::vector<std::string> order{"measurements"};
  std::vector<Measurement> measurements;
  std::vector<ManualScale> manual;
  std::filesystem::path scaling_trial;
  std::optional<Window> scaling_window;
  bool keeps_mass_distribution = true;
  bool places_markers = true;
  std::vector<MarkerTask> marker_tasks;
  std::vector<CoordinateTask> coordinate_tasks;
  std::filesystem::path static_trial;
  std::optional<Window> static_window;
  std::vector<std::string> left_out;  ///< what the file asks for and is not done
};

/// Files that it names are beside it. InputError with the line of what makes no sense.
OsimScaleSetup read_osim_scale_setup(const std::filesystem::path& file);

/// A marker in a file of OpenSim.
struct OsimMarker {
  std::string name, body;
  std::array<double, 3> location{};
  bool fixed = false;
};
std::vector<OsimMarker> read_osim_marker_set(const std::filesystem::path& file);

/// The text of a model with these markers as well; those that it has already keep their element and
/// get the new place and body.
std::string with_markers(std::string_view text, const std::string& file_name,
                         const std::vector<OsimMarker>& markers);

}  // namespace parfait::io
