#include "parfait/report/blocks/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include "parfait/math/quantiles.h"

namespace parfait::report {
namespace {

/// Are the times equally far apart, to a thousandth of their distance?
bool is_even(const std::vector<const result::Residual*>& residuals) {
  if (residuals.size() < 4) return false;
  const double step = (residuals.back()->t - residuals.front()->t) / (residuals.size() - 1.0);
  if (!(step > 0)) return false;
  for (std::size_t i = 1; i < residuals.size(); ++i) {
    if (std::abs(residuals[i]->t - residuals[i - 1]->t - step) > 1e-3 * step) return false;
  }
  return true;
}

double sum_of_products(const ResidualGroup& group, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = 0; i + lag < group.residuals.size(); ++i) {
    sum += group.residuals[i]->weighted * group.residuals[i + lag]->weighted;
  }
  return sum;
}

void finish(ResidualGroup& group) {
  std::stable_sort(group.residuals.begin(), group.residuals.end(),
                   [](const auto* a, const auto* b) { return a->t < b->t; });
  group.sum_of_squares = sum_of_products(group, 0);
  group.rms = std::sqrt(group.sum_of_squares / static_cast<double>(group.residuals.size()));
  group.even = is_even(group.residuals);
  if (group.even && group.sum_of_squares > 0) {
    group.autocorrelation = sum_of_products(group, 1) / group.sum_of_squares;
  }
}

double sorted_quantile(const std::vector<double>& sorted, double u) {
  const double place = u * (sorted.size() - 1.0);
  const auto i = static_cast<std::size_t>(place);
  const double next = sorted[std::min(i + 1, sorted.size() - 1)];
  return sorted[i] + (place - static_cast<double>(i)) * (next - sorted[i]);
}

}  // namespace

std::vector<ResidualGroup> residual_groups(const std::vector<result::Residual>& residuals) {
  std::vector<ResidualGroup> groups;
  std::map<std::pair<std::pair<std::string, std::string>, bool>, std::size_t> known;
  for (const auto& residual : residuals) {
    const auto [found, is_new] =
        known.try_emplace({{residual.experiment, residual.column}, residual.prior}, groups.size());
    if (is_new) groups.push_back({.experiment = residual.experiment, .column = residual.column});
    groups[found->second].residuals.push_back(&residual);
  }
  for (auto& group : groups) finish(group);
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.rms > b.rms; });
  return groups;
}

Histogram histogram(std::span<const double> values) {
  std::vector<double> sorted;
  for (const double x : values) {
    if (std::isfinite(x)) sorted.push_back(x);
  }
  if (sorted.empty()) return {{0, 1}, {0}};
  std::sort(sorted.begin(), sorted.end());
  const double low = sorted.front(), high = sorted.back();
  const double quartiles = sorted_quantile(sorted, 0.75) - sorted_quantile(sorted, 0.25);
  const double width = 2 * quartiles / std::cbrt(static_cast<double>(sorted.size()));
  const int bins =
      width > 0 && high > low ? static_cast<int>(std::clamp((high - low) / width, 5.0, 40.0)) : 5;
  const double extent = high > low ? high - low : 1;
  const double from = high > low ? low : low - 0.5;
  Histogram result{{}, std::vector<double>(bins, 0.0)};
  for (int i = 0; i <= bins; ++i) result.edges.push_back(from + extent * i / bins);
  for (const double x : sorted) {
    const int bin = static_cast<int>(bins * (x - from) / extent);
    result.counts[std::clamp(bin, 0, bins - 1)] += 1;
  }
  return result;
}

Quantiles normal_quantiles(std::span<const double> values, double scale) {
  Quantiles result;
  for (const double x : values) {
    if (std::isfinite(x)) result.found.push_back(x);
  }
  std::sort(result.found.begin(), result.found.end());
  const double n = static_cast<double>(result.found.size());
  for (std::size_t i = 0; i < result.found.size(); ++i) {
    const double p = (static_cast<double>(i) + 0.5) / n;
    const double z = math::normal_quantile(p);
    const double half = 1.96 * std::sqrt(p * (1 - p) / n) / math::normal_density(z);
    result.expected.push_back(scale * z);
    result.low.push_back(scale * (z - half));
    result.high.push_back(scale * (z + half));
  }
  return result;
}

Autocorrelation autocorrelation(std::span<const ResidualGroup> groups, int most) {
  Autocorrelation result;
  double squares = 0;
  std::size_t longest = 0;
  for (const auto& group : groups) {
    if (!group.even || group.is_prior()) continue;
    squares += group.sum_of_squares;
    result.pairs += static_cast<int>(group.residuals.size()) - 1;
    longest = std::max(longest, group.residuals.size());
  }
  if (squares <= 0) return {};
  // Beyond half of the longest record there is little left to average.
  const int last = std::min(most, static_cast<int>(longest / 2));
  for (int lag = 1; lag <= last; ++lag) {
    double sum = 0;
    for (const auto& group : groups) {
      if (group.even && !group.is_prior()) sum += sum_of_products(group, lag);
    }
    result.values.push_back(sum / squares);
  }
  return result;
}

std::vector<int> clustered_order(const result::Matrix& correlation) {
  const int n = correlation.rows;
  std::vector<std::vector<int>> clusters;
  clusters.reserve(n);
  for (int i = 0; i < n; ++i) clusters.push_back({i});
  // Average distances, updated when clusters merge (Lance and Williams).
  std::vector<std::vector<double>> distance(n, std::vector<double>(n, 1));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double rho = correlation(i, j);
      if (std::isfinite(rho)) distance[i][j] = 1 - std::abs(rho);
    }
  }
  for (int merges = 1; merges < n; ++merges) {
    int a = -1, b = -1;
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n && !clusters[i].empty(); ++j) {
        if (clusters[j].empty()) continue;
        if (a < 0 || distance[i][j] < distance[a][b]) a = i, b = j;
      }
    }
    const double size_a = static_cast<double>(clusters[a].size());
    const double size_b = static_cast<double>(clusters[b].size());
    for (int k = 0; k < n; ++k) {
      const double mean = (size_a * distance[a][k] + size_b * distance[b][k]) / (size_a + size_b);
      distance[a][k] = distance[k][a] = mean;
    }
    clusters[a].insert(clusters[a].end(), clusters[b].begin(), clusters[b].end());
    clusters[b].clear();
  }
  return n > 0 ? clusters[0] : std::vector<int>{};
}

std::vector<Pair> strongest_pairs(const result::Matrix& correlation, int most) {
  std::vector<Pair> pairs;
  for (int i = 0; i < correlation.rows; ++i) {
    for (int j = 0; j < i; ++j) {
      if (std::isfinite(correlation(i, j))) pairs.push_back({j, i, correlation(i, j)});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return std::abs(a.correlation) > std::abs(b.correlation);
  });
  if (pairs.size() > static_cast<std::size_t>(most)) pairs.resize(most);
  return pairs;
}

Ellipse ellipse(double x, double y, double sd_x, double sd_y, double correlation, double radius) {
  constexpr int kPoints = 96;
  Ellipse result;
  // The Cholesky factor of [1, rho; rho, 1] maps the circle.
  const double rest = std::sqrt(std::max(0.0, 1 - correlation * correlation));
  for (int i = 0; i <= kPoints; ++i) {
    const double angle = 2 * std::numbers::pi * i / kPoints;
    const double a = radius * std::cos(angle), b = radius * std::sin(angle);
    result.x.push_back(x + sd_x * a);
    result.y.push_back(y + sd_y * (correlation * a + rest * b));
  }
  return result;
}

}  // namespace parfait::report
