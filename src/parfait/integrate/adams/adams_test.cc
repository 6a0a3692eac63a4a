#include "parfait/integrate/adams/adams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "parfait/integrate/adams/test_adams.h"
#include "parfait/integrate/driver/test_pleiades.h"
#include "parfait/integrate/driver/test_system.h"

namespace parfait::integrate::adams_test {
namespace {

/// y = sin(omega t), with a Jacobian of -2 that makes predicted and corrected points differ.
constexpr double kOmega = 10;
RhsSystem forced() {
  return {{0.0}, [](double t, ConstVec y, Vec f) {
            f[0] = -2 * (y[0] - std::sin(kOmega * t)) + kOmega * std::cos(kOmega * t);
            return Status::kOk;
          }};
}

/// Sixteen steps of each of the sizes ..., h/4, h/2, h, and so on with h, to t = 4. They begin with
/// 1e-7 while the order rises, so that the start is exact enough for every order; doubling more
/// often would be unstable for the high ones.
std::vector<RecordedStep> equal_steps(double h, int order) {
  std::vector<RecordedStep> steps;
  int halvings = 0;
  while (std::ldexp(h, -halvings) > 1e-7) ++halvings;
  double t = 0;
  for (double size = std::ldexp(h, -halvings); t < 4 - h / 2; size = std::min(2 * size, h)) {
    for (int n = 0; n < 16 && t < 4 - h / 2; ++n) {
      t += size;
      steps.push_back({t, std::min(order, static_cast<int>(steps.size()) + 1)});
    }
  }
  return steps;
}

struct Errors {
  double end = 0, inside = 0, rate = 0;
};

Errors errors(double h, int order) {
  const auto system = forced();
  AdamsRun run(system, adams_options(1e-6, 1e-6));
  Errors errors;
  run.repeat(equal_steps(h, order), [&] {
    Stepper& s = *run.stepper;
    if (s.t1() < 3) return;  // until the errors of the start are forgotten
    errors.end = std::max(errors.end, std::abs(s.y1()[0] - std::sin(kOmega * s.t1())));
    for (double theta : {0.25, 0.5, 0.75}) {
      const double t = s.t0() + theta * (s.t1() - s.t0());
      double y = 0, rate = 0;
      s.state(t, {&y, 1});
      s.rate(t, {&rate, 1});
      errors.inside = std::max(errors.inside, std::abs(y - std::sin(kOmega * t)));
      errors.rate = std::max(errors.rate, std::abs(rate - kOmega * std::cos(kOmega * t)));
    }
  });
  return errors;
}

TEST(Adams, GlobalErrorIsOfOneOrderMoreThanThePredictorForEveryOrder) {
  for (int k = 1; k <= 12; ++k) {
    // High orders need steps that are not too small: their errors soon drown in rounding.
    const double h = k <= 4 ? 0.0125 : k <= 10 ? 0.025 : 0.05;
    const Errors coarse = errors(h, k);
    const Errors fine = errors(h / 2, k);
    ASSERT_GT(fine.end, 1e-12);  // above rounding
    // Measured: at least k + 0.98 up to order 10, then k + 0.85 with the larger steps.
    EXPECT_NEAR(std::log2(coarse.end / fine.end), k + 1, 0.2) << "order " << k;
    EXPECT_NEAR(std::log2(coarse.inside / fine.inside), k + 1, 0.2) << "order " << k;
    EXPECT_NEAR(std::log2(coarse.rate / fine.rate), k + 1, 0.2) << "order " << k;
  }
}

/// Kepler's problem with eccentricity 0.5, started at the pericentre.
RhsSystem kepler_orbit() {
  return {{0.5, 0, 0, std::sqrt(3)}, [](double, ConstVec y, Vec f) {
            const double r3 = std::pow(y[0] * y[0] + y[1] * y[1], 1.5);
            f[0] = y[2];
            f[1] = y[3];
            f[2] = -y[0] / r3;
            f[3] = -y[1] / r3;
            return Status::kOk;
          }};
}

TEST(Adams, ContinuousExtensionJoinsTheStepsWithItsSlope) {
  const auto system = kepler_orbit();
  AdamsRun run(system, adams_options(1e-6, 1e-8));
  Stepper& s = *run.stepper;
  std::vector<double> last = system.initial_state(), y(4), before(4), after(4), rate(4), f(4);
  double largest_step = 0;
  const auto look = [&] {
    const double h = s.t1() - s.t0();
    largest_step = std::max(largest_step, h);
    s.state(s.t1(), y);
    EXPECT_LT(largest_difference(y, s.y1()), 1e-15);
    s.rate(s.t1(), rate);
    run.flow.evaluate(s.t1(), s.y1(), f);
    EXPECT_LT(largest_difference(rate, f), 1e-14);
    s.state(s.t0(), y);
    EXPECT_EQ(y, last);
    s.rate(s.t0(), rate);
    run.flow.evaluate(s.t0(), y, f);
    EXPECT_LT(largest_difference(rate, f), 1e-14);
    // Its own derivative: a central difference with 1e-3 h has an error of 2e-7 h^2 times the third
    // derivative, and of 1e-13 / h from rounding.
    const double t = s.t0() + 0.37 * h;
    s.state(t - 1e-3 * h, before);
    s.state(t + 1e-3 * h, after);
    s.rate(t, rate);
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR((after[i] - before[i]) / (2e-3 * h), rate[i], 5e-7 * h * h * 50 + 1e-12 / h);
    }
    last = run.y1();
  };
  EXPECT_EQ(run.run(5, look), Outcome::kFinished);
  EXPECT_GT(largest_step, 0.1);
}

TEST(Adams, SolvesThePleiadesWithFewerEvaluationsThanARungeKuttaMethodOfOrderEight) {
  const auto system = pleiades();
  const auto solve = [&](double rtol, std::int64_t& evaluations) {
    AdamsRun run(system, adams_options(rtol, rtol));
    EXPECT_EQ(run.run(3), Outcome::kFinished);
    evaluations = run.flow.statistics.evaluations;
    return largest_difference(kPleiadesEnd, run.stepper->y1().first(14));
  };
  // DOP853 of SciPy: 5882 evaluations for an error of 1.4e-10 at the end, 7154 for 8e-12.
  std::int64_t evaluations = 0;
  EXPECT_LT(solve(2e-14, evaluations), 1.4e-10);
  EXPECT_LT(evaluations, 3500);
  EXPECT_LT(solve(1e-10, evaluations), 1e-6);
  EXPECT_LT(evaluations, 2000);
}

TEST(Adams, ReachesHighOrdersWhereTheSolutionIsSmooth) {
  const auto system = pleiades();
  AdamsRun run(system, adams_options(1e-10, 1e-10));
  run.run(3);
  const auto& counts = run.flow.statistics.steps_of_order;
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}),
            static_cast<std::int64_t>(run.record.size()));
  EXPECT_GT(std::accumulate(counts.begin() + 8, counts.end(), std::int64_t{0}), 500);

  Options options = adams_options(1e-10, 1e-10);
  options.max_order = 5;
  AdamsRun low(system, options);
  low.run(3);
  for (const auto& step : low.record) EXPECT_LE(step.order, 5);
  EXPECT_GT(low.flow.statistics.evaluations, 2 * run.flow.statistics.evaluations);
}

