#include "parfait/estimate/linear/norm_variance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "parfait/math/quantiles.h"

namespace parfait::estimate {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846;

double huber_variance_of_normal_errors(double gamma) {
  const double tail = math::normal_upper_tail(gamma);
  const double inside = 1 - 2 * tail;  // E[psi']
  const double squares =
      inside - 2 * gamma * math::normal_density(gamma) + 2 * gamma * gamma * tail;
  return squares / (inside * inside);
}

double huber_variance(VecIn r, int free, double gamma) {
  const double n = static_cast<double>(r.size());
  const double nu = n - free;
  const double squares = r.cwiseAbs().cwiseMin(gamma).squaredNorm();
  const double m = static_cast<double>((r.array().abs() <= gamma).count()) / n;
  if (!(nu > 0) || m == 0) return kUndefined;
  const double K = 1 + free / n * (1 - m) / m;
  return K * K * (squares / nu) / (m * m);
}

double l1_variance(VecIn r, int free) {
  // The fit makes `free` residuals vanish; they say nothing about the errors.
  std::vector<double> sorted(r.data(), r.data() + r.size());
  std::sort(sorted.begin(), sorted.end(),
            [](double a, double b) { return std::abs(a) < std::abs(b); });
  const auto vanishing = std::min<std::ptrdiff_t>(free, r.size());
  sorted.erase(sorted.begin(), sorted.begin() + vanishing);
  std::sort(sorted.begin(), sorted.end());
  // f(0) is the share of the data between two order statistics around the median over their
  // distance; the vanishing residuals lie between them and close up one gap.
  const double n = static_cast<double>(sorted.size());
  const double z = math::normal_quantile(0.975);
  const double m = std::floor((n + 1) / 2 - z * std::sqrt(n / 4));
  if (!(m >= 1)) return kUndefined;  // fewer than 6: there are no such two
  const auto low = static_cast<std::size_t>(m) - 1;
  const std::size_t high = sorted.size() - 1 - low;
  const double gaps = static_cast<double>(high - low) + 1;
  const double f0 = gaps / (static_cast<double>(r.size()) * (sorted[high] - sorted[low]));
  return 1 / (4 * f0 * f0);
}

}  // namespace

double norm_variance(Norm norm, VecIn residuals, int free, double huber_gamma, bool sigma_known) {
  switch (norm) {
    case Norm::kL2: {
      if (sigma_known) return 1;
      const Eigen::Index nu = residuals.size() - free;
      return nu > 0 ? residuals.squaredNorm() / static_cast<double>(nu) : kUndefined;
    }
    case Norm::kHuber:
      return sigma_known ? huber_variance_of_normal_errors(huber_gamma)
                         : huber_variance(residuals, free, huber_gamma);
    case Norm::kL1:
      return sigma_known ? kPi / 2 : l1_variance(residuals, free);
    case Norm::kLInf:
      break;
  }
  return kUndefined;
}

}  // namespace parfait::estimate
