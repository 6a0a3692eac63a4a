#include "parfait/mechanism/elements/registry.h"

#include <algorithm>

#include "parfait/mechanism/elements/standard_elements.h"

namespace parfait::mechanism {
namespace {

template <class Type>
void add_to(std::vector<Type>& types, Type type, const char* kind) {
  for (const auto& other : types) {
    if (other.key == type.key) {
      throw base::InputError(std::string(kind) + " key \"" + type.key + "\" is registered twice.");
    }
  }
  types.push_back(std::move(type));
}

template <class Type>
const Type* find_in(const std::vector<Type>& types, const std::string& key) {
  const auto it = std::find_if(types.begin(), types.end(), [&](auto& t) { return t.key == key; });
  return it == types.end() ? nullptr : &*it;
}

template <class Type>
std::vector<std::string> keys_of(const std::vector<Type>& types) {
  std::vector<std::string> keys;
  keys.reserve(types.size());
  for (const auto& type : types) keys.push_back(type.key);
  return keys;
}

}  // namespace

void Registry::add(JointType type) {
  add_to(joints_, std::move(type), "Joint");
}
void Registry::add(ForceType type) {
  if (type.is_element() && !type.make) {
    throw base::InputError("Force key \"" + type.key + "\" makes no element.");
  }
  for (const auto& state : type.states) {
    if (state.constant < 0 || state.constant >= static_cast<int>(type.constants.size())) {
      throw base::InputError("Force key \"" + type.key + "\": a state begins with no constant.");
    }
  }
  add_to(forces_, std::move(type), "Force");
}
void Registry::add(EventType type) {
  if (type.between_bodies && !type.make) {
    throw base::InputError("Event key \"" + type.key + "\" makes no element.");
  }
  add_to(events_, std::move(type), "Event");
}
std::vector<ConstantInfo> ForceType::constants_of(Side side) const {
  auto out = constants;
  if (side != Side::kBoth && rest_constant < 0 && touch) out.push_back(*touch);
  return out;
}
const JointType* Registry::find_joint(const std::string& key) const {
  return find_in(joints_, key);
}
const ForceType* Registry::find_force(const std::string& key) const {
  return find_in(forces_, key);
}
const EventType* Registry::find_event(const std::string& key) const {
  return find_in(events_, key);
}
std::vector<std::string> Registry::joint_keys() const {
  return keys_of(joints_);
}
std::vector<std::string> Registry::force_keys() const {
  return keys_of(forces_);
}

std::vector<std::string> Registry::event_keys() const {
  return keys_of(events_);
}

Registry& registry() {
  static Registry instance = [] {
    Registry r;
    add_standard_joints(r);
    add_standard_forces(r);
    add_tissue_forces(r);
    add_contact_forces(r);
    add_muscles(r);
    add_standard_events(r);
    return r;
  }();
  return instance;
}

}  // namespace parfait::mechanism
