#include "parfait/expr/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "parfait/expr/formula.h"

namespace parfait::expr {
namespace {

using Numbers = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Table, PreviousHoldsTheLastKnot) {
  const Table table({0, 1, 3}, {5, 7, 9}, Interpolation::kPrevious);
  EXPECT_EQ(table.value(-1), 5);
  EXPECT_EQ(table.value(0), 5);
  EXPECT_EQ(table.value(0.99), 5);
  EXPECT_EQ(table.value(std::nextafter(1.0, -kInf)), 5);
  EXPECT_EQ(table.value(1), 7);
  EXPECT_EQ(table.value(2.9), 7);
  EXPECT_EQ(table.value(3), 9);
  EXPECT_EQ(table.value(99), 9);
}

TEST(Table, LinearInterpolatesAndHoldsTheEnds) {
  const Table table({0, 1, 3}, {5, 7, 3}, Interpolation::kLinear);
  double d[4];
  table.evaluate(2, d);
  EXPECT_DOUBLE_EQ(d[0], 5);
  EXPECT_DOUBLE_EQ(d[1], -2);
  EXPECT_EQ(d[2], 0);
  table.evaluate(1, d);  // at a knot: the interval to the right
  EXPECT_DOUBLE_EQ(d[0], 7);
  EXPECT_DOUBLE_EQ(d[1], -2);
  for (const double t : {-1.0, 3.0, 4.0}) {
    table.evaluate(t, d);
    EXPECT_EQ(d[0], t < 0 ? 5 : 3);
    EXPECT_EQ(d[1], 0);
  }
}

TEST(Table, CubicReproducesALinearFunction) {
  const Table table({-1, 0.5, 0.7, 3, 10}, {-1, 2, 2.4, 7, 21}, Interpolation::kCubic);
  for (int i = 0; i < 30; ++i) {
    const double t = -1 + 0.37 * i;
    double d[4];
    table.evaluate(t, d);
    EXPECT_NEAR(d[0], 1 + 2 * t, 1e-14);
    EXPECT_NEAR(d[1], 2, 1e-14);
    EXPECT_NEAR(d[2], 0, 1e-14);
  }
}

TEST(Table, CubicIsTwiceContinuouslyDifferentiableNaturalAndInterpolates) {
  const Numbers t{0, 0.4, 1.1, 1.3, 2.5}, value{1, -2, 0.5, 3, 2};
  const Table table(t, value, Interpolation::kCubic);
  double left[4], right[4], largest = 0;
  for (std::size_t i = 1; i + 1 < t.size(); ++i) {
    table.evaluate(std::nextafter(t[i], -kInf), left);
    table.evaluate(t[i], right);
    EXPECT_EQ(right[0], value[i]);
    for (int o = 0; o < 3; ++o) EXPECT_NEAR(left[o], right[o], 1e-11) << "order " << o;
    EXPECT_GT(std::abs(left[3] - right[3]), 1);  // the knot is a knot
    largest = std::max(largest, std::abs(right[2]));
  }
  EXPECT_GT(largest, 1);
  table.evaluate(0, right);
  EXPECT_EQ(right[2], 0);
  table.evaluate(std::nextafter(2.5, -kInf), left);
  EXPECT_NEAR(left[2], 0, 1e-12);
  EXPECT_NEAR(left[0], 2, 1e-14);
  EXPECT_EQ(table.value(2.5), 2);
  EXPECT_EQ(table.value(7), 2);
  EXPECT_EQ(table.value(-7), 1);
}

TEST(Table, DerivativesMatchDifferences) {
  const Table table({0, 0.4, 1.1, 1.3, 2.5}, {1, -2, 0.5, 3, 2}, Interpolation::kCubic);
  const double h = 1e-4;  // a cubic: central differences are exact up to h^2 f'''/6
  for (const double t : {0.2, 0.7, 1.2, 2.0}) {
    double d[4], before[4], after[4];
    table.evaluate(t, d);
    table.evaluate(t - h, before);
    table.evaluate(t + h, after);
    EXPECT_NEAR(d[1], (after[0] - before[0]) / (2 * h) - h * h / 6 * d[3], 1e-10);
    EXPECT_NEAR(d[2], (after[1] - before[1]) / (2 * h), 1e-9);
    EXPECT_NEAR(d[3], (after[2] - before[2]) / (2 * h), 1e-8);
  }
}

/// Largest error of the spline of a sine on [0, 4] with n intervals, away from the ends, where the
/// natural end condition is wrong and its influence has decayed.
double spline_error(int n) {
  Numbers t(n + 1), value(n + 1);
  for (int i = 0; i <= n; ++i) {
    t[i] = 4.0 * i / n;
    value[i] = std::sin(t[i] + 0.3);
  }
  const Table table(t, value, Interpolation::kCubic);
  double error = 0;
  for (int i = 0; i < 1000; ++i) {
    const double x = 1.5 + 0.001 * i;
    error = std::max(error, std::abs(table.value(x) - std::sin(x + 0.3)));
  }
  return error;
}

TEST(Table, CubicIsFourthOrderInside) {
  for (const int n : {32, 64, 128}) {
    ASSERT_GT(spline_error(2 * n), 1e-12);  // above rounding, otherwise the slope means nothing
    EXPECT_NEAR(std::log2(spline_error(n) / spline_error(2 * n)), 4.0, 0.1) << n;
  }
}

TEST(Table, OneOrTwoKnotsAreAConstantAndALine) {
  for (const auto kind :
       {Interpolation::kPrevious, Interpolation::kLinear, Interpolation::kCubic}) {
    const Table constant({2}, {5}, kind);
    for (const double t : {1.0, 2.0, 3.0}) EXPECT_EQ(constant.value(t), 5);
  }
  const Table line({0, 2}, {1, 5}, Interpolation::kCubic);
  EXPECT_DOUBLE_EQ(line.value(0.5), 2);
}

TEST(Table, RefusesBadKnots) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const struct {
    Numbers t, value;
    std::string expected;
  } cases[] = {
      {{}, {}, "u.csv:1: table: empty; at least one row is required."},
      {{0, 1}, {0}, "u.csv:1: table: 2 times but 1 values."},
      {{0, nan}, {0, 1}, "u.csv:1: table, row 2: the time is not finite."},
      {{0, 1}, {nan, 1}, "u.csv:1: table, row 1: the value is not finite."},
      {{0, kInf}, {0, 1}, "u.csv:1: table, row 2: the time is not finite."},
      {{0, 1, 1}, {0, 1, 2}, "u.csv:1: table, row 3: time 1 is not after 1; times must ascend."},
      {{0, 1, 0.5},
       {0, 1, 2},
       "u.csv:1: table, row 3: time 0.5 is not after 1; times must ascend."},
  };
  for (const auto& c : cases) {
    try {
      const Table table(c.t, c.value, Interpolation::kLinear, {"u.csv", 1, 0});
      FAIL() << c.expected;
    } catch (const base::InputError& error) {
      EXPECT_EQ(error.what(), c.expected);
    }
  }
}

