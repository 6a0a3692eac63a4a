#pragma once

#include <filesystem>
#include <string>

#include "parfait/run/simulation/simulation.h"

namespace parfait::run {

/// What a person reads after a simulation. `folder`: where it was saved, if it was.
std::string simulation_text(const SimulationRun& run, const std::filesystem::path& folder = {});

/// A line that tells how far assembly moved an initial state that did not fit the joints; "" if it
/// did fit.
std::string assembly_text(const result::Assembly& assembly);

}  // namespace parfait::run
