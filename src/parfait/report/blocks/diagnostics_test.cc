#include "parfait/report/blocks/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace parfait::report {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

std::vector<result::Residual> residuals_of(const std::vector<double>& weighted) {
  std::vector<result::Residual> list;
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    result::Residual r;
    r.experiment = "run", r.column = "x";
    r.t = 0.1 * static_cast<double>(i), r.weighted = weighted[i];
    list.push_back(r);
  }
  return list;
}

TEST(Diagnostics, GroupsAreOrderedByTheirRms) {
  auto list = residuals_of({1, -1, 1, -1});
  for (auto& r : residuals_of({3, 3})) {
    list.push_back(r);
    list.back().column = "y";
  }
  const auto groups = residual_groups(list);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].column, "y");
  EXPECT_DOUBLE_EQ(groups[0].rms, 3);
  EXPECT_FALSE(groups[0].even);
  EXPECT_TRUE(groups[1].even);
  EXPECT_DOUBLE_EQ(groups[1].autocorrelation, -0.75);  // -3 of 4
}

TEST(Diagnostics, AutocorrelationOfAnAlternatingSignalAlternates) {
  std::vector<double> signal(100);
  for (int i = 0; i < 100; ++i) signal[i] = i % 2 == 0 ? 1 : -1;
  const auto list = residuals_of(signal);
  const auto groups = residual_groups(list);
  const auto found = autocorrelation(groups, 3);
  EXPECT_THAT(found.values, ElementsAre(DoubleNear(-0.99, 1e-12), DoubleNear(0.98, 1e-12),
                                        DoubleNear(-0.97, 1e-12)));
  EXPECT_EQ(found.pairs, 99);
}

TEST(Diagnostics, UnevenSamplesHaveNoAutocorrelation) {
  auto list = residuals_of({1, 2, 3, 4, 5});
  list[2].t += 0.01;
  EXPECT_TRUE(autocorrelation(residual_groups(list), 3).values.empty());
}

TEST(Diagnostics, AHistogramCountsEverything) {
  std::vector<double> values(1000);
  for (int i = 0; i < 1000; ++i) values[i] = std::sin(i);
  const auto bins = histogram(values);
  EXPECT_EQ(std::accumulate(bins.counts.begin(), bins.counts.end(), 0.0), 1000);
  EXPECT_EQ(bins.edges.size(), bins.counts.size() + 1);
  EXPECT_EQ(histogram(std::vector<double>{2, 2, 2}).edges.size(), 6U);
  EXPECT_EQ(histogram({}).counts, std::vector<double>{0});
}

TEST(Diagnostics, NormalQuantilesOfThreeValues) {
  const auto q = normal_quantiles(std::vector<double>{3, 1, 2}, 2);
  EXPECT_THAT(q.found, ElementsAre(1, 2, 3));
  // Phi^-1(1/6) = -0.967421566 (Abramowitz and Stegun, table 26.5, by interpolation to 1e-4).
  EXPECT_THAT(q.expected, ElementsAre(DoubleNear(-1.934843, 1e-4), DoubleNear(0, 1e-12),
                                      DoubleNear(1.934843, 1e-4)));
  EXPECT_LT(q.low[1], q.expected[1]);
  EXPECT_DOUBLE_EQ(q.high[1], -q.low[1]);
}

TEST(Diagnostics, ClustersStandSideBySide) {
  // 0 and 2 belong together, 1 and 3 as well.
  result::Matrix correlation(4, 4);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) correlation(i, j) = i == j ? 1 : (i + j) % 2 == 0 ? -0.9 : 0.1;
  }
  const auto order = clustered_order(correlation);
  ASSERT_EQ(order.size(), 4U);
  EXPECT_EQ((order[0] + order[1]) % 2, 0);
  EXPECT_EQ((order[2] + order[3]) % 2, 0);
  const auto pairs = strongest_pairs(correlation, 2);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].correlation, -0.9);
}

TEST(Diagnostics, AnEllipseSatisfiesItsEquation) {
  const double rho = 0.8, sx = 2, sy = 0.5, radius = 2.5;
  const auto e = ellipse(1, -1, sx, sy, rho, radius);
  ASSERT_GT(e.x.size(), 50U);
  for (std::size_t i = 0; i < e.x.size(); ++i) {
    const double a = (e.x[i] - 1) / sx, b = (e.y[i] + 1) / sy;
    EXPECT_NEAR((a * a - 2 * rho * a * b + b * b) / (1 - rho * rho), radius * radius, 1e-10);
  }
  const auto [low, high] = std::minmax_element(e.x.begin(), e.x.end());
  EXPECT_NEAR(*high - *low, 2 * radius * sx, 1e-12);
}

}  // namespace
}  // namespace parfait::report
