#include "parfait/integrate/hht/hht.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/integrate/driver/test_oscillator.h"
#include "parfait/integrate/stepping/flow.h"
#include "parfait/math/dense_solves.h"

// The method on a linear oscillator, where every number it should give is known.
namespace parfait::integrate::hht_test {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

Options hht_options(double alpha) {
  Options options;
  options.method = Method::kHht;
  options.hht_alpha = alpha;
  options.rtol = 1e-6;
  options.atol = 1e-8;
  return options;
}

/// A stepper at the initial state of a system.
struct Steps {
  Steps(const dynamics::System& system, const Options& options, int k = 0)
      : workspace(system.make_workspace(k)), flow(system, *workspace, options) {
    stepper = make_hht(flow, k);
    state.y = system.initial_state();
    state.W.resize(flow.ny(), k);
    for (int i = 0; i < k; ++i) state.W(i, i) = 1;
    flow.set_piece({}, 1e9);
    EXPECT_EQ(stepper->start(state), dynamics::Status::kOk);
  }
  /// To t1 in one step.
  void to(double t1) { ASSERT_EQ(stepper->repeat({.t1 = t1, .order = 0}), Outcome::kFinished); }

  std::unique_ptr<dynamics::Workspace> workspace;
  Flow flow;
  std::unique_ptr<Stepper> stepper;
  State state;
};

TEST(Hht, IsTheTrapezoidalRuleAtAlphaZero) {
  const double omega = 3, c = 0.4, decay = 2, h = 0.1;
  const Oscillator system(omega, c, decay);
  Steps run(system, hht_options(0));
  Matrix2d A;
  A << 0, 1, -omega * omega, -c;
  const Matrix2d I = Matrix2d::Identity();
  const Matrix2d R = (I - h / 2 * A).inverse() * (I + h / 2 * A);
  Vector2d x(1, 0);
  double e = 1;
  for (int n = 1; n <= 50; ++n) {
    run.to(n * h);
    x = R * x;
    e *= (1 - h / 2 * decay) / (1 + h / 2 * decay);
    ASSERT_NEAR(run.stepper->y1()[0], x[0], 1e-12);
    ASSERT_NEAR(run.stepper->y1()[1], x[1], 1e-12);
    ASSERT_NEAR(run.stepper->y1()[2], e, 1e-12);
  }
}

/// (q, h v, h^2 a) from one step to the next, from the three equations of the method; m = 1.
Matrix3d amplification(double alpha, double omega) {
  const double gamma = 0.5 - alpha, beta = (1 - alpha) * (1 - alpha) / 4, k = omega * omega;
  Matrix3d left, right;
  left << 1, 0, -beta,  //
      0, 1, -gamma,     //
      (1 + alpha) * k, 0, 1;
  right << 1, 1, 0.5 - beta,  //
      0, 1, 1 - gamma,        //
      alpha * k, 0, 0;
  return left.inverse() * right;
}

TEST(Hht, AppliesItsAmplificationMatrix) {
  for (const double alpha : {-0.05, -0.1, -1.0 / 3}) {
    for (const double omega : {2.0, 1e3}) {
      const double h = 0.05;
      const Oscillator system(omega, 0, 1);
      Steps run(system, hht_options(alpha));
      const Matrix3d A = amplification(alpha, omega * h);
      Vector3d x(1, 0, -omega * omega * h * h);
      for (int n = 1; n <= 30; ++n) {
        run.to(n * h);
        x = A * x;
        const double scale = 1 + x.cwiseAbs().maxCoeff();
        ASSERT_NEAR(run.stepper->y1()[0], x[0], 1e-10 * scale);
        ASSERT_NEAR(run.stepper->y1()[1] * h, x[1], 1e-10 * scale);
      }
    }
  }
}

TEST(Hht, DampsFastMotionByTheKnownFactor) {
  // For h omega to infinity the eigenvalues are alpha / (1 + alpha) and -(1 + alpha) / (1 - alpha)
  // twice (docs/theory/hht.md, H3).
  for (const double alpha : {-0.05, -0.1, -1.0 / 3}) {
    const double rho = (1 + alpha) / (1 - alpha);
    const double found = math::eigenvalues(amplification(alpha, 1e5)).cwiseAbs().maxCoeff();
    EXPECT_NEAR(found, rho, 1e-3);
    const double h = 0.01;
    const Oscillator system(1e5 / h, 0, 1);
    Steps run(system, hht_options(alpha));
    std::vector<double> v;
    for (int n = 1; n <= 60; ++n) {
      run.to(n * h);
      v.push_back(std::abs(run.stepper->y1()[1]));
    }
    // A double eigenvalue gives n rho^n.
    EXPECT_NEAR(v[59] / v[39], std::pow(rho, 20) * 60 / 40, 0.05 * v[59] / v[39]) << alpha;
  }
  // At alpha = 0 nothing is damped.
  EXPECT_NEAR(math::eigenvalues(amplification(0, 1e5)).cwiseAbs().maxCoeff(), 1, 1e-6);
}

/// Largest error of (q, v, e) at t = 2 over steps of pattern h, h/2, h, h/2 ... or h alone.
double oscillator_error(double alpha, int steps, bool alternating) {
  const double omega = 2, decay = 1.5, t_end = 2;
  const Oscillator system(omega, 0, decay);
  Steps run(system, hht_options(alpha));
  const double h = t_end / (alternating ? 1.5 * steps : 2.0 * steps);
  double t = 0;
  for (int n = 0; n < 2 * steps; ++n) {
    t = n == 2 * steps - 1 ? t_end : t + (alternating && n % 2 == 1 ? h / 2 : h);
    run.to(t);
  }
  const auto y = run.stepper->y1();
  return std::max({std::abs(y[0] - std::cos(omega * t_end)),
                   std::abs(y[1] + omega * std::sin(omega * t_end)),
                   std::abs(y[2] - std::exp(-decay * t_end))});
}

TEST(Hht, HasOrderTwoForPositionsVelocitiesAndExternalStates) {
  for (const double alpha : {0.0, -0.1, -1.0 / 3}) {
    for (const int steps : {40, 80, 160}) {
      const double coarse = oscillator_error(alpha, steps, false);
      const double fine = oscillator_error(alpha, 2 * steps, false);
      ASSERT_GT(fine, 1e-9);
      EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << "alpha = " << alpha << ", " << steps;
    }
  }
}

TEST(Hht, KeepsOrderTwoWhenTheStepAlwaysChanges) {
  for (const double alpha : {-0.1, -1.0 / 3}) {
    for (const int steps : {40, 80, 160}) {
      const double coarse = oscillator_error(alpha, steps, true);
      const double fine = oscillator_error(alpha, 2 * steps, true);
      ASSERT_GT(fine, 1e-9);
      EXPECT_NEAR(std::log2(coarse / fine), 2, 0.15) << "alpha = " << alpha << ", " << steps;
    }
  }
}

TEST(Hht, ErrorEstimateIsTheLocalErrorOfThePosition) {
  // With constant steps behind it, the next step misses the exact motion from (q, v, a) by
  // (1/12 + alpha^2/4) h^3 q''' (H5). The step size found then follows: error 1 at the tolerance.
  for (const double alpha : {0.0, -0.1, -1.0 / 3}) {
    const double omega = 2, h = 1e-3;
    const Oscillator system(omega, 0, 1);
    Steps run(system, hht_options(alpha));
    double t = 0;
    for (int n = 0; n < 200; ++n) run.to(t += h);
    const double q0 = run.stepper->y1()[0], v0 = run.stepper->y1()[1];
    run.to(t + h);
    const double exact = q0 * std::cos(omega * h) + v0 / omega * std::sin(omega * h);
    const double jerk = -omega * omega * v0;
    const double expected = (1.0 / 12 + alpha * alpha / 4) * h * h * h * jerk;
    EXPECT_NEAR((run.stepper->y1()[0] - exact) / expected, 1, 0.02) << alpha;  // measured 1 - 1e-2
  }
}

TEST(Hht, ErrorFollowsTheTolerance) {
  const Oscillator system(2, 0, 1.5);
  std::vector<double> errors;
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    Options options = hht_options(-0.05);
    options.rtol = rtol;
    options.atol = rtol;
    Steps run(system, options);
    while (run.stepper->t1() < 5) ASSERT_EQ(run.stepper->step(5), Outcome::kFinished);
    EXPECT_EQ(run.stepper->t1(), 5);
    errors.push_back(std::abs(run.stepper->y1()[0] - std::cos(10.0)));
  }
  // Local error h^3 at the tolerance: the global one goes with its power 2/3.
  for (int i = 0; i < 2; ++i) {
    EXPECT_GT(errors[i] / errors[i + 1], 10);
    EXPECT_LT(errors[i] / errors[i + 1], 50);
  }
  EXPECT_LT(errors[2], 3e-5);
}

