#pragma once

#include <string>

namespace parfait::motion {

/// femur_r, femur_l, r_femur, RightFemur: the name without its side; the same if it has none.
std::string without_side(const std::string& name);

}  // namespace parfait::motion
