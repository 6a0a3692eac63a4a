#include "parfait/estimate/iteration/gauss_newton.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "parfait/base/error.h"
#include "parfait/estimate/iteration/arrival.h"
#include "parfait/estimate/iteration/globalization.h"

namespace parfait::estimate {

using Eigen::VectorXd;
using Ending = GaussNewtonResult::Status;

const char* text(Globalization globalization) {
  switch (globalization) {
    case Globalization::kAuto:
      return "auto";
    case Globalization::kFull:
      return "full";
    case Globalization::kNatural:
      return "natural";
    case Globalization::kRmt:
      return "rmt";
    case Globalization::kLm:
      return "lm";
  }
  return "";
}

const char* text(Convergence convergence) {
  return convergence == Convergence::kIncrement ? "increment" : "statistical";
}

const char* text(Ending status) {
  switch (status) {
    case Ending::kConverged:
      return "converged";
    case Ending::kMaxIterations:
      return "max_iterations";
    case Ending::kStepTooSmall:
      return "step_too_small";
    case Ending::kEvaluationFailed:
      return "integration_failed";
    case Ending::kLinearFailed:
      return "linear_problem_failed";
    case Ending::kInterrupted:
      return "interrupted";
  }
  return "";
}

void check_options(const GaussNewtonOptions& o) {
  const auto require = [](bool holds, const std::string& message) {
    if (!holds) throw base::InputError(message);
  };
  require(o.tolerance > 0, fmt::format("options.tol = {}: must be > 0.", o.tolerance));
  require(!o.max_iterations || *o.max_iterations >= 0,
          fmt::format("options.max_iterations = {}: must be >= 0.", o.max_iterations.value_or(0)));
  require(o.min_step > 0 && o.min_step < 1,
          fmt::format("options.min_step = {}: must lie between 0 and 1.", o.min_step));
  require(0 < o.eta_min && o.eta_min < o.eta && o.eta < o.eta_max && o.eta_max < 2,
          fmt::format("options.eta_min, eta, eta_max = {}, {}, {}: must be ascending in (0, 2).",
                      o.eta_min, o.eta, o.eta_max));
}

namespace {

/// Increments below this are rounding errors of the linear algebra.
double rounding_level(const LeastSquaresProblem& problem, const VectorXd& x) {
  return 4 * std::numeric_limits<double>::epsilon() * problem.condition() * (1 + x.norm());
}

/// The best point whose equations hold, so far.
struct Best {
  VectorXd x;
  double objective = std::numeric_limits<double>::infinity();

  bool exists() const { return x.size() > 0; }
  bool holds = false;  ///< exactly: there are no equations, or they are all met
  /// By more than rounding (or the errors of integration), and than what equations that hold to a
  /// tolerance are worth.
  bool better_than(double other, bool is_integrated) const {
    const double slack = !holds ? 1e-3 : is_integrated ? 1e-6 : 1e-9;
    return exists() && objective < other - slack * std::abs(other);
  }
};

/// Equations hold well enough for an objective to mean something.
bool feasible(const LeastSquaresProblem::Values& values) {
  constexpr double kFeasible = 1e-6;
  return values.relative_infeasibility <= kFeasible;
}

/// Whether an iteration gets anywhere: the objective or the increment is the least so far, by a
/// margin.
class Progress {
 public:
  /// `ended` iterations without any.
  int idle(double objective, double infeasibility, double increment) {
    // An objective that may be negative (a likelihood) has a unit of its own.
    const double margin = objective_ > 0 ? kMargin * objective_ : kMargin;
    const bool less = objective < objective_ - (std::isfinite(margin) ? margin : 0) ||
                      infeasibility < (1 - kMargin) * infeasibility_ ||
                      increment < (1 - kMargin) * increment_;
    objective_ = std::min(objective_, objective);
    infeasibility_ = std::min(infeasibility_, infeasibility);
    increment_ = std::min(increment_, increment);
    return idle_ = less ? 0 : idle_ + 1;
  }

