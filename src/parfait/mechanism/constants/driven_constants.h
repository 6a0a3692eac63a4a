#pragma once

#include <span>
#include <string>

/// The constants of elements that a parameter may drive besides those of their types (registry.h),
/// as families of names: what constant_names() lists, and what `parfait elements` tells a user.
namespace parfait::mechanism {

enum class ConstantOf {
  kBody,        ///< <body>
  kMarker,      ///< <body>.<marker>
  kConstraint,  ///< <constraint>
  kEnds,        ///< <element>: a joint or constraint, or a force or event between two bodies
};

struct ConstantFamily {
  ConstantOf of;
  std::string pattern;  ///< see names_of_pattern
  std::string unit;
  std::string meaning;
};

/// Those of one kind are in the order of Constant_0, Constant_1 …
std::span<const ConstantFamily> driven_constants();

}  // namespace parfait::mechanism
