#include "parfait/integrate/driver/integrator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numbers>

#include "parfait/base/error.h"
#include "parfait/integrate/driver/test_system.h"

namespace parfait::integrate {
namespace {

struct Solution {
  Result result;
  std::vector<double> y;
};

Solution solve(const RhsSystem& system, double t0, double t1, const Options& options = {},
               const OnStep& on_step = {}) {
  Solution s;
  State state;
  state.t = t0;
  state.y = system.initial_state();
  state.z.resize(system.counts.nz);
  const auto workspace = system.make_workspace(0);
  s.result = Integrator(system, *workspace, options).run(state, t1, on_step);
  s.y = state.y;
  return s;
}

/// Steps of the same size: the tolerance is so loose that only max_step counts.
Options fixed_steps(double h, Method method = Method::kDopri5) {
  Options options;
  options.method = method;
  options.rtol = 0.5;
  options.atol = 1e3;
  options.first_step = options.max_step = h;
  return options;
}

/// y' = -2 t y^2 with y(0) = 1: y = 1 / (1 + t^2). Nonlinear and not autonomous.
RhsSystem rational() {
  return {{1.0}, [](double t, ConstVec y, Vec f) {
            f[0] = -2 * t * y[0] * y[0];
            return Status::kOk;
          }};
}
double rational_solution(double t) {
  return 1 / (1 + t * t);
}

/// Kepler's problem with eccentricity e, started at the pericentre: period 2 pi, closed orbit.
RhsSystem kepler(double e) {
  return {{1 - e, 0, 0, std::sqrt((1 + e) / (1 - e))}, [](double, ConstVec y, Vec f) {
            const double r3 = std::pow(y[0] * y[0] + y[1] * y[1], 1.5);
            f[0] = y[2];
            f[1] = y[3];
            f[2] = -y[0] / r3;
            f[3] = -y[1] / r3;
            return Status::kOk;
          }};
}

double distance(ConstVec a, ConstVec b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

TEST(DormandPrince5, GlobalErrorIsOfFifthOrder) {
  const auto system = kepler(0.2);
  const auto error = [&](int steps) {
    const double period = 2 * std::numbers::pi;
    return distance(solve(system, 0, period, fixed_steps(period / steps)).y,
                    system.initial_state());
  };
  for (int steps : {200, 400}) {
    ASSERT_GT(error(2 * steps), 1e-12);  // above rounding, otherwise the slope means nothing
    EXPECT_NEAR(std::log2(error(steps) / error(2 * steps)), 5.0, 0.15) << "steps = " << steps;
  }
}

TEST(DormandPrince5, OneStepIsOfSixthOrderAtItsEndAndOfFifthInside) {
  // Started at t = 0.3 where no derivative of the solution vanishes.
  const double t0 = 0.3;
  const auto errors = [&](double h) {
    RhsSystem system({rational_solution(t0)}, [](double t, ConstVec y, Vec f) {
      f[0] = -2 * t * y[0] * y[0];
      return Status::kOk;
    });
    double inside = 0;
    const auto s = solve(system, t0, t0 + h, fixed_steps(h), [&](const AcceptedStep& step) {
      std::vector<double> y(1);
      for (double theta : {0.25, 0.5, 0.75}) {
        step.curve.state(t0 + theta * h, y);
        inside = std::max(inside, std::abs(y[0] - rational_solution(t0 + theta * h)));
      }
      return true;
    });
    EXPECT_EQ(s.result.statistics.steps, 1);
    return std::pair(inside, std::abs(s.y[0] - rational_solution(t0 + h)));
  };
  for (double h : {0.1, 0.05}) {
    const auto [inside, end] = errors(h);
    const auto [inside_half, end_half] = errors(h / 2);
    ASSERT_GT(end_half, 1e-14);
    EXPECT_NEAR(std::log2(inside / inside_half), 5.0, 0.3) << "h = " << h;
    EXPECT_NEAR(std::log2(end / end_half), 6.0, 0.4) << "h = " << h;
  }
}

TEST(Integrate, ErrorFollowsTheTolerance) {
  const auto system = kepler(0.6);
  std::vector<double> errors;
  for (double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    Options options;
    options.rtol = rtol;
    options.atol = rtol;
    const auto s = solve(system, 0, 2 * std::numbers::pi, options);
    EXPECT_EQ(s.result.outcome, Outcome::kFinished);
    errors.push_back(distance(s.y, system.initial_state()));
    EXPECT_LT(errors.back(), 2000 * rtol);  // measured 1600, 50 ... : accumulated over an orbit
  }
  for (std::size_t i = 1; i < errors.size(); ++i) EXPECT_LT(errors[i], 0.1 * errors[i - 1]);
}

TEST(Integrate, StepsAreShortWhereTheMotionIsFast) {
  const auto s = solve(kepler(0.6), 0, 2 * std::numbers::pi);
  EXPECT_GT(s.result.statistics.smallest_step, 0);
  EXPECT_GT(s.result.statistics.largest_step, 5 * s.result.statistics.smallest_step);
}

TEST(Integrate, CountsItsOwnEvaluations) {
  const auto system = rational();
  const auto s = solve(system, 0, 2);
  EXPECT_EQ(s.result.statistics.evaluations, system.evaluations);
  EXPECT_GT(s.result.statistics.steps, 5);
}

TEST(Integrate, ReusesTheLastStageWhereNothingIsProjected) {
  const auto s = solve(rational(), 0, 2, fixed_steps(0.1));
  EXPECT_EQ(s.result.statistics.steps, 20);
  EXPECT_EQ(s.result.statistics.evaluations, 1 + 6 * 20);
}

TEST(Integrate, FirstStepIsFoundOverTwelveOrdersOfTheTimeScale) {
  for (double rate : {1e-6, 1.0, 1e6}) {
    RhsSystem system({1.0}, [rate](double, ConstVec y, Vec f) {
      f[0] = -rate * y[0];
      return Status::kOk;
    });
    const auto s = solve(system, 0, 1 / rate);
    EXPECT_NEAR(s.y[0], std::exp(-1), 1e-8) << "rate = " << rate;
    EXPECT_LE(s.result.statistics.rejected, 2) << "rate = " << rate;
    EXPECT_LT(s.result.statistics.steps, 60) << "rate = " << rate;
  }
}

/// A point on a circle, angular velocity 1 + t; the invariant is |y| = 1.
RhsSystem circle() {
  RhsSystem system({1.0, 0.0}, [](double t, ConstVec y, Vec f) {
    f[0] = -(1 + t) * y[1];
    f[1] = (1 + t) * y[0];
    return Status::kOk;
  });
  system.counts.ne = 0;
  system.counts.nq = 2;
  system.counts.num_pos = 1;
  return system;
}

TEST(Integrate, ProjectsEachStepOntoTheInvariants) {
  auto system = circle();
  int projected = 0;
  system.projection = [&](Vec y) {
    ++projected;
    const double r = std::hypot(y[0], y[1]);
    dynamics::ProjectionReport report;
    report.distance_q = std::abs(r - 1);
    y[0] /= r;
    y[1] /= r;
    return report;
  };
  Options options;
  options.rtol = options.atol = 1e-5;
  const auto s = solve(system, 0, 10, options);
  EXPECT_EQ(s.result.statistics.steps, projected);
  EXPECT_EQ(s.result.statistics.projections, projected);
  // The right-hand side at the projected end starts the next step; 2 to begin, none after the last.
  EXPECT_EQ(s.result.statistics.evaluations,
            1 + 12 * projected + 11 * s.result.statistics.rejected);
  EXPECT_NEAR(std::hypot(s.y[0], s.y[1]), 1, 1e-15);
  EXPECT_GT(s.result.statistics.largest_correction, 1e-9);  // there was something to correct

  system.projection = nullptr;
  const auto drifted = solve(system, 0, 10, options);
  EXPECT_GT(std::abs(std::hypot(drifted.y[0], drifted.y[1]) - 1), 1e-7);
  const double angle = 10 + 50;
  EXPECT_NEAR(s.y[0], std::cos(angle), 1e-2);
}

TEST(Integrate, FailedProjectionShortensTheStepAndInTheEndIsReported) {
  auto system = circle();
  system.projection = [](Vec) {
    dynamics::ProjectionReport report;
    report.status = Status::kProjectionFailed;
    return report;
  };
  const auto s = solve(system, 1, 2);
  EXPECT_EQ(s.result.outcome, Outcome::kSystemFailed);
  EXPECT_EQ(s.result.status, Status::kProjectionFailed);
  EXPECT_EQ(s.result.t, 1);
  EXPECT_EQ(s.result.statistics.steps, 0);
  EXPECT_THAT(s.result.message(), testing::HasSubstr("projection onto the constraints"));
}

TEST(Integrate, EndsStepsOnTimeBreaksAndSeesEachSide) {
  // y' jumps from 1 to -3 at t = 0.7: without the break the error of a step across it is of order
  // h.
  RhsSystem system({0.0}, [](double t, ConstVec, Vec f) {
    f[0] = t < 0.7 ? 1 : -3;
    return Status::kOk;
  });
  system.breaks = {-1, 0.7, 5};
  std::vector<double> ends;
  const auto s = solve(system, 0, 1, {}, [&](const AcceptedStep& step) {
    ends.push_back(step.t1);
    return true;
  });
  EXPECT_NEAR(s.y[0], 0.7 - 3 * 0.3, 1e-15);
  EXPECT_THAT(ends, testing::Contains(0.7));
  EXPECT_EQ(ends.back(), 1);
  EXPECT_EQ(s.result.statistics.rejected, 0);
}

TEST(Integrate, StopsBeforeABlowUpAndSaysWhere) {
  RhsSystem system({1.0}, [](double, ConstVec y, Vec f) {  // y = 1 / (1 - t)
    f[0] = y[0] * y[0];
    return std::isfinite(f[0]) ? Status::kOk : Status::kNotFinite;
  });
  const auto s = solve(system, 0, 2);
  EXPECT_NE(s.result.outcome, Outcome::kFinished);
  EXPECT_NEAR(s.result.t, 1, 1e-6);
  EXPECT_THAT(s.result.message(), testing::HasSubstr("t = 1"));
}

TEST(Integrate, RecoversFromAStageOutsideTheDomain) {
  // y' = -sqrt(y) / 2, undefined for y < 0; y = (1 - t/4)^2. A first step of 30 leaves the domain.
  RhsSystem system({1.0}, [](double, ConstVec y, Vec f) {
    if (y[0] < 0) return Status::kNotFinite;
    f[0] = -std::sqrt(y[0]) / 2;
    return Status::kOk;
  });
  Options options;
  options.first_step = 30;
  const auto s = solve(system, 0, 3.5, options);
  EXPECT_EQ(s.result.outcome, Outcome::kFinished);
  EXPECT_GT(s.result.statistics.rejected, 0);
  EXPECT_NEAR(s.y[0], std::pow(1 - 3.5 / 4, 2), 1e-8);
}

/// Whoever looks at a step that was accepted sees all of it, also if the work is stopped meanwhile.
TEST(Integrate, AStepThatWasAcceptedCanBeSampledAfterAStop) {
  for (const Method method : {Method::kDopri5, Method::kDop853}) {
    std::atomic<bool> stop = false;
    Options options;
    options.method = method;
    options.stop = &stop;
    int looks = 0;
    std::vector<double> y(1);
    const auto s = solve(rational(), 0, 10, options, [&](const AcceptedStep& step) {
      if (step.t1 < 1) return true;
      stop = true;
      ++looks;
      EXPECT_EQ(step.curve.state(0.5 * (step.t0 + step.t1), y), Status::kOk);
      return true;
    });
    EXPECT_EQ(looks, 1);
    EXPECT_EQ(s.result.outcome, Outcome::kInterrupted);
  }
}

/// A right-hand side may take long: nobody waits for the stages that are left.
TEST(Integrate, ARequestToStopIsHeardWithinAStep) {
  for (const Method method : {Method::kDopri5, Method::kDop853, Method::kAbm}) {
    std::atomic<bool> stop = false;
    int asked = 0;
    const RhsSystem system({1.0}, [&](double t, ConstVec y, Vec f) {
      f[0] = -2 * t * y[0] * y[0];
      stop = stop || ++asked == 29;
      return Status::kOk;
    });
    Options options;
    options.method = method;
    options.stop = &stop;
    const auto s = solve(system, 0, 10, options);
    EXPECT_EQ(s.result.outcome, Outcome::kInterrupted);
    EXPECT_EQ(system.evaluations, 29) << static_cast<int>(method);
  }
}

TEST(Integrate, StopsWhenTheCallerSaysSo) {
  const auto s = solve(rational(), 0, 10, {}, [](const AcceptedStep& step) { return step.t1 < 1; });
  EXPECT_EQ(s.result.outcome, Outcome::kInterrupted);
  EXPECT_GE(s.result.t, 1);
  EXPECT_LT(s.result.t, 2);
  EXPECT_NEAR(s.y[0], rational_solution(s.result.t), 1e-7);
}

TEST(Integrate, CountsStepsInItsMessage) {
  for (int most : {1, 2}) {
    int count = 0;
    const auto s =
        solve(rational(), 0, 10, {}, [&](const AcceptedStep&) { return ++count < most; });
    EXPECT_THAT(s.result.message(),
                testing::EndsWith(most == 1 ? " s after 1 step" : " s after 2 steps"));
  }
}

TEST(Integrate, StopsAtTheLimitOfSteps) {
  Options options;
  options.max_steps = 7;
  const auto s = solve(rational(), 0, 10, options);
  EXPECT_EQ(s.result.outcome, Outcome::kTooManySteps);
  EXPECT_GE(s.result.statistics.steps + s.result.statistics.rejected, 7);
  EXPECT_LE(s.result.statistics.steps, 7);
  EXPECT_GT(s.result.statistics.steps, 0);
}

TEST(Integrate, RefusesWhatItCannotDo) {
  const auto message = [](const RhsSystem& system, double t1, const Options& options) {
    try {
      solve(system, 0, t1, options);
    } catch (const base::InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  Options negative;
  negative.rtol = -1e-6;
  EXPECT_EQ(message(rational(), 1, negative), "rtol = -1e-06: must be > 0 and < 1.");
  EXPECT_THAT(message(rational(), -1, {}), testing::StartsWith("end time = -1 s"));
  auto dae = rational();
  dae.counts.nz = 2;
  EXPECT_THAT(message(dae, 1, {}),
              testing::HasSubstr("algebraic states, which only bdf can integrate"));
}

TEST(Integrate, NothingToDoIsFinished) {
  const auto s = solve(rational(), 0, 0);
  EXPECT_EQ(s.result.outcome, Outcome::kFinished);
  EXPECT_EQ(s.result.statistics.evaluations, 0);
}

}  // namespace
}  // namespace parfait::integrate
