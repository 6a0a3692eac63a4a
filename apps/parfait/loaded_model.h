#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/mbs/model.h"
#include "settings.h"

namespace parfait::app {

/// A model file of any kind (`<model>`, `<ode>`, `<dae>`), read and built.
struct LoadedModel {
  std::string file;
  std::shared_ptr<const dynamics::System> system;
  std::shared_ptr<const mbs::Model> mechanics;  ///< the same system, if the file is a `<model>`
  std::string contents;                         ///< "2 bodies, 2 joints, 48 states"
  std::vector<std::string> default_quantities;
  std::vector<std::string> warnings;

  /// What its `<simulation>` asks for.
  struct Simulation {
    std::optional<double> until, rtol, atol, step;
    std::string integrator;  ///< or empty
    std::vector<std::string> outputs;
  };
  Simulation simulation;

  /// The values of all parameters, those of --set included.
  std::vector<double> parameter_values() const;
};

/// A setting acts as if the file said so: the model is checked and assembled with it. InputError if
/// the file, or the file so changed, is not a model.
LoadedModel load_model(const std::string& file, const std::vector<Setting>& settings = {});

/// A line that tells how far assembly moved an initial state that did not fit the joints; "" if it
/// did fit.
std::string assembly_text(double moved, double velocity_change);

/// "1 body", "2 bodies".
std::string counted(std::int64_t n, const char* one, const char* many);

}  // namespace parfait::app
