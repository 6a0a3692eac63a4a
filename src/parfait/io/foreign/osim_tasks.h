#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "parfait/base/error.h"

namespace parfait::io {

/// Weights of markers in OpenSim's inverse kinematics.
struct MarkerTask {
  std::string marker;
  double weight = 1;  ///< 0: it does not apply
  base::Place place{};
};

/// From a file with IKMarkerTask elements: a task set, or a setup file that contains one or names
/// one in <task_set_file> or <IKTaskSet file="">. InputError if there is none.
std::vector<MarkerTask> read_osim_tasks(const std::filesystem::path& file);

}  // namespace parfait::io
