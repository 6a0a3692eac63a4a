#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/io/model/mechanical_model.h"
#include "parfait/run/job/settings.h"

namespace parfait::run {

/// A model of any kind (`<model>`, `<ode>`, `<dae>`), checked and built: read once, used by
/// everything that is done with it. Does not change; cheap to copy.
struct Model {
  std::string file;                            ///< empty: made in code
  std::shared_ptr<const io::AnyModel> source;  ///< what the file says, settings included
  std::shared_ptr<const dynamics::System> system;
  io::Coordinates coordinates = {};  ///< of a `<model>`, as asked for
  std::shared_ptr<const mechanism::MechanicalSystem>
      mechanics;         ///< the same system, if it is a `<model>`
  std::string contents;  ///< "2 bodies, 2 joints, 48 states"
  std::vector<std::string> default_quantities;
  std::vector<std::string> warnings;

  /// What its `<simulation>` asks for.
  struct Simulation {
    std::optional<double> until, rtol, atol, step;
    std::string integrator;  ///< or empty
    std::vector<std::string> outputs;
  };
  Simulation simulation;

  /// The values of all parameters, settings included.
  std::vector<double> parameter_values() const;
};

/// A setting acts as if the file said so: the model is checked and assembled with it. InputError if
/// the file, or the file so changed, is not a model.
Model load_model(const std::string& file, const std::vector<Setting>& settings = {},
                 io::Coordinates coordinates = {});

/// The same for a model that was described in code. `file` appears in messages and results.
Model make_model(io::AnyModel source, const std::vector<Setting>& settings = {},
                 const std::string& file = "", io::Coordinates coordinates = {});

/// The model with states for those of `quantities` that are integrated with the motion and that its
/// file does not ask for: energy.supplied, energy.dissipated.
Model with_accounts(const Model& model, const std::vector<std::string>& quantities);

/// The model with other values of its parameters.
Model with_settings(const Model& model, const std::vector<Setting>& settings);

}  // namespace parfait::run
