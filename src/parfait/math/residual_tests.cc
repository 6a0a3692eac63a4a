#include "parfait/math/residual_tests.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "parfait/math/quantiles.h"

namespace parfait::math {
namespace {

constexpr int kMostExactSigns = 2000;

// Logarithms of 0!, 1!, ..., n!.
std::vector<double> log_factorials(int n) {
  std::vector<double> logs(static_cast<std::size_t>(n) + 1, 0.0);
  for (std::size_t i = 2; i < logs.size(); ++i) {
    logs[i] = logs[i - 1] + std::log(static_cast<double>(i));
  }
  return logs;
}

// How often n1 + n2 signs in random order have how many runs.
class RunsDistribution {
 public:
  RunsDistribution(int n1, int n2)
      : n1_(n1), n2_(n2), logs_(log_factorials(n1 + n2)), all_(choose(n1 + n2, n1)) {}

  // P(runs = r): the runs of both signs alternate, so each sign has half of them, or one has one
  // more.
  double probability(int r) const {
    const int k = r / 2;
    if (r % 2 == 0) return 2 * std::exp(compositions(n1_, k) + compositions(n2_, k) - all_);
    return std::exp(compositions(n1_, k + 1) + compositions(n2_, k) - all_) +
           std::exp(compositions(n1_, k) + compositions(n2_, k + 1) - all_);
  }

 private:
  // All of these as logarithms.
  double choose(int n, int k) const {
    const auto log_of = [this](int i) { return logs_[static_cast<std::size_t>(i)]; };
    return log_of(n) - log_of(k) - log_of(n - k);
  }
  // Ways to cut n equal signs into k runs, each not empty; -infinity if there is none.
  double compositions(int n, int k) const {
    return k < 1 || k > n ? -HUGE_VAL : choose(n - 1, k - 1);
  }

  int n1_, n2_;
  std::vector<double> logs_;
  double all_;
};

double exact_p_value(int runs, int n1, int n2) {
  const RunsDistribution distribution(n1, n2);
  const int most = 2 * std::min(n1, n2) + (n1 == n2 ? 0 : 1);
  double below = 0, above = 0;
  for (int r = 2; r <= most; ++r) {
    const double probability = distribution.probability(r);
    if (r <= runs) below += probability;
    if (r >= runs) above += probability;
  }
  return std::min(1.0, 2 * std::min(below, above));
}

double normal_p_value(int runs, double mean, double variance) {
  const double distance = std::max(0.0, std::abs(runs - mean) - 0.5);
  return std::min(1.0, 2 * normal_upper_tail(distance / std::sqrt(variance)));
}

// Those with the largest |t|, and how likely the largest of all is as large as that.
std::vector<Outlier> farthest(std::vector<Outlier> outliers, int most, const auto& upper_tail) {
  const auto farther = [](const Outlier& a, const Outlier& b) {
    return std::pair(-std::abs(a.studentized), a.index) <
           std::pair(-std::abs(b.studentized), b.index);
  };
  const double n = static_cast<double>(outliers.size());
  const auto kept = std::min(std::ssize(outliers), std::ptrdiff_t{most});
  std::partial_sort(outliers.begin(), outliers.begin() + kept, outliers.end(), farther);
  outliers.resize(static_cast<std::size_t>(kept));
  for (Outlier& outlier : outliers) {
    outlier.p_value = std::min(1.0, 2 * n * upper_tail(std::abs(outlier.studentized)));
  }
  return outliers;
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
  outliers.reserve(residuals.size());
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
      // e^2 <= nu; at nu the fit is perfect without this measurement, up to rounding.
      t *= std::sqrt((nu - 1) / std::max(kDetermined * nu, nu - t * t));
    }
    outliers.push_back({.index = static_cast<int>(i), .residual = residuals[i], .studentized = t});
  }
  const auto tail = [&](double t) {
    return sigma_known ? normal_upper_tail(t) : student_t_upper_tail(t, nu - 1);
  };
  return farthest(std::move(outliers), most, tail);
}

double robust_scale(std::span<const double> residuals, int free) {
  std::vector<double> sizes;
  for (const double r : residuals) sizes.push_back(std::abs(r));
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(sizes.begin(), sizes.begin() + std::min<std::ptrdiff_t>(free, std::ssize(sizes)));
  if (sizes.empty()) return 0;
  const std::size_t half = sizes.size() / 2;
  const double median = sizes.size() % 2 == 1 ? sizes[half] : (sizes[half - 1] + sizes[half]) / 2;
  return median / normal_quantile(0.75);
}

std::vector<Outlier> largest_robust_outliers(std::span<const double> residuals, int free,
                                             int most) {
  constexpr int kFewest = 6;
  constexpr double kEfficiency = 0.37;
  const double nu = static_cast<double>(residuals.size()) - free;
  const double s = robust_scale(residuals, free);
  std::vector<Outlier> outliers;
  if (nu < kFewest || !(s > 0)) return outliers;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    outliers.push_back(
        {.index = static_cast<int>(i), .residual = residuals[i], .studentized = residuals[i] / s});
  }
  return farthest(std::move(outliers), most,
                  [&](double t) { return student_t_upper_tail(t, kEfficiency * nu); });
}

}  // namespace parfait::math
