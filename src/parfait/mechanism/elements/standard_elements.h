#pragma once

/// Parfait's own elements, which registry() begins with.
namespace parfait::mechanism {

class Registry;

void add_standard_joints(Registry& registry);  ///< standard_elements_joints.cc
void add_standard_forces(Registry& registry);  ///< standard_elements_forces.cc
void add_tissue_forces(Registry& registry);    ///< standard_elements_tissue.cc
void add_contact_forces(Registry& registry);   ///< standard_elements_contacts.cc
void add_muscles(Registry& registry);          ///< standard_elements_muscles.cc
void add_standard_events(Registry& registry);  ///< standard_elements_events.cc

}  // namespace parfait::mechanism
