#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "parfait/run/simulation/simulation.h"

namespace parfait::app {

/// What a person sees after a simulation, which was saved in `folder`.
void print_simulation(const run::SimulationRun& run,
                      const std::optional<std::filesystem::path>& folder);

/// A line that tells how far assembly moved an initial state that did not fit the joints; "" if it
/// did fit.
std::string assembly_text(const result::Assembly& assembly);

}  // namespace parfait::app
