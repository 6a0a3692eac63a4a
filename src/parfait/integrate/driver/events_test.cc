#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "parfait/integrate/driver/test_formulas.h"

namespace parfait::integrate {
namespace {

using dynamics::FormulaModel;
using Jump = dynamics::SwitchInfo::Jump;

FormulaModel bouncing_ball(double h0, double v0, double e) {
  FormulaModel m;
  m.state("h", h0, "v");
  m.state("v", v0, "-g");
  m.parameter("g", 9.81);
  m.parameter("e", e);
  m.event("bounce", "h").set("v", "-e*v");
  return m;
}

class Events : public testing::TestWithParam<Method> {
 public:
  Options options() const { return with(GetParam(), 1e-12, 1e-14); }
};
INSTANTIATE_TEST_SUITE_P(Methods, Events,
                         testing::Values(Method::kDop853, Method::kDopri5, Method::kAbm),
                         [](const auto& instance) { return std::string(text(instance.param)); });

// Closed form: h = e sqrt(2 g h0) (t - t1) - g (t - t1)^2 / 2 after the first impact at t1.
TEST_P(Events, BouncingBallFromRestMatchesItsClosedForm) {
  FormulaRun run(bouncing_ball(1, 0, 0.8));
  const State end = run.run(1, options());
  ASSERT_EQ(run.result.events.size(), 1u);
  EXPECT_NEAR(run.result.events[0].t, 0.4515236409857309, 1e-13);
  EXPECT_TRUE(run.result.events[0].jumped);
  EXPECT_EQ(run.result.events[0].mode, 1);  // above the floor again
  EXPECT_NEAR(end.y[0], 0.4680044525260363, 1e-11);
  EXPECT_NEAR(end.y[1], -1.836995547473964, 1e-11);
  // Columns h0, v0, g, e.
  EXPECT_NEAR(end.W(0, 0), 1.386502226263018, 1e-9);
  EXPECT_NEAR(end.W(1, 0), 3.986502226263018, 1e-9);
  EXPECT_NEAR(end.W(0, 2), -0.09362872311284219, 1e-9);
  EXPECT_NEAR(end.W(1, 2), -0.5936287231128422, 1e-9);
  EXPECT_NEAR(end.W(0, 3), 2.429446918070020, 1e-9);
  EXPECT_NEAR(end.W(1, 3), 4.429446918070020, 1e-9);
}

// Kraus 2006, (3.13) worked out for this ball: docs/theory/corrections.md.
TEST_P(Events, BouncingBallThrownUpMatchesTheWorkedExample) {
  FormulaRun run(bouncing_ball(2, 0.5, 0.8));
  const State end = run.run(1, options());
  ASSERT_EQ(run.result.events.size(), 1u);
  EXPECT_NEAR(run.result.events[0].t, 0.6915501465, 1e-10);
  const double expected[2][4] = {{0.06672738, -0.20061456, 0.10712027, 1.93833186},
                                 {2.80994582, 1.14321844, -0.42712624, 6.28410694}};
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(end.W(i, j), expected[i][j], 6e-9) << i << ", " << j;
  }
}

TEST_P(Events, ManyBouncesFollowTheGeometricSeries) {
  // Impact n is at t1 (1 + 2 e (1 - e^(n-1)) / (1 - e)).
  FormulaRun run(bouncing_ball(1, 0, 0.8));
  run.run(3.5, options(), false);
  const double t1 = std::sqrt(2 / 9.81), e = 0.8;
  ASSERT_EQ(run.result.events.size(), 9u);
  for (int n = 0; n < 9; ++n) {
    EXPECT_NEAR(run.result.events[n].t, t1 * (1 + 2 * e * (1 - std::pow(e, n)) / (1 - e)), 1e-11);
  }
}

// The same series: with q = 1 + 2 (e + ... + e^(n-1)), impact n is at sqrt(2 h0 / g) q.
TEST_P(Events, TimesOfEventsHaveDerivatives) {
  FormulaRun run(bouncing_ball(1, 0, 0.8));
  run.run(3.5, options());
  const double t1 = std::sqrt(2 / 9.81), e = 0.8;
  ASSERT_EQ(run.result.events.size(), 9u);
  double q = 1, dq = 0;
  for (int n = 0; n < 9; ++n) {
    const auto& dt = run.result.events[n].dt;  // along h0, v0, g, e
    ASSERT_EQ(dt.size(), 4u);
    EXPECT_NEAR(dt[0], t1 * q / 2, 1e-8) << n;
    EXPECT_NEAR(dt[2], -t1 * q / (2 * 9.81), 1e-9) << n;
    EXPECT_NEAR(dt[3], t1 * dq, 1e-8) << n;
    q += 2 * std::pow(e, n + 1);
    dq += 2 * (n + 1) * std::pow(e, n);
  }
  run.run(3.5, options(), false);
  EXPECT_TRUE(run.result.events[0].dt.empty());
}

TEST_P(Events, ABallThatComesToRestIsReported) {
  FormulaRun run(bouncing_ball(1, 0, 0.5));
  run.run(5, options(), false);
  EXPECT_EQ(run.result.outcome, Outcome::kChattering);
  // The bounces accumulate at t1 (1 + 2 e / (1 - e)) = 3 t1.
  EXPECT_NEAR(run.result.t, 3 * std::sqrt(2 / 9.81), 1e-6);
  EXPECT_THAT(run.result.message(), testing::HasSubstr("\"bounce\" switches again and again"));
}

TEST_P(Events, ABallThatComesToRestDoesNotFallThroughAFloorFarFromTheOrigin) {
  // The height is known to 1e-13 there, which is a distance for the slow bounces at the end.
  FormulaModel m;
  m.state("h", 1001, "v");
  m.state("v", 0.0, "-9.81");
  m.event("bounce", "h - 1000").set("v", "-0.6*v");
  FormulaRun run(m);
  const State end = run.run(5, options(), false);
  EXPECT_EQ(run.result.outcome, Outcome::kChattering);
  EXPECT_NEAR(end.y[0], 1000, 1e-9);
  // The last bounces are as high as rounding makes them: abm sees hundreds more (measured 0.012).
  EXPECT_NEAR(run.result.t, 4 * std::sqrt(2 / 9.81), 0.05);
}

TEST_P(Events, SlidingAlongASwitchingSurfaceIsReported) {
  // x' = -sign(x): both sides lead to x = 0, reached at t = 1.
  FormulaModel m;
  m.state("x", 1, "-sign(x)");
  FormulaRun run(m);
  run.run(3, options(), false);
  EXPECT_EQ(run.result.outcome, Outcome::kChattering);
  EXPECT_NEAR(run.result.t, 1, 1e-10);
}

TEST_P(Events, ChangedRightHandSideIsMetExactly) {
  // x' = 2 while x < a, then 1/2; x(0) = 0: x(t) = a + (t - a/2) / 2.
  FormulaModel m;
  m.state("x", 0.0, "if(x < a, 2, 0.5)");
  m.parameter("a", 1);
  FormulaRun run(m);
  const State end = run.run(2, options());
  ASSERT_EQ(run.result.events.size(), 1u);
  EXPECT_NEAR(run.result.events[0].t, 0.5, 1e-14);
  EXPECT_FALSE(run.result.events[0].jumped);
  EXPECT_NEAR(end.y[0], 1.75, 1e-13);
  EXPECT_NEAR(end.W(0, 1), 0.75, 1e-12);         // dx/da = 1 - 1/4
  EXPECT_NEAR(end.W(0, 0), 0.25, 1e-12);         // the earlier it gets there, the longer it is slow
  EXPECT_EQ(run.result.statistics.rejected, 0);  // the step across it was not fought over
}

TEST_P(Events, TimeEventsAreHitExactlyAndMoveWithTheirParameter) {
  // x' = x, and at t = T the state grows by c: x(t) = (x0 e^T + c) e^(t - T).
  FormulaModel m;
  m.state("x", 1, "x");
  m.parameter("T", 0.7);
  m.parameter("c", 2);
  m.event_at("dose", "T").set("x", "x + c");
  FormulaRun run(m);
  const State end = run.run(1.5, options());
  ASSERT_EQ(run.result.events.size(), 1u);
  EXPECT_EQ(run.result.events[0].t, 0.7);
  EXPECT_EQ(run.result.events[0].dt, (std::vector<double>{0, 1, 0}));  // along x0, T, c
  EXPECT_NEAR(end.y[0], std::exp(1.5) + 2 * std::exp(0.8), 1e-10);
  EXPECT_NEAR(end.W(0, 0), std::exp(1.5), 1e-10);
  EXPECT_NEAR(end.W(0, 1), -2 * std::exp(0.8), 1e-10);
  EXPECT_NEAR(end.W(0, 2), std::exp(0.8), 1e-10);
}

TEST_P(Events, ParametersMayChange) {
  // x' = k, and k doubles when x passes 1.
  FormulaModel m;
  m.state("x", 0.0, "k");
  m.parameter("k", 1);
  m.event("faster", "x - 1").on(Jump::kRising).set("k", "2*k");
  FormulaRun run(m);
  const State end = run.run(3, options());
  EXPECT_NEAR(end.y[0], 1 + 2 * 2, 1e-12);
  ASSERT_EQ(run.result.events.size(), 1u);
  // x = 1 + 2 k (t - 1/k): dx/dk = 2 t. The last direction is the parameter.
  EXPECT_NEAR(end.W(0, run.num_directions() - 1), 2 * 3, 1e-11);
}

TEST_P(Events, SeveralInOneStepComeInOrder) {
  // A straight line crosses three levels within what would be one step.
  FormulaModel m;
  m.state("x", 0.0, "1");
  m.state("n", 0.0, "0");
  m.event("third", "x - 0.3").on(Jump::kRising).set("n", "10*n + 3");
  m.event("first", "x - 0.1").on(Jump::kRising).set("n", "10*n + 1");
  m.event("second", "x - 0.2").on(Jump::kRising).set("n", "10*n + 2");
  FormulaRun run(m);
  Options loose = with(GetParam(), 0.1, 10);
  loose.first_step = 1;
  const State end = run.run(1, loose, false);
  EXPECT_NEAR(end.y[1], 123, 1e-12);
  ASSERT_EQ(run.result.events.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(run.result.events[i].t, 0.1 * (i + 1), 1e-14);
}

TEST_P(Events, TwoAtTheSameTimeBothHappen) {
  FormulaModel m;
  m.state("x", 0.0, "1");
  m.state("a", 0.0, "0");
  m.state("b", 0.0, "0");
  m.event("one", "x - 0.5").on(Jump::kRising).set("a", "a + 1");
  m.event("other", "2*x - 1").on(Jump::kRising).set("b", "b + 1");
  m.event_at("clock", 0.5).set("a", "a + 10");
  m.event_at("bell", 0.5).set("b", "b + 10");
  FormulaRun run(m);
  const State end = run.run(1, options(), false);
  EXPECT_NEAR(end.y[1], 11, 1e-12);
  EXPECT_NEAR(end.y[2], 11, 1e-12);
  EXPECT_EQ(run.result.events.size(), 4u);
}

TEST_P(Events, AnEventSetOffByAJumpMovesWithIt) {
  // The second bounce is counted to 2, which sets off the kick: after it the ball has a velocity
  // of 5, at the time of the second bounce t2 = t1 (1 + 2 e), so h(t) = 5 (t - t2) - g (t -
  // t2)^2/2.
  FormulaModel m = bouncing_ball(1, 0, 0.8);
  m.state("n", 0.0, "0");
  m.events[0].set("n", "n + 1");
  m.event("kick", "n - 1.5").on(Jump::kRising).set("v", 5.0);
  FormulaRun run(m);
  const State end = run.run(1.5, options());
  ASSERT_EQ(run.result.outcome, Outcome::kFinished) << run.result.message();
  const double t2 = std::sqrt(2 / 9.81) * 2.6, after = 1.5 - t2, velocity = 5 - 9.81 * after;
  EXPECT_NEAR(end.y[0], 5 * after - 9.81 / 2 * after * after, 1e-10);
  // dt2/dh0 = t2 / (2 h0); dt2/de = 2 t1. Columns h0, v0, n0, g, e.
  EXPECT_NEAR(end.W(0, 0), -velocity * t2 / 2, 1e-9);
  EXPECT_NEAR(end.W(0, 4), -velocity * 2 * std::sqrt(2 / 9.81), 1e-9);
}

TEST_P(Events, AShortDipWithinAStepIsSeen) {
  // s = (t - 1)^2 - 0.01: negative for 0.9 < t < 1.1 only; the solution is a straight line, so that
  // a step would pass over it.
  FormulaModel m;
  m.state("x", -1.0, "1");
  m.state("n", 0.0, "0");
  m.event("dip", "x*x - 0.01").set("n", "n + 1");
  FormulaRun run(m);
  Options loose = with(GetParam(), 0.1, 10);
  loose.first_step = 3;
  const State end = run.run(3, loose, false);
  EXPECT_NEAR(end.y[1], 1, 1e-12);
  ASSERT_EQ(run.result.events.size(), 2u);  // down, and up again without a jump
  EXPECT_NEAR(run.result.events[0].t, 0.9, 1e-12);
  EXPECT_NEAR(run.result.events[1].t, 1.1, 1e-12);
}

TEST_P(Events, TerminalEventEndsTheRun) {
  FormulaModel m = bouncing_ball(1, 0, 0.8);
  m.events[0].stop();
  FormulaRun run(m);
  const State end = run.run(1, options(), false);
  EXPECT_EQ(run.result.outcome, Outcome::kTerminated);
  EXPECT_TRUE(run.result.finished());
  EXPECT_NEAR(end.t, 0.4515236409857309, 1e-13);
  EXPECT_THAT(run.result.message(), testing::HasSubstr("ended by event \"bounce\""));
}

TEST_P(Events, KinksOfTheRightHandSideDoNotCostAccuracy) {
  // An oscillator with a kink in its spring.
  FormulaModel m;
  m.state("x", 1, "v");
  m.state("v", 0.0, "-x - abs(x)/2");
  FormulaRun run(m);
  // x'' = -3/2 x for x > 0, -1/2 x for x < 0: half periods pi / sqrt(3/2) and pi / sqrt(1/2).
  const double quarter = std::numbers::pi / 2 / std::sqrt(1.5);
  const double period = 2 * quarter + std::numbers::pi / std::sqrt(0.5);
  const State end = run.run(period, options(), false);
  EXPECT_NEAR(end.y[0], 1, 1e-10);
  EXPECT_NEAR(end.y[1], 0, 1e-10);
  ASSERT_EQ(run.result.events.size(), 2u);
  EXPECT_NEAR(run.result.events[0].t, quarter, 1e-11);
}

TEST_P(Events, DirectionsAcrossEventsAgreeWithDifferencesToTheLocalError) {
  // The time of an event moves on the continuous extension, whose own error limits the agreement:
  // here rtol = 1e-9.
  FormulaModel m;
  m.state("x", 1, "v");
  m.state("v", 0.2, "-k*x - c*v*abs(v) + if(x > 0.5, 1, 0)");
  m.parameter("k", 2);
  m.parameter("c", 0.3);
  m.event("kick", "x").set("v", "1.1*v + 0.1*k");
  FormulaRun run(m);
  const Options fine = with(GetParam(), 1e-9, 1e-11);
  Record record;
  const State end = run.run(6, fine, true, &record);
  EXPECT_GT(run.result.events.size(), 4u);
  for (int j = 0; j < run.num_directions(); ++j) {
    double& x = run.unknown(j);
    const double at = x, h = 1e-4;
    x = at + h;
    const State plus = run.replay(record, fine);
    x = at - h;
    const State minus = run.replay(record, fine);
    x = at;
    for (int i = 0; i < 2; ++i) {
      const double difference = (plus.y[i] - minus.y[i]) / (2 * h);
      EXPECT_NEAR(end.W(i, j), difference, 3e-6 * (1 + std::abs(difference))) << i << ", " << j;
    }
  }
}

TEST_P(Events, ModeIsKeptBetweenRuns) {
  // Stopped and continued in the middle, the run is the same.
  FormulaRun run(bouncing_ball(1, 0, 0.8));
  const State whole = run.run(2, options(), false);
  State half = run.start(false);
  Integrator integrator(*run.system, *run.workspace, options());
  integrator.run(half, 0.9);
  EXPECT_EQ(half.mode.size(), 1u);
  integrator.run(half, 2);
  EXPECT_NEAR(half.y[0], whole.y[0], 1e-10);
  EXPECT_NEAR(half.y[1], whole.y[1], 1e-10);

  // Also where it stops at an event.
  FormulaModel stopping = bouncing_ball(1, 0, 0.8);
  stopping.events[0].stop();
  FormulaRun stopped(stopping);
  State state = stopped.start(false);
  Integrator again(*stopped.system, *stopped.workspace, options());
  EXPECT_EQ(again.run(state, 2).outcome, Outcome::kTerminated);
  EXPECT_EQ(again.run(state, 2).outcome, Outcome::kTerminated);
  EXPECT_NEAR(state.t, 1.173961466562900, 1e-11);  // the second impact
}

}  // namespace
}  // namespace parfait::integrate
