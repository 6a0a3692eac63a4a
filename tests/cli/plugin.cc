#include "parfait/mechanism/registry.h"

// A plug-in as a user would write it: a joint type that registers itself while the library loads.
namespace {

const bool kRegistered = [] {
  parfait::mechanism::registry().add(parfait::mechanism::JointType{
      .key = "PlanarContact",
      .summary = "the marker origins stay in a plane z = const of the begin marker",
      .rows = {{.kind = parfait::mechanism::RowKind::kBBDX, .a_axis = 'z'}},
      .constants = {},
      .free_translations = 2,
      .free_rotations = 3});
  return true;
}();

}  // namespace
