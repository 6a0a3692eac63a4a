#pragma once

#include <string>
#include <vector>

#include "testing/model_gallery.h"

namespace parfait::testing_support {

/// The constraint "drive" of that key (Kraus 2006, appendix C.1) with the offset
///
///   r(t) = level + amplitude sin(frequency t + 0.4),    parameters amplitude = 0.1, frequency = 2
///
/// and a level with which the row holds in the described position and motion at t = 0, between
/// two bodies, from a body to the ground and from the ground to a body; each with free bodies,
/// where the constraint alone joins, and with bodies in a chain of spherical joints, where it
/// closes a loop. Frames, coordinates, forces and motion are generic.
///
/// InputError if the witness does not know the key.
std::vector<TestModel> driven_models(const std::string& key);

}  // namespace parfait::testing_support
