#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "parfait/mechanism/checks/check_description.h"
#include "parfait/mechanism/checks/check_parts.h"
#include "parfait/mechanism/constants/element_constants.h"

namespace parfait::mechanism {
namespace {

Place target_place(const Parameter& parameter, std::size_t i) {
  return i < parameter.target_places.size() ? parameter.target_places[i] : parameter.place;
}

/// The frame a constant such as "begin.z.x" of an element belongs to; null: it is none of a frame.
const Marker* frame_owner(const Description& description, const std::string& element,
                          const std::string& constant) {
  const auto end_of = [&](const Marker& begin, const Marker& end) -> const Marker* {
    if (constant.starts_with("begin.")) return &begin;
    return constant.starts_with("end.") ? &end : nullptr;
  };
  if (const auto* body = find_by_id(description.bodies, element)) {
    for (const auto& marker : body->markers) {
      if (constant.starts_with(marker.id + ".")) return &marker;
    }
    return nullptr;
  }
  if (const auto* joint = find_by_id(description.joints, element)) {
    return end_of(joint->begin, joint->end);
  }
  if (const auto* constraint = find_by_id(description.constraints, element)) {
    return end_of(constraint->begin, constraint->end);
  }
  if (const auto* event = find_by_id(description.events, element)) {
    return event->begin && event->end ? end_of(*event->begin, *event->end) : nullptr;
  }
  const auto* force = find_by_id(description.forces, element);
  if (!force) return nullptr;
  for (const auto& end : ends_of(*force)) {
    if (constant.starts_with(end.name + ".")) return end.marker;
  }
  return nullptr;
}

/// A driven component of a frame must be one that the model gives itself, or of z, which has a
/// default; x and y otherwise follow from z.
void check_frame_target(const Description& description, const std::string& target,
                        const std::string& label, const Place& place) {
  const auto dot = target.find('.');
  const std::string element = target.substr(0, dot);
  const Marker* marker = frame_owner(description, element, target.substr(dot + 1));
  if (!marker) return;
  if (!marker->reference.empty()) {
    throw base::InputError(
        place,
        fmt::format("{}: \"{}\" is the marker \"{}\" of body \"{}\"; drive \"{}.{}{}\" instead.",
                    label, target, marker->reference, marker->body, marker->body, marker->reference,
                    target.substr(target.size() - 4)));
  }
  const char vector = target[target.size() - 3];
  const Frame& frame = marker->frame;
  const bool given = vector == 'o' || vector == 'z' || (vector == 'x' && frame.has_x) ||
                     (vector == 'y' && frame.has_y);
  if (!given) {
    throw base::InputError(place,
                           fmt::format("{}: \"{}\" cannot be driven: the model does not give "
                                       "the axis {} there, so that it follows from z.",
                                       label, target, vector));
  }
}

bool is_inertia_formula(const Body& body) {
  const auto any_formula = [](const Value3& values) {
    return std::any_of(values.begin(), values.end(), [](const Value& v) { return v.is_formula(); });
  };
  return body.mass.is_formula() || any_formula(body.center_of_mass) ||
         std::any_of(body.inertia.begin(), body.inertia.end(), any_formula);
}

/// A Cholesky factor holds mass, centre and inertia at once: nothing else may drive those.
void check_cholesky(const Description& description,
                    const std::map<std::string, std::string>& driven, const std::string& target,
                    const Parameter& parameter, const std::string& label, const Place& place) {
  const auto cut = target.find(".cholesky.");
  if (cut == std::string::npos) return;
  const std::string body_id = target.substr(0, cut);
  const std::string entry = target.substr(cut + std::string_view(".cholesky.").size());
  const bool is_diagonal = entry == "0" || entry == "2" || entry == "5" || entry == "9";
  if (is_diagonal && parameter.initial && !(*parameter.initial * *parameter.initial > 0)) {
    throw base::InputError(
        place,
        fmt::format("{}: initial = {:g} for \"{}\": an entry on the diagonal of the Cholesky "
                    "factor must not be 0, the body would have no mass or no extent.",
                    label, *parameter.initial, target));
  }
  for (const auto& [other, driver] : driven) {
    const bool is_inertial = other == body_id + ".mass" || other.starts_with(body_id + ".com.") ||
                             other.starts_with(body_id + ".inertia.");
    if (!is_inertial) continue;
    throw base::InputError(place,
                           fmt::format("{}: \"{}\" and \"{}\" (parameter \"{}\") contradict: "
                                       "the Cholesky factor holds mass, centre and inertia.",
                                       label, target, other, driver));
  }
  if (is_inertia_formula(*find_by_id(description.bodies, body_id))) {
    throw base::InputError(place,
                           fmt::format("{}: \"{}\" cannot be driven: mass, centre or inertia of "
                                       "\"{}\" is a formula.",
                                       label, target, body_id));
  }
}

/// The unit of a constant of a joint or force type; "" for all others.
std::string unit_of(const Description& description, const std::string& target) {
  const auto dot = target.find('.');
  const std::string element = target.substr(0, dot);
  std::vector<ConstantInfo> infos;
  if (const auto* force = find_by_id(description.forces, element)) infos = type_constants(*force);
  if (const auto* joint = find_by_id(description.joints, element)) infos = type_constants(*joint);
  const int index = constant_index(infos, target.substr(dot + 1));
  return index < 0 ? "" : infos[static_cast<std::size_t>(index)].unit;
}

bool is_formula(const Description& description, const std::string& target) {
  // The factor of an impossible body has no number either; its inertia is reported by name later.
  return target.find(".cholesky.") == std::string::npos && !constant_number(description, target);
}

void check_numbers(const Description& description, const Parameter& parameter,
                   const std::string& label) {
  dynamics::check_bounds(parameter, label);
  if (!parameter.initial && parameter.targets.empty()) {
    throw base::InputError(parameter.place,
                           label +
                               ": needs \"initial\", since it drives no constant whose value "
                               "it could start with.");
  }
  const auto start = start_value(description, parameter);
  if (start) dynamics::check_start(parameter, *start, label);
}

void check_common_start(const Description& description, const Parameter& parameter,
                        const std::vector<std::string>& targets, const std::string& label) {
  if (parameter.initial) return;
  const auto first = constant_number(description, targets.front());
  for (const auto& target : targets) {
    const auto number = constant_number(description, target);
    if (number == first) continue;
    throw base::InputError(
        parameter.place,
        fmt::format("{}: needs \"initial\": the constants it drives differ, {} = {} and {} = {}.",
                    label, targets.front(), first.value_or(0), target, number.value_or(0)));
  }
}

}  // namespace

void check_parameters(const Description& description) {
  std::map<std::string, std::string> driven;  // constant → parameter
  for (const auto& parameter : description.parameters) {
    const std::string name = parameter_name(description, parameter);
    const std::string label = element_label("parameter", name);
    if (name.empty())
      throw base::InputError(parameter.place, "a parameter has neither id nor target.");
    std::vector<std::string> targets;
    for (std::size_t i = 0; i < parameter.targets.size(); ++i) {
      const Place place = target_place(parameter, i);
      const std::string target = resolve_constant(description, parameter.targets[i], place);
      targets.push_back(target);
      if (is_formula(description, target)) {
        throw base::InputError(place, fmt::format("{}: \"{}\" cannot be driven: a formula gives "
                                                  "it.",
                                                  label, target));
      }
      check_frame_target(description, target, label, place);
      if (parameter.unit == "deg" && unit_of(description, target) == "rad") {
        throw base::InputError(
            parameter.place,
            fmt::format("{}: \"{}\" is in rad; give the parameter in rad too.", label, target));
      }
      const auto [first, is_new] = driven.try_emplace(target, name);
      if (!is_new) {
        throw base::InputError(
            place, fmt::format("{}: \"{}\" is already driven by parameter \"{}\".", label, target,
                               first->second));
      }
    }
    if (const Event* event = event_that_sets(description, name); event && !targets.empty()) {
      throw base::InputError(
          target_place(parameter, 0),
          fmt::format("{}: event \"{}\" sets it, so it cannot drive the constant \"{}\": only "
                      "force laws, derivatives of states and events follow such a parameter.",
                      label, event->id, targets.front()));
    }
    check_numbers(description, parameter, label);
    if (!targets.empty()) check_common_start(description, parameter, targets, label);
  }
  for (const auto& parameter : description.parameters) {
    for (std::size_t i = 0; i < parameter.targets.size(); ++i) {
      const Place place = target_place(parameter, i);
      check_cholesky(description, driven,
                     resolve_constant(description, parameter.targets[i], place), parameter,
                     element_label("parameter", parameter_name(description, parameter)), place);
    }
  }
}

}  // namespace parfait::mechanism
