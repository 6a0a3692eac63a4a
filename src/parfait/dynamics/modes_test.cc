#include "parfait/dynamics/modes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <tuple>

#include "parfait/dynamics/equilibrium.h"
#include "parfait/dynamics/equilibrium_directions.h"
#include "parfait/dynamics/formula_system.h"

// Formula models; mechanics is in mbs/evaluation/modes_test.cc.
namespace parfait::dynamics {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Run {
  EquilibriumReport report;
  std::vector<double> y, z;
  ModalAnalysis modes;
};

Run settle(const FormulaModel& model, const EquilibriumOptions& options = {}, double t = 0) {
  const auto system = make_formula_system(model);
  const auto ws = system->make_workspace(0);
  Run run;
  run.y.resize(system->sizes().ny());
  run.z.resize(system->sizes().nz);
  system->start(*ws, run.y, run.z);
  run.report = find_equilibrium(*system, *ws, t, run.y, run.z, options);
  run.modes = analyze_modes(*system, *ws, t, run.y, run.z);
  return run;
}

FormulaModel predator_and_prey() {
  FormulaModel m;
  m.state("prey", 0.4, "p1*prey - p2*prey*predator");
  m.state("predator", 1, "-p3*predator + p4*prey*predator");
  m.parameter("p1", 1.2);
  m.parameter("p2", 0.7);
  m.parameter("p3", 0.9);
  m.parameter("p4", 0.5);
  return m;
}

TEST(Modes, LotkaVolterraHasTheClosedFormFrequency) {
  const auto run = settle(predator_and_prey());
  ASSERT_TRUE(run.report.found()) << run.report.message();
  EXPECT_NEAR(run.y[0], 0.9 / 0.5, 1e-12);
  EXPECT_NEAR(run.y[1], 1.2 / 0.7, 1e-12);
  EXPECT_EQ(run.report.stability, Stability::kMarginal);
  ASSERT_EQ(run.modes.modes.size(), 1u);
  const auto& mode = run.modes.modes[0];
  EXPECT_NEAR(mode.frequency, std::sqrt(1.2 * 0.9) / (2 * std::numbers::pi), 1e-14);
  EXPECT_NEAR(mode.damping, 0, 1e-14);
  // prey' = -p2 prey* predator: the two are a quarter of a period apart.
  const auto ratio = mode.shape[0] / mode.shape[1];
  EXPECT_NEAR(ratio.real(), 0, 1e-13);
  EXPECT_NEAR(ratio.imag(), 0.7 * (0.9 / 0.5) / std::sqrt(1.2 * 0.9), 1e-12);
}

TEST(Modes, DampedOscillatorHasFrequencyAndDampingOfTheTextbook) {
  const double k = 40, d = 3, m = 2.5;
  FormulaModel model;
  model.state("x", 1, "v");
  model.state("v", 0, "(-k*x - d*v + 5)/m");
  model.parameter("k", k);
  model.parameter("d", d);
  model.parameter("m", m);
  const auto run = settle(model);
  ASSERT_TRUE(run.report.found());
  EXPECT_NEAR(run.y[0], 5 / k, 1e-14);
  EXPECT_EQ(run.report.stability, Stability::kStable);
  ASSERT_EQ(run.modes.modes.size(), 1u);
  const auto& mode = run.modes.modes[0];
  EXPECT_NEAR(mode.frequency, std::sqrt(k / m) / (2 * std::numbers::pi), 1e-13);
  EXPECT_NEAR(mode.damping, d / (2 * std::sqrt(k * m)), 1e-13);
  EXPECT_NEAR(mode.time_constant, 2 * m / d, 1e-12);
  EXPECT_NEAR(mode.damped_frequency,
              std::sqrt(k / m - d * d / (4 * m * m)) / (2 * std::numbers::pi), 1e-13);
}

TEST(Modes, OverdampedOscillatorHasTwoTimeConstants) {
  FormulaModel model;
  model.state("x", 1, "v");
  model.state("v", 0, "-2*x - 3*v");  // eigenvalues -1 and -2
  const auto run = settle(model);
  ASSERT_EQ(run.modes.modes.size(), 2u);
  EXPECT_FALSE(run.modes.modes[0].swings);
  EXPECT_NEAR(run.modes.modes[0].time_constant, 1, 1e-13);
  EXPECT_NEAR(run.modes.modes[1].time_constant, 0.5, 1e-13);
  EXPECT_EQ(run.modes.modes[0].frequency, 0);
}

TEST(Modes, AlgebraicStatesAreEliminated) {
  // z = x^2 + 1 (as z^3 = (x^2 + 1)^3), x' = 3 - z: x = sqrt 2, eigenvalue -2 x.
  FormulaModel model;
  model.state("x", 0.1, "3 - z");
  model.algebraic("z", 5);
  model.equation("z^3 = (x^2 + 1)^3");
  const auto run = settle(model);
  ASSERT_TRUE(run.report.found()) << run.report.message();
  EXPECT_NEAR(run.y[0], std::sqrt(2.0), 1e-10);
  EXPECT_NEAR(run.z[0], 3, 1e-10);
  ASSERT_EQ(run.modes.modes.size(), 1u);
  EXPECT_NEAR(run.modes.modes[0].eigenvalue.real(), -2 * std::sqrt(2.0), 1e-9);
}

TEST(Equilibrium, StableOneIsFoundFromTheUnstableOne) {
  FormulaModel model;
  model.state("x", 0, "x - x^3");
  const auto run = settle(model);
  ASSERT_TRUE(run.report.found());
  EXPECT_NEAR(std::abs(run.y[0]), 1, 1e-14);
  EXPECT_EQ(run.report.stability, Stability::kStable);
  EXPECT_NEAR(run.report.growth, -2, 1e-13);

  const auto nearest = settle(model, {.prefer_stable = false});
  ASSERT_TRUE(nearest.report.found());
  EXPECT_EQ(nearest.y[0], 0);
  EXPECT_EQ(nearest.report.stability, Stability::kUnstable);
  EXPECT_NEAR(nearest.report.growth, 1, 1e-12);
}

TEST(Equilibrium, FlowsDownhillRatherThanToTheNextZero) {
  // From 0.1 Newton's method goes to 0 (unstable), the flow to 1.
  FormulaModel model;
  model.state("x", 0.1, "x - x^3");
  EXPECT_NEAR(settle(model).y[0], 1, 1e-12);
  EXPECT_NEAR(settle(model, {.prefer_stable = false}).y[0], 0, 1e-12);
}

TEST(Equilibrium, UnstableOneIsTheAnswerWhereThereIsNoOther) {
  FormulaModel line;
  line.state("x", 5, "x - 2");
  const auto run = settle(line);
  ASSERT_TRUE(run.report.found()) << run.report.message();
  EXPECT_NEAR(run.y[0], 2, 1e-12);
  EXPECT_EQ(run.report.stability, Stability::kUnstable);

  FormulaModel van_der_pol;
  van_der_pol.state("x", 2, "v");
  van_der_pol.state("v", 0, "(1 - x^2)*v - x");
  const auto focus = settle(van_der_pol);
  ASSERT_TRUE(focus.report.found()) << focus.report.message();
  EXPECT_NEAR(focus.y[0], 0, 1e-10);
  EXPECT_EQ(focus.report.stability, Stability::kUnstable);
  EXPECT_NEAR(focus.report.growth, 0.5, 1e-9);
}

TEST(Equilibrium, ConservedSumStaysWhatItIs) {
  // A <-> B with k1 A = k2 B; the sum is 3 at the start and nothing in the rates fixes it.
  FormulaModel model;
  model.state("A", 3, "-2*A + 1*B");
  model.state("B", 0, "2*A - 1*B");
  const auto run = settle(model);
  ASSERT_TRUE(run.report.found());
  EXPECT_NEAR(run.y[0], 1, 1e-9);
  EXPECT_NEAR(run.y[1], 2, 1e-9);
  EXPECT_EQ(run.report.neutral.size(), 1u);
  EXPECT_EQ(run.report.stability, Stability::kMarginal);
  EXPECT_FALSE(run.modes.drifts);
  ASSERT_EQ(run.modes.modes.size(), 1u);
  EXPECT_NEAR(run.modes.modes[0].eigenvalue.real(), -3, 1e-12);
}

TEST(Equilibrium, ParameterThatAnEventSetsIsLeftAlone) {
  FormulaModel model;
  model.state("x", 0, "c - 4*x");
  model.parameter("c", 2);
  model.event_at("later", 5).set("c", 7);
  const auto run = settle(model);
  ASSERT_TRUE(run.report.found());
  EXPECT_NEAR(run.y[0], 0.5, 1e-14);
  EXPECT_EQ(run.y[1], 2);
  EXPECT_THAT(run.report.neutral, IsEmpty());
  EXPECT_EQ(run.report.stability, Stability::kStable);
  EXPECT_EQ(run.modes.modes.size(), 1u);
}

TEST(Equilibrium, StateThatNothingStopsIsNamedAndTheStateKept) {
  FormulaModel model;
  model.state("rests", 1, "-rests");
  model.state("tank", 0.25, "1e-3 - 1e-3*rests");
  model.state("leaks", 0.5, "-2e-3");
  const auto run = settle(model);
  EXPECT_EQ(run.report.outcome, EquilibriumOutcome::kNoEquilibrium);
  EXPECT_THAT(run.report.message(), HasSubstr("leaks"));
  EXPECT_THAT(run.y, ElementsAre(1, 0.25, 0.5));
}

TEST(Equilibrium, ActuatorsStandStillAtTheGivenTime) {
  FormulaModel model;
  model.state("x", 0, "sin(t) - x");
  EXPECT_NEAR(settle(model, {}, 1.25).y[0], std::sin(1.25), 1e-13);
}

TEST(Equilibrium, ScalesOfStatesMayBeFarApart) {
  FormulaModel model;
  model.state("large", 0, "1e9 - large");
  model.state("small", 0, "1e-9 - 1e-3*small");
  model.state("fast", 1, "1e7*(large*1e-9 - fast)");
  const auto run = settle(model);
  ASSERT_TRUE(run.report.found()) << run.report.message();
  EXPECT_NEAR(run.y[0], 1e9, 1e-1);
  EXPECT_NEAR(run.y[1], 1e-6, 1e-12);
  EXPECT_NEAR(run.y[2], 1, 1e-10);
  EXPECT_EQ(run.report.stability, Stability::kStable);
}

// A + B <-> C, D made by C and consumed: A and C in one unit, B in another, D in a third.
TEST(Equilibrium, UnitsOfStatesDoNotMatter) {
  std::vector<double> one;
  int iterations = 0;
  for (const auto& [u, v, w] : {std::tuple{1.0, 1.0, 1.0},
                                {1e-9, 1e-9, 1e-9},
                                {1e9, 1e9, 1e9},
                                {1e-6, 1e6, 1.0},
                                {1e6, 1e-6, 1e-12}}) {
    FormulaModel model;
    model.parameter("u", u);
    model.parameter("v", v);
    model.parameter("w", w);
    model.state("A", "3*u", "-0.4*A*B/v + 0.2*C");
    model.state("B", "2*v", "(-0.4*A*B/v + 0.2*C)*v/u");
    model.state("C", 0, "0.4*A*B/v - 0.2*C");
    model.state("D", 0, "w*(C/u)^2 - 1e-3*D");
    const auto run = settle(model);
    ASSERT_TRUE(run.report.found()) << run.report.message();
    const std::vector<double> y = {run.y[0] / u, run.y[1] / v, run.y[2] / u, run.y[3] / w};
    if (one.empty()) {
      one = y;
      iterations = run.report.iterations;
      EXPECT_NEAR(0.4 * y[0] * y[1], 0.2 * y[2], 1e-12);
      EXPECT_NEAR(y[0] + y[2], 3, 1e-12);
      continue;
    }
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], one[i], 1e-10 * one[i]) << u;
    EXPECT_LE(std::abs(run.report.iterations - iterations), 1) << u << " " << v << " " << w;
  }
}

