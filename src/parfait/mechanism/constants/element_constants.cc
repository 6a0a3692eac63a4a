#include "parfait/mechanism/constants/element_constants.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <charconv>

#include "parfait/mechanism/constants/body_number.h"
#include "parfait/mechanism/constants/driven_constants.h"
#include "parfait/mechanism/description/body_inertia.h"
#include "parfait/mechanism/description/inertia.h"
#include "parfait/mechanism/description/name_pattern.h"
#include "parfait/mechanism/elements/standard_elements.h"

namespace parfait::mechanism {
namespace {

constexpr const char* kInertiaNames[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
constexpr int kInertiaRow[] = {0, 1, 2, 0, 0, 1};
constexpr int kInertiaColumn[] = {0, 1, 2, 1, 2, 2};

void append_driven(ConstantOf of, const std::string& prefix, std::vector<std::string>& names) {
  for (const auto& family : driven_constants()) {
    if (family.of != of) continue;
    for (const auto& name : names_of_pattern(family.pattern)) names.push_back(prefix + name);
  }
}

/// Frames of the ends; those of begin and end first, as everywhere.
void append_end_constants(const Force& force, std::vector<std::string>& names) {
  std::vector<std::string> both;
  append_driven(ConstantOf::kEnds, "", both);
  for (const auto& name : both) {
    if (force.end || !name.starts_with("end.")) names.push_back(name);
  }
  for (std::size_t i = 0; i < force.via.size(); ++i) {
    append_driven(ConstantOf::kMarker, fmt::format("via{}.", i + 1), names);
  }
}

std::vector<std::string> constants_of(const Body& body) {
  std::vector<std::string> names;
  append_driven(ConstantOf::kBody, "", names);
  for (const auto& marker : body.markers) {
    append_driven(ConstantOf::kMarker, marker.id + ".", names);
  }
  return names;
}

/// ` Did you mean "Arm.com.x"?` for constants that are misspelt, or called as in the model file.
std::string target_suggestion(const std::string& element, const std::string& constant,
                              const std::vector<std::string>& names) {
  constexpr std::pair<std::string_view, std::string_view> kInFile[] = {
      {"center_of_mass", "com"}, {"moment_of_inertia", "inertia"}};
  std::string meant = constant;
  for (const auto& [in_file, here] : kInFile) {
    if (meant.starts_with(in_file)) meant.replace(0, in_file.size(), here);
  }
  const std::string* found = base::nearest(meant, names);
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (*name == meant || name->starts_with(meant + ".")) found = &*name;
  }
  return found ? fmt::format(" Did you mean \"{}.{}\"?", element, *found) : "";
}

std::vector<std::string> names_of(const std::vector<ConstantInfo>& infos) {
  std::vector<std::string> names;
  names.reserve(infos.size());
  for (const auto& info : infos) names.push_back(info.name);
  return names;
}

/// i of "Constant_<i>", or -1.
int position_of(const std::string& name) {
  constexpr std::string_view kPrefix = "Constant_";
  if (!name.starts_with(kPrefix)) return -1;
  int index = -1;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + kPrefix.size(), end, index);
  return error == std::errc() && stop == end ? index : -1;
}

std::optional<double> number_of(const Value& value) {
  return value.is_formula() ? std::nullopt : std::optional<double>(value.number);
}

/// "o.x" … "z.z" of a frame.
std::optional<double> frame_number(const Frame& frame, std::string_view name) {
  const Value3& vector = name[0] == 'o'   ? frame.o
                         : name[0] == 'x' ? frame.x
                         : name[0] == 'y' ? frame.y
                                          : frame.z;
  return number_of(vector[static_cast<std::size_t>(name[2] - 'x')]);
}

}  // namespace

std::optional<double> body_number(const Body& body, const std::string& name) {
  if (name == "mass") return number_of(body.mass);
  if (name.starts_with("com.")) {
    return number_of(body.center_of_mass[static_cast<std::size_t>(name[4] - 'x')]);
  }
  if (name.starts_with("inertia.")) {
    const auto numbers =
        BodyNumbers::from(body, [](const Value& value) { return number_of(value); });
    if (!numbers) return std::nullopt;
    const Eigen::Matrix3d inertia = numbers->inertia_about_center();
    for (int i = 0; i < 6; ++i) {
      if (name.substr(8) == kInertiaNames[i]) return inertia(kInertiaRow[i], kInertiaColumn[i]);
    }
  }
  if (name.starts_with("cholesky.")) {
    const auto numbers =
        BodyNumbers::from(body, [](const Value& value) { return number_of(value); });
    std::array<double, 10> L{};
    if (!numbers || !numbers->cholesky(L)) return std::nullopt;
    return L[static_cast<std::size_t>(name[9] - '0')];
  }
  for (const auto& marker : body.markers) {
    if (name.starts_with(marker.id + ".")) {
      return frame_number(marker.frame, std::string_view(name).substr(marker.id.size() + 1));
    }
  }
  return std::nullopt;
}

