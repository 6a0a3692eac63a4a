#pragma once

#include <filesystem>
#include <string>

#include "parfait/run/simulation/modes.h"

namespace parfait::run {

/// Equilibrium and a table of modes. `folder`: where they were saved, if they were.
std::string modes_text(const ModesRun& run, const std::filesystem::path& folder = {});

}  // namespace parfait::run
