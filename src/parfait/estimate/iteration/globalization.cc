#include "parfait/estimate/iteration/globalization.h"

#include <algorithm>
#include <cmath>

namespace parfait::estimate {

namespace {

using Eigen::VectorXd;

/// A trial point x(t) = x + t dx, seen with the linearization at x:
///
///   delta(t) = -J+ r(x(t)) - (1 - t) dx,   [omega](t) = 2 |delta| / (t |dx|)^2,
///   eta(t) = t [omega] |dx|
///
/// (docs/theory/gauss_newton.md, G3 - G5). For a linear problem delta = 0.
struct Trial {
  bool exists = false;
  double t = 0;
  VectorXd x, delta;
  double omega = 0, eta = 0;
  double level = 0;  ///< |J+ r(x(t))| / |dx|
};

Trial try_step(LeastSquaresProblem& problem, VecIn x, VecIn dx, double t) {
  Trial trial;
  trial.t = t;
  trial.x = problem.into_bounds(x + t * dx);
  if (!problem.evaluate(trial.x).exists) return trial;
  const VectorXd dx_bar = problem.increment();
  trial.delta = dx_bar - (1 - t) * dx;
  const double length = problem.norm(dx);
  trial.omega = 2 * problem.norm(trial.delta) / (t * t * length * length);
  trial.eta = t * trial.omega * length;
  trial.level = problem.norm(dx_bar) / length;
  trial.exists = std::isfinite(trial.omega);
  return trial;
}

class LineSearch : public StepChooser {
 public:
  explicit LineSearch(const GaussNewtonOptions& options) : options_(options) {}

 protected:
  /// The step that keeps eta(t) at its target if omega is as it was.
  double predicted(double omega, double length) const {
    return omega > 0 ? std::min(1.0, options_.eta / (omega * length)) : 1.0;
  }

  Step accept(LeastSquaresProblem& problem, VecIn x, VecIn dx, const Trial& trial, double test,
              int trials) {
    omega_ = trial.omega;
    Step step{.found = true,
              .t = trial.t,
              .x = trial.x,
              .x_plain = trial.x,
              .omega = trial.omega,
              .test = test,
              .trials = trials};
    if (options_.back_projection) project_back(problem, x, dx, trial, step);
    return step;
  }

  /// x(t) + delta(t), if that is closer to the path than x(t) is, by the factor of this test.
  /// (G7, G8)
  void project_back(LeastSquaresProblem& problem, VecIn x, VecIn dx, const Trial& trial,
                    Step& step) const {
    const VectorXd back = problem.into_bounds(trial.x + trial.delta);
    if (problem.longest_step(back - x) < 1) return;
    if (trial.eta > kSurelyContracts) {
      ++step.trials;
      if (!problem.evaluate(back).exists) return;
      const double left = problem.norm(problem.increment() - (1 - trial.t) * dx);
      if (!(left <= contraction() * problem.norm(trial.delta))) return;
    }
    step.x = back;
  }

  /// Up to this eta, eta (1 + eta / 4) says that it halves the distance: no need to look.
  static constexpr double kSurelyContracts = 0.4;
  /// How much closer back projection must come. Tests that do not bound eta ask for more.
  virtual double contraction() const { return 0.5; }

  GaussNewtonOptions options_;
  double omega_ = 0;  ///< of the last iteration
};

class FullStep : public LineSearch {
 public:
  using LineSearch::LineSearch;
  Step choose(LeastSquaresProblem& problem, VecIn x, VecIn dx,
              const LeastSquaresProblem::Values& /*at_x*/) override {
    const Trial trial = try_step(problem, x, dx, 1);
    if (!trial.exists) return {};
    return accept(problem, x, dx, trial, trial.level, 1);
  }
};

/// Natural monotonicity: |J_k+ r(x_k + t dx)| < |dx|.
class NaturalTest : public LineSearch {
 public:
  using LineSearch::LineSearch;
  Step choose(LeastSquaresProblem& problem, VecIn x, VecIn dx,
              const LeastSquaresProblem::Values& /*at_x*/) override {
    double t = std::min(predicted(omega_, problem.norm(dx)), problem.longest_step(dx));
    for (int trials = 1; t >= options_.min_step; ++trials) {
      const Trial trial = try_step(problem, x, dx, t);
      if (trial.exists && trial.level < 1)
        return accept(problem, x, dx, trial, trial.level, trials);
      const double next = trial.exists ? predicted(trial.omega, problem.norm(dx)) : t / 2;
      t = std::clamp(next, t / 10, t / 2);
    }
    return {};
  }
};

/// Restrictive monotonicity: eta(t) <= eta_max, and not less than eta_min unless t is the longest
/// there is. (G6)
class RestrictiveTest : public LineSearch {
 public:
  using LineSearch::LineSearch;
  Step choose(LeastSquaresProblem& problem, VecIn x, VecIn dx,
              const LeastSquaresProblem::Values& /*at_x*/) override {
    constexpr int kMostTrials = 60;
    const double length = problem.norm(dx);
    const double longest = problem.longest_step(dx);
    double t = std::min(predicted(omega_, length), longest);
    double low = 0, high = longest;  // low passes, high is too long (unless it is the longest)
    double eta_low = 0, eta_high = 0;
    bool too_long = false;
    Trial best;  // at low
    for (int trials = 1; trials <= kMostTrials && t >= options_.min_step; ++trials) {
      Trial trial = try_step(problem, x, dx, t);
      const bool passes = trial.exists && trial.eta <= options_.eta_max;
      if (passes && (t == longest || trial.eta >= options_.eta_min)) {
        const double eta = trial.eta;
        return accept(problem, x, dx, trial, eta, trials);
      }
      double next = trial.exists ? predicted(trial.omega, length) : 0.5 * (low + t);
      if (passes) {
        low = t;
        eta_low = trial.eta;
        best = std::move(trial);
      } else {
        high = t;
        eta_high = trial.exists ? trial.eta : 0;
        too_long = true;
      }
      if (eta_low > 0 && eta_high > 0) next = between(low, eta_low, high, eta_high);
      // Where eta(t) jumps over its window (a point that does not exist, say) the longest step that
      // passes is taken.
      if (best.exists && high - low < 1e-3 * high)
        return accept(problem, x, dx, best, best.eta, trials);
      const double margin = 0.1 * (high - low);
      next = std::clamp(next, low + margin, too_long ? high - margin : high);
      t = next;
    }
    if (best.exists) return accept(problem, x, dx, best, best.eta, kMostTrials);
    return {};
  }

 protected:
  double contraction() const override { return 1; }

 private:
  /// Where eta reaches its target if it grows as a power of t between two trials. Prediction from
  /// the nearer of them alone (a constant omega) jumps from one side to the other.
  double between(double low, double eta_low, double high, double eta_high) const {
    const double power = std::log(eta_high / eta_low) / std::log(high / low);
    return low * std::pow(options_.eta / eta_low, 1 / power);
  }
};

}  // namespace

std::unique_ptr<StepChooser> make_step_chooser(const GaussNewtonOptions& options) {
  switch (options.globalization) {
    case Globalization::kFull:
      return std::make_unique<FullStep>(options);
    case Globalization::kNatural:
      return std::make_unique<NaturalTest>(options);
    case Globalization::kAuto:
    case Globalization::kRmt:
      return std::make_unique<RestrictiveTest>(options);
    case Globalization::kLm:
      return make_levenberg_marquardt(options);
  }
  return nullptr;
}

}  // namespace parfait::estimate