TEST(Hht, ContinuousExtensionMeetsTheEndsAndItsRateIsItsDerivative) {
  const Oscillator system(3, 0.2, 1);
  Steps run(system, hht_options(-0.1), 3);
  run.to(0.1);
  run.to(0.25);
  Stepper& s = *run.stepper;
  std::vector<double> y(3), up(3), down(3), rate(3);
  ASSERT_EQ(s.state(s.t1(), y), dynamics::Status::kOk);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(y[i], s.y1()[i], 1e-15);
  const double t = 0.17, d = 1e-4;
  s.state(t + d, up);
  s.state(t - d, down);
  s.rate(t, rate);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR((up[i] - down[i]) / (2 * d), rate[i], 1e-6);
  s.state(t, y);
  EXPECT_NEAR(y[1], rate[0], 1e-14);
  // Everything is linear here, so the directions of the unit vectors carry the state itself.
  dynamics::Directions W(3, 3);
  ASSERT_EQ(s.directions(t, W), dynamics::Status::kOk);
  EXPECT_NEAR(W(0, 0) + W(0, 2), y[0], 1e-13);
  EXPECT_NEAR(W(1, 0), y[1], 1e-13);
  EXPECT_NEAR(W(2, 2), y[2], 1e-13);
  EXPECT_NEAR(s.W1()(0, 0), s.y1()[0], 1e-13);
  EXPECT_NE(s.W1()(0, 1), 0);
}

TEST(Hht, ReportsThatNewtonsMethodFailed) {
  const Oscillator system(1, 0, 1, true);
  Steps run(system, hht_options(0));
  EXPECT_EQ(run.stepper->step(1), Outcome::kNewtonFailed);
  EXPECT_EQ(run.stepper->t0(), 0);
}

}  // namespace
}  // namespace parfait::integrate::hht_test