TEST(TimeBreaks, AreTheKnotsThatAreNotSmooth) {
  Names scope({"t", "x"});
  scope.add_table("p", Table({0, 1, 2}, {0, 1, 0}, Interpolation::kPrevious));
  scope.add_table("l", Table({0.5, 1, 4}, {0, 1, 0}, Interpolation::kLinear));
  scope.add_table("c", Table({-1, 1.5, 3}, {0, 1, 0}, Interpolation::kCubic));
  const auto breaks = [&](const char* text, int smooth) {
    Numbers out;
    Formula(text, scope).time_breaks(out, smooth);
    return out;
  };
  EXPECT_EQ(breaks("p", -1), (Numbers{1, 2}));
  EXPECT_EQ(breaks("l", -1), (Numbers{}));
  EXPECT_EQ(breaks("l", 0), (Numbers{0.5, 1, 4}));
  EXPECT_EQ(breaks("c", 1), (Numbers{-1, 3}));
  EXPECT_EQ(breaks("c", 2), (Numbers{-1, 1.5, 3}));
  EXPECT_EQ(breaks("p*l + sin(c) - x", 2), (Numbers{-1, 0.5, 1, 1.5, 2, 3, 4}));
  EXPECT_EQ(breaks("x + t", 2), (Numbers{}));
  EXPECT_EQ(breaks("1 ? x : p", 2), (Numbers{}));
}

TEST(TimeBreaks, MergeIntoWhatIsThere) {
  Names scope({"t"});
  scope.add_table("l", Table({0, 1}, {0, 1}, Interpolation::kLinear));
  Numbers out{0.5, 1, 7};
  Formula("l", scope).time_breaks(out);
  EXPECT_EQ(out, (Numbers{0, 0.5, 1, 7}));
}

}  // namespace
}  // namespace parfait::expr
