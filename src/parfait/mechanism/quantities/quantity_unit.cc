#include "parfait/mechanism/quantities/quantity_unit.h"

#include <algorithm>

#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/mechanism/quantities/quantity_table.h"

namespace parfait::mechanism {
namespace {

/// What stands behind "<id>." for one of the elements; empty if none fits.
template <class Elements>
std::string behind_id(const Elements& elements, const std::string& name) {
  for (const auto& element : elements) {
    if (name.size() > element.id.size() + 1 && name[element.id.size()] == '.' &&
        name.compare(0, element.id.size(), element.id) == 0) {
      return name.substr(element.id.size() + 1);
    }
  }
  return "";
}

std::string family_unit(QuantityOf of, const std::string& member) {
  for (const auto& family : quantity_families()) {
    if (family.of != of) continue;
    const auto members = members_of(family);
    const bool found = std::any_of(members.begin(), members.end(),
                                   [&](const QuantityName& m) { return m.name == member; });
    // "m/s or rad/s" depends on the element.
    if (found) return family.unit.find(" or ") == std::string::npos ? family.unit : "";
  }
  return "";
}

}  // namespace

std::string quantity_unit(const Description& description, const std::string& name) {
  for (const auto& parameter : description.parameters) {
    if (parameter_name(description, parameter) == name) return parameter.unit;
  }
  if (const auto rest = behind_id(description.bodies, name); !rest.empty()) {
    const auto dot = rest.find('.');
    const auto of_body = family_unit(QuantityOf::kBody, rest);
    return of_body.empty() && dot != std::string::npos
               ? family_unit(QuantityOf::kPoint, rest.substr(dot + 1))
               : of_body;
  }
  if (const auto rest = behind_id(description.joints, name); !rest.empty()) {
    return family_unit(QuantityOf::kJoint, rest);
  }
  if (const auto rest = behind_id(description.constraints, name); !rest.empty()) {
    return family_unit(QuantityOf::kConstraint, rest);
  }
  if (const auto rest = behind_id(description.forces, name); !rest.empty()) {
    return family_unit(QuantityOf::kForce, rest);
  }
  return family_unit(QuantityOf::kModel, name);
}

}  // namespace parfait::mechanism
