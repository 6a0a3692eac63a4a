#include "parfait/estimate/starts/start_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/math/scrambled_sobol.h"

namespace parfait::estimate {
namespace start_space {
namespace {

/// Bounds that span so much say nothing about the order of magnitude.
constexpr double kDecades = 1e3;

void add(const Estimate& estimate, int experiment, int index, const std::string& whose,
         StartSpace& space) {
  const bool is_log = estimate.transform == Estimate::Transform::kLog;
  double lower = estimate.lower, upper = estimate.upper;
  if (estimate.prior) {
    constexpr double kDeviations = 2;
    const double reach = kDeviations * estimate.prior->sigma;
    if (!std::isfinite(lower)) lower = std::min(estimate.prior->value - reach, upper);
    if (!std::isfinite(upper)) upper = std::max(estimate.prior->value + reach, lower);
  }
  if (!std::isfinite(lower) || !std::isfinite(upper) || (is_log && !(lower > 0))) {
    space.kept.push_back(estimate.parameter + whose);
    return;
  }
  space.ranges.push_back({.parameter = estimate.parameter,
                          .experiment = experiment,
                          .index = index,
                          .lower = lower,
                          .upper = upper,
                          .log = is_log || (lower > 0 && upper >= kDecades * lower)});
}

}  // namespace
}  // namespace start_space

StartSpace make_start_space(const Problem& problem) {
  StartSpace space;
  for (std::size_t i = 0; i < problem.estimates.size(); ++i) {
    start_space::add(problem.estimates[i], -1, static_cast<int>(i), "", space);
  }
  for (std::size_t e = 0; e < problem.experiments.size(); ++e) {
    const auto& locals = problem.experiments[e].locals;
    const std::string whose = " (" + problem.experiments[e].id + ")";
    for (std::size_t i = 0; i < locals.size(); ++i) {
      start_space::add(locals[i], static_cast<int>(e), static_cast<int>(i), whose, space);
    }
  }
  if (space.ranges.empty()) {
    throw base::InputError(
        "--starts: no estimated parameter has a lower and an upper bound (with transform=\"log\" a "
        "lower one > 0) between which starts could lie.");
  }
  const int most = math::largest_sobol_dimension();
  if (std::ssize(space.ranges) > most) {
    throw base::InputError(
        fmt::format("--starts: {} parameters have bounds; at most {} are possible.",
                    space.ranges.size(), most));
  }
  return space;
}

StartPoints::StartPoints(StartSpace space, int count, std::uint64_t seed)
    : space_(std::move(space)),
      count_(count),
      points_(math::scrambled_sobol(count, static_cast<int>(space_.ranges.size()), seed)) {}

Problem StartPoints::problem_of(const Problem& problem, int number) const {
  Problem out = problem;
  if (number == 0) return out;
  const auto& point = points_[static_cast<std::size_t>(number) - 1];
  for (std::size_t j = 0; j < space_.ranges.size(); ++j) {
    const auto& range = space_.ranges[j];
    auto& list = range.experiment < 0
                     ? out.estimates
                     : out.experiments[static_cast<std::size_t>(range.experiment)].locals;
    const double value = range.log ? range.lower * std::pow(range.upper / range.lower, point[j])
                                   : range.lower + point[j] * (range.upper - range.lower);
    list[static_cast<std::size_t>(range.index)].initial =
        std::clamp(value, range.lower, range.upper);
  }
  return out;
}

}  // namespace parfait::estimate
