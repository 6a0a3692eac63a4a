#pragma once

#include <filesystem>
#include <string>

#include "parfait/run/fit/fit.h"
#include "parfait/run/simulation/simulation.h"

/// What save() wrote, read back.
///
/// Law  what load_...() reads is what save() wrote: result, tables and timing.
namespace parfait::run {

/// "fit", "simulate", ...: the command whose result lies in the folder. InputError if none does.
std::string saved_command(const std::filesystem::path& folder);

/// InputError if the folder holds no result of that kind, or a damaged one.
FitRun load_fit(const std::filesystem::path& folder);
SimulationRun load_simulation(const std::filesystem::path& folder);

}  // namespace parfait::run
