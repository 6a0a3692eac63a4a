#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "motion.h"
#include "parfait/math/dense_solves.h"

// The hexapods of examples/hexapod: one machine as thirteen bodies and as seven (Kraus 2006,
// section 5.1.2).
namespace parfait::reference {
namespace {

const std::vector<std::string> kLoad{"Load.com.x", "Load.com.y", "Load.com.z",
                                     "Load.e1.x",  "Load.e1.y",  "Load.e2.z"};
const std::vector<std::string> kStiffnesses{"c1", "c2", "c3", "c4", "c5", "c6"};

std::vector<double> grid(double until, int n) {
  std::vector<double> times;
  for (int i = 1; i <= n; ++i) times.push_back(until * i / n);
  return times;
}

Samples move(const std::string& name, std::vector<std::string> parameters = {}) {
  const auto model = load_example("hexapod/" + name + ".xml");
  EXPECT_EQ(model->degrees_of_freedom(), 6) << name;
  EXPECT_TRUE(model->redundant_rows().empty()) << name;
  auto samples = simulate(*model, {.quantities = kLoad,
                                   .times = grid(1, 20),
                                   .parameters = std::move(parameters),
                                   .options = tolerances(1e-10, 1e-12)});
  report(name, samples);
  EXPECT_LT(samples.energy_drift, 1e-9 * samples.largest_kinetic_energy) << name;
  return samples;
}

double largest_difference(const Samples& a, const Samples& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    for (std::size_t s = 0; s < a.values[i].size(); ++s) {
      out = std::max(out, std::abs(a.values[i][s] - b.values[i][s]));
    }
  }
  return out;
}

TEST(Hexapod, ThirteenAndSevenBodiesMoveAlikeIfTheMassOfALegSitsAtItsEnds) {
  const auto thirteen = move("hexapod_end_masses", kStiffnesses);
  const auto seven = move("hexapod_extensible_end_masses", kStiffnesses);
  EXPECT_LT(largest_difference(thirteen, seven), 1e-7);
  double change = 0, error = 0, largest = 0;
  for (std::size_t i = 0; i < kLoad.size(); ++i) {
    change = std::max(change, std::abs(seven.values[i].back() - seven.values[i].front()));
    for (std::size_t j = 0; j < kStiffnesses.size(); ++j) {
      for (std::size_t s = 0; s < seven.values[i].size(); ++s) {
        const double d = seven.derivatives[i][j][s];
        error = std::max(error, std::abs(thirteen.derivatives[i][j][s] - d));
        largest = std::max(largest, std::abs(d));
      }
    }
  }
  EXPECT_GT(change, 0.05);  // it does move
  EXPECT_LT(error, 1e-7 * largest);
}

// A slender half keeps its length in the first model and is stretched with the leg in the second.
TEST(Hexapod, SlenderLegsMoveDifferentlyInTheTwoModels) {
  const double difference = largest_difference(move("hexapod"), move("hexapod_extensible"));
  fmt::print("  slender legs: largest difference {:.4f}\n", difference);
  EXPECT_GT(difference, 1e-3);
  EXPECT_LT(difference, 0.1);
}

// Kraus 2006, section 13.3: the centre of the load at 20 times in 0.5 s, 1 % of each value as its
// standard deviation.
TEST(Hexapod, AllSixStiffnessesShowInTheMotionOfTheLoad) {
  const auto model = load_example("hexapod/hexapod.xml");
  const auto samples = simulate(*model, {.quantities = {kLoad[0], kLoad[1], kLoad[2]},
                                         .times = grid(0.5, 20),
                                         .parameters = kStiffnesses,
                                         .options = tolerances(1e-9, 1e-11)});
  Eigen::MatrixXd J(60, 6);
  for (int i = 0; i < 3; ++i) {
    for (int s = 0; s < 20; ++s) {
      const double value = samples.values[i][s];
      EXPECT_GT(std::abs(value), 0.15);  // a relative error needs values away from zero
      for (int j = 0; j < 6; ++j) {
        J(20 * i + s, j) = samples.derivatives[i][j][s] / (0.01 * std::abs(value));
      }
    }
  }
  const Eigen::MatrixXd covariance = math::inverse(math::gram(J));
  for (int j = 0; j < 6; ++j) {
    const double deviation = std::sqrt(covariance(j, j)) / (400 + 100 * j);
    fmt::print("  {}: {:.1f} %\n", kStiffnesses[j], 100 * deviation);
    EXPECT_LT(deviation, 0.05) << kStiffnesses[j];
  }
}

}  // namespace
}  // namespace parfait::reference
