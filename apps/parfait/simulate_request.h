#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "loaded_model.h"
#include "parfait/integrate/options.h"

namespace parfait::app {

/// What was typed after `parfait simulate`.
struct SimulateRequest {
  std::string file;
  std::optional<double> until, step, rtol, atol;
  bool every_step = false;
  std::string integrator;
  std::vector<std::string> tolerances;  ///< group=rtol,atol
  std::optional<double> first_step, max_step, projection_tolerance, hht_alpha;
  std::optional<int> max_steps, max_order;
  std::string projection;
  std::vector<std::string> observe, sensitivity, set;
  bool control_sensitivities = false;
  bool settle = false;
  std::string out;
};

void add_options(CLI::App& parser, SimulateRequest& request);

/// What is to be done: the request, completed by the model file and then by defaults.
struct SimulatePlan {
  double until = 0;
  double step = 0;            ///< between rows; 0: a row for every step
  std::vector<double> times;  ///< of the rows; none: every step
  integrate::Options options;
  std::vector<std::string> quantities;
  std::vector<std::string> sensitivities;
  bool settle = false;
  std::filesystem::path out;
};

/// InputError if an option makes no sense, by itself or for this model.
SimulatePlan make_plan(const SimulateRequest& request, const LoadedModel& model);

/// "mass", "euclidean", "partition".
const char* text(dynamics::Norm norm);

}  // namespace parfait::app
