#pragma once

#include <string>
#include <vector>

#include "parfait/motion/calibration/calibration.h"

namespace parfait::motion {

/// What trials say about lengths, and what one more trial would: information adds up, so that the
/// covariance with other trials is known without measuring them (docs/motion.md).
struct CalibrationAdvice {
  /// The length that a trial tells most about.
  struct Adds {
    std::string trial, length;
    double sd = 0, sd_without = 0;  ///< m; infinite: only this trial tells it
  };
  /// A motion of some coordinates that would tell a length better.
  struct Further {
    std::vector<std::string> coordinates;  ///< moved together, the others where the model has them
    double low = 0, high = 0;              ///< rad
    std::string length;
    double sd = 0, promised_sd = 0;            ///< m
    std::vector<std::vector<double>> poses{};  ///< that the promise is for
  };
  std::vector<Adds> adds;        ///< one per trial, if there are several
  std::vector<Further> further;  ///< the best first
};

/// Nothing without priors, or after a calibration that was interrupted. `trials`, `weights` and
/// `options`: as calibrated.
CalibrationAdvice advise(const CalibrationResult& result,
                         const std::vector<CalibrationTrial>& trials,
                         const std::vector<double>& weights, const CalibrationOptions& options);

}  // namespace parfait::motion
