#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "parfait/motion/gait/gait_parameters.h"
#include "parfait/motion/signals/envelope.h"

namespace parfait::motion::gait_test {
namespace {

constexpr double kPi = std::numbers::pi;

/// Somebody who walks along (0.6, 0.8, 0) with `speed`; feet swing by 0.3 m about the pelvis with
/// the period T, the right one half a period later. Left strikes at k T, toe-off half a period on.
struct Walker {
  double speed = 1.2, T = 1.1, rate = 100, seconds = 5;
  WalkPaths paths() const {
    WalkPaths out;
    const Vec3<double> d{0.6, 0.8, 0}, side{-0.8, 0.6, 0};
    const int n = static_cast<int>(seconds * rate);
    for (int i = 0; i <= n; ++i) {
      const double t = i / rate;
      out.t.push_back(t);
      out.pelvis.push_back(speed * t * d + Vec3<double>{0, 0, 1});
      for (const Side which : kBothSides) {
        const double s = which == Side::kLeft ? 0 : kPi;
        const double swing = 0.3 * std::cos(2 * kPi * t / T - s);
        const double across = which == Side::kLeft ? 0.05 : -0.05;
        auto& foot = out.feet[static_cast<std::size_t>(which)];
        foot.heel.push_back((speed * t + swing) * d + across * side);
        foot.toe.push_back((speed * t + swing + 0.2) * d + across * side);
      }
    }
    return out;
  }
};

TEST(GaitEvents, KinematicsFindStrikesAndOffsOfASwingingFoot) {
  const Walker walker;
  const auto events = events_from_kinematics(walker.paths());
  int strikes = 0, offs = 0;
  for (const auto& event : events) {
    const double phase = event.t / walker.T - (event.side == Side::kLeft ? 0 : 0.5) -
                         (event.kind == GaitEventKind::kStrike ? 0 : 0.5);
    EXPECT_LT(std::abs(phase - std::round(phase)) * walker.T, 2e-4) << event.t;  // measured 4e-5
    (event.kind == GaitEventKind::kStrike ? strikes : offs) += 1;
  }
  EXPECT_EQ(strikes, 8);  // left 1.1 ... 4.4, right 0.55 ... 3.85 (4.95 is too near to the end)
  EXPECT_EQ(offs, 8);
}

TEST(GaitEvents, GapsAreBridgedAndSomebodyWhoStandsHasNone) {
  const Walker walker;
  auto paths = walker.paths();
  const double nan = std::nan("");
  for (int i = 105; i < 118; ++i) paths.feet[0].heel[static_cast<std::size_t>(i)] = {nan, nan, nan};
  bool found = false;
  for (const auto& event : events_from_kinematics(paths)) {
    found = found || (event.side == Side::kLeft && event.kind == GaitEventKind::kStrike &&
                      std::abs(event.t - 1.1) < 0.03);
  }
  EXPECT_TRUE(found);
  Walker still;
  still.speed = 0;
  auto standing = still.paths();
  for (auto& foot : standing.feet) {
    std::fill(foot.heel.begin(), foot.heel.end(), foot.heel[0]);
    std::fill(foot.toe.begin(), foot.toe.end(), foot.toe[0]);
  }
  EXPECT_TRUE(events_from_kinematics(standing).empty());
}

TEST(GaitEvents, ForcesTellTheFootThatIsThere) {
  const Walker walker;
  const auto paths = walker.paths();
  // A plate under the right foot from 0.55 to 1.21 s at 1000 Hz, ramps of 20 ms to 700 N.
  PlateSignal plate;
  for (int i = 0; i < 5000; ++i) {
    const double t = i / 1000.0;
    const double ramp = std::min((t - 0.55) / 0.02, (1.21 - t) / 0.02);
    plate.t.push_back(t);
    plate.vertical.push_back(700 * std::clamp(ramp, 0.0, 1.0));
    plate.pressure.push_back(paths.feet[1].heel[88] + Vec3<double>{0.06, 0.08, 0});
  }
  const auto events = events_from_forces(paths, {plate});
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].side, Side::kRight);
  EXPECT_NEAR(events[0].t, 0.55 + 0.02 * 20 / 700, 1e-9);
  EXPECT_NEAR(events[1].t, 1.21 - 0.02 * 20 / 700, 1e-9);
  // Far from both feet it belongs to nobody.
  for (auto& p : plate.pressure) p = {5, -5, 0};
  EXPECT_TRUE(events_from_forces(paths, {plate}).empty());
  const auto compared = compare_events(events, events_from_kinematics(paths));
  EXPECT_NEAR(compared[0].difference, 0.02 * 20 / 700, 2e-4);
}

