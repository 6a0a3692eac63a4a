#pragma once

#include <limits>
#include <span>

#include "parfait/math/directions.h"

namespace parfait::integrate {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Weighted root mean square: sqrt(1/n sum (error_i / (atol_i + rtol_i max(|y0_i|, |y1_i|)))^2).
/// A step is accepted where this is at most 1.
double error_norm(std::span<const double> error, std::span<const double> y0,
                  std::span<const double> y1, std::span<const double> rtol,
                  std::span<const double> atol);

/// The largest error_norm of a direction, each a column: |W| takes the place of |y|.
double error_norm(const math::Directions& error, const math::Directions& W0,
                  const math::Directions& W1, std::span<const double> rtol,
                  std::span<const double> atol);

/// The next step size from the error of this one: a proportional-integral controller, which keeps
/// the step from oscillating at the border of stability (Hairer, Norsett, Wanner 1993, II.4 and
/// IV.2).
class StepController {
 public:
  /// `order`: the order whose error is estimated plus one, so that error ~ h^order. `integral` is
  /// the weight of the previous error: 0 is the plain controller.
  StepController(int order, double integral);

  bool accepts(double error) const { return error <= 1; }
  /// Factor for the step size after an accepted step.
  double after_accepted(double error);
  /// Factor (< 1) for the step size after a rejected step.
  double after_rejected(double error);

 private:
  double order_;
  double integral_;
  double previous_error_ = 1e-4;
  bool just_rejected_ = false;
};

}  // namespace parfait::integrate
