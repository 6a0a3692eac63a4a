#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/problem/problem.h"
#include "parfait/result/synthesis.h"
#include "parfait/run/job/callbacks.h"
#include "parfait/run/job/settings.h"

/// Measurements as the model makes them, with the noise of the problem.
namespace parfait::run {

struct SynthesisRequest {
  std::string file;                            ///< problem file
  std::optional<estimate::Problem> problem{};  ///< instead of the file
  std::uint64_t seed = 1;                      ///< of the noise
  /// True values of estimated parameters; of others, conditions in all experiments.
  std::vector<Setting> set{};
  /// Folder for data, models and problem; empty: the data files of the problem.
  std::filesystem::path out{};
  bool force = false;  ///< replace data files that exist
};

struct SynthesisRun {
  result::Synthesis result;
  estimate::Problem problem;  ///< with its new measurements
  std::string problem_file;   ///< what can be fitted next, once it is saved
};

/// InputError if the request or the problem makes no sense, the model cannot be evaluated, or a
/// file is in the way. Nothing is written before save().
/// Stopped, there is nothing: base::Stopped.
SynthesisRun synthesize(const SynthesisRequest& request, const Callbacks& callbacks = {});

/// The data files; with `out`, also problem, models and result.json in a folder of their own.
void save(SynthesisRun& run, const SynthesisRequest& request);

}  // namespace parfait::run