TEST(GaitParameters, StridesHaveTheClosedForm) {
  const Walker walker;
  const auto paths = walker.paths();
  const auto strides = find_strides(paths, events_from_kinematics(paths));
  ASSERT_EQ(strides.size(), 6U);
  for (const auto& stride : strides) {
    EXPECT_NEAR(stride.duration(), walker.T, 5e-4);
    EXPECT_NEAR(stride.length, walker.speed * walker.T, 1e-3);
    EXPECT_NEAR(stride.speed, walker.speed, 1e-3);
    EXPECT_NEAR(stride.step_length, 0.6, 1e-3);
    EXPECT_NEAR(stride.step_width, 0.1, 1e-9);
    EXPECT_NEAR(stride.step_duration, walker.T / 2, 5e-4);
    EXPECT_NEAR(stride.stance, 0.5, 1e-3);
  }
}

TEST(GaitParameters, OnATreadmillTheBeltIsTheWay) {
  Walker walker;
  walker.speed = 0.01;
  const auto paths = walker.paths();
  EXPECT_TRUE(find_progression(paths).treadmill);
  const auto strides = find_strides(paths, events_from_kinematics(paths));
  ASSERT_FALSE(strides.empty());
  // A foot on the belt goes back by 2 * 0.3 cos(pi / 4) in a quarter of the period.
  const double belt = 2 * 0.3 * std::cos(kPi / 4) / (walker.T / 4);
  EXPECT_NEAR(strides[0].length, belt * walker.T, 0.03);
}

TEST(GaitCycle, BandsAreMeanAndDeviationAtEachPerCent) {
  std::vector<double> t, x;
  for (int i = 0; i <= 400; ++i) {
    t.push_back(0.01 * i);
    x.push_back(3 * t.back());
  }
  const auto a = over_cycle(t, x, 0, 1), b = over_cycle(t, x, 1, 2), c = over_cycle(t, x, 3.5, 4.5);
  EXPECT_NEAR(a[50], 1.5, 1e-12);
  EXPECT_NEAR(b[100], 6, 1e-12);
  EXPECT_TRUE(std::isnan(c[100]));
  const auto band = band_of({a, b, c});
  EXPECT_NEAR(band.mean[0], (0 + 3 + 10.5) / 3, 1e-12);
  EXPECT_NEAR(band.sd[100], 3 / std::sqrt(2.0), 1e-12);  // the third has none there
}

TEST(Envelope, OfASineItIsTheMeanOfItsModulus) {
  const double rate = 1000;
  std::vector<double> signal;
  for (int i = 0; i < 4000; ++i) {
    const double t = i / rate;
    // 120 Hz that fades in and out slowly, on a drift that must not count.
    signal.push_back((1 + 0.5 * std::sin(2 * kPi * 0.5 * t)) * std::sin(2 * kPi * 120 * t) +
                     5 * std::sin(2 * kPi * 0.3 * t));
  }
  const auto envelope = emg_envelope(signal, rate);
  for (int i = 500; i < 3500; i += 50) {
    const double t = i / rate;
    const double expected = 2 / kPi * (1 + 0.5 * std::sin(2 * kPi * 0.5 * t));
    EXPECT_NEAR(envelope[static_cast<std::size_t>(i)], expected, 0.01);
  }
}

}  // namespace
}  // namespace parfait::motion::gait_test
