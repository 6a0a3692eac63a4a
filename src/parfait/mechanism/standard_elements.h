#pragma once

/// Parfait's own elements, which registry() begins with.
namespace parfait::mechanism {

class Registry;

void add_standard_joints(Registry& registry);  ///< joints.cc
void add_standard_forces(Registry& registry);  ///< forces.cc
void add_standard_events(Registry& registry);  ///< events.cc

}  // namespace parfait::mechanism
