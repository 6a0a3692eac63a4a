#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "parfait/result/modes.h"
#include "parfait/run/job/callbacks.h"
#include "parfait/run/job/model.h"

/// Static equilibrium and vibration modes: from what is asked for to what was found.
namespace parfait::run {

struct ModesRequest {
  std::string file;              ///< model file
  std::optional<Model> model{};  ///< instead of the file
  std::vector<Setting> set{};    ///< values of parameters
  std::string coordinates{};     ///< of a mechanism read from the file: natural, joint
  bool at_initial = false;       ///< about the initial position instead of the equilibrium near it
  double time = 0;               ///< what depends on time stands still there [s]
  int count = std::numeric_limits<int>::max();  ///< so many modes, the slowest
  std::filesystem::path out{};                  ///< where save() will write
  /// How it was asked for, if on a command line: goes into the result.
  std::vector<std::string> arguments{};
};

struct ModesRun {
  result::Modes result;
  result::ModeShapes shapes;  ///< empty if the result is partial
  result::Timing timing;
  std::string contents;  ///< of the model: "2 bodies, 2 joints, 48 states"

  bool finished() const { return !result.verdict.partial; }
};

/// InputError if the request makes no sense; everything that goes wrong later is a status of the
/// result.
ModesRun find_modes(const ModesRequest& request, const Callbacks& callbacks = {});

/// The page a person looks at, as `save` writes it.
std::string report_page(const ModesRun& run);
/// result.json, modes.csv, shapes.csv, equilibrium.csv, report.html and timing.json, in one piece.
std::filesystem::path save(ModesRun& run, const std::filesystem::path& folder);

}  // namespace parfait::run
