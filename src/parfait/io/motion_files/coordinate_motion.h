#pragma once

#include <string>
#include <vector>

#include "parfait/io/motion_files/motion_table.h"
#include "parfait/tree/build/mechanism_tree.h"

namespace parfait::io {

/// The coordinates of a mechanism over time, as a motion file gives them.
struct CoordinateMotion {
  std::vector<double> time;
  /// One per entry of MechanismTree::coordinates(): a value for every row, in rad and m.
  /// Coordinates without a column keep their initial value, coupled ones follow.
  std::vector<std::vector<double>> values;
  std::vector<std::string> missing;  ///< independent coordinates without a column
  std::vector<std::string> ignored;  ///< columns that are no coordinates

  /// The position q of the tree at a row (MechanismTree::q() where nothing has a name).
  std::vector<double> position(const tree::MechanismTree& mechanism, std::size_t row) const;
};

/// Columns are found by the coordinate's name, alone ("knee_angle_r") or in a path of OpenSim
/// ("/jointset/knee_r/knee_angle_r/value"). Angles are in what the table says, displacements always
/// in metres. InputError if no column is a coordinate, or a number is missing.
CoordinateMotion coordinate_motion(const tree::MechanismTree& mechanism, const MotionTable& table);

}  // namespace parfait::io
