#include <algorithm>
#include <cmath>
#include <limits>

#include "parfait/estimate/iteration/globalization.h"

namespace parfait::estimate {

namespace {

using Eigen::VectorXd;

/// Levenberg-Marquardt in the trust-region manner: min |r1 + J1 dx|^2 + lambda |D dx|^2 under the
/// linearized constraints; lambda follows from how well the decrease was predicted (Nielsen 1999).
/// Constraints enter the merit function with a weight that makes every accepted step one that the
/// linear model wants as well.
///
///   merit(x) = |r1|^2 + weight * relative infeasibility,   gain = actual / predicted decrease
class LevenbergMarquardt : public StepChooser {
 public:
  explicit LevenbergMarquardt(const GaussNewtonOptions& options) : options_(options) {}

  Step choose(LeastSquaresProblem& problem, VecIn x, VecIn dx,
              const LeastSquaresProblem::Values& at_x) override {
    constexpr double kNear = 1e-4;
    constexpr double kLargest = 1e20;
    int evaluations = 0;
    bool at_trial = false;
    const auto evaluate = [&](const VectorXd& point) {
      ++evaluations;
      return problem.evaluate(point);
    };
    // Close to the minimum the decrease of the objective is lost in rounding long before the
    // increments are: there they must shrink, as in the natural test.
    if (problem.norm(dx) < kNear) {
      const VectorXd trial = problem.into_bounds(x + dx);
      at_trial = true;
      if (evaluate(trial).exists && problem.norm(problem.increment()) < 0.5 * problem.norm(dx)) {
        return {.found = true,
                .t = 1,
                .x = trial,
                .x_plain = trial,
                .omega = 0,
                .test = 1,
                .trials = evaluations};
      }
    }
    while (lambda_ < kLargest) {
      // Unknowns that were eliminated follow from the values of the last point: it must be x.
      if (at_trial && !evaluate(x).exists) break;
      at_trial = false;
      if (problem.damp(lambda_)) {
        const VectorXd damped = problem.increment();
        const double linear = at_x.offset + problem.remainder().squaredNorm();
        // The linear step makes the constraints feasible: its decrease counts both.
        if (at_x.relative_infeasibility > 0) {
          weight_ = std::max(weight_, 2 * (linear - at_x.objective) / at_x.relative_infeasibility);
        }
        const double merit_x = at_x.objective + weight_ * at_x.relative_infeasibility;
        const double predicted = merit_x - linear;
        const VectorXd trial = problem.into_bounds(x + damped);
        const auto values = evaluate(trial);
        at_trial = true;
        const double actual =
            values.exists ? merit_x - (values.objective + weight_ * values.relative_infeasibility)
                          : -std::numeric_limits<double>::infinity();
        // Close to the minimum the decrease is lost in rounding; there the model is right.
        const bool rounding = std::abs(predicted) <= 1e-14 * merit_x && values.exists &&
                              std::abs(actual) <= 1e-13 * merit_x;
        const double gain = predicted > 0 ? actual / predicted : -1;
        if (gain > 1e-4 || rounding) {
          const double good = std::clamp(rounding ? 1.0 : gain, 0.0, 1.0);
          lambda_ = std::max(1e-18, lambda_ * std::max(1.0 / 9, 1 - std::pow(2 * good - 1, 3)));
          growth_ = 2;
          return {.found = true,
                  .t = problem.norm(damped) / problem.norm(dx),
                  .x = trial,
                  .x_plain = trial,
                  .omega = 0,
                  .test = gain,
                  .trials = evaluations};
        }
      }
      lambda_ *= growth_;
      growth_ *= 2;
    }
    return {.trials = evaluations};
  }

 private:
  GaussNewtonOptions options_;
  double lambda_ = 1e-3;
  double growth_ = 2;
  double weight_ = 0;
};

}  // namespace

std::unique_ptr<StepChooser> make_levenberg_marquardt(const GaussNewtonOptions& options) {
  return std::make_unique<LevenbergMarquardt>(options);
}

}  // namespace parfait::estimate
