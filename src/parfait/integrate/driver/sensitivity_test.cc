#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "parfait/integrate/driver/test_formulas.h"

namespace parfait::integrate {
namespace {

using dynamics::FormulaModel;

FormulaModel fitzhugh_nagumo() {
  FormulaModel m;
  m.state("v", 1, "v - v^3/3 - w + l");
  m.state("w", 1, "tinv*(v + a - b*w)");
  m.parameter("a", 0.7);
  m.parameter("b", 0.8);
  m.parameter("tinv", 0.08);
  m.parameter("l", 0.5);
  return m;
}

FormulaModel lotka_volterra() {
  FormulaModel m;
  m.state("x", 1, "a*x - b*x*y");
  m.state("y", 1, "-c*y + d*x*y");
  m.parameter("a", 1.5);
  m.parameter("b", 1);
  m.parameter("c", 3);
  m.parameter("d", 1);
  return m;
}

/// x'' + 2 d x' + c x = 0 from (x, x') = (1, 0).
FormulaModel oscillator() {
  FormulaModel m;
  m.state("x", 1, "u");
  m.state("u", 0.0, "-c*x - 2*d*u");
  m.parameter("c", 4);
  m.parameter("d", 0.3);
  return m;
}

/// d/dx of values(x), by central differences of order 4: with the curvature of these problems those
/// of order 2 reach 1e-8 nowhere.
template <class Values>
std::vector<double> difference(double& x, const Values& values) {
  const double at = x, h = 2e-5 * std::max(0.3, std::abs(at));
  std::vector<double> sum;
  for (const auto& [multiple, weight] :
       {std::pair{1, 8.0}, std::pair{-1, -8.0}, std::pair{2, -1.0}, std::pair{-2, 1.0}}) {
    x = at + multiple * h;
    const std::vector<double> f = values();
    sum.resize(f.size());
    for (std::size_t i = 0; i < f.size(); ++i) sum[i] += weight * f[i] / (12 * h);
  }
  x = at;
  return sum;
}

/// Methods whose sensitivities are the derivative of their own discretization.
class InternalDifferentiation : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, InternalDifferentiation,
                         testing::Values(Method::kDop853, Method::kDopri5, Method::kAbm),
                         [](const auto& instance) { return std::string(text(instance.param)); });

TEST_P(InternalDifferentiation, MatchesTheClosedFormOfTheOscillator) {
  FormulaRun run(oscillator());
  const double t = 3;
  const State end = run.run(t, with(GetParam(), 1e-11, 1e-13));
  // Complex steps through the closed form: derivatives without a difference.
  using Complex = std::complex<double>;
  const auto x = [&](Complex c, Complex d) {
    const Complex w = std::sqrt(c - d * d);
    return std::exp(-d * t) * (std::cos(w * t) + d / w * std::sin(w * t));
  };
  const double step = 1e-30;
  EXPECT_NEAR(end.y[0], x(4, 0.3).real(), 1e-9);
  EXPECT_NEAR(end.W(0, 2), x({4, step}, 0.3).imag() / step, 1e-9);
  EXPECT_NEAR(end.W(0, 3), x(4, {0.3, step}).imag() / step, 1e-9);
  // The columns of the initial values are the fundamental matrix: its determinant is exp(-2 d t).
  EXPECT_NEAR(end.W(0, 0) * end.W(1, 1) - end.W(0, 1) * end.W(1, 0), std::exp(-0.6 * t), 1e-9);
}

TEST_P(InternalDifferentiation, AgreesWithDifferencesAlongTheSameSteps) {
  // A loose tolerance: the derivative of the solution itself is far away from these.
  FormulaRun run(fitzhugh_nagumo());
  const Options options = with(GetParam(), 1e-4, 1e-6);
  Record record;
  const State end = run.run(30, options, true, &record);
  double largest = 0;
  for (int j = 0; j < run.num_directions(); ++j) {
    const auto expected = difference(run.unknown(j), [&] { return run.replay(record, options).y; });
    for (int i = 0; i < run.ny; ++i) {
      EXPECT_NEAR(end.W(i, j), expected[i], 1e-8 * (1 + std::abs(expected[i]))) << i << ", " << j;
      largest = std::max(largest, std::abs(expected[i]));
    }
  }
  EXPECT_GT(largest, 10);  // not vacuous: dv/dtinv = 47
}

TEST_P(InternalDifferentiation, PerturbedStartFollowsTheDirectionsToSecondOrder) {
  FormulaRun run(fitzhugh_nagumo());
  const Options options = with(GetParam(), 1e-4, 1e-6);
  Record record;
  const State end = run.run(10, options, true, &record);
  const auto defect = [&](double epsilon) {
    run.y0 = {1 + epsilon, 1 - 2 * epsilon};
    const State moved = run.replay(record, options);
    run.y0 = {1, 1};
    double sum = 0;
    for (int i = 0; i < 2; ++i) {
      sum += std::abs(moved.y[i] - end.y[i] - epsilon * (end.W(i, 0) - 2 * end.W(i, 1)));
    }
    return sum;
  };
  for (double epsilon : {1e-3, 5e-4}) {
    ASSERT_GT(defect(epsilon / 2), 1e-11);
    EXPECT_NEAR(std::log2(defect(epsilon) / defect(epsilon / 2)), 2, 0.05) << epsilon;
  }
}

TEST_P(InternalDifferentiation, ReplayRepeatsTheRunBitForBit) {
  FormulaRun run(lotka_volterra());
  const Options options = with(GetParam(), 1e-6, 1e-8);
  Record record;
  const State plain = run.run(7, options, false, &record);
  // Directions that the run did not have, along the steps that it took.
  const State replayed = run.replay(record, options, true);
  EXPECT_EQ(replayed.y, plain.y);
  const State direct = run.run(7, options, true);
  EXPECT_EQ(direct.y, plain.y);
  for (std::size_t i = 0; i < direct.W.size(); ++i) {
    EXPECT_EQ(replayed.W.data()[i], direct.W.data()[i]) << i;
  }
}

TEST_P(InternalDifferentiation, DenseDirectionsAreTheDerivativeOfTheDenseOutput) {
  FormulaRun run(fitzhugh_nagumo());
  const Options options = with(GetParam(), 1e-4, 1e-6);
  Record record;
  std::vector<double> samples;
  std::vector<dynamics::Directions> directions;
  run.on_step = [&](const AcceptedStep& step) {
    std::vector<double> y(2);
    dynamics::Directions W(2, step.curve.W1().count());
    for (double theta : {0.0, 0.21, 0.5, 0.83, 1.0}) {
      const double t = theta == 1 ? step.t1 : step.t0 + theta * (step.t1 - step.t0);
      EXPECT_EQ(step.curve.state(t, y), dynamics::Status::kOk);
      samples.insert(samples.end(), y.begin(), y.end());
      EXPECT_EQ(step.curve.directions(t, W), dynamics::Status::kOk);
      if (W.count() > 0) directions.push_back(W);
    }
    return true;
  };
  run.run(12, options, true, &record);
  const int j = 4;  // tinv
  const auto expected = difference(run.unknown(j), [&] {
    samples.clear();
    run.replay(record, options);
    return samples;
  });
  ASSERT_EQ(expected.size(), 2 * directions.size());
  ASSERT_GE(directions.size(), 40u);
  for (std::size_t s = 0; s < expected.size(); ++s) {
    EXPECT_NEAR(directions[s / 2](static_cast<int>(s % 2), j), expected[s],
                1e-8 * (1 + std::abs(expected[s])))
        << s;
  }
}

TEST_P(InternalDifferentiation, RateIsTheTimeDerivativeOfTheDenseOutput) {
  FormulaRun run(fitzhugh_nagumo());
  int checked = 0;
  run.on_step = [&](const AcceptedStep& step) {
    std::vector<double> rate(2), plus(2), minus(2);
    const double h = step.t1 - step.t0, t = step.t0 + 0.37 * h, dt = 1e-4 * h;
    EXPECT_EQ(step.curve.rate(t, rate), dynamics::Status::kOk);
    EXPECT_EQ(step.curve.state(t + dt, plus), dynamics::Status::kOk);
    EXPECT_EQ(step.curve.state(t - dt, minus), dynamics::Status::kOk);
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(rate[i], (plus[i] - minus[i]) / (2 * dt), 1e-7);
    ++checked;
    return true;
  };
  run.run(10, with(GetParam(), 1e-4, 1e-6), false);
  EXPECT_GT(checked, 5);
}

struct Row {
  double t;
  std::vector<double> values;  ///< two states, then d/dp of the first, then of the second
};

void expect_table(FormulaRun& run, Method method, const std::vector<Row>& rows, double tolerance) {
  for (const Row& row : rows) {
    const State end = run.run(row.t, with(method, 1e-12, 1e-14));
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(end.y[i], row.values[i], tolerance * (1 + std::abs(row.values[i])));
      for (int j = 0; j < 4; ++j) {
        const double expected = row.values[2 + 4 * i + j];
        EXPECT_NEAR(end.W(i, 2 + j), expected, tolerance * (1 + std::abs(expected)))
            << "t = " << row.t << ", state " << i << ", parameter " << j;
      }
    }
  }
}

