#pragma once

#include "parfait/dynamics/system.h"

namespace parfait::dynamics {

/// How an equilibrium depends on parameters: the directions of the state that find_equilibrium()
/// left in y and z, by the implicit function theorem.
///
/// `ws` is bound to the parameters and to k directions of them, with room for k. `dy` holds the
/// directions of the state from which the search began; what they do along neutral directions
/// stays, the rest is replaced.
/// See  docs/theory/modes.md (E6)
Status equilibrium_directions(const System& system, Workspace& ws, double t, ConstVec y, ConstVec z,
                              Directions& dy, double projection_tolerance = 1e-12);

}  // namespace parfait::dynamics
