#include "parfait/integrate/stepping/step_control.h"

#include <algorithm>
#include <cmath>

namespace parfait::integrate {
namespace {

constexpr double kSafety = 0.9;
constexpr double kSmallest = 0.2;
constexpr double kLargest = 10;

}  // namespace

double error_norm(std::span<const double> error, std::span<const double> y0,
                  std::span<const double> y1, std::span<const double> rtol,
                  std::span<const double> atol) {
  if (error.empty()) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    const double scale = atol[i] + rtol[i] * std::max(std::abs(y0[i]), std::abs(y1[i]));
    sum += (error[i] / scale) * (error[i] / scale);
  }
  return std::sqrt(sum / static_cast<double>(error.size()));
}

double error_norm(const math::Directions& error, const math::Directions& W0,
                  const math::Directions& W1, std::span<const double> rtol,
                  std::span<const double> atol) {
  double largest = 0;
  const int rows = error.rows();
  for (int c = 0; c < error.chunks(); ++c) {
    double sum[math::kLanes] = {};
    for (int i = 0; i < rows; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * math::kLanes;
      for (int lane = 0; lane < math::kLanes; ++lane) {
        const double w =
            std::max(std::abs(W0.chunk(c)[at + lane]), std::abs(W1.chunk(c)[at + lane]));
        const double e = error.chunk(c)[at + lane] / (atol[i] + rtol[i] * w);
        sum[lane] += e * e;
      }
    }
    for (double s : sum) largest = std::max(largest, s);
  }
  return rows == 0 ? 0 : std::sqrt(largest / rows);
}

StepController::StepController(int order, double integral) : order_(order), integral_(integral) {}

double StepController::after_accepted(double error) {
  const double proportional = 1 / order_ - 0.75 * integral_;
  double factor =
      error == 0 ? kLargest
                 : kSafety * std::pow(previous_error_, integral_) / std::pow(error, proportional);
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
