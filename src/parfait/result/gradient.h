#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parfait/result/verdict.h"

namespace parfait::result {

/// The gradient of the objective of a problem: result.json.
struct Gradient {
  struct Entry {
    std::string parameter;
    double value = 0;
    double gradient = 0;            ///< dJ/dp
    double relative = 0;            ///< p dJ/dp / J; NaN where J is 0
    std::optional<double> forward;  ///< by directions, with --check
    bool operator==(const Entry&) const = default;
  };
  Verdict verdict;      ///< status "done" or "failed"
  std::string problem;  ///< file
  std::string by;       ///< "adjoint" or "forward"
  double objective = 0;
  std::vector<NamedValue> costs;  ///< by id; "data", "priors"
  std::vector<Entry> gradient;
  std::int64_t steps = 0, events = 0;
  double tape_bytes = 0;  ///< of states that the adjoint kept
  int tape_stride = 1;    ///< it kept every stride-th
  /// With --check: largest |adjoint - forward| relative to the largest component of the gradient.
  std::optional<double> difference;
  bool operator==(const Gradient&) const = default;
};

}  // namespace parfait::result
