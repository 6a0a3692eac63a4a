#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parfait/dynamics/check_vocabulary.h"
#include "parfait/mechanism/description/description.h"
#include "parfait/mechanism/elements/registry.h"

/// The elements of a Description, their types and their constants.
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

/// The constants of an element that a parameter may drive, in the order of Constant_0, Constant_1 …
///   body        mass, com.x …, inertia.xx yy zz xy xz yz (about the centre of mass), cholesky.0
///               … cholesky.9, then for each of its markers <marker>.o.x … <marker>.z.z
///   joint       those of its type, begin.o.x … begin.z.z, end.o.x … end.z.z
///   constraint  offset, begin.…, end.…
///   force       those of its type and, if it acts between bodies, begin.…, end.…
///   event       between bodies: those of its type, begin.…, end.…
/// Gravitation has g (along z), or gx, gy, gz if the model gives three.
/// InputError if there is no such element or its type is unknown.
std::vector<std::string> constant_names(const Description& description, const std::string& element,
                                        const Place& asked_at = {});

/// "Gravitation.Constant_0" and "Gravitation.g" are both "Gravitation.g". InputError at `asked_at`
/// if the description has no such constant.
std::string resolve_constant(const Description& description, const std::string& target,
                             const Place& asked_at = {});

/// The name of a parameter: its id or, in Kraus's form, that of the constant it drives.
std::string parameter_name(const Description& description, const Parameter& parameter);

/// The number a constant (a name as resolve_constant gives it) has in the description; nothing if
/// it is a formula or depends on one.
std::optional<double> constant_number(const Description& description, const std::string& constant);

/// `initial`, or the present number of the constant it drives; nothing if that has none.
std::optional<double> start_value(const Description& description, const Parameter& parameter);

}  // namespace parfait::mechanism