namespace {

std::optional<double> end_number(const Marker& begin, const Marker& end, std::string_view name) {
  if (name.starts_with("begin.")) return frame_number(begin.frame, name.substr(6));
  if (name.starts_with("end.")) return frame_number(end.frame, name.substr(4));
  return std::nullopt;
}

template <class Element>
std::optional<double> type_number(const Element& element, const std::string& name) {
  const auto infos = type_constants(element);
  const int index = constant_index(infos, name);
  if (index < 0) return std::nullopt;
  const Value* value = given_value(infos, element.constants, index);
  return value ? number_of(*value) : infos[static_cast<std::size_t>(index)].fallback;
}

/// "Gravitation.Constant_0" → "Gravitation", "Constant_0".
std::pair<std::string, std::string> split_target(const std::string& target) {
  const auto dot = target.find('.');
  if (dot == std::string::npos) return {target, ""};
  return {target.substr(0, dot), target.substr(dot + 1)};
}

}  // namespace

const JointType& type_of(const Joint& joint) {
  if (const auto* type = registry().find_joint(joint.key)) return *type;
  const auto keys = registry().joint_keys();
  throw base::InputError(
      joint.place,
      fmt::format("{}: unknown key \"{}\".{} Joints: {}.", element_label("joint", joint.id),
                  joint.key, base::suggestion(joint.key, keys), base::listing(keys, 100)));
}

const ForceType& type_of(const Force& force) {
  if (const auto* type = registry().find_force(force.key)) return *type;
  const auto keys = registry().force_keys();
  throw base::InputError(
      force.place,
      fmt::format("{}: unknown key \"{}\".{} Forces: {}.", element_label("force", force.id),
                  force.key, base::suggestion(force.key, keys), base::listing(keys, 100)));
}

const EventType& type_of(const Event& event) {
  if (const auto* type = registry().find_event(event.key)) return *type;
  const auto keys = registry().event_keys();
  throw base::InputError(
      event.place,
      fmt::format("{}: unknown key \"{}\".{} Events: {}.", element_label("event", event.id),
                  event.key, base::suggestion(event.key, keys), base::listing(keys, 100)));
}

std::vector<NamedEnd> ends_of(const Force& force) {
  std::vector<NamedEnd> ends;
  if (force.begin) ends.push_back({"begin", &*force.begin});
  for (std::size_t i = 0; i < force.via.size(); ++i) {
    ends.push_back({fmt::format("via{}", i + 1), &force.via[i]});
  }
  if (force.end) ends.push_back({"end", &*force.end});
  return ends;
}

const Event* event_that_sets(const Description& description, const std::string& parameter) {
  for (const auto& event : description.events) {
    for (const auto& set : event.sets) {
      if (set.target == parameter) return &event;
    }
  }
  return nullptr;
}

std::string measure_name(const Force& force) {
  const std::string& name = type_of(force).measure;
  return name.empty() ? "length" : name;
}

std::vector<ConstantInfo> type_constants(const Joint& joint) {
  return type_of(joint).constants;
}

std::vector<ConstantInfo> type_constants(const Force& force) {
  const ForceType& type = type_of(force);
  const auto& others = type.alternative;
  bool are_others_given = !others.empty() && force.constants.size() > type.constants.size();
  for (const auto& other : others) {
    for (const auto& given : force.constants) are_others_given |= given.name == other.name;
  }
  return are_others_given ? others : type.constants_of(force.side);
}

std::vector<ConstantInfo> type_constants(const Event& event) {
  return type_of(event).constants;
}

