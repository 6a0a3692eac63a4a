#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "parfait/run/simulation/simulation.h"

namespace parfait::app {

/// What is typed after `parfait simulate`.
struct SimulateOptions {
  run::SimulationRequest request;
  // As typed, to be taken apart.
  std::vector<std::string> set, observe, sensitivity;
  std::vector<std::string> tolerances;  ///< group=rtol,atol
  std::string out;

  /// The request with all of it. InputError if something cannot be read.
  run::SimulationRequest complete() const;
};

void add_options(CLI::App& parser, SimulateOptions& options);

}  // namespace parfait::app
