#pragma once

#include <string>
#include <vector>

#include "parfait/result/verdict.h"

/// Many subjects by one command: `parfait batch`.
namespace parfait::result {

struct BatchSubject {
  std::string subject;  ///< name of its folder
  std::string status;   ///< "converged", "done", "not_converged", "failed" or "interrupted"
  std::string message;  ///< what failed
  int trials = 0, frames = 0;
  double rms_before = 0, rms = 0;  ///< of markers, m, over all frames; NaN: none
  int warnings = 0;
  bool operator==(const BatchSubject&) const = default;
};

struct Batch {
  Verdict verdict;
  std::string folder, model;
  std::string work;  ///< "calibrate" or "ik"
  std::vector<BatchSubject> subjects;
  bool operator==(const Batch&) const = default;
};

}  // namespace parfait::result
