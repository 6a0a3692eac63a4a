#include "parfait/estimate/statistics/combination_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace parfait::estimate {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// c as small whole numbers with a common factor: (1, -0.5) -> (2, -1). None if they are not.
std::optional<std::vector<int>> whole_ratio(VecIn c, double tolerance) {
  constexpr int kLargest = 4;
  const double largest = c.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return std::nullopt;
  for (int n = 1; n <= kLargest; ++n) {
    std::vector<int> whole;
    for (const double value : c) {
      const double scaled = n * value / largest;
      const double nearest = std::round(scaled);
      if (nearest == 0 || std::abs(scaled - nearest) > n * tolerance) break;
      whole.push_back(static_cast<int>(nearest));
    }
    if (static_cast<Index>(whole.size()) < c.size()) continue;
    if (whole.front() < 0) {
      for (int& w : whole) w = -w;  // a - b reads better than b - a
    }
    return whole;
  }
  return std::nullopt;
}

std::string power(const std::string& name, int exponent) {
  return exponent == 1 ? name : fmt::format("{}^{}", name, exponent);
}

std::string product(const std::vector<std::string>& names, const std::vector<int>& exponents) {
  std::string above, below;
  int num_below = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string& side = exponents[i] > 0 ? above : below;
    if (exponents[i] < 0) ++num_below;
    side += (side.empty() ? "" : "*") + power(names[i], std::abs(exponents[i]));
  }
  if (below.empty()) return above;
  return num_below > 1 ? fmt::format("{}/({})", above, below) : above + "/" + below;
}

std::string sum(const std::vector<std::string>& names, const std::vector<std::string>& factors,
                VecIn weights) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool negative = weights[static_cast<Index>(i)] < 0;
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    text += factors[i] == "1" ? names[i] : factors[i] + "*" + names[i];
  }
  return text;
}

std::string whole_sum(const std::vector<std::string>& names, const std::vector<int>& weights) {
  VectorXd signs(static_cast<Index>(weights.size()));
  std::vector<std::string> factors;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    signs[static_cast<Index>(i)] = weights[i];
    factors.push_back(std::to_string(std::abs(weights[i])));
  }
  return sum(names, factors, signs);
}

/// First factor 1.
std::string general_sum(const std::vector<std::string>& names, VecIn weights) {
  const VectorXd relative = weights / weights[0];
  std::vector<std::string> factors;
  for (const double w : relative) factors.push_back(fmt::format("{:.4g}", std::abs(w)));
  return sum(names, factors, relative);
}

}  // namespace

std::string combination_name(const std::vector<std::string>& names, VecIn weights, VecIn p,
                             const std::vector<bool>& is_log, double tolerance) {
  const auto as_product = whole_ratio(weights.cwiseProduct(p), tolerance);
  const auto as_sum = whole_ratio(weights, tolerance);
  const bool all_log = std::all_of(is_log.begin(), is_log.end(), [](bool log) { return log; });
  if (as_product && as_sum && !all_log) {
    return fmt::format("{} (or {})", product(names, *as_product), whole_sum(names, *as_sum));
  }
  if (as_product) return product(names, *as_product);
  if (as_sum) return whole_sum(names, *as_sum);
  return general_sum(names, weights);
}

}  // namespace parfait::estimate
