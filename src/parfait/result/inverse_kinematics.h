#pragma once

#include <string>
#include <vector>

#include "parfait/result/verdict.h"

/// Poses from markers: `parfait ik`. Lengths in m.
namespace parfait::result {

/// |model - measured| of a marker in a trial.
struct MarkerErrorFacts {
  std::string marker;
  std::string role;  ///< "anatomical" or "tracking"
  int frames = 0;    ///< in which it is measured
  double rms = 0, mean = 0, max = 0;
  bool operator==(const MarkerErrorFacts&) const = default;
};

/// Of all markers of a trial, or of some.
struct ErrorSummary {
  int count = 0;  ///< samples
  double rms = 0, mean = 0, max = 0, mean_frame_max = 0;
  bool operator==(const ErrorSummary&) const = default;
};

struct LimitFacts {
  std::string coordinate;
  int frames = 0;  ///< in which it is at a limit, or in which it is not seen
  bool operator==(const LimitFacts&) const = default;
};

struct TrialPoseFacts {
  std::string trial, file;
  int frames = 0;
  double start = 0, end = 0;  ///< s
  std::string axes;  ///< how axes of the file became those of the model; empty: as they were
  std::vector<std::string> only_model, only_data;
  int missing = 0;  ///< samples of markers on both that the file does not have
  ErrorSummary errors, anatomical, tracking;
  double max_time = 0;  ///< of the largest error, s
  std::string max_marker;
  double marker_sd = 0;  ///< of a marker coordinate of weight 1; NaN: no degrees of freedom
  double mean_iterations = 0;
  int max_iterations = 0;
  int not_converged = 0;            ///< frames
  std::vector<std::string> unseen;  ///< coordinates that no marker sees in any frame
  std::vector<LimitFacts> at_limit;
  std::vector<LimitFacts> partly_unseen;
  std::vector<MarkerErrorFacts> markers;
  std::vector<std::string> files;
  bool operator==(const TrialPoseFacts&) const = default;
};

struct InverseKinematics {
  Verdict verdict;
  std::string model;
  std::string method;  ///< "gauss_newton" or "damped"
  bool limits = true;
  std::vector<std::string> coordinates;
  std::vector<TrialPoseFacts> trials;
  bool operator==(const InverseKinematics&) const = default;
};

}  // namespace parfait::result