 private:
  static constexpr double kMargin = 1e-3;
  double objective_ = std::numeric_limits<double>::infinity();
  double infeasibility_ = std::numeric_limits<double>::infinity();
  double increment_ = std::numeric_limits<double>::infinity();
  int idle_ = 0;
};

/// Iterations without progress after which `auto` changes its method, and an iteration without a
/// limit ends.
constexpr int kPatience = 8;
constexpr int kLastPatience = 100;
/// By this factor, each time.
constexpr double kGrowth = 2;
/// An objective that a step makes this many times larger has left the problem.
constexpr double kExplodes = 10;

/// The rate of Gauss-Newton at a minimum x, where the problem is linearized: the largest factor by
/// which a change of x comes back,
///
///   v -> J(x + v)+ R,    R = r + J dx what the data leave over, J(x)+ R = 0,
///
/// by a few power iterations along v, one linearization each. The problem is linearized at x again
/// afterwards; NaN if points there do not exist.
double rate_at(LeastSquaresProblem& problem, const VectorXd& x, VectorXd v) {
  constexpr int kIterations = 4;
  constexpr double kStep = 1e-5;
  const VectorXd remainder = problem.remainder();
  const double h = kStep * (problem.norm(x) > 0 ? problem.norm(x) : 1);
  double kappa = std::nan("");
  for (int i = 0; i < kIterations && problem.norm(v) > 0; ++i) {
    const VectorXd there = problem.into_bounds(x + (h / problem.norm(v)) * v);
    const double length = problem.norm(there - x);
    if (!(length > 0) || !problem.linearize(there).exists) break;
    v = problem.increment_of(remainder);
    kappa = problem.norm(v) / length;
  }
  return problem.linearize(x).exists ? kappa : std::nan("");
}

/// One run from start to end; what its iterations share.
class Run {
 public:
  Run(LeastSquaresProblem& problem, const GaussNewtonOptions& options,
      const OnIteration& on_iteration, const Interrupted& interrupted)
      : problem_(problem),
        options_(options),
        on_iteration_(on_iteration),
        interrupted_(interrupted),
        chooser_(make_step_chooser(options)),
        may_change_(options.globalization == Globalization::kAuto) {}

  GaussNewtonResult from(VecIn start);

 private:
  GaussNewtonResult finish(Ending status, std::string message);
  /// From the best point on with the method that descends; false if that is what failed.
  bool change_method(const char* why);
  void descend_from(const VectorXd& x, const char* why);
  /// From the start again with Levenberg and Marquardt's method, whose damping does not follow the
  /// columns: the last that `auto` has to offer. False if that is not possible, or has been.
  bool try_once_more();
  /// From an end where something has lost its influence: back to where it had some, if that lowers
  /// the objective, and on from there.
  bool revive(const LeastSquaresProblem::Values& here);
  bool stopped() const { return interrupted_ && interrupted_(); }
  bool judged(const LeastSquaresProblem::Precision& precision, VecIn dx, ArrivalOptions arrival,
              const Iteration& line);
  bool within_noise(const LeastSquaresProblem::Precision& precision, VecIn dx,
                    ArrivalOptions arrival, double noise, double length);

