#pragma once

#include <limits>
#include <string>
#include <vector>

#include "parfait/tree/structure/tree.h"

/// A body that carries markers: what inverse kinematics and subject calibration work on.
namespace parfait::motion {

using math::Vec3;

/// One velocity of the tree: a joint coordinate, or one of the three rotations of a quaternion.
struct Coordinate {
  std::string name;
  int q = -1;  ///< its place among the positions of the tree; -1: a rotation of a quaternion
  bool is_angle = true;
  bool locked = false;  ///< keeps `initial`
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double initial = 0;
};

struct SkinMarker {
  std::string name;
  int body = 0;               ///< of the tree
  Vec3<double> place{};       ///< m, body frame
  bool is_anatomical = true;  ///< at a landmark; otherwise its place says nothing (tracking)
};

/// Immutable once made.
///
/// Scaling  Scale factors of a body multiply what is fixed in its axes: the places of its markers
///          and of the joints' frames on it; and translations of joints that follow a function, by
///          the factors of the parent (`scaled_steps`), because they stand for the shape of the
///          bone. A translation that is a coordinate itself is not scaled.
struct Skeleton {
  tree::Tree tree;
  std::vector<Coordinate> coordinates;  ///< one per velocity of the tree
  std::vector<SkinMarker> markers;
  std::vector<char> scaled_steps;  ///< one per node of the tree
  std::vector<double> start;       ///< position of the description; empty: the neutral one
  /// A coordinate that follows another: function(q).
  struct Follower {
    std::string name;
    int q = 0;
    int function = 0;  ///< of the tree
    bool is_angle = true;
  };
  std::vector<Follower> followers;

  int num_coordinates() const { return tree.nv; }
  int num_markers() const { return static_cast<int>(markers.size()); }
  int find_marker(const std::string& name) const;  ///< -1: none
  int find_body(const std::string& name) const;
  int find_coordinate(const std::string& name) const;
  /// All coordinates at their initial values.
  std::vector<double> initial_position() const;
};

/// Marks the nodes whose translation, before any turn of their joint, follows a function that is
/// more than the coordinate itself.
void find_scaled_steps(Skeleton& skeleton);

}  // namespace parfait::motion
