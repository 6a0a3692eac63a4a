#pragma once

#include <string>
#include <vector>

#include "parfait/integrate/stepping/options.h"
#include "parfait/run/job/model.h"
#include "parfait/run/simulation/simulation.h"

namespace parfait::run {

/// What is to be done: the request, completed by the model file and then by defaults.
struct SimulationPlan {
  double until = 0;
  double step = 0;            ///< between rows; 0: a row for every step
  std::vector<double> times;  ///< of the rows; none: every step
  integrate::Options options;
  std::vector<std::string> quantities;
  std::vector<std::string> sensitivities;
  bool settle = false;
};

/// InputError if an option makes no sense, by itself or for this model.
SimulationPlan make_plan(const SimulationRequest& request, const Model& model);

/// As results tell it.
result::SimulationOptions options_of(const SimulationPlan& plan);

}  // namespace parfait::run
