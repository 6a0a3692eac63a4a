#include "parfait/estimate/problem/variables.h"

#include <gtest/gtest.h>

#include <cmath>

namespace parfait::estimate {
namespace {

Unknowns three() {
  return Unknowns({
      {.parameter = "k", .initial = 400, .lower = 0, .upper = 1e4},
      {.parameter = "rate", .initial = 0.02, .transform = Estimate::Transform::kLog, .truth = 0.03},
      {.parameter = "m",
       .initial = 2,
       .lower = 0.5,
       .upper = 8,
       .scale = 3,
       .transform = Estimate::Transform::kLog},
  });
}

TEST(Unknowns, ScaleByTheFirstGuessOrByOne) {
  const Unknowns u = three();
  EXPECT_EQ(u.scale(0), 400);
  EXPECT_EQ(u.scale(1), 1);
  EXPECT_EQ(u.scale(2), 3);
  EXPECT_EQ(u.initial()[0], 1);
  EXPECT_DOUBLE_EQ(u.initial()[1], std::log(0.02));
  EXPECT_EQ(Unknowns({{.parameter = "small", .initial = 1e-3}}).scale(0), 1);
}

TEST(Unknowns, ValuesAndTheirInverseReturn) {
  const Unknowns u = three();
  const Eigen::Vector3d x(0.7, -4.2, 0.3);
  const Eigen::VectorXd p = u.values(x);
  EXPECT_DOUBLE_EQ(p[0], 280);
  EXPECT_DOUBLE_EQ(p[2], std::exp(0.9));
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(u.x_of(i, p[i]), x[i], 1e-15);
}

TEST(Unknowns, DerivativesAreThoseOfTheValues) {
  const Unknowns u = three();
  const Eigen::Vector3d x(0.7, -4.2, 0.3);
  const Eigen::VectorXd d = u.derivatives(x);
  const double h = 1e-5;
  for (int i = 0; i < 3; ++i) {
    const double fd = (u.value_of(i, x[i] + h) - u.value_of(i, x[i] - h)) / (2 * h);
    EXPECT_GT(std::abs(d[i]), 1e-3);
    EXPECT_NEAR(d[i], fd, 1e-9 * std::max(1.0, std::abs(d[i]))) << i;
  }
}

TEST(Unknowns, BoundsBecomeRowsInsideOfWhichTheyArePositive) {
  const Unknowns u = three();
  EXPECT_EQ(u.lower()[0], 0);
  EXPECT_EQ(u.upper()[0], 25);
  EXPECT_EQ(u.lower()[1], -kInfinity);
  EXPECT_DOUBLE_EQ(u.lower()[2], std::log(0.5) / 3);
  const auto rows = bound_rows(u);
  ASSERT_EQ(rows.size(), 4u);
  const Eigen::VectorXd& x = u.initial();
  for (const BoundRow& row : rows) {
    Eigen::VectorXd moved = x;
    moved[row.unknown] += 1e-3;
    EXPECT_GT(bound_value(u, row, x), 0);
    EXPECT_NEAR((bound_value(u, row, moved) - bound_value(u, row, x)) / 1e-3, bound_sign(row),
                1e-9);
  }
  EXPECT_EQ(rows[3].unknown, 2);
  EXPECT_TRUE(rows[3].upper);
}

TEST(Unknowns, AreFoundByName) {
  const Unknowns u = three();
  EXPECT_EQ(u.find("m"), 2);
  EXPECT_EQ(u.find("M"), -1);
  EXPECT_EQ(u.names(), (std::vector<std::string>{"k", "rate", "m"}));
  EXPECT_FALSE(u.truth()[0]);
  EXPECT_EQ(u.truth()[1], 0.03);
}

TEST(Unknowns, RefuseWhatHasNoScaledValue) {
  const auto message = [](const Estimate& e) -> std::string {
    try {
      Unknowns u({e});
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({.parameter = "k", .initial = 3, .lower = 4}),
            "parameter \"k\": initial = 3 is outside its bounds [4, inf].");
  EXPECT_EQ(message({.parameter = "k", .initial = 3, .scale = 0}),
            "parameter \"k\": scale = 0: must be > 0.");
  EXPECT_EQ(message({.parameter = "k", .initial = -3, .transform = Estimate::Transform::kLog}),
            "parameter \"k\": initial = -3: must be > 0 with transform log.");
  EXPECT_EQ(message({.parameter = "k", .initial = 2, .lower = 3, .upper = 1}),
            "parameter \"k\": lower = 3 is above upper = 1.");
  EXPECT_EQ(message({.parameter = "k", .initial = NAN}),
            "parameter \"k\": initial = nan: must be a number.");
}

}  // namespace
}  // namespace parfait::estimate
