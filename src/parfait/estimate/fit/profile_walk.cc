#include "parfait/estimate/fit/profile_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/estimate/problem/variables.h"

namespace parfait::estimate {
namespace profile_walk {
namespace {

using Eigen::VectorXd;

constexpr double kStep = 0.2;        ///< of g, from point to point
constexpr double kFarthest = 2;      ///< a point with g this much higher says too little
constexpr double kGrowth = 3;        ///< of steps, where nothing changes
constexpr double kAccuracy = 1e-7;   ///< of g at the end
constexpr int kMostPoints = 80;      ///< of one side, before the end is bracketed
constexpr int kMostFailures = 8;     ///< one after the other, each with a step of a quarter
constexpr int kMostBisections = 60;  ///< of the bracket
/// Where a side without a bound is called open: so many times the estimate (or the first step), and
/// with log a factor of this size. Far beyond, explicit integrators only take long.
constexpr double kFar = 1e4;

/// The problem without the bounds of the parameter: the walk knows them, and an equation at a bound
/// would say the same twice.
Problem without_bounds(Problem problem, int index) {
  auto& estimate = problem.estimates[static_cast<std::size_t>(index)];
  estimate.lower = -kInfinity;
  estimate.upper = kInfinity;
  return problem;
}

/// The walk happens in u, the scaled unknown of the parameter.
class Walk {
 public:
  Walk(const Problem& problem, const FitResult& result, int index, int side, double threshold)
      : prepared_(without_bounds(problem, index)),
        unknowns_(problem.estimates),
        result_(result),
        index_(index),
        side_(side),
        threshold_(threshold),
        tolerance_(std::min(1e-8, problem.options.iteration.tolerance)) {}

  ProfileSide run() {
    const Norm norm = prepared_.problem().options.linear.norm;
    if (norm == Norm::kL1 || norm == Norm::kLInf) {
      return ended(ProfileEnd::kFailed, std::nan(""),
                   "with this norm a threshold of the objective says nothing about probabilities; "
                   "use l2 or huber");
    }
    if (!(threshold_ > result_.objective)) {
      return ended(ProfileEnd::kFailed, std::nan(""),
                   "there are no degrees of freedom from which the scatter could be estimated");
    }
    const double limit = side_ < 0 ? unknowns_.lower()[index_] : unknowns_.upper()[index_];
    Place at{.u = result_.x[index_], .g = 0, .x = result_.x};
    std::optional<Place> before;
    double step = first_step();
    double beyond = side_ * kInfinity;  // here the objective is far above the threshold
    int failures = 0;
    for (int i = 0; i < kMostPoints; ++i) {
      double u = at.u + side_ * std::min(step, std::abs(beyond - at.u) / 2);
      const bool at_limit = side_ * (u - limit) >= 0;
      if (at_limit) u = limit;
      step = std::abs(u - at.u);
      if (step == 0) break;
      std::optional<Place> next = estimate_at(u, extrapolated(before, at, u));
      if (!next && !interrupted_ && before) next = estimate_at(u, at.x);
      if (interrupted_) return ended(ProfileEnd::kInterrupted, std::nan(""));
      if (!next) {
        if (++failures > kMostFailures) return ended(ProfileEnd::kFailed, std::nan(""), why_);
        step /= 4;
        continue;
      }
      const double rise = next->g - at.g;
      if (next->g > 1) {
        if (rise <= kFarthest || i + 1 == kMostPoints) return crossing(at, *next);
        step *= std::clamp((1.1 - at.g) / rise, 0.05, 0.5);
        beyond = u;
        continue;
      }
      failures = 0;
      before = std::exchange(at, *next);
      if (at_limit) break;
      if (is_far(at.u)) return ended(ProfileEnd::kOpen, side_ * kInfinity);
      step *= rise > 0 ? std::clamp(kStep / rise, 0.3, kGrowth) : kGrowth;
    }
    if (at.u == limit) {
      const Estimate& e = unknowns_.estimate(index_);
      return ended(ProfileEnd::kBound, side_ < 0 ? e.lower : e.upper);
    }
    return ended(ProfileEnd::kFailed, std::nan(""),
                 fmt::format("{} points did not lead to an end", kMostPoints));
  }

 private:
  /// A value of the parameter with what the others are there.
  struct Place {
    double u = 0, g = 0;
    VectorXd x;
  };

  ProfileSide ended(ProfileEnd kind, double end, std::string why = {}) {
    out_.kind = kind;
    out_.end = end;
    out_.why = std::move(why);
    return std::move(out_);
  }

  double value_of(double u) const { return unknowns_.value_of(index_, u); }

  /// A step to begin with; what the objective does decides about the next.
  double first_step() const {
    const EstimateResult& e = result_.estimates[static_cast<std::size_t>(index_)];
    const double u = result_.x[index_];
    const double dp_du = std::abs(unknowns_.derivative_of(index_, u));
    const double sd = e.statistics.sd;
    if (sd > 0 && std::isfinite(sd)) return kStep * result_.scale.individual * sd / dp_du;
    constexpr double kRelative = 0.02;
    if (unknowns_.is_log(index_)) return kRelative / unknowns_.scale(index_);
    double size = std::max(std::abs(e.statistics.value), std::abs(e.initial));
    if (size == 0 && std::isfinite(e.upper - e.lower)) size = e.upper - e.lower;
    return kRelative * (size > 0 ? size / dp_du : 1);
  }

