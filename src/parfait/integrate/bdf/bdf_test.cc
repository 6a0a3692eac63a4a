#include "parfait/integrate/bdf/bdf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "parfait/base/error.h"
#include "parfait/integrate/driver/test_formulas.h"
#include "parfait/integrate/driver/test_system.h"

namespace parfait::integrate {
namespace {

using dynamics::FormulaModel;

/// Kaps' problem: stiff, with the solution (e^(-2t), e^(-t)) for every stiffness.
FormulaModel kaps() {
  FormulaModel m;
  m.state("a", 1, "-(stiffness + 2)*a + stiffness*b^2");
  m.state("b", 1, "a - b - b^2");
  m.parameter("stiffness", 1e6);
  return m;
}

double kaps_error(double t, dynamics::ConstVec y) {
  return std::max(std::abs(y[0] / std::exp(-2 * t) - 1), std::abs(y[1] / std::exp(-t) - 1));
}

/// y' = p y (1 - y / K), whose solution and derivatives are known.
FormulaModel logistic() {
  FormulaModel m;
  m.state("y", 0.1, "p*y*(1 - y/K)");
  m.parameter("p", 1.7);
  m.parameter("K", 2);
  return m;
}
struct Logistic {
  double y, dy_dy0, dy_dp, dy_dK;
  explicit Logistic(double t) {
    const double y0 = 0.1, p = 1.7, K = 2, e = std::exp(-p * t), D = y0 + (K - y0) * e;
    y = K * y0 / D;
    dy_dy0 = K * K * e / (D * D);
    dy_dp = K * y0 * (K - y0) * t * e / (D * D);
    dy_dK = y0 * y0 * (1 - e) / (D * D);
  }
};

/// y = z + z^3, y' = -p z, so that log z + 3/2 z^2 = 3/2 - p t. The guess of z is far off.
FormulaModel cubic_dae() {
  FormulaModel m;
  m.state("y", 2, "-p*z");
  m.algebraic("z", 20);
  m.equation("z + z^3 = y");
  m.parameter("p", 1);
  return m;
}
double cubic_defect(double t, double z) {
  return std::log(z) + 1.5 * z * z - 1.5 + t;
}

TEST(Bdf, ErrorFollowsTheToleranceOnAStiffProblem) {
  double previous = 1;
  for (double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    FormulaRun run(kaps());
    double worst = 0;
    run.on_step = [&](const AcceptedStep& step) {
      worst = std::max(worst, kaps_error(step.t1, step.curve.y1()));
      return true;
    };
    run.run(1, with(Method::kBdf, rtol, rtol * 1e-2), false);
    EXPECT_LT(worst, 30 * rtol) << rtol;
    EXPECT_LT(worst, previous / 10) << rtol;
    EXPECT_GT(worst, 1e-13);  // above rounding
    previous = worst;
    EXPECT_LT(run.result.statistics.steps, 1000);  // an explicit method would need 1e6 / 3
  }
}

/// Drawn to the unit circle at unit speed. Derivatives of any order have length 1 there, so the
/// steps stay alike; errors of the first ones, which are of lower order, are forgotten like e^(-20
/// t).
FormulaModel drawn_circle(bool as_dae) {
  FormulaModel m;
  if (as_dae) {
    m.state("x", 1, "-20*(x - z1) - z2");
    m.state("y", 0, "-20*(y - z2) + z1");
    m.algebraic("z1", 1);
    m.algebraic("z2", 0);
    m.equation("z1 = cos(t)");
    m.equation("z2 = sin(t)");
  } else {
    m.state("x", 1, "-20*(x - cos(t)) - sin(t)");
    m.state("y", 0, "-20*(y - sin(t)) + cos(t)");
  }
  return m;
}

/// Mean step and root mean square error, eight times around, with the order bounded.
struct Accuracy {
  double h = 0, error = 0;
};
Accuracy accuracy_of_order(int order, double tolerance, bool as_dae) {
  constexpr double kFrom = 2, kTo = kFrom + 16 * M_PI;
  FormulaRun run(drawn_circle(as_dae));
  Options options = with(Method::kBdf, 1e-3 * tolerance, tolerance);
  options.max_order = order;
  double sum = 0;
  int count = 0;
  run.on_step = [&](const AcceptedStep& step) {
    if (step.t0 < kFrom) return true;
    const auto y = step.curve.y1();
    const double error = std::hypot(y[0] - std::cos(step.t1), y[1] - std::sin(step.t1));
    sum += error * error;
    ++count;
    return true;
  };
  run.run(kTo, options, false);
  const auto& statistics = run.result.statistics;
  EXPECT_GT(statistics.steps_of_order[order], 0.7 * statistics.steps) << "order " << order;
  return {(kTo - kFrom) / count, std::sqrt(sum / count)};
}

// The solver chooses its steps itself and changes the order only together with the step, so steps
// cannot be prescribed. A lower tolerance shortens all of them alike, and with the order bounded by
// q the error falls like their mean to the power q.
TEST(Bdf, EveryOrderHasItsSlope) {
  for (bool as_dae : {false, true}) {
    for (int order = 1; order <= 5; ++order) {
      const auto coarse = accuracy_of_order(order, 1e-5, as_dae);
      const auto fine = accuracy_of_order(order, 1e-5 * std::pow(8, -(order + 1)), as_dae);
      ASSERT_GT(fine.error, 1e-13) << "order " << order;  // above rounding
      EXPECT_GT(coarse.h, 4 * fine.h) << "order " << order;
      const double slope = std::log(coarse.error / fine.error) / std::log(coarse.h / fine.h);
      // Measured 1.000, 2.000, 3.000, 3.998, 4.995; IDAS varies its steps more: 5.27 at worst.
      EXPECT_NEAR(slope, order, as_dae ? 0.4 : 0.02)
          << (as_dae ? "DAE" : "ODE") << " of order " << order;
    }
  }
}

TEST(Bdf, OrderOneWithFixedStepsIsTheImplicitEulerMethod) {
  // On y' = -y each step divides y by 1 + h; the solver's Newton iterations are exact for it.
  FormulaModel m;
  m.state("y", 1, "-y");
  FormulaRun run(m);
  Options options = with(Method::kBdf, 1e-2, 1e-2);
  options.max_order = 1;
  options.first_step = options.max_step = 1.0 / 64;
  const State end = run.run(1, options, false);
  EXPECT_EQ(run.result.statistics.steps, 64);
  EXPECT_NEAR(end.y[0], std::pow(1 + 1.0 / 64, -64), 1e-12);
  EXPECT_EQ(run.result.statistics.steps_of_order[1], 64);
}

TEST(Bdf, ContinuousExtensionIsAsAccurateAsTheSteps) {
  FormulaRun run(logistic());
  double ends = 0, inside = 0, ends_W = 0, inside_W = 0;
  double last = run.y0[0];
  std::vector<double> y(1), rate(1), before(1), after(1);
  dynamics::Directions W(1, 3);
  const auto error_W = [&](double t) {
    const Logistic exact(t);
    return std::max({std::abs(W(0, 0) - exact.dy_dy0), std::abs(W(0, 1) - exact.dy_dp),
                     std::abs(W(0, 2) - exact.dy_dK)});
  };
  run.on_step = [&](const AcceptedStep& step) {
    Stepper& curve = step.curve;
    curve.state(step.t0, y);
    EXPECT_NEAR(y[0], last, 1e-14);
    curve.state(step.t1, y);
    EXPECT_NEAR(y[0], curve.y1()[0], 1e-14);
    last = y[0];
    ends = std::max(ends, std::abs(y[0] - Logistic(step.t1).y));
    W = curve.W1();
    ends_W = std::max(ends_W, error_W(step.t1));
    const double h = step.t1 - step.t0;
    for (double theta : {0.2, 0.5, 0.7}) {
      const double t = step.t0 + theta * h, dt = 0.1 * h;
      curve.state(t, y);
      inside = std::max(inside, std::abs(y[0] - Logistic(t).y));
      curve.directions(t, W);
      inside_W = std::max(inside_W, error_W(t));
      // The rate is that of the polynomial: central differences of a quintic in two sizes.
      curve.rate(t, rate);
      const auto difference = [&](double d) {
        curve.state(t - d, before);
        curve.state(t + d, after);
        return (after[0] - before[0]) / (2 * d);
      };
      const double coarse = difference(dt), fine = difference(dt / 2);
      EXPECT_NEAR(rate[0], (4 * fine - coarse) / 3, 1e-6);
    }
    return true;
  };
  run.run(4, with(Method::kBdf, 1e-8, 1e-8));
  ASSERT_EQ(run.result.outcome, Outcome::kFinished);
  EXPECT_LT(ends, 1e-6);
  EXPECT_GT(ends, 1e-10);
  EXPECT_LT(inside, 2 * ends);
  EXPECT_LT(ends_W, 1e-4);  // sensitivities up to 20, their error not controlled
  EXPECT_LT(inside_W, 2 * ends_W);
}

TEST(Bdf, AlgebraicStatesSolveTheirEquationsFromAPoorGuess) {
  FormulaRun run(cubic_dae());
  double worst_defect = 0, worst_residual = 0, worst_inside = 0, worst_direction = 0;
  run.on_step = [&](const AcceptedStep& step) {
    Stepper& curve = step.curve;
    const double y = curve.y1()[0], z = curve.z1()[0];
    worst_residual = std::max(worst_residual, std::abs(z + z * z * z - y));
    worst_defect = std::max(worst_defect, std::abs(cubic_defect(step.t1, z)));
    const double t = 0.5 * (step.t0 + step.t1);
    std::vector<double> inside(1);
    dynamics::Directions dz(1, 2);
    curve.algebraic(t, inside);
    curve.algebraic_directions(t, dz);
    worst_inside = std::max(worst_inside, std::abs(cubic_defect(t, inside[0])));
    const double exact = -t / (1 / inside[0] + 3 * inside[0]);
    worst_direction = std::max(worst_direction, std::abs(dz(0, 1) - exact));
    return true;
  };
  run.run(3, with(Method::kBdf, 1e-9, 1e-10));
  ASSERT_EQ(run.result.outcome, Outcome::kFinished) << run.result.message();
  EXPECT_LT(worst_residual, 1e-8);
  EXPECT_LT(worst_defect, 1e-7);
  EXPECT_LT(worst_inside, 1e-7);
  EXPECT_LT(worst_direction, 1e-7);
  EXPECT_GT(worst_direction, 1e-13);
}

TEST(Bdf, StartSolvesTheAlgebraicEquationsToRounding) {
  FormulaRun run(cubic_dae());
  const State state = run.start(true);
  const Options options = with(Method::kBdf, 1e-6, 1e-6);
  Flow flow(*run.system, *run.workspace, options);
  flow.set_piece({}, 1e300);
  const auto stepper = make_bdf(flow, state.W.count());
  ASSERT_EQ(stepper->start(state), Status::kOk);
  EXPECT_NEAR(stepper->z1()[0], 1, 1e-15);
  std::vector<double> z(1);
  dynamics::Directions dz(1, 2);
  stepper->algebraic(0, z);
  EXPECT_NEAR(z[0], 1, 1e-15);
  stepper->algebraic_directions(0, dz);
  EXPECT_NEAR(dz(0, 0), 0.25, 1e-14);  // dz/dy = 1 / (1 + 3 z^2)
  EXPECT_NEAR(dz(0, 1), 0, 1e-15);
}

TEST(Bdf, DirectionsAgreeWithDifferencesOfTightRuns) {
  // A stiff problem whose parameters matter: the smallness of the error says that the directions of
  // the parameters enter, and that those of the Newton matrix do not.
  FormulaModel m;
  m.state("a", 1, "-100*a + p*b^2 + 0.1*sin(3*t)");
  m.state("b", 1, "q*a - b - b^2");
  m.parameter("p", 80);
  m.parameter("q", 2);
  FormulaRun run(m);
  const State end = run.run(2, with(Method::kBdf, 1e-10, 1e-12));
  for (int j = 0; j < run.num_directions(); ++j) {
    const double x = run.unknown(j), h = 1e-4 * x;
    const auto at = [&](double value) {
      run.unknown(j) = value;
      return run.run(2, with(Method::kDop853, 1e-13, 1e-14), false).y;
    };
    const auto above = at(x + h), below = at(x - h);
    run.unknown(j) = x;
    for (int i = 0; i < run.ny; ++i) {
      const double difference = (above[i] - below[i]) / (2 * h);
      EXPECT_NEAR(end.W(i, j), difference, 1e-6 * (1e-2 + std::abs(difference))) << i << " " << j;
    }
    EXPECT_GT(std::abs(end.W(1, j)), 1e-5) << j;  // stiff: initial values of a matter little
  }
}

TEST(Bdf, ScalingADirectionScalesItsSensitivitiesToRounding) {
  const double scale = 1e-7;
  FormulaModel plain = logistic(), scaled = logistic();
  scaled.parameters[0].initial = *plain.parameters[0].initial / scale;
  scaled.states[0].derivative = "1e-7*p*y*(1 - y/K)";
  for (bool control : {false, true}) {
    Options options = with(Method::kBdf, 1e-8, 1e-10);
    options.control_sensitivities = control;
    FormulaRun first(plain), second(scaled);
    const State a = first.run(4, options), b = second.run(4, options);
    EXPECT_NEAR(b.W(0, 1) / (scale * a.W(0, 1)), 1, 1e-10) << control;
  }
}

TEST(Bdf, ControlledSensitivitiesAreMoreAccurateAndCostSteps) {
  // The state hardly moves at first while its sensitivity to K changes fast.
  const auto error = [](bool control, std::int64_t& steps) {
    FormulaRun run(logistic());
    Options options = with(Method::kBdf, 1e-6, 1e-6);
    options.control_sensitivities = control;
    const State end = run.run(4, options);
    steps = run.result.statistics.steps;
    const Logistic exact(4);
    return std::max({std::abs(end.W(0, 0) / exact.dy_dy0 - 1),
                     std::abs(end.W(0, 1) / exact.dy_dp - 1),
                     std::abs(end.W(0, 2) / exact.dy_dK - 1)});
  };
  std::int64_t free_steps = 0, controlled_steps = 0;
  const double free = error(false, free_steps), controlled = error(true, controlled_steps);
  EXPECT_LT(controlled, free / 2);
  EXPECT_GT(controlled_steps, free_steps);
}

TEST(Bdf, ReplayEndsWhereTheRecordedStepsEndAndKeepsTheTolerance) {
  // The record of a sloppy run, repeated with a tight tolerance: several steps for each of its.
  FormulaRun run(logistic());
  Record record;
  run.run(4, with(Method::kBdf, 1e-3, 1e-3), false, &record);
  std::vector<double> ends;
  double worst = 0;
  run.on_step = [&](const AcceptedStep& step) {
    ends.push_back(step.t1);
    for (double theta : {0.0, 0.1, 0.4, 0.9, 1.0}) {
      std::vector<double> y(1);
      const double t = step.t0 + theta * (step.t1 - step.t0);
      step.curve.state(t, y);
      worst = std::max(worst, std::abs(y[0] - Logistic(t).y));
    }
    return true;
  };
  const State end = run.replay(record, with(Method::kBdf, 1e-9, 1e-9), true);
  ASSERT_EQ(run.result.outcome, Outcome::kFinished);
  ASSERT_EQ(ends.size(), record.steps.size());
  for (std::size_t i = 0; i < ends.size(); ++i) EXPECT_EQ(ends[i], record.steps[i].t1);
  EXPECT_EQ(end.t, 4);
  EXPECT_LT(worst, 1e-7);
  EXPECT_NEAR(end.W(0, 1), Logistic(4).dy_dp, 1e-6);
}

TEST(Bdf, StatisticsCountWhatHappened) {
  FormulaRun run(kaps());
  run.run(1, with(Method::kBdf, 1e-6, 1e-8));
  const Statistics& s = run.result.statistics;
  EXPECT_EQ(std::accumulate(s.steps_of_order.begin(), s.steps_of_order.end(), std::int64_t{0}),
            s.steps);
  EXPECT_GT(s.evaluations, s.steps);
  EXPECT_LT(s.evaluations, 10 * s.steps);
  EXPECT_GT(s.direction_evaluations, s.steps);
  EXPECT_GT(s.factorizations, 0);
  EXPECT_LT(s.factorizations, s.steps);
}

TEST(Bdf, RestartsAfterAJumpOfTheRightHandSide) {
  FormulaModel m;
  m.state("y", 0, "-1000*(y - target)");
  m.parameter("target", 1);
  m.event_at("switch", 1).set("target", 2);
  FormulaRun run(m);
  const State end = run.run(1.002, with(Method::kBdf, 1e-9, 1e-11));
  ASSERT_EQ(run.result.outcome, Outcome::kFinished);
  ASSERT_EQ(run.result.events.size(), 1u);
  EXPECT_NEAR(end.y[0], 2 - std::exp(-2.0), 1e-7);
}

// Failures: a status that says why, the state of the last accepted step, and nothing printed.

struct Failure {
  Result result;
  State state;
  std::string printed;
};
Failure run_into_failure(const FormulaModel& model, double t_end, bool with_directions = false) {
  FormulaRun run(model);
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  Failure failure;
  failure.state = run.run(t_end, with(Method::kBdf, 1e-8, 1e-10), with_directions);
  failure.result = run.result;
  failure.printed = testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
  EXPECT_EQ(failure.printed, "");
  return failure;
}

TEST(Bdf, ARightHandSideThatEndsStopsTheRunThere) {
  FormulaModel m;
  m.state("y", 0, "sqrt(1 - t)");
  for (bool with_directions : {false, true}) {
    const Failure f = run_into_failure(m, 2, with_directions);
    EXPECT_EQ(f.result.outcome, Outcome::kSystemFailed);
    EXPECT_EQ(f.result.status, Status::kNotFinite);
    EXPECT_NEAR(f.state.t, 1, 1e-4);
    EXPECT_LE(f.state.t, 1);
    EXPECT_NEAR(f.state.y[0], 2.0 / 3 * (1 - std::pow(1 - f.state.t, 1.5)), 1e-6);
  }
}

TEST(Bdf, ARightHandSideThatIsUndefinedAtTheStartIsReported) {
  FormulaModel m;
  m.state("y", -1, "log(y)");
  const Failure f = run_into_failure(m, 2);
  EXPECT_EQ(f.result.outcome, Outcome::kSystemFailed);
  EXPECT_EQ(f.result.status, Status::kNotFinite);
  EXPECT_EQ(f.state.t, 0);
}

TEST(Bdf, ARightHandSideThatIsDefinedOnlyAtTheStartIsReported) {
  FormulaModel ode;
  ode.state("y", 1, "sqrt(-t) - y");
  FormulaModel dae;
  dae.state("y", 1, "sqrt(-t) - z");
  dae.algebraic("z", 1);
  dae.equation("z = y");
  for (const FormulaModel& m : {ode, dae}) {
    const Failure f = run_into_failure(m, 2);
    EXPECT_EQ(f.result.outcome, Outcome::kSystemFailed);
    EXPECT_EQ(f.result.status, Status::kNotFinite);
    EXPECT_EQ(f.state.t, 0);
    EXPECT_EQ(f.state.y[0], 1);
  }
}

TEST(Bdf, ASolutionThatBlowsUpEndsWithAStepTooSmall) {
  FormulaModel m;
  m.state("y", 1, "y^2");
  const Failure f = run_into_failure(m, 2);
  EXPECT_EQ(f.result.outcome, Outcome::kStepTooSmall);
  EXPECT_EQ(f.result.message().find("bdf"), std::string::npos) << "advises what is used already";
  EXPECT_NEAR(f.state.t, 1, 1e-6);
  EXPECT_GT(f.state.y[0], 1e6);
}

TEST(Bdf, ATurningPointOfZIsSingular) {
  FormulaModel m;
  m.state("y", 1, "-z");
  m.algebraic("z", 1);
  m.equation("(z - 1)^2 = 1 - y");
  const Failure f = run_into_failure(m, 1);
  EXPECT_EQ(f.result.outcome, Outcome::kSystemFailed);
  EXPECT_EQ(f.result.status, Status::kSingular);
}

TEST(Bdf, DependentEquationsAreSingularWhateverTheirUnits) {
  FormulaModel m;
  m.state("y", 1, "-z");
  m.algebraic("z", 1);
  m.algebraic("w", 1);
  m.equation("z + w = y");
  m.equation("1e-9*(z + w) = 1e-9*y");
  EXPECT_EQ(run_into_failure(m, 1).result.status, Status::kSingular);
  m.equations[1] = {"1e-9*(z - w) = 1e-9*y"};  // small, but regular
  FormulaRun run(m);
  run.run(1, with(Method::kBdf, 1e-8, 1e-10));
  EXPECT_EQ(run.result.outcome, Outcome::kFinished);
}

TEST(Bdf, AnEquationWithoutSolutionIsReported) {
  FormulaModel m;
  m.state("y", 1, "-z");
  m.algebraic("z", 1.3);
  m.equation("z^2 + 1 = 0");
  const Failure f = run_into_failure(m, 1);
  EXPECT_EQ(f.result.outcome, Outcome::kSystemFailed);
  EXPECT_EQ(f.result.status, Status::kProjectionFailed);
}

TEST(Bdf, ADaeThatBecomesSingularStopsThere) {
  FormulaModel m;
  m.state("y", 1, "-1");
  m.algebraic("z", 1);
  m.equation("z^2 = y");  // z = sqrt(1 - t)
  const Failure f = run_into_failure(m, 2);
  EXPECT_FALSE(f.result.finished());
  EXPECT_NEAR(f.state.t, 1, 1e-3);
}

/// On the unit circle at unit speed, with or without its invariant.
class Turning final : public RhsSystem {
 public:
  explicit Turning(bool stays_on_it)
      : RhsSystem({1.0, 0.0}, [](double, ConstVec y, Vec f) {
          f[0] = -y[1];
          f[1] = y[0];
          return Status::kOk;
        }) {
    if (!stays_on_it) return;
    counts.ne = 0;
    counts.nq = 2;
    counts.num_pos = 1;
    projection = [](Vec y) {
      const double r = std::hypot(y[0], y[1]);
      y[0] /= r;
      y[1] /= r;
      return dynamics::ProjectionReport{};
    };
  }
  void directions(dynamics::Workspace&, const dynamics::PointDirections& d,
                  dynamics::Directions& df, dynamics::Directions*) const override {
    for (int i = 0; i < df.count(); ++i) {
      df(0, i) = -(*d.dy)(1, i);
      df(1, i) = (*d.dy)(0, i);
    }
  }
};

TEST(Bdf, TestsTheErrorOfTheStepAndNotWhatTheProjectionLeavesOfIt) {
  // The error of the implicit Euler method, h^2/2 y'', points to the centre: projected there is
  // hardly any left.
  Options options = with(Method::kBdf, 1e-5, 1e-5);
  options.max_order = 1;
  std::int64_t steps[2];
  for (const bool stays : {false, true}) {
    const Turning system(stays);
    State state;
    state.y = system.initial_state();
    const auto workspace = system.make_workspace(0);
    const auto result = Integrator(system, *workspace, options).run(state, 2, {});
    ASSERT_TRUE(result.finished()) << result.message();
    steps[stays] = result.statistics.steps;
  }
  EXPECT_GT(steps[0], 200);
  EXPECT_NEAR(static_cast<double>(steps[1]), static_cast<double>(steps[0]), 0.1 * steps[0]);
}

TEST(Bdf, AlgebraicStatesBesideInvariantsAreRefused) {
  RhsSystem system({0}, [](double, ConstVec, Vec) { return Status::kOk; });
  system.counts.nz = 1;
  system.counts.num_pos = 1;
  const auto workspace = system.make_workspace(0);
  Flow flow(system, *workspace, with(Method::kBdf, 1e-6, 1e-6));
  EXPECT_THROW(make_bdf(flow, 0), base::InputError);
}

}  // namespace
}  // namespace parfait::integrate
