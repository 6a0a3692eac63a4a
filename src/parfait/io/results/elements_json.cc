#include "parfait/io/results/elements_json.h"

#include <cmath>

#include "parfait/io/results/json_archive.h"
#include "parfait/mechanism/description/name_pattern.h"
#include "parfait/mechanism/elements/constraint_types.h"

namespace parfait::io {
namespace elements_json {

std::string joined(const std::string& beginning, const std::string& pattern) {
  return beginning.empty() || pattern.empty() ? beginning + pattern : beginning + "." + pattern;
}

std::string beginning_of(mechanism::QuantityOf of) {
  using Of = mechanism::QuantityOf;
  switch (of) {
    case Of::kPoint:
      return "<body>.{com,origin,<marker>}";
    case Of::kBody:
      return "<body>";
    case Of::kJoint:
      return "<joint>";
    case Of::kCoordinate:
      return "<coordinate>";
    case Of::kConstraint:
      return "<constraint>";
    case Of::kForce:
      return "<force>";
    case Of::kState:
      return "<state>";
    case Of::kParameter:
      return "<parameter>";
    case Of::kModel:
      break;
  }
  return "";
}

std::string beginning_of(mechanism::ConstantOf of) {
  using Of = mechanism::ConstantOf;
  switch (of) {
    case Of::kBody:
      return "<body>";
    case Of::kMarker:
      return "<body>.<marker>";
    case Of::kConstraint:
      return "<constraint>";
    case Of::kEnds:
      break;
  }
  return "<element>";
}

Json constant_json(const mechanism::ConstantInfo& constant) {
  const auto bound = [](double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  };
  return {{"name", constant.name},
          {"unit", constant.unit},
          {"meaning", constant.meaning},
          {"required", !constant.fallback},
          {"default", constant.fallback ? Json(*constant.fallback) : Json(nullptr)},
          {"lower", bound(constant.lower)},
          {"upper", bound(constant.upper)}};
}

Json constants_json(const std::vector<mechanism::ConstantInfo>& constants) {
  Json list = Json::array();
  for (const auto& constant : constants) list.push_back(constant_json(constant));
  return list;
}

/// What follows the id of the element in the names of its quantities.
Json quantity_names(const mechanism::ForceType& force) {
  Json names = Json::array();
  for (const auto& quantity : force.quantities) names.push_back(quantity.name);
  return names;
}

/// The constants that states begin with.
Json states_json(const mechanism::ForceType& force) {
  Json names = Json::array();
  for (const auto& state : force.states) {
    names.push_back(force.constants[static_cast<std::size_t>(state.constant)].name);
  }
  return names;
}

Json quantity_names(const mechanism::JointType& joint) {
  Json names = Json::array();
  for (const auto& family : mechanism::quantity_families()) {
    if (!mechanism::has_quantities(joint, family)) continue;
    for (const auto& member : mechanism::members_of(family)) names.push_back(member.name);
  }
  return names;
}

Json joints_json(const mechanism::Registry& registry) {
  Json list = Json::array();
  for (const auto& joint : registry.joints()) {
    list.push_back({{"key", joint.key},
                    {"summary", joint.summary},
                    {"constraints", joint.rows.size()},
                    {"free_translations", joint.free_translations},
                    {"free_rotations", joint.free_rotations},
                    {"constants", constants_json(joint.constants)},
                    {"quantities", quantity_names(joint)}});
  }
  return list;
}

Json constraints_json() {
  Json list = Json::array();
  for (const auto& constraint : mechanism::constraint_types()) {
    Json axes = Json::array();
    if (constraint.has_begin_axis()) axes.push_back("begin_axis");
    if (constraint.has_end_axis()) axes.push_back("end_axis");
    list.push_back({{"key", constraint.key},
                    {"summary", constraint.summary},
                    {"axes", axes},
                    {"constants", constants_json({constraint.offset})}});
  }
  return list;
}

/// `constants` of an element that acts always, `one_sided_constants` of one with side="push" or
/// "pull", `alternative_constants` all together instead of `constants`.
Json forces_json(const mechanism::Registry& registry) {
  Json list = Json::array();
  for (const auto& force : registry.forces()) {
    Json one_sided(nullptr);
    if (force.may_be_one_sided())
      one_sided = constants_json(force.constants_of(mechanism::Side::kPush));
    list.push_back({{"key", force.key},
                    {"summary", force.summary},
                    {"between_bodies", force.is_element()},
                    {"ends", Json::array({force.min_ends, force.max_ends})},
                    {"law", force.has_law},
                    {"one_sided", force.may_be_one_sided()},
                    {"constants", constants_json(force.constants_of(mechanism::Side::kBoth))},
                    {"one_sided_constants", one_sided},
                    {"alternative_constants", constants_json(force.alternative)},
                    {"states", states_json(force)},
                    {"quantities", quantity_names(force)}});
  }
  return list;
}

Json events_json(const mechanism::Registry& registry) {
  Json list = Json::array();
  for (const auto& event : registry.events()) {
    list.push_back({{"key", event.key},
                    {"summary", event.summary},
                    {"between_bodies", event.between_bodies},
                    {"constants", constants_json(event.constants)}});
  }
  return list;
}

template <class Families>
Json families_json(const Families& families) {
  Json list = Json::array();
  for (const auto& family : families) {
    const std::string pattern = full_pattern(family);
    list.push_back({{"pattern", pattern},
                    {"names", mechanism::names_of_pattern(pattern)},
                    {"unit", family.unit},
                    {"meaning", family.meaning}});
  }
  return list;
}

}  // namespace elements_json

std::string full_pattern(const mechanism::QuantityFamily& family) {
  // States that the model itself adds have names of their own.
  if (family.of == mechanism::QuantityOf::kState && !family.pattern.empty()) {
    return family.pattern;
  }
  return elements_json::joined(elements_json::beginning_of(family.of), family.pattern);
}

std::string full_pattern(const mechanism::ConstantFamily& family) {
  return elements_json::joined(elements_json::beginning_of(family.of), family.pattern);
}

std::string elements_text(const mechanism::Registry& registry) {
  using namespace elements_json;  // NOLINT(google-build-using-namespace): helpers of this file
  const Json json = {{"joints", joints_json(registry)},
                     {"constraints", constraints_json()},
                     {"forces", forces_json(registry)},
                     {"events", events_json(registry)},
                     {"quantities", families_json(mechanism::quantity_families())},
                     {"driven", families_json(mechanism::driven_constants())}};
  return json.dump(2) + "\n";
}

}  // namespace parfait::io
