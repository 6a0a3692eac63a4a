#pragma once

#include <string>

#include "parfait/report/web/live_page.h"
#include "parfait/result/simulation.h"

namespace parfait::report {

/// report.html of a simulation: verdict, findings, quantities, energies and invariants, events,
/// step sizes, sensitivities, how it was made. `trajectory` has the time as its first column;
/// `steps` has the columns "t" and "step", or is empty.
std::string simulation_report(const result::Simulation& simulation, const result::Table& trajectory,
                              const result::Table& steps, const result::Scenes& scenes = {},
                              Liveness liveness = Liveness::kStatic);

}  // namespace parfait::report
