#pragma once

#include "parfait/mechanism/description/description.h"

/// Mechanisms nobody chose, with everything both engines know: trees of all joints, loops,
/// redundant loops, distances, driven and nonholonomic constraints, forces of every kind, states,
/// events and impacts, and parameters of every kind. The same for the same seed.
namespace parfait::testing_support {

struct RandomMechanism {
  mechanism::Description description;
  bool has_loop = false;
};
RandomMechanism random_mechanism(unsigned seed);

}  // namespace parfait::testing_support