/// dy of the equilibrium with respect to all parameters.
Directions parameter_directions(const FormulaModel& model) {
  const auto system = make_formula_system(model);
  const int np = system->sizes().np;
  const auto ws = system->make_workspace(np);
  Directions dp(np, np), dy(system->sizes().ny(), np);
  for (int i = 0; i < np; ++i) dp(i, i) = 1;
  system->bind_directions(*ws, dp);
  system->start_directions(*ws, dy);
  std::vector<double> y(system->sizes().ny()), z(system->sizes().nz);
  system->start(*ws, y, z);
  EXPECT_TRUE(find_equilibrium(*system, *ws, 0, y, z).found());
  EXPECT_EQ(equilibrium_directions(*system, *ws, 0, y, z, dy), Status::kOk);
  return dy;
}

TEST(EquilibriumDirections, AreThoseOfTheClosedForm) {
  const auto dy = parameter_directions(predator_and_prey());  // (p3 / p4, p1 / p2)
  EXPECT_NEAR(dy(0, 0), 0, 1e-13);
  EXPECT_NEAR(dy(0, 2), 1 / 0.5, 1e-12);
  EXPECT_NEAR(dy(0, 3), -0.9 / (0.5 * 0.5), 1e-12);
  EXPECT_NEAR(dy(1, 0), 1 / 0.7, 1e-12);
  EXPECT_NEAR(dy(1, 1), -1.2 / (0.7 * 0.7), 1e-12);
}

