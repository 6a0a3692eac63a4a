#include "parfait/estimate/iteration/arrival.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parfait::estimate {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

/// Rounding of one residual: a few operations.
constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();

/// The whole way as a multiple of the increment, for a geometric sequence.
double whole_way(double rate) {
  return 1 / (1 - std::clamp(rate, 0.0, 0.99));
}

}  // namespace

Arrival judge(LeastSquaresProblem& problem, const LeastSquaresProblem::Precision& precision,
              VecIn x, VecIn dx, const ArrivalOptions& options) {
  Arrival arrival{.deviations = std::nan("")};
  const double noise = std::max(kRounding, options.noise), way = whole_way(options.rate);
  const double tol = options.tolerance;
  // The decrease that is promised: of the objective, and in standard deviations.
  const double power = precision.of_squares ? 2 : 1;
  const double error = std::pow(noise * precision.data, power);
  // Data that fit better than their sigma says promise less than one unit each.
  const double unit = precision.unit;
  const double all =
      std::max(unit, std::min(precision.degrees_of_freedom * unit, precision.misfit));
  const double negligible =
      std::isnan(unit) ? std::pow(tol * precision.data, power)
                       : std::min(kMinorDeviations * kMinorDeviations * unit, 0.1 * tol * all);
  if (precision.decrease > error && precision.decrease * way * way > negligible) return arrival;

  const auto full = problem.precision(x, true);
  const double length = problem.norm(x) * problem.condition();
  arrival.arrived = true;
  arrival.deviations = 0;
  for (Index i = 0; i < dx.size(); ++i) {
    const double deviation = full.deviation[i], step = std::abs(dx[i]);
    if (!std::isfinite(deviation)) continue;
    const double sd = full.beta * deviation;  // NaN: the size alone decides
    if (sd > 0) arrival.deviations = std::max(arrival.deviations, step * way / sd);
    // |(J+ dr)_i| <= deviation_i |dr|. What equations alone determine has no deviation.
    const double weight = problem.weights().size() > 0 ? problem.weights()[i] : 1;
    // Or only rounding errors of what moves other unknowns.
    const double rounding =
        deviation * weight > 1e-8
            ? noise * (precision.data * deviation + full.size[i])
            : noise * (full.size[i] + (weight > 0 ? length / weight : INFINITY));
    const bool small = step * way <= tol * std::max(full.size[i], sd > 0 ? sd : 0.0);
    const bool insignificant = !(sd > 0) || step * way <= kMinorDeviations * sd;
    if (step > rounding && !(small && insignificant)) arrival.arrived = false;
  }
  return arrival;
}

namespace {

/// Which unknowns an increment moves to a bound. They count as held there, without deviation, and
/// deviations of others are too small for it.
struct AtBounds {
  std::vector<bool> stopped;
  bool any = false;
};
AtBounds at_bounds(const LeastSquaresProblem& problem, VecIn x, VecIn dx) {
  const VectorXd beyond = problem.into_bounds(x + 1.001 * dx) - x - dx;
  AtBounds out{std::vector<bool>(static_cast<std::size_t>(dx.size()))};
  for (Index i = 0; i < dx.size(); ++i) {
    const bool stopped = dx[i] != 0 && std::abs(beyond[i]) < 0.5e-3 * std::abs(dx[i]);
    out.stopped[static_cast<std::size_t>(i)] = stopped;
    out.any = out.any || stopped;
  }
  return out;
}

}  // namespace

bool is_insignificant(LeastSquaresProblem& problem, VecIn x, VecIn dx, double tolerance,
                      double deviations) {
  const auto full = problem.precision(x, true);
  if (!full.known || !(full.beta > 0)) return false;
  if (!(full.decrease <= deviations * deviations * full.unit)) return false;
  // A decrease of q units says by itself that, the bounds left away, no |dx_i| is more than
  // sqrt(q) sd_i (G12b).
  const AtBounds bounds = at_bounds(problem, x, dx);
  const bool decrease_decides = full.of_squares && full.decrease >= 0 && bounds.any;
  for (Index i = 0; i < dx.size(); ++i) {
    if (!std::isfinite(full.deviation[i])) continue;
    const double sd = full.beta * full.deviation[i];
    if (std::abs(dx[i]) <= std::max(deviations * sd, tolerance * full.size[i])) continue;
    if (!(decrease_decides && (sd > 0 || bounds.stopped[static_cast<std::size_t>(i)])))
      return false;
  }
  return true;
}

double deviations_left(LeastSquaresProblem& problem, VecIn x, VecIn dx, double rate) {
  const auto full = problem.precision(x, true);
  if (!full.known || !(full.beta > 0)) return std::nan("");
  double left = 0;
  for (Index i = 0; i < dx.size(); ++i) {
    const double sd = full.beta * full.deviation[i];
    if (std::isfinite(sd) && sd > 0) left = std::max(left, std::abs(dx[i]) * whole_way(rate) / sd);
  }
  if (full.of_squares && full.decrease >= 0 && at_bounds(problem, x, dx).any) {
    left = std::min(left, std::sqrt(full.decrease / full.unit) * whole_way(rate));
  }
  return left;
}

}  // namespace parfait::estimate
