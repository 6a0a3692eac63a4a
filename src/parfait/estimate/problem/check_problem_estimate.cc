#include <fmt/format.h>

#include "parfait/estimate/problem/check_problem_parts.h"

namespace parfait::estimate {

void check_estimate(const Estimate& estimate, const Subject& subject,
                    std::vector<std::string>& warnings) {
  const double initial = estimate.initial, lower = estimate.lower, upper = estimate.upper;
  if (!std::isfinite(initial)) subject.fail(fmt::format("initial = {}: must be finite.", initial));
  if (std::isnan(lower) || std::isnan(upper)) subject.fail("a bound is not a number.");
  if (lower > upper) subject.fail(fmt::format("lower = {} is above upper = {}.", lower, upper));
  if (lower == upper) {
    subject.fail(
        fmt::format("lower and upper are both {}: a parameter that cannot vary is not "
                    "estimated; use <set>.",
                    lower));
  }
  if (initial < lower || initial > upper) {
    subject.fail(
        fmt::format("initial = {} is outside its bounds [{}, {}].", initial, lower, upper));
  }
  if (estimate.scale && !(*estimate.scale > 0 && std::isfinite(*estimate.scale))) {
    subject.fail(fmt::format("scale = {}: must be > 0.", *estimate.scale));
  }
  if (estimate.truth && !std::isfinite(*estimate.truth)) {
    subject.fail(fmt::format("true = {}: must be finite.", *estimate.truth));
  }
  if (estimate.transform == Estimate::Transform::kLog) {
    const auto require_positive = [&](double x, const char* name) {
      if (x > 0) return;
      subject.fail(fmt::format("{} = {}: must be > 0, since its logarithm is estimated.", name, x));
    };
    require_positive(initial, "initial");
    require_positive(upper, "upper");
    if (estimate.truth) require_positive(*estimate.truth, "true");
    if (lower < 0 && std::isfinite(lower)) {
      subject.fail(
          fmt::format("lower = {}: must be >= 0, since the logarithm is estimated.", lower));
    }
  }
  if (estimate.prior) {
    const auto& [value, sigma, scale] = *estimate.prior;
    if (scale != ValueScale::kLinear && !(lower >= 0) &&
        estimate.transform != Estimate::Transform::kLog) {
      subject.fail(fmt::format("a prior of {}({}) needs lower = 0 or more.", text(scale),
                               estimate.parameter));
    }
    if (!std::isfinite(value)) subject.fail(fmt::format("prior = {}: must be finite.", value));
    if (!(sigma > 0 && std::isfinite(sigma))) {
      subject.fail(fmt::format("sigma = {}: must be > 0.", sigma));
    }
  }
  if (estimate.truth && (*estimate.truth < lower || *estimate.truth > upper)) {
    warnings.push_back(fmt::format("{}: its true value {} is outside its bounds [{}, {}].",
                                   subject.label, *estimate.truth, lower, upper));
  }
}

}  // namespace parfait::estimate
