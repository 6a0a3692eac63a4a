#pragma once

#include <string>

/// Parfait's own elements, which registry() begins with.
namespace parfait::mechanism {

class Registry;
struct ForceType;

void add_standard_joints(Registry& registry);  ///< joints.cc

}  // namespace parfait::mechanism

// Forces and events still see types of the solver, so their room is `mbs`.
namespace parfait::mbs {

void add_standard_forces(mechanism::Registry& registry);  ///< mbs/forces.cc
void add_standard_events(mechanism::Registry& registry);  ///< mbs/events.cc
/// "length" or "angle", as an element of the type calls its measure.
std::string measure_name(const mechanism::ForceType& type);  ///< mbs/forces.cc

}  // namespace parfait::mbs
