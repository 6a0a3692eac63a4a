#pragma once

#include <optional>
#include <string>

#include "parfait/mechanism/description/description.h"

namespace parfait::mechanism {

/// The number of a constant of a body ("mass", "com.x", "inertia.xy"); none if it follows from
/// formulas. `constant_number` finds the body first, which takes longer the more there are.
std::optional<double> body_number(const Body& body, const std::string& name);

}  // namespace parfait::mechanism
