#pragma once

#include "parfait/mechanism/description/description.h"
#include "parfait/tree/structure/spatial.h"

/// The initial state of described bodies and what it means between two of them.
namespace parfait::tree {

/// Position and velocity of a body's canonical frame, world axes.
struct DescribedMotion {
  Transform<double> X;
  Vec3<double> v{}, omega{};  ///< of the origin; angular
};
DescribedMotion described_motion(const mechanism::Body& body);

struct RelativeMotion {
  Transform<double> X;   ///< the joint's frame on the body, seen from the one on the parent
  Vec3<double> v{};      ///< of its origin, in axes of the parent's
  Vec3<double> omega{};  ///< relative, in axes of the body's
};
RelativeMotion relative_motion(const DescribedMotion& parent, const Transform<double>& X_PJ,
                               const DescribedMotion& body, const Transform<double>& X_BJ);

/// Unit quaternion (w, x, y, z), w >= 0 unless another entry is the largest.
void to_quaternion(const Mat3<double>& R, double* q);

}  // namespace parfait::tree
