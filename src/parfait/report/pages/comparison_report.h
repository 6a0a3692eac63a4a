#pragma once

#include <string>
#include <vector>

#include "parfait/report/web/live_page.h"
#include "parfait/result/fit.h"
#include "parfait/result/simulation.h"

namespace parfait::report {

/// A run folder that was read again; the name is how the person called it.
struct NamedFit {
  std::string name;
  result::Fit fit;
};
struct NamedSimulation {
  std::string name;
  result::Simulation simulation;
  result::Table trajectory;
};

/// Several runs on one page: what came of each, parameters side by side (joined by name), how they
/// converged; of simulations the quantities that they share, one line per run.
/// Bodies of simulations move on one stage.
std::string comparison_report(const std::vector<NamedFit>& fits,
                              Liveness liveness = Liveness::kStatic);
std::string comparison_report(const std::vector<NamedSimulation>& simulations,
                              const result::Scenes& scenes = {},
                              Liveness liveness = Liveness::kStatic);

}  // namespace parfait::report
