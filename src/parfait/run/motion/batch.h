#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "parfait/result/batch.h"
#include "parfait/run/motion/calibrate.h"

/// Many subjects by one command.
namespace parfait::run {

struct BatchRequest {
  std::string folder;       ///< one folder per subject, with its trials (C3D, TRC)
  std::string model{};      ///< for subjects that have no .osim of their own
  bool poses_only = false;  ///< inverse kinematics with the model as it is
  /// Everything but model, trials, height and out: the same for all.
  CalibrateRequest calibrate{};
  std::filesystem::path out{};
  /// How it was asked for, if on a command line: goes into the result.
  std::vector<std::string> arguments{};
};

struct BatchRun {
  result::Batch result;
  std::vector<std::pair<std::string, std::string>> tables;
  result::Timing timing;
};

/// Subjects in parallel; each writes its own run folder out/<subject> as `calibrate` or `ik` would.
/// Files whose names begin with "static" or "standing" are static trials. What fails for one
/// subject is told in its row and stops no other. `on_subject`: called when one is ready, on the
/// thread that called. Where `stop` of the callbacks ends it, subjects that were not ready have the
/// status "interrupted" and no folder.
///
/// InputError if there is no subject, or one of them has neither trials nor a model.
BatchRun batch(const BatchRequest& request, const Callbacks& callbacks = {},
               const std::function<void(const result::BatchSubject&)>& on_subject = {});
/// The page a person looks at, as `save` writes it: links lead to ../<subject>/report.html.
std::string report_page(const BatchRun& run);
/// subjects.csv, report.html and result.json; `target`: out/summary, beside the subjects' folders.
std::filesystem::path save(BatchRun& run, const std::filesystem::path& target);

}  // namespace parfait::run
