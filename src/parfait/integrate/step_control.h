#pragma once

#include <span>

namespace parfait::integrate {

/// How accurate, how long: shared by every adaptive integrator.
struct StepOptions {
  double rtol = 1e-8;
  double atol = 1e-10;
  double first_step = 0;  ///< 0: chosen from the problem
  double max_step = 0;    ///< 0: no limit
  int max_steps = 1'000'000;
};

/// InputError, one line per rule, if a value makes no sense.
void check_step_options(const StepOptions& options);

/// Weighted root mean square: sqrt(1/n sum (error_i / (atol + rtol max(|y0_i|, |y1_i|)))^2).
/// A step is accepted where this is at most 1.
double error_norm(std::span<const double> error, std::span<const double> y0,
                  std::span<const double> y1, const StepOptions& options);

/// The next step size from the error of this one: a proportional-integral controller, which keeps
/// the step from oscillating at the border of stability (Hairer, Norsett, Wanner I, II.4 and IV.2).
class StepController {
 public:
  /// `order`: the order whose error is estimated plus one, so that error ~ h^order.
  explicit StepController(int order);

  bool accepts(double error) const { return error <= 1; }
  /// Factor for the step size after an accepted step.
  double after_accepted(double error);
  /// Factor (< 1) for the step size after a rejected step.
  double after_rejected(double error);

 private:
  double order_;
  double previous_error_ = 1e-4;
  bool just_rejected_ = false;
};

}  // namespace parfait::integrate
