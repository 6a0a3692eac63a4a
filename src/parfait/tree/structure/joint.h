#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parfait/math/vec3.h"
#include "parfait/tree/structure/function.h"

namespace parfait::tree {

enum class StepKind : std::uint8_t {
  kRotation,      ///< about an axis, by a function of one coordinate
  kTranslation,   ///< along an axis, by a function of one coordinate
  kBall,          ///< any rotation: 4 coordinates (unit quaternion w x y z), 3 velocities
  kDisplacement,  ///< any translation along the axes x, y, z: 3 coordinates and velocities
};

/// One elementary motion. The frame it moves is the one that the steps before it have moved.
struct Step {
  StepKind kind = StepKind::kRotation;
  math::Vec3<double> axis{0, 0, 1};  ///< of kRotation and kTranslation; need not be a unit vector
  int coordinate = 0;                ///< which of the joint's scalar coordinates drives it
  int function = -1;                 ///< of the joint's functions; -1: the coordinate itself
};

/// How a body may move relative to its parent: elementary motions, one after the other, from the
/// joint's frame on the parent to its frame on the body.
///
/// Coordinates  The scalar ones in their own order. A quaternion has four coordinates and three
///              velocities: the angular velocity of the body relative to its parent, in the axes
///              of the joint's frame on the body. q' = 1/2 q o (0, omega).
/// Several steps may follow one coordinate (helical and function joints).
struct Joint {
  std::vector<Step> steps;
  std::vector<Function> functions;

  int num_scalar_coordinates() const;

  static Joint fixed() { return {}; }
  static Joint revolute(const math::Vec3<double>& axis);
  static Joint prismatic(const math::Vec3<double>& axis);
  /// Turns by q and advances by pitch q (m/rad); the pitch is a constant of function 0.
  static Joint helical(const math::Vec3<double>& axis, double pitch);
  /// Turns by q0, slides by q1.
  static Joint cylindrical(const math::Vec3<double>& axis);
  /// Slides along x and y, then turns about z.
  static Joint planar();
  static Joint universal(const math::Vec3<double>& first, const math::Vec3<double>& second);
  static Joint spherical();
  static Joint floating();
  /// Elementary motions along or about coordinate axes, each with a coordinate of its own: letters
  /// X, Y, Z turn, x, y, z slide; "ZYX" is a ball joint in Cardan angles, "xyzYXZ" a free body.
  static Joint sequence(std::string_view letters);

  /// A rotation or translation of a function joint.
  struct Axis {
    math::Vec3<double> axis;
    int coordinate = 0;
    Function function;
  };
  /// The body is displaced along three axes of the joint's frame on the parent, then turned about
  /// three axes, each carried on by the rotations before it (OpenSim's CustomJoint).
  static Joint of_functions(const std::array<Axis, 3>& rotations,
                            const std::array<Axis, 3>& translations);
};

}  // namespace parfait::tree
