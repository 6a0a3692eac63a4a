#include "parfait/estimate/shooting/stiffness.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace parfait::estimate {
namespace {

double length(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace

double fastest_rate(const dynamics::System& system, dynamics::Workspace& ws,
                    const dynamics::Point& at) {
  constexpr int kIterations = 10;
  constexpr double kDifference = 1e-6;
  const std::size_t n = at.y.size();
  std::vector<double> residual(at.z.size()), f(n), moved(n), v(n);
  const std::vector<double> y(at.y.begin(), at.y.end());
  if (n == 0 || system.evaluate(ws, at, f, residual) != dynamics::Status::kOk) return 0;
  for (std::size_t i = 0; i < n; ++i) v[i] = f[i] + 1e-3 * (1 + static_cast<double>(i % 3));
  const double h = kDifference * (length(y) > 0 ? length(y) : 1);
  double rate = 0;
  for (int k = 0; k < kIterations && length(v) > 0; ++k) {
    const double factor = h / length(v);
    std::vector<double> there = y;
    for (std::size_t i = 0; i < n; ++i) there[i] += factor * v[i];
    dynamics::Point point = at;
    point.y = there;
    if (system.evaluate(ws, point, moved, residual) != dynamics::Status::kOk) return rate;
    for (std::size_t i = 0; i < n; ++i) v[i] = (moved[i] - f[i]) / h;
    rate = length(v);
    if (!std::isfinite(rate)) return 0;
  }
  return rate;
}

std::string stiffness_advice(const dynamics::System& system, dynamics::Workspace& ws,
                             const dynamics::Point& at, double mean_step) {
  constexpr double kStabilityLimit = 2;
  const double rate = fastest_rate(system, ws, at);
  if (!(rate * mean_step > kStabilityLimit)) return "";
  return fmt::format(
      " The model is stiff here (rates of {:.1g} per unit of time, which hold an explicit method "
      "to "
      "steps of {:.1g}): integrator=\"bdf\" is made for that.",
      rate, mean_step);
}

}  // namespace parfait::estimate
