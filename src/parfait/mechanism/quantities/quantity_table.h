#pragma once

#include <span>
#include <string>
#include <vector>

#include "parfait/mechanism/elements/registry.h"
#include "parfait/mechanism/quantities/quantity.h"

/// Every quantity of a model by name, as families: what Quantities builds its names from, and what
/// `parfait elements` and docs/quantities.md tell a user.
namespace parfait::mechanism {

/// What a quantity belongs to, and so what its name begins with.
enum class QuantityOf {
  kPoint,       ///< <body>.<point>, a point being com, origin or a marker of the body
  kBody,        ///< <body>
  kJoint,       ///< <joint>
  kCoordinate,  ///< <coordinate>, the name itself, of a joint by axes
  kConstraint,  ///< <constraint>
  kForce,       ///< <force>, of those that act between two bodies
  kState,       ///< <state>, the name itself
  kParameter,   ///< <parameter>, the name itself
  kModel,       ///< nothing
};

struct QuantityFamily {
  QuantityOf of;
  std::string pattern;  ///< what follows that beginning, see names_of_pattern; states: nothing
  Quantity::Kind kind;
  std::string unit;
  std::string meaning;
};

std::span<const QuantityFamily> quantity_families();

/// Whether a joint of this type has the quantities of a family. Those of a force stand with its
/// type (ForceType::quantities).
bool has_quantities(const JointType& type, const QuantityFamily& family);

/// A member of a family: "e2.vz" has number 2 and component 2 (z).
struct QuantityName {
  std::string name;
  int number = 0;  ///< 1 to 3 for {1,2,3} of the pattern, 0 without
  int component = 0;
};
std::vector<QuantityName> members_of(const QuantityFamily& family);

}  // namespace parfait::mechanism
