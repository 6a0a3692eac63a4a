#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "parfait/base/error.h"
#include "parfait/motion/signals/butterworth.h"
#include "parfait/motion/signals/quintic_spline.h"

namespace parfait::motion::signals_test {
namespace {

using std::numbers::pi;

/// Amplitude that is left of a sine, in the middle of a long signal.
double gain(double frequency, double cutoff, double rate) {
  const std::size_t n = 2001, padding = n / 2;
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = std::sin(2 * pi * frequency * static_cast<double>(i) / rate);
  }
  const auto y = filter_without_delay(x, Butterworth3(cutoff, rate), padding);
  double along = 0, beside = 0;
  for (std::size_t i = 800; i < 1200; ++i) {  // whole periods of what is tested
    const double phase = 2 * pi * frequency * static_cast<double>(i) / rate;
    along += y[padding + i] * std::sin(phase) / 200;
    beside += y[padding + i] * std::cos(phase) / 200;
  }
  EXPECT_NEAR(beside, 0, 1e-9) << "no delay";
  return along;
}

TEST(Butterworth, GainIsThatOfTheAnalogFilterTwice) {
  // |H|^2 = 1 / (1 + (tan(pi f / rate) / tan(pi fc / rate))^6) with the bilinear transform.
  const double rate = 100, cutoff = 6;
  for (const double f : {1.0, 3.0, 6.0, 12.0}) {
    const double ratio = std::tan(pi * f / rate) / std::tan(pi * cutoff / rate);
    EXPECT_NEAR(gain(f, cutoff, rate), 1 / (1 + std::pow(ratio, 6)), 1e-9) << f;
  }
  EXPECT_NEAR(gain(cutoff, cutoff, rate), 0.5, 1e-9);
}

TEST(Butterworth, StraightLinesPassUnchangedUpToTheirEnds) {
  std::vector<double> x(50);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 3 - 0.25 * static_cast<double>(i);
  const auto y = filter_without_delay(x, Butterworth3(6, 60), 25);
  ASSERT_EQ(y.size(), 100U);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[25 + i], x[i], 1e-3) << i;
}

TEST(Butterworth, RefusesWhatCannotBeFiltered) {
  EXPECT_THROW(Butterworth3(30, 60), base::InputError);
  EXPECT_THROW(Butterworth3(0, 60), base::InputError);
  const std::vector<double> x{1, 2, 3};
  EXPECT_THROW(filter_without_delay(x, Butterworth3(6, 60), 1), base::InputError);
}

TEST(QuinticSpline, ParabolasAreTheirOwnSplines) {
  std::vector<double> t{0, 0.1, 0.35, 0.5, 0.9, 1.0}, y;
  for (const double s : t) y.push_back(2 - s + 3 * s * s);
  const QuinticSpline spline(t, y);
  for (const double s : {-0.3, 0.0, 0.05, 0.42, 0.77, 1.0, 1.4}) {
    const auto v = spline(s);
    EXPECT_NEAR(v.f, 2 - s + 3 * s * s, 1e-12);
    EXPECT_NEAR(v.d1, -1 + 6 * s, 1e-11);
    EXPECT_NEAR(v.d2, 6, 1e-9);
  }
}

TEST(QuinticSpline, InterpolatesAndItsCurvatureConvergesWithTheFourthOrder) {
  const auto error = [](int n) {
    std::vector<double> t, y;
    for (int i = 0; i <= n; ++i) {
      t.push_back(4 * pi * i / n);
      y.push_back(std::sin(t.back()));
    }
    const QuinticSpline spline(t, y);
    for (int i = 0; i <= n; ++i) EXPECT_NEAR(spline(t[i]).f, y[i], 1e-14);
    double worst = 0;
    for (int i = 0; i < 154; ++i) {  // far from the ends
      const double s = 5 + 0.013 * i;
      worst = std::max(worst, std::abs(spline(s).d2 + std::sin(s)));
    }
    return worst;
  };
  for (const int n : {40, 80}) {
    ASSERT_GT(error(2 * n), 1e-11);
    EXPECT_NEAR(std::log2(error(n) / error(2 * n)), 4, 0.3) << n;
  }
}

TEST(QuinticSpline, ThirdAndFourthDerivativesAreContinuous) {
  const std::vector<double> t{0, 0.3, 0.4, 0.8, 1.1, 1.3}, y{0, 1, -1, 2, 0, 0.5};
  const QuinticSpline spline(t, y);
  // One-sided differences of the second derivative, which is a cubic on each side.
  const double h = 1e-3;
  for (std::size_t i = 1; i + 1 < t.size(); ++i) {
    const auto d2 = [&](double s) { return spline(t[i] + s).d2; };
    const double left = (3 * d2(0) - 4 * d2(-h) + d2(-2 * h)) / (2 * h);
    const double right = (-3 * d2(0) + 4 * d2(h) - d2(2 * h)) / (2 * h);
    const double scale = std::abs(left) + 1;
    EXPECT_NEAR(left, right, 1e-3 * scale) << i;
    const double left4 = (d2(0) - 2 * d2(-h) + d2(-2 * h)) / (h * h);
    const double right4 = (d2(0) - 2 * d2(h) + d2(2 * h)) / (h * h);
    EXPECT_NEAR(left4, right4, 5e-2 * (std::abs(left4) + std::abs(right4) + 1)) << i;
  }
}

}  // namespace
}  // namespace parfait::motion::signals_test
