#include <algorithm>
#include <cmath>
#include <limits>

#include "parfait/estimate/iteration/globalization.h"

namespace parfait::estimate {
namespace {

using Eigen::VectorXd;

/// Descent of the objective itself, for where the restrictive test fails and where residuals are so
/// large that Gauss-Newton does not contract (kappa >= 1): steps of
///
///   min |r1 + J1 dx|^2 + dx^T S dx + lambda |D dx|^2   under the linearized constraints,
///
/// S the curvature of the residuals as far as steps have shown it, where that predicts better than
/// S = 0 (docs/theory/gauss_newton.md, G13 - G15). lambda follows from how well the decrease was
/// predicted (H. B. Nielsen 1999). Constraints enter the merit function
///
///   merit(x) = objective + weight * relative infeasibility
///
/// with a weight that makes every accepted step one that the linear model wants as well. Damping
/// does not shorten the correction of equations: after some trials the whole step is, too.
///
/// An objective that is integrated adaptively has jumps, where the integrator takes other steps.
/// What they hide, no shorter step shows: where less is predicted, damping is taken back.
class MonotoneDescent : public StepChooser {
 public:
  Step choose(LeastSquaresProblem& problem, VecIn x, VecIn dx,
              const LeastSquaresProblem::Values& at_x) override {
    constexpr int kMostTrials = 40, kBeforeShortening = 8;
    constexpr double kEnough = 1e-4;  // of the decrease that was predicted
    int evaluations = 0;
    bool at_trial = false;
    const auto evaluate = [&](const VectorXd& point) {
      ++evaluations;
      return problem.evaluate(point);
    };
    Step noise = step_of_noise(problem, x, at_x);
    if (noise.found) return noise;
    evaluations += noise.trials;
    at_trial = noise.trials > 0;
    double too_long = 0;  // lambda of the last step that was seen to fail
    double failed_lambda = 0, failed_actual = 0, failed_predicted = 0;
    noise_ *= 0.5;
    for (int trial = 0; trial < kMostTrials && lambda_ < 1e30; ++trial) {
      // Unknowns that were eliminated follow from the values of the last point: it must be x.
      if (at_trial) {
        const auto again = evaluate(x);
        if (!again.exists) break;
        noise_ = std::max(noise_, std::abs(again.objective - at_x.objective));
        at_trial = false;
        if (failed_predicted > noise_) too_long = failed_lambda;
      }
      if (!problem.damp(lambda_)) {
        more_damping();
        continue;
      }
      const VectorXd whole = problem.increment();
      const double longest = problem.longest_step(whole);
      const double t = trial < kBeforeShortening
                           ? longest
                           : longest * std::pow(0.5, trial - kBeforeShortening + 1);
      const VectorXd damped = t * whole;
      // The linear step makes the constraints feasible: its decrease counts both.
      const double model = problem.model_objective();
      if (at_x.relative_infeasibility > 0) {
        weight_ = std::max(weight_, 2 * (model - at_x.objective) / at_x.relative_infeasibility);
      }
      const double merit_x = at_x.objective + weight_ * at_x.relative_infeasibility;
      const double predicted = t * (merit_x - model);  // convex: at least this for t < 1
      // Less than the errors of integration hide: only a longer step can show anything.
      if (predicted < noise_ && 0.1 * lambda_ > too_long && lambda_ > 1e-16) {
        lambda_ *= 0.1;
        growth_ = 2;
        continue;
      }
      VectorXd point = problem.into_bounds(x + damped);
      auto values = evaluate(point);
      at_trial = true;
      const auto decrease = [&](const LeastSquaresProblem::Values& at) {
        return at.exists ? merit_x - (at.objective + weight_ * at.relative_infeasibility)
                         : -std::numeric_limits<double>::infinity();
      };
      double actual = decrease(values);
      // A step may be good for the data and fail for what the curvature of the equations left of
      // it (Maratos 1978): without that?
      if (values.exists && values.relative_infeasibility > 0 && !(actual > kEnough * predicted)) {
        problem.damp_no_more();
        const VectorXd corrected = problem.into_bounds(point + problem.correction());
        const auto without = evaluate(corrected);
        if (decrease(without) > actual) {
          point = corrected;
          values = without;
          actual = decrease(without);
        }
      }
      const double gain = predicted > 0 ? actual / predicted : -1;
      // Close to the minimum the decrease is lost in rounding, long before the increments are:
      // there these must shrink.
      const double rounding = 1e-13 * std::abs(merit_x);
      bool lost =
          values.exists && std::abs(predicted) <= rounding && std::abs(actual) <= 10 * rounding;
      if (lost) {
        problem.damp_no_more();
        lost = problem.norm(problem.increment()) < 0.9 * problem.norm(dx);
      }
      if (gain > kEnough || lost) {
        const double good = std::clamp(lost ? 1.0 : gain, 0.0, 1.0);
        lambda_ = std::max(1e-18, lambda_ * std::max(1.0 / 9, 1 - std::pow(2 * good - 1, 3)));
        growth_ = 2;
        return {.found = true,
                .t = t,
                .x = point,
                .x_plain = point,
                .omega = 0,
                .test = gain,
                .trials = evaluations};
      }
      // Half the step, the same rise: the integrator took other steps, and that is all it shows.
      const bool jumped = actual < 0 && predicted < 0.6 * failed_predicted &&
                          std::abs(actual - failed_actual) < 0.1 * std::abs(actual);
      if (jumped) noise_ = std::max(noise_, 1.1 * std::abs(actual));
      failed_actual = actual;
      failed_predicted = predicted;
      failed_lambda = lambda_;
      more_damping();
    }
    return {.trials = evaluations};
  }

 private:
  /// The unknowns of the noise alone, where that is worth an iteration of its own.
  static constexpr double kWorthwhile = 1;  ///< units of the objective
  static Step step_of_noise(LeastSquaresProblem& problem, VecIn x,
                            const LeastSquaresProblem::Values& at_x) {
    const VectorXd dx = problem.noise_increment();
    if (dx.isZero(0) || !dx.allFinite()) return {};
    const VectorXd point = problem.into_bounds(x + dx);
    const auto values = problem.evaluate(point);
    return {.found = values.exists && values.objective < at_x.objective - kWorthwhile,
            .t = 1,
            .x = point,
            .x_plain = point,
            .omega = 0,
            .test = 1,
            .trials = 1};
  }

  void more_damping() {
    lambda_ *= growth_;
    growth_ *= 2;
  }

  double lambda_ = 1e-3;
  double growth_ = 2;
  double weight_ = 0;
  double noise_ = 0;  ///< of the objective: how far two evaluations of one point were apart
};

}  // namespace

std::unique_ptr<StepChooser> make_monotone_descent() {
  return std::make_unique<MonotoneDescent>();
}

}  // namespace parfait::estimate
