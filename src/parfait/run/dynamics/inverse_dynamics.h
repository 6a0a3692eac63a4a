#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parfait/result/inverse_dynamics.h"
#include "parfait/run/job/callbacks.h"

/// Moments and powers at the joints from a model, its motion and the forces on it.
namespace parfait::run {

struct InverseDynamicsRequest {
  std::string model;    ///< any model file with named coordinates
  std::string motion;   ///< MOT or STO: coordinates over time
  std::string loads{};  ///< <ExternalLoads>, or a C3D file with force plates; empty: none
  std::string feet{};   ///< bodies that stand on plates: "calcn_r,calcn_l"; empty: by their names
  std::string axes{};   ///< of the C3D file, as the model has them: "x,z,-y"
  double filter = 0;    ///< Hz, of the motion; 0: none
  std::optional<double> from{}, until{};
  /// Where save() will write: refused before anything is read if it must not be replaced.
  std::filesystem::path out{};
  /// How it was asked for, if on a command line: goes into the result.
  std::vector<std::string> arguments{};
};

struct InverseDynamicsRun {
  result::InverseDynamics result;
  std::vector<std::pair<std::string, std::string>> tables;  ///< names and texts of files
  result::Timing timing;
};

/// InputError for what does not fit together. Where `stop` of the callbacks ends it, the result has
/// the samples that were done, or the first 5000 of them: tables of more take long to write.
InverseDynamicsRun find_moments(const InverseDynamicsRequest& request,
                                const Callbacks& callbacks = {});
/// The page a person looks at, as `save` writes it.
std::string report_page(const InverseDynamicsRun& run);

/// Writes the tables, report.html, result.json and timing.json.
std::filesystem::path save(InverseDynamicsRun& run, const std::filesystem::path& target);

}  // namespace parfait::run
