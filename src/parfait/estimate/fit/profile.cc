#include "parfait/estimate/fit/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace parfait::estimate {

namespace {

/// One more equation: parameter = value.
Requirement holding(const std::string& parameter, double value) {
  Requirement hold;
  hold.terms.push_back({.at = {}, .formula = fmt::format("{} - ({:.17g})", parameter, value)});
  return hold;
}

class Search {
 public:
  Search(PreparedProblem& prepared, const FitResult& result, int index, Profile& profile)
      : prepared_(prepared), result_(result), index_(index), profile_(profile) {}

  /// The end of the interval on one side, from the estimate outwards; NaN: interrupted.
  double end(int side) {
    const double found = search(side);
    return profile_.interrupted ? std::nan("") : found;
  }

 private:
  double search(int side) {
    const EstimateResult& e = result_.estimates[static_cast<std::size_t>(index_)];
    const double estimate = e.statistics.value;
    const double limit = side < 0 ? e.lower : e.upper;
    const double infinite = side * kInfinity;
    if (!(e.statistics.sd > 0) || !std::isfinite(e.statistics.sd)) {
      return std::isfinite(limit) ? limit : infinite;
    }
    start_ = result_.x;
    double inside = estimate, f_inside = excess(result_.objective);
    double step = result_.scale.individual * e.statistics.sd;
    constexpr int kMostSteps = 30;
    for (int i = 0; i < kMostSteps; ++i) {
      const double next = estimate + side * step;
      const bool at_limit = side * (next - limit) >= 0;
      const double outside = at_limit ? limit : next, f_outside = excess(evaluate(outside));
      if (profile_.interrupted) return 0;
      if (f_outside >= 0) return crossing(inside, f_inside, outside, f_outside, e.statistics.sd);
      if (at_limit) return limit;
      inside = outside;
      f_inside = f_outside;
      step *= 1.5;
    }
    return infinite;
  }

  /// Where the objective crosses the threshold between a and b: the Illinois variant of the secant
  /// method.
  double crossing(double a, double fa, double b, double fb, double sd) {
    constexpr int kMostIterations = 60;
    for (int i = 0; i < kMostIterations; ++i) {
      const double c = (a * fb - b * fa) / (fb - fa);
      if (std::abs(b - a) <= 1e-9 * sd || !std::isfinite(c)) break;
      const double fc = excess(evaluate(c));
      if (profile_.interrupted) return 0;
      if (std::abs(fc) <= 1e-9 * (profile_.threshold - result_.objective)) return c;
      if ((fc > 0) != (fb > 0)) {
        a = b;
        fa = fb;
      } else {
        fa /= 2;
      }
      b = c;
      fb = fc;
    }
    return b;
  }

  double excess(double objective) const { return objective - profile_.threshold; }

  double evaluate(double value) {
    const auto& options = prepared_.problem().options;
    const auto& interrupted = options.interrupted;
    if (interrupted && interrupted()) profile_.interrupted = true;
    if (profile_.interrupted) return kInfinity;
    FitSettings settings;
    settings.start = start_;
    settings.tolerance = std::min(1e-8, options.iteration.tolerance);
    prepared_.hold(holding(profile_.parameter, value));
    const FitResult fitted = fit(prepared_, settings);
    prepared_.release();
    if (fitted.iteration.status == GaussNewtonResult::Status::kInterrupted) {
      profile_.interrupted = true;
      return kInfinity;
    }
    profile_.points.push_back(
        {.value = value, .objective = fitted.objective, .converged = fitted.converged()});
    if (fitted.converged()) {
      start_ = fitted.x;
      return fitted.objective;
    }
    return kInfinity;
  }

  PreparedProblem& prepared_;
  const FitResult& result_;
  int index_;
  Profile& profile_;
  Eigen::VectorXd start_;
};

}  // namespace

Profile make_profile(const Problem& problem, const FitResult& result,
                     const std::string& parameter) {
  PreparedProblem prepared(problem);
  return make_profile(prepared, result, parameter);
}

Profile make_profile(PreparedProblem& prepared, const FitResult& result,
                     const std::string& parameter) {
  std::vector<std::string> names;
  int index = -1;
  for (int i = 0; i < result.num_shared; ++i) {
    names.push_back(result.estimates[static_cast<std::size_t>(i)].id);
    if (names.back() == parameter) index = i;
  }
  if (index < 0) {
    throw base::InputError(
        fmt::format("profile of \"{}\": not an estimated parameter.{} "
                    "Parameters: {}.",
                    parameter, base::suggestion(parameter, names), base::listing(names)));
  }
  Profile profile;
  profile.parameter = parameter;
  const double q = result.scale.individual;
  profile.threshold = result.objective + q * q * result.scale.beta2;
  const double estimate = result.estimates[static_cast<std::size_t>(index)].statistics.value;
  profile.points.push_back({.value = estimate, .objective = result.objective, .converged = true});
  Search search(prepared, result, index, profile);
  profile.low = search.end(-1);
  profile.high = profile.interrupted ? std::nan("") : search.end(1);
  std::ranges::sort(profile.points, {}, &Profile::Point::value);
  return profile;
}

}  // namespace parfait::estimate