TEST(EquilibriumDirections, FollowAlgebraicStatesAndParametersThatEventsSet) {
  FormulaModel model;  // z = k x, x' = c - z: x = c / k
  model.state("x", 0, "c - z");
  model.algebraic("z", 0);
  model.equation("0 = k*x - z");
  model.parameter("k", 4);
  model.parameter("c", 2);
  model.event_at("later", 5).set("c", 7);
  const auto dy = parameter_directions(model);
  EXPECT_NEAR(dy(0, 0), -2.0 / 16, 1e-14);
  EXPECT_NEAR(dy(0, 1), 0.25, 1e-14);
  EXPECT_EQ(dy(1, 1), 1);
}

TEST(EquilibriumDirections, KeepWhatTheFlowKeeps) {
  FormulaModel model;  // A = A0 k2 / (k1 + k2)
  model.state("A", "A0", "-k1*A + k2*B");
  model.state("B", 0, "k1*A - k2*B");
  model.parameter("A0", 3);
  model.parameter("k1", 2);
  model.parameter("k2", 1);
  const auto dy = parameter_directions(model);
  EXPECT_NEAR(dy(0, 0), 1.0 / 3, 1e-13);
  EXPECT_NEAR(dy(1, 0), 2.0 / 3, 1e-13);
  EXPECT_NEAR(dy(0, 1), -3 * 1.0 / 9, 1e-13);
  EXPECT_NEAR(dy(0, 2), 3 * 2.0 / 9, 1e-13);
}