// Trajectories and sensitivities of two problems of SciMLBenchmarks, recomputed independently with
// DOP853 at 1e-13 and the variational equations.
TEST_P(InternalDifferentiation, MatchesTheTablesOfFitzHughNagumo) {
  FormulaRun run(fitzhugh_nagumo());
  expect_table(run, GetParam(),
               {{1,
                 {1.123221663838, 1.075165963514, -3.630238045855e-02, 3.721637942432e-02,
                  -4.218138408120e-01, 8.988688031110e-01, 7.650819911783e-02, -7.940066107035e-02,
                  8.990934134238e-01, 3.704796629159e-02}},
                {10,
                 {-1.954045952935, 9.943443737839e-01, 6.588643833616e-02, -6.401130962425e-02,
                  2.971764662664, -5.593114600346e-01, -4.562801184264e-01, 5.077257969281e-01,
                  -1.183460934606e+01, 3.408399879924}},
                {30,
                 {-6.542477723155e-01, -2.287932613428e-01, -4.578188621969, -7.364397398278e-01,
                  4.716435166837e+01, 1.570949636645, -6.308541098464e-02, 1.895351195468e-02,
                  4.737939930993, 8.224520827028e-01}}},
               1e-9);
}

TEST_P(InternalDifferentiation, MatchesTheTablesOfLotkaVolterra) {
  FormulaRun run(lotka_volterra());
  expect_table(
      run, GetParam(),
      {{1,
        {2.772850901841, 2.587108781426e-01, 2.548316946096, -1.184796662646, 4.774830449799e-01,
         -6.282182304500e-01, 2.382855060487e-01, -1.342715172043e-01, -2.207160809893e-01,
         3.802255584451e-01}},
       {30,
        {1.093975837151, 7.560923167115e-01, 8.665400714563, 8.119513872179e-01, 2.274331561905,
         3.781463772900, -1.506076547984e+01, -1.685729193727, -4.118740459453, -6.600807958055}}},
      1e-8);
}

TEST_P(InternalDifferentiation, ControlOfSensitivitiesMakesThemMoreAccurate) {
  const auto error = [&](bool control) {
    FormulaRun run(fitzhugh_nagumo());
    Options options = with(GetParam(), 1e-5, 1e-7);
    options.control_sensitivities = control;
    const State end = run.run(30, options);
    return std::abs(end.W(0, 4) / 4.716435166837e+01 - 1);
  };
  EXPECT_LT(error(true), 0.5 * error(false));
}

}  // namespace
}  // namespace parfait::integrate
