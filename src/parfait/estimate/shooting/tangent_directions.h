#pragma once

#include <Eigen/Core>

#include "parfait/estimate/shooting/node_placement.h"

namespace parfait::estimate {

/// In which directions a node on the manifold of its constraints can move: with S an orthonormal
/// basis of them,
///
///   d pi = S C ds + P dtheta            (Kraus 2006, section 9.2.1; corrections.md)
struct TangentDirections {
  Eigen::MatrixXd basis;        ///< S
  Eigen::MatrixXd coordinates;  ///< C
  Eigen::MatrixXd by_theta;     ///< P
};

/// Takes S in the place of the directions of s out of a node that was placed along
/// all_directions(). A node without directions of s stays as it is.
TangentDirections restrict_to_tangent(const ShootingLayout& layout, PlacedNode& node);

}  // namespace parfait::estimate
