#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "parfait/io/motion_files/motion_table.h"
#include "parfait/motion/dynamics/inverse_dynamics.h"

namespace parfait::io {

/// An <ExternalLoads> file of OpenSim: which columns of a table act on which bodies.
struct ExternalLoadsFile {
  struct Load {
    std::string name, body;
    std::string force_in = "ground", point_in = "ground";
    std::string force, point, moment;  ///< what the names of three columns begin with; or empty
    base::Place place;
  };
  std::string file;
  std::string data_file;  ///< as written, seen from the folder of `file`
  std::vector<Load> loads;
  std::vector<std::string> left_out;  ///< that are switched off
};
/// InputError with file and line.
ExternalLoadsFile read_external_loads(const std::filesystem::path& file);
ExternalLoadsFile read_external_loads_text(std::string_view text, const std::string& file_name);

/// The loads on the bodies of a mechanism, from the table they name. Columns are found by their
/// beginning with x, y, z (or 1, 2, 3) after it. InputError for bodies and columns that do not
/// exist, and for missing numbers.
std::vector<motion::ExternalLoad> external_loads(const ExternalLoadsFile& file,
                                                 const MotionTable& table,
                                                 const mechanism::Description& description,
                                                 const tree::MechanismTree& mechanism);

}  // namespace parfait::io