  LeastSquaresProblem& problem_;
  const GaussNewtonOptions& options_;
  const OnIteration& on_iteration_;
  const Interrupted& interrupted_;
  std::unique_ptr<StepChooser> chooser_;
  bool may_change_ = false, descends_ = false, damps_ = false;
  bool has_equations_ = false;
  bool unbounded_ = false, was_unbounded_ = false;  ///< inequalities are left aside for a while
  VectorXd start_;
  GaussNewtonResult result_;
  VectorXd x_, x_plain_, x_before_, remainder_;
  bool last_was_full_ = true;
  double objective_ = 0;  ///< at x_
  Best best_;
  /// Where the data left the fewest directions open, the last such point.
  VectorXd x_most_seen_;
  int least_open_ = std::numeric_limits<int>::max(), most_rank_ = 0;
  int growing_ = 0;  ///< increments in a row that were much longer than the one before
  static constexpr int kMostRevivals = 3;
  int revivals_ = 0;
  double collapsed_ = std::nan("");  ///< the objective at a first end with less rank than before
  Progress progress_;
};

GaussNewtonResult Run::finish(Ending status, std::string message) {
  result_.status = status;
  result_.message = std::move(message);
  result_.x = x_;
  result_.objective = objective_;
  // What did not arrive is left at the best point it saw.
  if (status != Ending::kConverged && options_.globalization == Globalization::kAuto &&
      best_.better_than(objective_, problem_.noise() > 0)) {
    result_.x = best_.x;
    result_.objective = best_.objective;
  }
  return result_;
}

bool Run::change_method(const char* why) {
  if (!may_change_) return false;
  // Bounds that lie in the way of a far start, before any equation holds: what lies behind them?
  const bool first_unbounded = !best_.exists() && problem_.has_inequalities() && !was_unbounded_;
  problem_.set_unbounded(first_unbounded);
  unbounded_ = first_unbounded;
  if (first_unbounded) {
    was_unbounded_ = true;
    chooser_ = make_step_chooser(options_);
    x_ = x_plain_ = x_before_ = start_;
    remainder_.resize(0);
    last_was_full_ = true;
    progress_ = {};
    return true;
  }
  descend_from(best_.exists() ? best_.x : x_, why);
  return true;
}

void Run::descend_from(const VectorXd& x, const char* why) {
  may_change_ = false;
  descends_ = true;
  chooser_ = make_monotone_descent();
  problem_.set_curved(true);
  result_.descent_from = result_.iterations;
  result_.descent_reason = why;
  x_ = x_plain_ = x_before_ = x;
  remainder_.resize(0);
  last_was_full_ = false;
  progress_ = {};
}

bool Run::try_once_more() {
  const bool has_more = options_.globalization == Globalization::kAuto && options_.last_resort &&
                        descends_ && !damps_ && !has_equations_;
  if (!has_more) return false;
  descends_ = false;
  damps_ = true;
  chooser_ = make_levenberg_marquardt(options_);
  problem_.set_curved(false);
  x_ = x_plain_ = x_before_ = start_;
  remainder_.resize(0);
  last_was_full_ = false;
  progress_ = {};
  return true;
}

bool Run::judged(const LeastSquaresProblem::Precision& precision, VecIn dx, ArrivalOptions arrival,
                 const Iteration& line) {
  if (!precision.known) {
    return (line.increment <= options_.tolerance && last_was_full_) ||
           line.increment <= rounding_level(problem_, x_);
  }
  if (judge(problem_, precision, x_, dx, arrival).arrived) return true;
  // With large residuals the increment of Gauss-Newton is too long; that of the curved model has
  // the same zeros.
  if (!descends_ || !problem_.damp(0)) return false;
  const VectorXd curved = problem_.increment();
  arrival.rate = 0;
  const bool arrived = judge(problem_, precision, x_, curved, arrival).arrived;
  problem_.damp_no_more();
  return arrived;
}

bool Run::revive(const LeastSquaresProblem::Values& here) {
  if (options_.globalization != Globalization::kAuto) return false;
  constexpr double kLower = 1e-9;
  for (Eigen::Index i = 0; i < x_.size(); ++i) {
    for (double s = 1; s > 0.05 && x_[i] != start_[i]; s /= 2) {
      VectorXd there = x_;
      there[i] += s * (start_[i] - x_[i]);
      const auto values = problem_.evaluate(there);
      ++result_.evaluations;
      if (!values.exists || !feasible(values) ||
          values.objective > here.objective - kLower * std::abs(here.objective)) {
        continue;
      }
      ++revivals_;
      descend_from(there, "a parameter without influence that had some elsewhere");
      return true;
    }
  }
  (void)problem_.linearize(x_);  // trials were elsewhere
  return false;
}

/// A stuck iteration may be at the end of what the numbers can tell.
bool Run::within_noise(const LeastSquaresProblem::Precision& precision, VecIn dx,
                       ArrivalOptions arrival, double noise, double length) {
  if (!precision.known) return problem_.norm(dx) <= length;
  if (!problem_.linearize(x_).exists) return false;  // trials were elsewhere
  arrival.noise = noise;
  return judge(problem_, precision, x_, dx, arrival).arrived;
}

GaussNewtonResult Run::from(VecIn start) {
  x_ = problem_.into_bounds(start);
  start_ = x_plain_ = x_before_ = x_;
  if (may_change_ && !problem_.has_natural_level()) {
    may_change_ = false;
    descends_ = true;
    chooser_ = make_monotone_descent();
    problem_.set_curved(true);
    last_was_full_ = false;
  }
  while (true) {
    // r(x_k), J(x_k); if back projection went where nothing exists, without it.
    auto values = problem_.linearize(x_);
    ++result_.evaluations;
    if (!values.exists && x_plain_ != x_) {
      x_ = x_plain_;
      values = problem_.linearize(x_);
      ++result_.evaluations;
    }
    if (!values.exists) {
      if (stopped()) return finish(Ending::kInterrupted, "interrupted");
      const std::string why = problem_.why();
      if (best_.exists() && change_method("a point that cannot be linearized")) continue;
      objective_ = values.defined ? values.objective : std::nan("");
      return finish(values.defined ? Ending::kLinearFailed : Ending::kEvaluationFailed, why);
    }
    const bool holds = feasible(values);
    has_equations_ |= values.infeasibility > 0;
    if (may_change_ && holds && best_.exists() && best_.objective >= 0 &&
        values.objective > kExplodes * best_.objective) {
      if (change_method("a step that made the objective explode")) continue;
    }
    objective_ = values.objective;
    if (holds && values.objective < best_.objective) {
      best_ = {.x = x_, .objective = values.objective, .holds = values.infeasibility == 0};
    }

    // dx_k = -J_k+ r_k
    const VectorXd dx = problem_.increment();
    result_.increment = dx;
    Iteration line{.number = result_.iterations,
                   .objective = values.objective,
                   .infeasibility = values.infeasibility,
                   .increment = problem_.norm(dx),
                   .rank = problem_.rank(),
                   .num_free = problem_.num_free(),
                   .condition = problem_.condition()};
    // kappa_{k-1} = |J_k+ (r + J dx)_{k-1}| / |x_k - x_{k-1}|: how much of what the data left over
    // comes back as a new increment.
    if (remainder_.size() > 0 && x_ != x_before_) {
      line.kappa = problem_.norm(problem_.increment_of(remainder_)) / problem_.norm(x_ - x_before_);
    }
    const int open = line.num_free - line.rank;
    if (open <= least_open_) {
      least_open_ = open;
      x_most_seen_ = x_;
    }
    most_rank_ = std::max(most_rank_, line.rank);
    const auto report = [&] {
      result_.history.push_back(line);
      return !on_iteration_ || on_iteration_(line, x_);
    };
    if (!std::isfinite(line.increment)) {
      if (best_.exists() && best_.x != x_ && change_method("an increment that is not finite")) {
        continue;
      }
      report();
      return finish(Ending::kLinearFailed, "the increment is not finite");
    }

    // What is left to go, from what the last full step left of the increment before.
    ArrivalOptions arrival{.tolerance = options_.tolerance};
    if (last_was_full_ && !result_.history.empty() && result_.history.back().increment > 0) {
      arrival.rate = line.increment / result_.history.back().increment;
    }
    auto precision = LeastSquaresProblem::Precision();
    if (options_.convergence == Convergence::kStatistical)
      precision = problem_.precision(x_, false);
    if (judged(precision, dx, arrival, line)) {
      if (unbounded_) {  // here the inequalities have their say again
        unbounded_ = false;
        problem_.set_unbounded(false);
        last_was_full_ = false;
        progress_ = {};
        continue;
      }
      if (best_.better_than(values.objective, problem_.noise() > 0) &&
          change_method("an end above the best point")) {
        continue;
      }
      if (damps_ && best_.better_than(values.objective, problem_.noise() > 0)) {
        report();
        return finish(Ending::kStepTooSmall, "no acceptable step from the best point");
      }
      // A parameter that a step threw far away has no slope left where it is, or hides what the
      // others do: that is no minimum.
      if (open > least_open_ && revivals_ < kMostRevivals && revive(values)) continue;
      if (open > least_open_ && line.rank < most_rank_) {
        // Unless another way leads there, too.
        const bool again =
            std::isfinite(collapsed_) &&
            std::abs(values.objective - collapsed_) <= 1e-9 * std::abs(collapsed_) &&
            (!precision.known || judge(problem_, precision, x_, dx, arrival).arrived);
        if (options_.globalization == Globalization::kAuto && !std::isfinite(collapsed_)) {
          collapsed_ = values.objective;
          descend_from(x_most_seen_, "an end where the data determine less than on the way");
          continue;
        }
        if (!again && try_once_more()) continue;
        if (!again) {
          report();
          return finish(Ending::kStepTooSmall,
                        "the data determine less here than on the way: a parameter has become so "
                        "small or so large that others have no influence");
        }
      }
      report();
      // Where the last steps were none of Gauss-Newton, its rate has to be looked for.
      if (!problem_.has_natural_level()) {
        // kappa is a number of least squares.
      } else if (descends_ && precision.known) {
        const double kappa = rate_at(problem_, x_, x_ != x_before_ ? VectorXd(x_ - x_before_) : dx);
        if (std::isfinite(kappa)) result_.kappa = kappa;
      } else if (line.kappa > 0) {
        result_.kappa = line.kappa;
      }
      return finish(Ending::kConverged,
                    fmt::format("increment {:.1e} after {} iteration{}", line.increment,
                                result_.iterations, result_.iterations == 1 ? "" : "s"));
    }
    const int idle = progress_.idle(values.objective, values.infeasibility, line.increment);
    if (idle >= kPatience && change_method("iterations without progress")) continue;
    const double before = result_.history.empty() ? 0 : result_.history.back().increment;
    growing_ = before > 0 && line.increment > kGrowth * before ? growing_ + 1 : 0;
    if (growing_ >= kPatience / 2 && change_method("increments that grow and grow")) continue;
    const bool limited = options_.max_iterations.has_value();
    if (!limited && idle >= kLastPatience && try_once_more()) continue;
    if (limited ? result_.iterations >= *options_.max_iterations : idle >= kLastPatience) {
      report();
      const double left = deviations_left(problem_, x_, dx, arrival.rate);
      const std::string way =
          std::isfinite(left)
              ? fmt::format("; about {:.2g} standard deviations are left to go{}", left,
                            arrival.rate > 0.5 && arrival.rate < 1.5
                                ? fmt::format(", each iteration leaves {:.2g} of the way (kappa)",
                                              arrival.rate)
                                : "")
              : "";
      return finish(Ending::kMaxIterations,
                    fmt::format("increment {:.1e} after {} iterations{}{}", line.increment,
                                result_.iterations, limited ? "" : " without progress", way));
    }
    remainder_ = problem_.remainder();

    // x_{k+1} = x_k + t_k dx_k (+ delta)
    const Step step = chooser_->choose(problem_, x_, dx, values);
    result_.evaluations += step.trials;
    line.step = step.t;
    line.omega = step.omega;
    line.test = step.test;
    line.trials = step.trials;
    line.descent = descends_;
    const bool go_on = report();
    if (!step.found) {
      if (stopped()) return finish(Ending::kInterrupted, "interrupted");
      const std::string why = problem_.why();
      constexpr double kFewDigits = 4e3 * std::numeric_limits<double>::epsilon();
      if (within_noise(precision, dx, arrival, kFewDigits, 1e3 * rounding_level(problem_, x_))) {
        return finish(Ending::kConverged, fmt::format("increment {:.1e} cannot be told from "
                                                      "rounding errors",
                                                      line.increment));
      }
      const double noise = 10 * problem_.noise();
      if (noise > 0 && within_noise(precision, dx, arrival, noise,
                                    noise * problem_.condition() * (1 + x_.norm()))) {
        return finish(Ending::kConverged,
                      fmt::format("increment {:.1e} cannot be told from integration errors; a "
                                  "smaller rtol would go further",
                                  line.increment));
      }
      if (change_method("no acceptable step") || try_once_more()) continue;
      if (options_.globalization == Globalization::kFull) {
        return finish(Ending::kEvaluationFailed,
                      "the full step leads to a point that cannot be evaluated: " + why);
      }
      return finish(Ending::kStepTooSmall,
                    fmt::format("no acceptable step along an increment of {:.1e}{}", line.increment,
                                why.empty() ? "" : " (" + why + ")"));
    }
    x_before_ = x_;
    x_ = problem_.adopt(step.x);
    x_plain_ = step.x_plain;
    last_was_full_ = step.t >= 1 || damps_ || options_.globalization == Globalization::kLm;
    if (descends_) last_was_full_ = false;
    ++result_.iterations;
    if (!go_on) return finish(Ending::kInterrupted, "interrupted");
  }
}

}  // namespace

GaussNewtonResult gauss_newton(LeastSquaresProblem& problem, VecIn start,
                               const GaussNewtonOptions& options, const OnIteration& on_iteration,
                               const Interrupted& interrupted) {
  check_options(options);
  problem.set_curved(false);
  problem.set_unbounded(false);
  return Run(problem, options, on_iteration, interrupted).from(start);
}

}  // namespace parfait::estimate
