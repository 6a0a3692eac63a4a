#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "parfait/dynamics/system.h"

namespace parfait::dynamics {

/// For the directions that the columns of dy (ny rows) span, as many names of coordinates or states
/// that tell them apart best: the pivots of a column-pivoted QR of dy^T. Velocities are not named.
std::vector<std::string> name_directions(const System& system, Eigen::MatrixXd dy);

}  // namespace parfait::dynamics
