#include "parfait/math/scrambled_sobol.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace parfait::math::scrambled_sobol_test {
namespace {

TEST(ScrambledSobol, EveryCoordinateOfTheFirstPowersOfTwoIsStratified) {
  for (const std::uint64_t seed : {0U, 1U, 77U}) {
    const auto points = scrambled_sobol(256, 40, seed);
    for (const int count : {1, 2, 16, 128, 256}) {
      for (std::size_t j = 0; j < 40; ++j) {
        std::set<int> strata;
        for (int i = 0; i < count; ++i) {
          const double x = points[static_cast<std::size_t>(i)][j];
          ASSERT_GT(x, 0);
          ASSERT_LT(x, 1);
          strata.insert(static_cast<int>(x * count));
        }
        EXPECT_EQ(std::ssize(strata), count) << "coordinate " << j;
      }
    }
  }
}

TEST(ScrambledSobol, FirstTwoCoordinatesAreANet) {
  // 2^8 points: every elementary box 2^-a x 2^-b with a + b = 8 holds one of them.
  const auto points = scrambled_sobol(256, 2, 5);
  for (int a = 0; a <= 8; ++a) {
    std::set<std::pair<int, int>> boxes;
    for (const auto& p : points) {
      boxes.insert(
          {static_cast<int>(std::ldexp(p[0], a)), static_cast<int>(std::ldexp(p[1], 8 - a))});
    }
    EXPECT_EQ(boxes.size(), 256U) << a;
  }
}

TEST(ScrambledSobol, PointsDependOnTheSeedAndNotOnTheirNumber) {
  const auto few = scrambled_sobol(5, 3, 9), many = scrambled_sobol(50, 3, 9);
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(few[i], many[i]);
  EXPECT_NE(scrambled_sobol(5, 3, 10), few);
}

TEST(ScrambledSobol, APointIsUniformOverTheSeeds) {
  // The mean of 4000 uniform numbers scatters by 1/sqrt(12 * 4000) = 0.0046, their products with
  // each other by 1/12/sqrt(4000) = 0.0013 about 1/4.
  double sum = 0, product = 0;
  constexpr int kSeeds = 4000;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const auto point = scrambled_sobol(7, 2, static_cast<std::uint64_t>(seed)).back();
    sum += point[0];
    product += (point[0] - 0.5) * (point[1] - 0.5);
  }
  EXPECT_NEAR(sum / kSeeds, 0.5, 0.018);
  EXPECT_NEAR(product / kSeeds, 0, 0.0053);
}

}  // namespace
}  // namespace parfait::math::scrambled_sobol_test
