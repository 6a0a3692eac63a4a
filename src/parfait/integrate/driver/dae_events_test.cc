#include <gtest/gtest.h>

#include <cmath>

#include "parfait/integrate/driver/test_formulas.h"

// Events of a DAE: when they happen, what they do and how it goes on depends on algebraic states.
namespace parfait::integrate {
namespace {

using dynamics::FormulaModel;

/// z = a y decays until it falls to b; then y jumps up by r z^2, z follows at once, and so on.
FormulaModel kicked() {
  FormulaModel m;
  m.state("y", 2, "-k*z");
  m.algebraic("z", 0.1);  // a guess on the wrong side of b
  m.equation("z^3 = (a*y)^3");
  m.parameter("k", 0.7);
  m.parameter("a", 1.5);
  m.parameter("b", 0.6);
  m.parameter("r", 2.5);
  m.event("kick", "z - b").set("y", "y + r*z^2");
  return m;
}

TEST(DaeEvents, HappenWhereTheAlgebraicStatePassesAndItFollowsTheJump) {
  const double y0 = 2, k = 0.7, a = 1.5, b = 0.6, r = 2.5, t = 4;
  FormulaRun run(kicked());
  const State end = run.run(t, with(Method::kBdf, 1e-10, 1e-12));
  ASSERT_EQ(run.result.outcome, Outcome::kFinished) << run.result.message();

  // Every kick multiplies y by 1 + r a b; without them y = y0 e^(-k a t).
  const double rate = k * a, factor = 1 + r * a * b;
  const double first = std::log(a * y0 / b) / rate, period = std::log(factor) / rate;
  const int n = 1 + static_cast<int>((t - first) / period);
  ASSERT_EQ(run.result.events.size(), n);  // and none for z passing b on its way up
  ASSERT_EQ(n, 3);
  for (int i = 0; i < n; ++i) {
    const auto& event = run.result.events[i];
    EXPECT_NEAR(event.t, first + i * period, 1e-8);
    EXPECT_EQ(event.mode, 1);  // z is above b again
    EXPECT_TRUE(event.jumped);
  }
  const double y = y0 * std::pow(factor, n) * std::exp(-rate * t);
  EXPECT_NEAR(end.y[0], y, 1e-8);
  EXPECT_NEAR(end.z[0], a * y, 1e-8);
  const double per_rab = n / factor;
  const double expected[] = {y / y0, -a * t * y, (per_rab * r * b - k * t) * y, per_rab * r * a * y,
                             per_rab * a * b * y};
  for (int j = 0; j < 5; ++j) {
    EXPECT_NEAR(end.W(0, j), expected[j], 1e-6 * (1 + std::abs(expected[j]))) << j;
    EXPECT_GT(std::abs(expected[j]), 0.1);
  }
}

TEST(DaeEvents, InTimeUseTheAlgebraicStateOfThatTime) {
  const double y0 = 2, k = 0.7, a = 1.5, r = 2.5, T = 0.8, t = 2;
  FormulaModel m;
  m.state("y", y0, "-k*z");
  m.algebraic("z", 1);
  m.equation("z^3 = (a*y)^3");
  m.parameter("k", k);
  m.parameter("a", a);
  m.parameter("r", r);
  m.parameter("T", T);
  m.event_at("kick", "T").set("y", "y + r*z^2");
  FormulaRun run(m);
  const State end = run.run(t, with(Method::kBdf, 1e-10, 1e-12));
  ASSERT_EQ(run.result.events.size(), 1U);
  const double before = y0 * std::exp(-k * a * T), kick = r * a * a * before;
  const double decay = y0 * std::exp(-k * a * t);
  EXPECT_NEAR(end.y[0], decay * (1 + kick), 1e-8);
  const double expected[] = {decay / y0 * (1 + 2 * kick), -a * decay * (t * (1 + kick) + T * kick),
                             decay * (2 * kick / a - k * (t * (1 + kick) + T * kick)),
                             decay * kick / r, -k * a * decay * kick};
  for (int j = 0; j < 5; ++j) {
    EXPECT_NEAR(end.W(0, j), expected[j], 1e-6 * (1 + std::abs(expected[j]))) << j;
  }
}

TEST(DaeEvents, LeaveAConsistentStateBehindEvenWhereTheyEndTheRun) {
  FormulaModel m = kicked();
  m.events.back().terminal = true;
  FormulaRun run(m);
  const State end = run.run(4, with(Method::kBdf, 1e-10, 1e-12), false);
  ASSERT_EQ(run.result.outcome, Outcome::kTerminated);
  EXPECT_NEAR(end.y[0], 0.6 / 1.5 + 2.5 * 0.36, 1e-8);
  EXPECT_NEAR(end.z[0], 1.5 * end.y[0], 1e-12);
}

TEST(DaeEvents, BeginInTheModeOfTheConsistentState) {
  // The guess of z says that the valve is shut; solved for, z = y is above 1, and it is open.
  FormulaModel m;
  m.state("y", 2, "if(z > 1, -1, 5)");
  m.algebraic("z", 0);
  m.equation("z + z^3 = y + y^3");
  FormulaRun run(m);
  const State end = run.run(0.5, with(Method::kBdf, 1e-10, 1e-12), false);
  EXPECT_TRUE(run.result.events.empty());
  EXPECT_NEAR(end.y[0], 1.5, 1e-9);
}

}  // namespace
}  // namespace parfait::integrate
