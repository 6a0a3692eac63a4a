#include "parfait/integrate/step_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"

namespace parfait::integrate {
namespace {

constexpr double kSafety = 0.9;
constexpr double kIntegral = 0.04;  // weight of the previous error; 0 would be the plain controller
constexpr double kSmallest = 0.2;
constexpr double kLargest = 10;

void require(bool holds, const char* name, double value, const char* rule) {
  if (!holds) throw base::InputError(fmt::format("{} = {:g}: must be {}.", name, value, rule));
}

}  // namespace

void check_step_options(const StepOptions& o) {
  require(o.rtol > 0 && o.rtol < 1, "rtol", o.rtol, "> 0 and < 1");
  require(o.atol > 0 && std::isfinite(o.atol), "atol", o.atol, "> 0");
  require(o.first_step >= 0 && std::isfinite(o.first_step), "first_step", o.first_step,
          ">= 0 (0: chosen from the problem)");
  require(o.max_step >= 0 && std::isfinite(o.max_step), "max_step", o.max_step,
          ">= 0 (0: no limit)");
  require(o.max_steps > 0, "max_steps", o.max_steps, "> 0");
}

double error_norm(std::span<const double> error, std::span<const double> y0,
                  std::span<const double> y1, const StepOptions& options) {
  if (error.empty()) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    const double scale = options.atol + options.rtol * std::max(std::abs(y0[i]), std::abs(y1[i]));
    sum += (error[i] / scale) * (error[i] / scale);
  }
  return std::sqrt(sum / static_cast<double>(error.size()));
}

StepController::StepController(int order) : order_(order) {}

double StepController::after_accepted(double error) {
  const double proportional = 1 / order_ - 0.75 * kIntegral;
  double factor =
      error == 0 ? kLargest
                 : kSafety * std::pow(previous_error_, kIntegral) / std::pow(error, proportional);
  factor = std::clamp(factor, kSmallest, kLargest);
  if (just_rejected_) factor = std::min(factor, 1.0);
  just_rejected_ = false;
  previous_error_ = std::max(error, 1e-4);
  return factor;
}

double StepController::after_rejected(double error) {
  just_rejected_ = true;
  // Not finite: the trial left the domain of the right-hand side, and the size of the error says
  // nothing.
  if (!std::isfinite(error)) return kSmallest;
  return std::clamp(kSafety * std::pow(error, -1 / order_), kSmallest, 0.9);
}

}  // namespace parfait::integrate
