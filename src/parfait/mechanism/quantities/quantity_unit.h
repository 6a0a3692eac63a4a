#pragma once

#include <string>

#include "parfait/mechanism/description/description.h"

namespace parfait::mechanism {

/// The unit of a quantity by name, as quantity_families() has it: "m" of "Arm.com.x", and that of a
/// parameter as the model says it. Empty where it is not known: formulas, states.
std::string quantity_unit(const Description& description, const std::string& name);

}  // namespace parfait::mechanism
