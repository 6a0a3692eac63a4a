#pragma once

#include <memory>

#include "parfait/estimate/iteration/gauss_newton.h"

namespace parfait::estimate {

/// The point an iteration goes to, and what was learned on the way.
struct Step {
  bool found = false;
  double t = 0;               ///< part of the increment that was taken
  Eigen::VectorXd x{};        ///< the next point
  Eigen::VectorXd x_plain{};  ///< the same without back projection, if x should not exist
  double omega = 0;
  double test = 0;
  int trials = 0;
};

/// How far to go along an increment. Holds what one iteration tells the next (omega, damping).
class StepChooser {
 public:
  virtual ~StepChooser() = default;
  /// `dx` is the increment at x, where the problem was linearized last; `at_x` its values there.
  virtual Step choose(LeastSquaresProblem& problem, VecIn x, VecIn dx,
                      const LeastSquaresProblem::Values& at_x) = 0;
};

std::unique_ptr<StepChooser> make_step_chooser(const GaussNewtonOptions& options);
std::unique_ptr<StepChooser> make_monotone_descent();
std::unique_ptr<StepChooser> make_levenberg_marquardt(const GaussNewtonOptions& options);

}  // namespace parfait::estimate
