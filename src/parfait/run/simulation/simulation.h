#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parfait/integrate/stepping/options.h"
#include "parfait/result/scene.h"
#include "parfait/result/simulation.h"
#include "parfait/run/job/callbacks.h"
#include "parfait/run/job/model.h"

/// The motion of a model: from what is asked for to what was found.
namespace parfait::run {

class FolderClaim;

/// What is left out is what the model file says, and then a default.
struct SimulationRequest {
  std::string file;              ///< model file
  std::optional<Model> model{};  ///< instead of the file: a model that is read or made already
  std::vector<Setting> set{};    ///< values of parameters
  std::string coordinates{};     ///< of a mechanism read from the file: natural, joint

  std::optional<double> until{};  ///< end time [s]; 10
  std::optional<double> step{};   ///< between rows of the trajectory [s]; until / 500
  bool every_step = false;        ///< a row for every step instead
  /// Quantities or formulas of them; the model's outputs, or centres of mass and energies, states.
  std::vector<std::string> observe{};
  /// Derivatives with respect to parameters, or initial:<state>.
  std::vector<std::string> sensitivity{};
  bool settle = false;  ///< begin at rest in the static equilibrium near the start

  std::string integrator{};                                                 ///< dop853; DAEs: bdf
  std::optional<double> rtol{}, atol{};                                     ///< 1e-8, 1e-10
  std::optional<integrate::Tolerance> positions{}, velocities{}, states{};  ///< of a group alone
  bool control_sensitivities = false;  ///< the tolerances also hold for the sensitivities
  std::optional<double> first_step{}, max_step{};  ///< [s]; chosen, no limit
  std::optional<int> max_steps{};                  ///< 1000000
  std::optional<int> max_order{};                  ///< abm: 1 to 12 (12); bdf: 1 to 5 (5)
  std::optional<double> hht_alpha{};               ///< from 0 to -1/3 (-0.05)
  std::string projection{};                        ///< norm: mass, euclidean, partition
  std::optional<double> projection_tolerance{};    ///< largest constraint violation left; 1e-12

  /// How it was asked for, if on a command line: goes into the result.
  std::vector<std::string> arguments{};

  /// Where save() will write: refused before anything is computed if it must not be replaced.
  std::filesystem::path out{};
};

/// A simulation that is over, whether it got to its end or not.
struct SimulationRun {
  result::Simulation result;
  /// Column t, one per quantity, then d<quantity>/d<name> for each quantity and sensitivity.
  result::Table trajectory;
  result::Scenes scenes;  ///< mechanics: the bodies, and how they moved
  result::Table steps;    ///< "t", "step": accepted steps, thinned if there are very many
  result::Timing timing;
  /// Of the folder of the request, until save(): nobody else writes there meanwhile.
  std::shared_ptr<FolderClaim> claim{};
  std::string contents;  ///< of the model: "2 bodies, 2 joints, 48 states"

  bool finished() const { return !result.verdict.partial; }
};

/// InputError if the request makes no sense, by itself or for this model; everything that goes
/// wrong later is a status of the result.
SimulationRun simulate(const SimulationRequest& request, const Callbacks& callbacks = {});

/// result.json, trajectory.csv, steps.csv, report.html, timing.json and, of mechanics, scene.json
/// and motion.npy, in one piece. InputError if the folder exists and is not a run folder, or cannot
/// be written.
std::filesystem::path save(SimulationRun& run, const std::filesystem::path& folder);

}  // namespace parfait::run