TEST(Adams, CanBeHeldAtOrderOne) {
  Options options = adams_options(1e-6, 1e-6);
  options.max_order = 1;
  const auto system = forced();
  AdamsRun run(system, options);
  EXPECT_EQ(run.run(1), Outcome::kFinished);
  EXPECT_NEAR(run.y1()[0], std::sin(kOmega), 1e-4);
  EXPECT_EQ(run.flow.statistics.steps_of_order[1], static_cast<int>(run.record.size()));
}

TEST(Adams, ForgetsThePastWhenItStartsAgain) {
  // The right-hand side jumps at t = 1.
  RhsSystem system({0.0}, [](double t, ConstVec y, Vec f) {
    f[0] = (t < 1 ? std::cos(t) : 3 * std::exp(t)) - 0.1 * y[0];
    return Status::kOk;
  });
  const Options options = adams_options(1e-8, 1e-10);
  AdamsRun run(system, options);
  run.flow.set_piece({}, std::nextafter(1.0, 0.0));
  run.run(1);
  ASSERT_GT(run.record.back().order, 4);
  run.flow.set_piece({}, std::numeric_limits<double>::infinity());
  run.start.t = 1;
  run.start.y = run.y1();
  run.record.clear();
  run.run(2);
  EXPECT_EQ(run.record.front().order, 1);

  AdamsRun fresh(system, options);
  fresh.start = run.start;
  fresh.run(2);
  EXPECT_EQ(fresh.y1(), run.y1());
  // y = e^(-t/10) (C + integral of f e^(t/10)), piece by piece.
  const auto first = [](double t) { return (0.1 * std::cos(t) + std::sin(t)) / 1.01; };
  const double at_1 = first(1) - first(0) * std::exp(-0.1);
  const double exact = 3 / 1.1 * std::exp(2) + (at_1 - 3 / 1.1 * std::exp(1)) * std::exp(-0.1);
  EXPECT_NEAR(run.y1()[0], exact, 1e-7);
}

