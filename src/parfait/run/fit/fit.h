#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/experiment/team.h"
#include "parfait/estimate/problem/problem.h"
#include "parfait/result/fit.h"
#include "parfait/result/scene.h"
#include "parfait/run/job/callbacks.h"
#include "parfait/run/job/settings.h"

/// Parameters from measurements: from what is asked for to what was found.
namespace parfait::run {

class FolderClaim;

/// What is left out is what the problem says.
struct FitRequest {
  std::string file;                            ///< problem file
  std::optional<estimate::Problem> problem{};  ///< instead of the file: a problem made in code
  /// Initial values of estimated parameters; of others, conditions in all experiments.
  std::vector<Setting> set{};
  std::string coordinates{};       ///< of mechanisms read from files: natural, joint
  std::vector<std::string> fix{};  ///< parameters that are held instead of estimated
  std::string start{};             ///< result.json or run folder of an earlier fit, to begin there
  std::optional<result::Fit> start_from{};  ///< the same, as it was found

  /// Besides its own initial values, so many more within the bounds; the best of them is the fit.
  std::optional<int> starts{};
  std::int64_t seed = 1;  ///< of these starts
  /// An interrupted fit from many starts lies in `out`: what it has done is not done again.
  bool resume = false;

  /// Shooting intervals of every dynamic experiment: a number, or "auto": as many as keep errors
  /// small at the first guess, from measured states.
  std::string intervals{};

  std::vector<std::string> profile{};  ///< shared parameters, or "all": intervals by likelihood
  /// Which experiment would fix it? Asked for anyway where something is not determined.
  bool suggest = false;
  bool certify = false;  ///< how far estimates move with a 100 times more careful integrator

  std::string integrator{};     ///< auto, or the name of a method; empty: as the problem has it
  std::string globalization{};  ///< auto, rmt, natural, full, lm
  std::optional<double> tolerance{};
  std::optional<int> max_iterations{};
  std::optional<int> threads{};  ///< at most so many; results do not depend on it

  /// Processes that share the experiments; null: alone. All make the same request; only the first
  /// gets a result with more than a status.
  estimate::Team* team = nullptr;

  /// How it was asked for, if on a command line: goes into the result.
  std::vector<std::string> arguments{};

  /// Where save() will write: refused before anything is computed if it must not be replaced.
  std::filesystem::path out{};
};

/// A fit that is over, whether it converged or not.
struct FitRun {
  result::Fit result;
  result::FitTables tables;
  result::Scenes scenes;  ///< mechanics: the bodies, and how they move as fitted
  result::Timing timing;
  /// Of the folder of the request, until save(): nobody else writes there meanwhile.
  std::shared_ptr<FolderClaim> claim{};

  /// Everything that was asked for is there.
  bool complete() const { return !result.verdict.partial; }
};

/// InputError if the request or the problem makes no sense; everything that goes wrong later is a
/// status of the result.
FitRun fit(const FitRequest& request, const Callbacks& callbacks = {});

/// result.json, the tables as CSV, report.html, timing.json and, of mechanics, scene.json and the
/// arrays of motions, in one piece. InputError if the folder exists and is not a run folder, or
/// cannot be written.
std::filesystem::path save(FitRun& run, const std::filesystem::path& folder);

}  // namespace parfait::run
