#include "parfait/plugin.h"
#include "testing/example_elements.h"

// A plug-in as a user would write it: a joint type and two force elements that register themselves
// while the library loads.
namespace {

const bool kRegistered = [] {
  auto& registry = parfait::mechanism::registry();
  registry.add(parfait::mechanism::JointType{
      .key = "PlanarContact",
      .summary = "the marker origins stay in a plane z = const of the begin marker",
      .rows = {{.kind = parfait::mechanism::RowKind::kBBDX, .a_axis = 'z'}},
      .constants = {},
      .free_translations = 2,
      .free_rotations = 3});
  registry.add(parfait::example_elements::bushing_type());
  registry.add(parfait::example_elements::cord_type());
  return true;
}();

}  // namespace
