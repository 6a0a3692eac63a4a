#pragma once

#include "parfait/mechanism/description/description.h"

namespace parfait::io {

/// Checks a description whose bodies are carried by joints with coordinates, and gives every body
/// the initial frame and velocity that the coordinates' initial values and rates mean.
void place_bodies(mechanism::Description& description);

/// `name` made of letters, digits and _, not beginning with a digit, different from everything in
/// `taken`, to which it is added.
std::string free_identifier(const std::string& name, const std::string& ending,
                            std::vector<std::string>& taken);

/// A frame with all axes given: columns of the rotation R about x, then y, then z, each about the
/// axis as the turns before have moved it (R = Rx(a) Ry(b) Rz(c)), or fixed axes (R = Rz Ry Rx).
enum class AngleOrder { kBodyXYZ, kFixedXYZ };
mechanism::Frame frame_at(const std::array<double, 3>& o, const std::array<double, 3>& angles,
                          AngleOrder order);

/// The frame B in A and C in B, as C in A. Numbers only.
mechanism::Frame composed(const mechanism::Frame& X_AB, const mechanism::Frame& X_BC);
std::array<double, 3> numbers_of(const mechanism::Value3& values);
/// A point of the frame in coordinates of what the frame is given in.
std::array<double, 3> point_outside(const mechanism::Frame& frame, const std::array<double, 3>& r);

/// One more coordinate of a joint, which turns about or displaces along an axis.
void add_coordinate(mechanism::Joint& joint, const std::string& coordinate, bool turns,
                    const std::array<double, 3>& axis);

/// The frame turned about or displaced along one of its own axes.
mechanism::Frame moved(const mechanism::Frame& frame, const mechanism::MotionAxis& by,
                       double value);

}  // namespace parfait::io
