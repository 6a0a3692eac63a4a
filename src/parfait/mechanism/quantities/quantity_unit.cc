#include "parfait/mechanism/quantities/quantity_unit.h"

#include <map>
#include <utility>

#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/mechanism/quantities/quantity_table.h"

namespace parfait::mechanism {
namespace {

template <class Elements>
std::unordered_map<std::string, std::size_t> places_of(const Elements& elements) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < elements.size(); ++i) places.try_emplace(elements[i].id, i);
  return places;
}

using Members = std::map<std::pair<QuantityOf, std::string>, std::string>;

Members units_of_members() {
  Members units;
  for (const auto& family : quantity_families()) {
    // "m/s or rad/s" depends on the element.
    const bool is_known = family.unit.find(" or ") == std::string::npos;
    for (auto& member : members_of(family)) {
      units.try_emplace({family.of, std::move(member.name)}, is_known ? family.unit : "");
    }
  }
  return units;
}

std::string family_unit(QuantityOf of, const std::string& member) {
  static const Members units = units_of_members();
  const auto found = units.find({of, member});
  return found == units.end() ? "" : found->second;
}

}  // namespace

QuantityUnits::QuantityUnits(const Description& description)
    : bodies_(places_of(description.bodies)),
      joints_(places_of(description.joints)),
      constraints_(places_of(description.constraints)),
      forces_(places_of(description.forces)) {
  for (const auto& parameter : description.parameters) {
    parameters_.try_emplace(parameter_name(description, parameter), parameter.unit);
  }
}

/// What stands behind "<id>." for the first element it fits, since ids may have dots; empty if none
/// does.
std::string QuantityUnits::behind_id(const Places& places, const std::string& name) {
  auto first = places.end();
  for (auto dot = name.find('.'); dot < name.size() - 1; dot = name.find('.', dot + 1)) {
    const auto found = places.find(name.substr(0, dot));
    if (found == places.end()) continue;
    if (first == places.end() || found->second < first->second) first = found;
  }
  return first == places.end() ? "" : name.substr(first->first.size() + 1);
}

std::string QuantityUnits::of(const std::string& name) const {
  const auto parameter = parameters_.find(name);
  if (parameter != parameters_.end()) return parameter->second;
  if (const auto rest = behind_id(bodies_, name); !rest.empty()) {
    const auto dot = rest.find('.');
    const auto of_body = family_unit(QuantityOf::kBody, rest);
    return of_body.empty() && dot != std::string::npos
               ? family_unit(QuantityOf::kPoint, rest.substr(dot + 1))
               : of_body;
  }
  if (const auto rest = behind_id(joints_, name); !rest.empty()) {
    return family_unit(QuantityOf::kJoint, rest);
  }
  if (const auto rest = behind_id(constraints_, name); !rest.empty()) {
    return family_unit(QuantityOf::kConstraint, rest);
  }
  if (const auto rest = behind_id(forces_, name); !rest.empty()) {
    return family_unit(QuantityOf::kForce, rest);
  }
  return family_unit(QuantityOf::kModel, name);
}

std::string quantity_unit(const Description& description, const std::string& name) {
  return QuantityUnits(description).of(name);
}

}  // namespace parfait::mechanism
