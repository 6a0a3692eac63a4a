#include <fmt/format.h>

#include "parfait/mechanism/checks/check_parts.h"
#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/mechanism/elements/constraint_types.h"

namespace parfait::mechanism {
namespace {

std::string described(const std::string& key, const std::vector<ConstantInfo>& infos) {
  std::vector<std::string> names;
  names.reserve(infos.size());
  for (const auto& info : infos) names.push_back(info.name);
  return names.empty() ? key + " has no constants." : "Constants: " + base::listing(names) + ".";
}

std::vector<std::string> keys_with_law() {
  std::vector<std::string> keys;
  for (const auto& key : registry().force_keys()) {
    if (registry().find_force(key)->has_law) keys.push_back(key);
  }
  return keys;
}

/// `fields` are further names the element could have had, for suggestions.
template <class Element>
void check_given(const Element& element, const std::string& label,
                 const std::vector<std::string>& fields) {
  const auto infos = type_constants(element);
  std::vector<bool> given(infos.size(), false);
  for (const auto& constant : element.constants) {
    const Place& place = place_or(constant.place, element.place);
    const int index = constant_index(infos, constant.name);
    if (index < 0 && constant.name.starts_with("Constant_")) {
      throw base::InputError(
          place, fmt::format("{}: {} takes {} constant{}, found {}. {}", label, element.key,
                             infos.size(), infos.size() == 1 ? "" : "s", element.constants.size(),
                             described(element.key, infos)));
    }
    if (index < 0) {
      std::vector<std::string> known = fields;
      for (const auto& info : infos) known.push_back(info.name);
      throw base::InputError(
          place,
          fmt::format("{}: unknown constant \"{}\".{} {}", label, constant.name,
                      base::suggestion(constant.name, known), described(element.key, infos)));
    }
    const auto i = static_cast<std::size_t>(index);
    if (given[i]) {
      throw base::InputError(
          place, fmt::format("{}: constant \"{}\" is given twice.", label, infos[i].name));
    }
    given[i] = true;
  }
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (given[i] || infos[i].fallback) continue;
    throw base::InputError(element.place,
                           fmt::format("{}: {} needs the constant \"{}\" ({}).", label, element.key,
                                       infos[i].name, infos[i].meaning));
  }
}

void check_axis(char axis, const char* name, const Constraint& constraint) {
  if (axis == 'x' || axis == 'y' || axis == 'z') return;
  throw base::InputError(constraint.place,
                         fmt::format("{}: {} \"{}\": must be x, y or z.",
                                     element_label("constraint", constraint.id), name, axis));
}

void check_number_of_ends(const Force& force, const ForceType& type, const std::string& label) {
  const auto ends = ends_of(force);
  if (!type.is_element()) {
    if (ends.empty()) return;
    throw base::InputError(
        place_or(ends.front().marker->place, force.place),
        fmt::format("{}: {} acts on all bodies; remove <begin> and <end>.", label, force.key));
  }
  if (!force.begin || (!force.end && type.min_ends > 1)) {
    const char* where = type.max_ends == 1   ? "on one body"
                        : type.max_ends == 2 ? "between two bodies"
                                             : "between several bodies";
    throw base::InputError(force.place,
                           fmt::format("{}: {} acts {}: <{}> is missing.", label, force.key, where,
                                       force.begin ? "end" : "begin"));
  }
  const int count = static_cast<int>(ends.size());
  if (count >= type.min_ends && count <= type.max_ends) return;
  const std::string needed = type.min_ends == type.max_ends
                                 ? fmt::format("{}", type.min_ends)
                                 : fmt::format("{} to {}", type.min_ends, type.max_ends);
  throw base::InputError(place_or(ends.back().marker->place, force.place),
                         fmt::format("{}: {} has {} ends (<begin>, <via>, <end>), found {}.", label,
                                     force.key, needed, count));
}

void check_force(const Force& force) {
  const std::string label = element_label("force", force.id);
  const ForceType& type = type_of(force);
  const auto num_given = force.constants.size();
  if (force.key == "Gravitation" && num_given != 1 && num_given != 3) {
    throw base::InputError(force.place,
                           fmt::format("{}: Gravitation takes 1 constant (g, along z) or 3 "
                                       "(gx, gy, gz), found {}.",
                                       label, num_given));
  }
  check_given(force, label, {"begin", "via", "end", "law", "constants", "side", "adhesion"});
  if (force.side != Side::kBoth && !type.may_be_one_sided()) {
    throw base::InputError(place_or(force.side_place, force.place),
                           fmt::format("{}: {} cannot be one-sided.", label, force.key));
  }
  if (force.side == Side::kBoth && force.adhesion) {
    throw base::InputError(
        force.place,
        fmt::format("{}: adhesion is for one-sided forces: give side=\"push\" or side=\"pull\".",
                    label));
  }
  if (type.has_law && !force.law.is_formula()) {
    throw base::InputError(force.place, fmt::format("{}: {} needs a law, a formula of {} and rate.",
                                                    label, force.key, measure_name(force)));
  }
  if (!type.has_law && force.law.is_formula()) {
    throw base::InputError(place_or(force.law.place, force.place),
                           fmt::format("{}: {} has a fixed law; for a formula use {}.", label,
                                       force.key, base::joined(keys_with_law(), "or")));
  }
  check_number_of_ends(force, type, label);
}

}  // namespace

void check_constants(const Description& description) {
  for (const auto& joint : description.joints) {
    check_given(joint, element_label("joint", joint.id), {"begin", "end", "constants"});
  }
  for (const auto& constraint : description.constraints) {
    if (!find_constraint(constraint.key)) {
      std::vector<std::string> keys;
      for (const auto& type : constraint_types()) keys.push_back(type.key);
      throw base::InputError(
          constraint.place,
          fmt::format("{}: unknown key \"{}\".{} Constraints: {}.",
                      element_label("constraint", constraint.id), constraint.key,
                      base::suggestion(constraint.key, keys), base::listing(keys)));
    }
    check_axis(constraint.begin_axis, "begin_axis", constraint);
    check_axis(constraint.end_axis, "end_axis", constraint);
  }
  for (const auto& force : description.forces) check_force(force);
  for (const auto& event : description.events) {
    check_given(event, element_label("event", event.id),
                {"begin", "end", "constants", "when", "at", "direction", "terminal"});
  }
}

}  // namespace parfait::mechanism