TEST(Spectrum, DriftIsZeroTwiceAndNeverAlmostZero) {
  // Two masses with a spring between them and nothing else, in an orthogonal mixture of
  // coordinates that rounding makes inexact.
  const double k = 1e5, m1 = 0.3, m2 = 7;
  const double c = std::cos(0.7), s = std::sin(0.7);
  Eigen::Matrix2d K, R;
  K << k / m1, -k / m1, -k / m2, k / m2;
  R << c, -s, s, c;
  Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
  A.topRightCorner<2, 2>().setIdentity();
  A.bottomLeftCorner<2, 2>() = -R * K * R.transpose();
  const auto spectrum = compute_spectrum(A, 2, 2);
  EXPECT_EQ(spectrum.num_zero, 2);
  ASSERT_EQ(spectrum.neutral.cols(), 1);
  ASSERT_EQ(spectrum.values.size(), 2);
  const double omega = std::sqrt(k * (1 / m1 + 1 / m2));
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(std::abs(spectrum.values[i].imag()), omega, 1e-10 * omega);
    EXPECT_LE((A * spectrum.vectors.col(i) - spectrum.values[i] * spectrum.vectors.col(i)).norm(),
              1e-9 * omega * spectrum.vectors.col(i).norm());
  }
  EXPECT_EQ(spectrum.stability, Stability::kMarginal);
}

TEST(Spectrum, DampedDriftIsZeroOnce) {
  Eigen::Matrix2d A;
  A << 0, 1, 0, -3;
  const auto spectrum = compute_spectrum(A, 1, 1);
  EXPECT_EQ(spectrum.num_zero, 1);
  ASSERT_EQ(spectrum.values.size(), 1);
  EXPECT_NEAR(spectrum.values[0].real(), -3, 1e-15);
  EXPECT_NEAR(std::abs(spectrum.vectors(1, 0) / spectrum.vectors(0, 0)), 3, 1e-14);
}

}  // namespace
}  // namespace parfait::dynamics
