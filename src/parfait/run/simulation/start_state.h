#pragma once

#include <optional>
#include <string>

#include "parfait/dynamics/equilibrium.h"
#include "parfait/dynamics/system.h"
#include "parfait/integrate/stepping/state.h"
#include "parfait/run/simulation/sensitivities.h"

namespace parfait::run {

/// Where a motion begins: the initial state of the model on its invariants, with its directions.
struct StartState {
  integrate::State state;
  double correction = 0;  ///< how far it had to move for that, in the mass norm
  std::optional<dynamics::EquilibriumReport> equilibrium;  ///< if it was to settle
};

/// The workspace is bound to the parameters and to the sensitivities' directions of them.
/// Consistent initial values depend on parameters that change the geometry: the projection is
/// differentiated. InputError if the invariants cannot be satisfied.
StartState make_start(const std::string& file, const dynamics::System& system,
                      dynamics::Workspace& workspace, const Sensitivities& sensitivities,
                      double projection_tolerance);

/// Moves the start, with its directions, to rest in the static equilibrium near it, if there is
/// one.
void settle(const dynamics::System& system, dynamics::Workspace& workspace, StartState& start,
            double projection_tolerance);

}  // namespace parfait::run