int constant_index(const std::vector<ConstantInfo>& infos, const std::string& name) {
  const int position = position_of(name);
  if (position >= 0) return position < static_cast<int>(infos.size()) ? position : -1;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

const Value* given_value(const std::vector<ConstantInfo>& infos,
                         const std::vector<NamedValue>& given, int index) {
  for (const auto& named : given) {
    if (constant_index(infos, named.name) == index) return &named.value;
  }
  return nullptr;
}

std::vector<std::string> constant_names(const Description& description, const std::string& element,
                                        const Place& asked_at) {
  std::vector<std::string> names;
  if (const auto* body = find_by_id(description.bodies, element)) return constants_of(*body);
  if (const auto* joint = find_by_id(description.joints, element)) {
    names = names_of(type_constants(*joint));
  } else if (find_by_id(description.constraints, element)) {
    append_driven(ConstantOf::kConstraint, "", names);
  } else if (const auto* force = find_by_id(description.forces, element)) {
    names = names_of(type_constants(*force));
    if (!type_of(*force).is_element()) return names;
    append_end_constants(*force, names);
    return names;
  } else if (const auto* event = find_by_id(description.events, element);
             event && type_of(*event).between_bodies) {
    names = names_of(type_constants(*event));
  } else {
    std::vector<std::string> ids;
    append_ids(description.bodies, ids);
    append_ids(description.joints, ids);
    append_ids(description.constraints, ids);
    append_ids(description.forces, ids);
    for (const auto& other : description.events) {
      if (type_of(other).between_bodies) ids.push_back(other.id);
    }
    throw base::InputError(
        asked_at, fmt::format("\"{}\" is not an element with constants.{} "
                              "Elements: {}.",
                              element, base::suggestion(element, ids), base::listing(ids)));
  }
  append_driven(ConstantOf::kEnds, "", names);
  return names;
}

std::string resolve_constant(const Description& description, const std::string& target,
                             const Place& asked_at) {
  const auto [element, constant] = split_target(target);
  const auto names = constant_names(description, element, asked_at);
  const int position = position_of(constant);
  if (position >= 0 && position < static_cast<int>(names.size())) {
    return element + "." + names[static_cast<std::size_t>(position)];
  }
  if (std::find(names.begin(), names.end(), constant) != names.end()) return target;
  if (constant.empty()) {
    throw base::InputError(asked_at,
                           fmt::format("\"{}\" names an element but none of its constants. "
                                       "Write for example \"{}.{}\". Constants: {}.",
                                       target, element, names.front(), base::listing(names)));
  }
  throw base::InputError(
      asked_at, fmt::format("\"{}\" has no constant \"{}\".{} Constants: {}.", element, constant,
                            target_suggestion(element, constant, names), base::listing(names)));
}

std::string parameter_name(const Description& description, const Parameter& parameter) {
  if (!parameter.id.empty() || parameter.targets.empty()) return parameter.id;
  const Place& place =
      parameter.target_places.empty() ? parameter.place : parameter.target_places.front();
  return resolve_constant(description, parameter.targets.front(), place);
}

std::optional<double> constant_number(const Description& description, const std::string& constant) {
  const auto [element, name] = split_target(constant);
  if (const auto* body = find_by_id(description.bodies, element)) return body_number(*body, name);
  if (const auto* joint = find_by_id(description.joints, element)) {
    const auto number = end_number(joint->begin, joint->end, name);
    return number ? number : type_number(*joint, name);
  }
  if (const auto* constraint = find_by_id(description.constraints, element)) {
    if (name == "offset") return number_of(constraint->offset);
    return end_number(constraint->begin, constraint->end, name);
  }
  if (const auto* force = find_by_id(description.forces, element)) {
    for (const auto& end : ends_of(*force)) {
      if (!name.starts_with(end.name + ".")) continue;
      return frame_number(end.marker->frame, std::string_view(name).substr(end.name.size() + 1));
    }
    return type_number(*force, name);
  }
  if (const auto* event = find_by_id(description.events, element)) {
    std::optional<double> number;
    if (event->begin && event->end) number = end_number(*event->begin, *event->end, name);
    return number ? number : type_number(*event, name);
  }
  return std::nullopt;
}

std::optional<double> start_value(const Description& description, const Parameter& parameter) {
  if (parameter.initial || parameter.targets.empty()) return parameter.initial;
  const Place& place =
      parameter.target_places.empty() ? parameter.place : parameter.target_places.front();
  return constant_number(description,
                         resolve_constant(description, parameter.targets.front(), place));
}

}  // namespace parfait::mechanism