TEST(Adams, EndsOnTheLimitWithEqualStepsAndEvaluatesNothingBeyond) {
  double latest = 0;
  RhsSystem system({1.0, 0.0}, [&](double t, ConstVec y, Vec f) {
    latest = std::max(latest, t);
    f[0] = y[1];
    f[1] = -y[0];
    return Status::kOk;
  });
  for (double end : {1e-9, 0.1, 1.0, 7.3, 20.0}) {
    latest = 0;
    AdamsRun run(system, adams_options(1e-8, 1e-8));
    EXPECT_EQ(run.run(end), Outcome::kFinished);
    EXPECT_EQ(run.stepper->t1(), end);
    EXPECT_EQ(latest, end);
    EXPECT_NEAR(run.y1()[0], std::cos(end), 1e-6);
    if (end < 7) continue;
    const auto& r = run.record;
    const std::size_t n = r.size() - 1;
    EXPECT_NEAR(r[n].t1 - r[n - 1].t1, r[n - 1].t1 - r[n - 2].t1, 1e-10) << "end = " << end;
    EXPECT_GT(r[n].order, 5);
  }
}

TEST(Adams, FirstAndLargestStepAreThoseOfTheOptions) {
  Options options = adams_options(1e-3, 1e-3);
  options.first_step = 0.01;
  options.max_step = 0.05;
  const auto system = forced();
  AdamsRun run(system, options);
  double largest = 0;
  run.run(2, [&] { largest = std::max(largest, run.stepper->t1() - run.stepper->t0()); });
  EXPECT_EQ(run.record.front().t1, 0.01);
  EXPECT_GT(largest, 0.049);
  EXPECT_LE(largest, 0.05 * 1.01);  // the last may be stretched a little
}

TEST(Adams, FindsItsFirstStepOverTwelveOrdersOfTheTimeScale) {
  for (double rate : {1e-6, 1.0, 1e6}) {
    RhsSystem system({1.0}, [rate](double, ConstVec y, Vec f) {
      f[0] = -rate * y[0];
      return Status::kOk;
    });
    AdamsRun run(system, adams_options(1e-8, 1e-10));
    EXPECT_EQ(run.run(1 / rate), Outcome::kFinished);
    EXPECT_NEAR(run.y1()[0], std::exp(-1), 1e-7) << "rate = " << rate;
    EXPECT_LT(run.record.size(), 60U) << "rate = " << rate;
  }
}

TEST(Adams, StopsAtASingularityAndStaysAtItsLastState) {
  RhsSystem system({1.0}, [](double, ConstVec y, Vec f) {  // y = 1 / (1 - t)
    f[0] = y[0] * y[0];
    return Status::kOk;
  });
  AdamsRun run(system, adams_options(1e-8, 1e-10));
  std::vector<double> last;
  double t = 0;
  const Outcome outcome = run.run(2, [&] {
    last = run.y1();
    t = run.stepper->t1();
  });
  EXPECT_EQ(outcome, Outcome::kStepTooSmall);
  EXPECT_NEAR(run.stepper->t1(), 1, 1e-6);
  EXPECT_EQ(run.stepper->t1(), t);
  EXPECT_EQ(run.y1(), last);
}

TEST(Adams, RecoversFromAPointOutsideTheDomain) {
  // y' = -sqrt(y) / 2, undefined for y < 0; y = (1 - t/4)^2. A first step of 30 leaves the domain.
  RhsSystem system({1.0}, [](double, ConstVec y, Vec f) {
    if (y[0] < 0) return Status::kNotFinite;
    f[0] = -std::sqrt(y[0]) / 2;
    return Status::kOk;
  });
  Options options = adams_options(1e-8, 1e-10);
  options.first_step = 30;
  AdamsRun run(system, options);
  EXPECT_EQ(run.run(3.5), Outcome::kFinished);
  EXPECT_GT(run.flow.statistics.rejected, 0);
  EXPECT_NEAR(run.y1()[0], std::pow(1 - 3.5 / 4, 2), 1e-7);
}

TEST(Adams, FailsWithTheStatusOfTheSystemWhereNoStepIsSmallEnough) {
  RhsSystem system({0.0}, [](double t, ConstVec, Vec f) {
    f[0] = std::cos(t);
    return t > 1 ? Status::kSingular : Status::kOk;
  });
  AdamsRun run(system, adams_options(1e-8, 1e-10));
  EXPECT_EQ(run.run(3), Outcome::kSystemFailed);
  EXPECT_EQ(run.stepper->status(), Status::kSingular);
  EXPECT_NEAR(run.stepper->t1(), 1, 1e-12);
  EXPECT_NEAR(run.y1()[0], std::sin(1), 1e-7);
}

TEST(Adams, LowersARecordedOrderThatThePastCannotCarry) {
  const auto system = forced();
  AdamsRun run(system, adams_options(1e-6, 1e-6));
  const std::vector<RecordedStep> steps = {{0.001, 12}, {0.002, 12}, {0.003, 12}};
  for (int round = 0; round < 2; ++round) {  // a past before the start does not count
    std::vector<int> orders;
    run.repeat(steps, [&] { orders.push_back(run.stepper->recorded().order); });
    EXPECT_THAT(orders, testing::ElementsAre(1, 2, 3));
  }
  EXPECT_NEAR(run.y1()[0], std::sin(kOmega * 0.003), 1e-7);
}

}  // namespace
}  // namespace parfait::integrate::adams_test
