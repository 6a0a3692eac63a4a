#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "motion.h"

// Motions that others published; data/README.md names the sources.
namespace parfait::reference {
namespace {

TEST(PublishedMotion, PendulumOfIftommA01SwingsThroughTheTable) {
  const auto table = read_table("iftomm_A01_pendulum.csv");
  const auto model = load_model("point_pendulum.xml");
  const auto samples =
      simulate(*model, {.quantities = {"Mass.com.x", "Mass.com.y", "Mass.com.vx", "Mass.com.vy"},
                        .times = table.column("t"),
                        .options = tolerances(1e-12, 1e-13)});
  const double error = largest_error(samples, table, {"x", "y", "vx", "vy"});
  report("A01", samples, error);
  EXPECT_LT(error, 1e-10);
  // The rule of the library: energy error below 5e-5 J over 10 s.
  EXPECT_LT(samples.energy_drift, 1e-10);
}

TEST(PublishedMotion, BricardMechanismOfIftommA04FollowsTheTableForTenSeconds) {
  const auto table = read_table("iftomm_A04_bricard.csv");
  const auto model = load_example("six_bar/six_bar.xml");
  const auto samples = simulate(*model, {.quantities = {"Rod3.tip.x", "Rod3.tip.y", "Rod3.tip.z"},
                                         .times = table.column("t"),
                                         .options = tolerances(1e-9, 1e-11)});
  const double error = largest_error(samples, table, {"P3x", "P3y", "P3z"});
  report("A04", samples, error);
  EXPECT_LT(error, 1e-8);
  EXPECT_LT(samples.energy_drift, 1e-9 * samples.largest_kinetic_energy);
  EXPECT_GT(samples.largest_kinetic_energy, 1);
}

TEST(PublishedMotion, SqueezingMechanismOfAndrewsHasEightDigits) {
  const auto table = read_table("andrews_squeezer.csv");
  const auto model = load_model("andrews.xml");
  EXPECT_EQ(model->degrees_of_freedom(), 1);
  const std::vector<std::string> names{"beta",  "Theta", "gamma",  "Phi",
                                       "delta", "Omega", "epsilon"};
  std::vector<std::string> quantities;
  quantities.reserve(2 * names.size());
  for (const auto& name : names) quantities.push_back(name + ".angle");
  for (const auto& name : names) quantities.push_back(name + ".rate");
  const auto& times = table.column("t");
  const auto samples = simulate(
      *model, {.quantities = quantities, .times = times, .options = tolerances(1e-12, 1e-12)});
  double at_three = 0;
  for (std::size_t s = 0; s < times.size(); ++s) {
    double error = 0;
    for (std::size_t i = 0; i < 7; ++i) {
      // The crank turns several times; angles are compared up to whole turns.
      const double angle = table.column(names[i])[s];
      const double off = std::remainder(samples.values[i][s] - angle, 2 * std::numbers::pi);
      error = std::max(error, std::abs(off) / std::max(1.0, std::abs(angle)));
      // Rates relative to those of the crank, which is the fastest.
      const double rate = table.column("d" + names[i])[s];
      error = std::max(error, std::abs(samples.values[7 + i][s] - rate) / 1e3);
    }
    EXPECT_LT(error, times[s] < 0.04 ? 1e-9 : 1e-8) << "t = " << times[s];
    if (times[s] == 0.03) at_three = error;
  }
  report("Andrews' squeezer at 0.03 s", samples, at_three);
}

TEST(PublishedMotion, SliderCrankOfSundialsHasSevenDigitsWithItsSensitivities) {
  const auto table = read_table("sundials_slider_crank.csv");
  const auto model = load_model("slider_crank.xml");
  const auto samples =
      simulate(*model, {.quantities = {"Pivot.angle", "Rod.com.x", "atan2(Rod.e1.y, Rod.e1.x)",
                                       "Pivot.rate", "Rod.com.vx", "Rod.wz", "G"},
                        .times = table.column("t"),
                        .parameters = {"k", "c"},
                        .options = tolerances(1e-11, 1e-13)});
  const double error = largest_error(samples, table, {"q", "x", "p", "qd", "xd", "pd", "Gint"});
  report("slider-crank", samples, error);
  EXPECT_LT(error, 1e-10);
  double derivative_error = 0;
  const char* const names[] = {"q", "x", "p"};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 2; ++j) {
      const auto& expected = table.column("d" + std::string(names[i]) + (j ? "_dc" : "_dk"));
      for (std::size_t s = 0; s < expected.size(); ++s) {
        derivative_error =
            std::max(derivative_error, std::abs(samples.derivatives[i][j][s] - expected[s]));
      }
    }
  }
  EXPECT_LT(derivative_error, 1e-9);
  // G and its gradient at t = 10; IDAS itself prints 3.33662, 0.33346 and -0.36375.
  EXPECT_NEAR(samples.values[6].back(), 3.336606799483, 1e-10);
  EXPECT_NEAR(samples.derivatives[6][0].back(), 0.333448106128, 1e-10);
  EXPECT_NEAR(samples.derivatives[6][1].back(), -0.363754033971, 1e-10);
}

}  // namespace
}  // namespace parfait::reference