  bool is_far(double u) const {
    const double first = result_.x[index_];
    if (unknowns_.is_log(index_)) {
      return std::abs(u - first) * unknowns_.scale(index_) > std::log(kFar);
    }
    return std::abs(u - first) > kFar * std::max(std::abs(first), first_step());
  }

  /// Where the line through two points leads; x has the value of the parameter in it.
  VectorXd extrapolated(const std::optional<Place>& a, const Place& b, double u) const {
    VectorXd x = b.x;
    if (a && a->u != b.u) x += (u - b.u) / (b.u - a->u) * (b.x - a->x);
    return x;
  }

  /// Whether the last iterations changed nothing that matters here, as in a valley without end.
  bool has_settled(const std::vector<Iteration>& history, double objective) const {
    constexpr std::size_t kLast = 5;
    constexpr double kMatters = 0.01;
    const std::size_t first = history.size() > kLast ? history.size() - 1 - kLast : 0;
    return history[first].objective - objective <= kMatters * (threshold_ - result_.objective);
  }

  /// Estimates everything else. None: that failed, and the objective is not known to lie below the
  /// threshold.
  std::optional<Place> estimate_at(double u, VectorXd start) {
    const auto& ask = prepared_.problem().options.interrupted;
    if (ask && ask()) interrupted_ = true;
    if (interrupted_) return {};
    start[index_] = u;
    const double value = value_of(u), dp_du = unknowns_.derivative_of(index_, u);
    // (p - value) / (dp/du) = 0: in u an equation with the coefficient 1.
    Requirement equation;
    equation.terms.push_back(
        {.at = {},
         .formula = fmt::format("({} - ({:.17g})) / ({:.17g})",
                                unknowns_.estimate(index_).parameter, value, dp_du)});
    prepared_.hold(std::move(equation));
    // From the last point it is not far, and what leads far away only costs time.
    constexpr int kEnough = 30;
    const FitResult fitted = fit(prepared_, {.start = std::move(start),
                                             .tolerance = tolerance_,
                                             .max_iterations = kEnough,
                                             .one_of_many = true,
                                             .statistics = false});
    prepared_.release();
    if (fitted.iteration.status == GaussNewtonResult::Status::kInterrupted) interrupted_ = true;
    if (interrupted_) return {};
    if (fitted.iteration.history.empty()) {
      why_ = fitted.iteration.message;
      return {};
    }
    Profile::Point point{
        .value = value, .objective = fitted.objective, .converged = fitted.converged()};
    for (const auto& e : fitted.estimates) point.estimates.push_back(e.statistics.value);
    out_.points.push_back(std::move(point));
    // What the others could do better only lowers the objective: below the threshold is below.
    const bool feasible = fitted.iteration.history.back().infeasibility <= 1e-6;
    const double g = std::sqrt(std::max(0.0, fitted.objective - result_.objective) /
                               (threshold_ - result_.objective));
    const bool is_enough = g < 1 || has_settled(fitted.iteration.history, fitted.objective);
    if (!fitted.converged() && !(feasible && is_enough)) {
      why_ = fitted.iteration.message;
      return {};
    }
    return Place{.u = u, .g = g, .x = fitted.x};
  }

  /// The end between a (g <= 1) and b (g > 1): regula falsi on g - 1, which is nearly straight,
  /// with halved weights where one end stays (Illinois).
  ProfileSide crossing(Place a, Place b) {
    double fa = a.g - 1, fb = b.g - 1;
    int stays = 0;  // < 0: a stayed the last time, > 0: b
    for (int i = 0; i < kMostBisections; ++i) {
      if (std::abs(b.u - a.u) <= kAccuracy * 1e-3 * std::abs(b.u - result_.x[index_])) break;
      double part = fa / (fa - fb);
      if (i % 8 == 7) part = 0.5;
      const double u = a.u + std::clamp(part, 1e-3, 1 - 1e-3) * (b.u - a.u);
      auto c = estimate_at(u, extrapolated(a, b, u));
      if (!c && !interrupted_) c = estimate_at(u, a.x);
      if (interrupted_) return ended(ProfileEnd::kInterrupted, std::nan(""));
      if (!c) return ended(ProfileEnd::kFailed, std::nan(""), why_);
      const double fc = c->g - 1;
      if (std::abs(fc) <= kAccuracy) {
        // Nearly straight: the rest of the way by the chord.
        return ended(ProfileEnd::kThreshold, value_of(c->u));
      }
      if (fc > 0) {
        b = *c;
        fb = fc;
        if (stays < 0) fa /= 2;
        stays = -1;
      } else {
        a = *c;
        fa = fc;
        if (stays > 0) fb /= 2;
        stays = 1;
      }
    }
    return ended(ProfileEnd::kThreshold, value_of(a.u));
  }

  PreparedProblem prepared_;
  Unknowns unknowns_;
  const FitResult& result_;
  int index_, side_;
  double threshold_, tolerance_;
  bool interrupted_ = false;
  std::string why_;
  ProfileSide out_;
};

}  // namespace
}  // namespace profile_walk

ProfileSide walk_profile(const Problem& problem, const FitResult& result, int index, int side,
                         double threshold) {
  return profile_walk::Walk(problem, result, index, side, threshold).run();
}

}  // namespace parfait::estimate
