#pragma once

#include <string>
#include <vector>

#include "parfait/dynamics/check_vocabulary.h"
#include "parfait/mechanism/description.h"
#include "parfait/mechanism/registry.h"

/// Lookups in a Description that the checks share.
namespace parfait::mechanism {

template <class Element>
const Element* find_by_id(const std::vector<Element>& elements, const std::string& id) {
  for (const auto& element : elements) {
    if (element.id == id) return &element;
  }
  return nullptr;
}

template <class Element>
void append_ids(const std::vector<Element>& elements, std::vector<std::string>& ids) {
  for (const auto& element : elements) ids.push_back(element.id);
}

using dynamics::element_label;
using dynamics::place_or;

/// InputError if the key is unknown.
const JointType& type_of(const Joint& joint);
const ForceType& type_of(const Force& force);
const EventType& type_of(const Event& event);

/// An end of an element and what the names of its constants begin with: begin, via1, via2, …, end.
struct NamedEnd {
  std::string name;
  const Marker* marker;
};
/// The ends of a force that are given, in the order in which its element sees them.
std::vector<NamedEnd> ends_of(const Force& force);

/// What formulas call the measure of a force: "length" or "angle".
std::string measure_name(const Force& force);

/// The constants the type has for an element on its side, or the alternative ones if it gives
/// those.
std::vector<ConstantInfo> type_constants(const Joint& joint);
std::vector<ConstantInfo> type_constants(const Force& force);
std::vector<ConstantInfo> type_constants(const Event& event);

/// The first event that sets a parameter, by its name; null: none.
const Event* event_that_sets(const Description& description, const std::string& parameter);

/// Index in `infos` of a constant given by name or as Constant_<i>; -1: none.
int constant_index(const std::vector<ConstantInfo>& infos, const std::string& name);

/// The value given for constant `index`, or null.
const Value* given_value(const std::vector<ConstantInfo>& infos,
                         const std::vector<NamedValue>& given, int index);

}  // namespace parfait::mechanism
