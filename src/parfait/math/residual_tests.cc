#include "parfait/math/residual_tests.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "parfait/math/quantiles.h"

namespace parfait::math {
namespace {

constexpr int kMostExactSigns = 2000;

double log_choose(int n, int k) {
  return std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
}

// Ways to cut n equal signs into k runs, each not empty, as a logarithm; -infinity if there is
// none.
double log_compositions(int n, int k) {
  return k < 1 || k > n ? -HUGE_VAL : log_choose(n - 1, k - 1);
}

// P(runs = r): the runs of both signs alternate, so each sign has half of them, or one has one
// more.
double probability_of_runs(int r, int n1, int n2) {
  const double all = log_choose(n1 + n2, n1);
  const int k = r / 2;
  if (r % 2 == 0) return 2 * std::exp(log_compositions(n1, k) + log_compositions(n2, k) - all);
  return std::exp(log_compositions(n1, k + 1) + log_compositions(n2, k) - all) +
         std::exp(log_compositions(n1, k) + log_compositions(n2, k + 1) - all);
}

double exact_p_value(int runs, int n1, int n2) {
  const int most = 2 * std::min(n1, n2) + (n1 == n2 ? 0 : 1);
  double below = 0, above = 0;
  for (int r = 2; r <= most; ++r) {
    const double probability = probability_of_runs(r, n1, n2);
    if (r <= runs) below += probability;
    if (r >= runs) above += probability;
  }
  return std::min(1.0, 2 * std::min(below, above));
}

double normal_p_value(int runs, double mean, double variance) {
  const double distance = std::max(0.0, std::abs(runs - mean) - 0.5);
  return std::min(1.0, 2 * normal_upper_tail(distance / std::sqrt(variance)));
}

}  // namespace

RunsTest runs_test(std::span<const double> residuals) {
  RunsTest test;
  int last = 0;
  for (const double r : residuals) {
    if (r == 0 || std::isnan(r)) continue;
    const int sign = r > 0 ? 1 : -1;
    (sign > 0 ? test.positive : test.negative) += 1;
    if (sign != last) ++test.runs;
    last = sign;
  }
  const double n1 = test.positive, n2 = test.negative, n = n1 + n2;
  if (n1 == 0 || n2 == 0) {
    test.expected_runs = test.runs;
    return test;
  }
  test.expected_runs = 1 + 2 * n1 * n2 / n;
  if (n <= kMostExactSigns) {
    test.p_value = exact_p_value(test.runs, test.positive, test.negative);
  } else {
    const double variance = 2 * n1 * n2 * (2 * n1 * n2 - n) / (n * n * (n - 1));
    test.p_value = normal_p_value(test.runs, test.expected_runs, variance);
  }
  return test;
}

double normality_p_value(double statistic) {
  const double a = statistic;
  // Past its minimum near 153 the parabola would rise again; there p is 0 in double precision.
  if (a >= 150) return 0;
  if (a >= 0.6) return std::exp(1.2937 + a * (-5.709 + a * 0.0186));
  if (a >= 0.34) return std::exp(0.9177 + a * (-4.279 + a * -1.38));
  if (a >= 0.2) return 1 - std::exp(-8.318 + a * (42.796 + a * -59.938));
  return 1 - std::exp(-13.436 + a * (101.14 + a * -223.73));
}

NormalityTest normality_test(std::span<const double> residuals) {
  NormalityTest test;
  const auto n = residuals.size();
  if (n < 8) return test;
  std::vector<double> z(residuals.begin(), residuals.end());
  std::sort(z.begin(), z.end());
  const double count = static_cast<double>(n);
  const double mean = std::accumulate(z.begin(), z.end(), 0.0) / count;
  double squares = 0;
  for (const double value : z) squares += (value - mean) * (value - mean);
  const double s = std::sqrt(squares / (count - 1));
  if (!(s > 1e-14 * std::abs(mean)) || !std::isfinite(s)) return test;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double low = normal_cdf((z[i] - mean) / s);
    const double high = normal_upper_tail((z[n - 1 - i] - mean) / s);
    sum += (2.0 * static_cast<double>(i) + 1) * (std::log(low) + std::log(high));
  }
  const double A2 = -count - sum / count;
  test.valid = true;
  test.statistic = A2 * (1 + 0.75 / count + 2.25 / (count * count));
  test.p_value = normality_p_value(test.statistic);
  return test;
}

std::vector<Outlier> largest_outliers(std::span<const double> residuals,
                                      std::span<const double> leverages, int nu, bool sigma_known,
                                      int most) {
  std::vector<Outlier> outliers;
  if (!sigma_known && nu < 2) return outliers;
  double squares = 0;
  for (const double r : residuals) squares += r * r;
  const double s = sigma_known ? 1 : std::sqrt(squares / nu);
  if (!(s > 0)) return outliers;
  constexpr double kDetermined = 1e-10;  // of 1 - h: rounding is all that is left of the residual
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const double left = 1 - (leverages.empty() ? 0 : leverages[i]);
    if (left < kDetermined) continue;
    double t = residuals[i] / (s * std::sqrt(left));
    if (!sigma_known) {
      // e^2 <= nu; at nu the fit is perfect without this measurement.
      t *= std::sqrt((nu - 1) / std::max(0.0, nu - t * t));
    }
    outliers.push_back({.index = static_cast<int>(i), .residual = residuals[i], .studentized = t});
  }
  const auto farther = [](const Outlier& a, const Outlier& b) {
    return std::abs(a.studentized) > std::abs(b.studentized);
  };
  std::stable_sort(outliers.begin(), outliers.end(), farther);
  const double n = static_cast<double>(outliers.size());
  if (static_cast<int>(outliers.size()) > most) outliers.resize(static_cast<std::size_t>(most));
  for (Outlier& outlier : outliers) {
    const double t = std::abs(outlier.studentized);
    const double tail = sigma_known ? normal_upper_tail(t) : student_t_upper_tail(t, nu - 1);
    outlier.p_value = std::min(1.0, 2 * n * tail);
  }
  return outliers;
}

}  // namespace parfait::math
