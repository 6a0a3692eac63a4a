#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/experiment/team.h"
#include "parfait/estimate/problem/problem.h"
#include "parfait/result/fit.h"
#include "parfait/run/job/callbacks.h"
#include "parfait/run/job/settings.h"

/// Parameters from measurements: from what is asked for to what was found.
namespace parfait::run {

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

  std::vector<std::string> profile{};  ///< shared parameters: intervals by profile likelihood
  bool certify = false;  ///< how far estimates move with a 100 times more careful integrator

  std::string globalization{};  ///< rmt, natural, full, lm
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
  result::Timing timing;

  /// Everything that was asked for is there.
  bool complete() const { return !result.verdict.partial; }
};

/// InputError if the request or the problem makes no sense; everything that goes wrong later is a
/// status of the result.
FitRun fit(const FitRequest& request, const Callbacks& callbacks = {});

/// result.json, the tables as CSV, report.html and timing.json, in one piece. InputError if the
/// folder exists and is not a run folder, or cannot be written.
void save(FitRun& run, const std::filesystem::path& folder);

}  // namespace parfait::run
