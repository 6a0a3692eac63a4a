#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "parfait/dynamics/modes.h"
#include "parfait/run/model.h"

namespace parfait::app {

/// Modes as a person looks at them: what moves, in quantities with names.
///
/// Mechanics: centres of mass, joint angles and displacements, external states; then all
/// coordinates, from which a picture of the shape can be made. Formula models: the states.
class ModesTable {
 public:
  /// The `count` slowest modes, about the point y, z.
  ModesTable(const run::Model& model, double t, dynamics::ConstVec y, dynamics::ConstVec z,
             const dynamics::ModalAnalysis& analysis, int count);

  int num_modes() const { return num_modes_; }
  const dynamics::LinearMode& mode(int i) const { return analysis_.modes[i]; }
  /// "Elbow.angle": the quantity with the largest displacement (m or rad).
  std::string moves_most(int i) const;

  std::string modes_csv() const;   ///< a row per mode
  std::string shapes_csv() const;  ///< a row per quantity, two columns per mode: re, im
  std::string point_csv() const;   ///< one row: t, the quantities and all states

 private:
  const dynamics::ModalAnalysis& analysis_;
  int num_modes_;
  int num_quantities_ = 0;          ///< the rows of shapes before the coordinates
  std::vector<std::string> names_;  ///< rows of shapes
  Eigen::MatrixXcd shapes_;
  std::vector<std::string> point_names_;
  std::vector<double> point_;
};

}  // namespace parfait::app
