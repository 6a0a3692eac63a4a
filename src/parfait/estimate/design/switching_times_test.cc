#include "parfait/estimate/design/switching_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>

#include "parfait/base/error.h"
#include "parfait/estimate/design/test_designs.h"

// Three ways to the same inputs: bounds, Newton's method on the switching conditions, and
// Oberpeilsteiner's saturation with steepest descent.
namespace parfait::estimate::switching_times_test {
namespace {

using Eigen::MatrixXd;
using test_designs::FormulaModel;
using test_designs::message_of;
using test_designs::single_mass;
using test_designs::two_masses;

/// The plan of the first experiment, at its initial numbers.
LinearPlan plan_of(const DesignProblem& problem) {
  const DesignSpace space(problem.planned);
  const Unknowns shared(problem.known.estimates);
  FitOptions options;
  options.integrator.rtol = 1e-12;
  return linear_plan_of(problem.planned[0], space.experiment(0, space.initial()), shared,
                        shared.initial(), options);
}

SwitchingCriterion absolute(CriterionKind kind, int k) {
  return {.kind = kind, .known = MatrixXd::Zero(k, k), .inverse = MatrixXd::Identity(k, k)};
}

DesignProblem one_parameter() {
  DesignProblem problem = single_mass(CriterionKind::kT);
  problem.known.estimates.resize(1);
  return problem;
}

// Oberpeilsteiner (2018), 5.3.2, with the corrected recursion: the root of the switching condition,
// its second root, which is a maximum of J, and both values of J = -tr M / 2.
TEST(SwitchingTimes, SingleMassHasItsTwoRoots) {
  const LinearPlan plan = plan_of(one_parameter());
  const auto criterion = absolute(CriterionKind::kT, 1);
  for (const double start : {0.8, 1.2, 1.6}) {
    const auto found = find_switching_times(plan, criterion, {1, -1}, {start});
    ASSERT_TRUE(found.converged);
    EXPECT_NEAR(found.t[0], 1.242422041699229536, 1e-12);
    EXPECT_NEAR(0.5 * std::exp(-found.psi), 16.93775383610923681, 1e-11);
    EXPECT_LT(found.residual, 1e-12);
    EXPECT_TRUE(found.is_minimum);
    EXPECT_TRUE(found.keeps_sign);
    EXPECT_LE(found.iterations, 8);
  }
  const auto other = find_switching_times(plan, criterion, {1, -1}, {3.2});
  ASSERT_TRUE(other.converged);
  EXPECT_NEAR(other.t[0], 3.218208742411083446, 1e-12);
  EXPECT_NEAR(0.5 * std::exp(-other.psi), 10.86205706685620006, 1e-11);
  EXPECT_FALSE(other.is_minimum);  // although u is where Pontryagin's principle wants it
}

// Two parameters: the switch depends on the criterion (numbers computed independently).
TEST(SwitchingTimes, DependOnTheCriterion) {
  const LinearPlan plan = plan_of(single_mass(CriterionKind::kD));
  const auto at = [&](CriterionKind kind, double start) {
    const auto found = find_switching_times(plan, absolute(kind, 2), {1, -1}, {start});
    EXPECT_TRUE(found.converged && found.is_minimum) << text(kind);
    return found;
  };
  const auto T = at(CriterionKind::kT, 2.3), D = at(CriterionKind::kD, 2.6),
             A = at(CriterionKind::kA, 3.7);
  EXPECT_NEAR(T.t[0], 2.40771715, 2e-8);
  EXPECT_NEAR(T.information.trace(), 204.861892592, 5e-10);
  EXPECT_NEAR(D.t[0], 2.73713523, 2e-8);
  EXPECT_NEAR(-2 * D.psi, 8.08268145157, 5e-12);
  EXPECT_NEAR(A.t[0], 3.76016917, 2e-8);
  EXPECT_NEAR(std::exp(A.psi), 0.054396921165, 5e-13);
}

// p.b is the slope of the criterion in the space of functions: its mean over a piece is the
// derivative by the value of the piece over its length, here by differences of what the search
// itself minimizes.
TEST(SwitchingTimes, SwitchingFunctionIsTheGradientInFunctionSpace) {
  const DesignProblem problem = single_mass(CriterionKind::kA);
  const LinearPlan plan = plan_of(problem);
  const auto criterion = absolute(CriterionKind::kA, 2);
  const std::vector<double> u = {0.7, -0.4, 0.2}, t = {1.5, 3.9};
  const double length = 0.9;  // a piece in the middle of the second one
  std::vector<double> at;
  constexpr int kCells = 400;
  for (int i = 0; i < kCells; ++i) at.push_back(2 + length * (i + 0.5) / kCells);
  double mean = 0;
  for (const double s : switching_function(plan, criterion, u, t, at)) mean += s / kCells;
  const auto value = [&](double change) {
    DesignProblem own = problem;
    auto& e = own.planned[0];
    e.inputs[0].free_breaks = false;
    e.with_inputs = [inner = e.with_inputs, u, t, change](const std::vector<dynamics::Input>&) {
      dynamics::Input table;
      table.id = "u";
      table.t = {0, t[0], 2, 2.9, t[1]};
      table.value = {u[0], u[1], u[1] + change, u[1], u[2]};
      table.interpolation = expr::Interpolation::kPrevious;
      return inner({table});
    };
    e.base.samples->count = 2000;
    own.max_iterations = 0;
    return design(own).start->psi;
  };
  const double h = 1e-3;
  EXPECT_NEAR(mean * length, (value(h) - value(-h)) / (2 * h), 2e-6);
}

// From a search with pieces to switching times of full precision.
TEST(SwitchingTimes, AreFoundFromPieces) {
  DesignProblem problem = one_parameter();
  problem.planned[0].inputs[0].newton = true;
  problem.starts = 4;
  const DesignResult result = design(problem);
  ASSERT_TRUE(result.switching && result.switching->converged);
  EXPECT_TRUE(result.switching->keeps_sign);
  ASSERT_EQ(result.inputs[0][0].t.size(), 2U);
  EXPECT_NEAR(result.inputs[0][0].t[1], 1.242422041699229536, 1e-11);
  EXPECT_NEAR(std::exp(-result.switching->psi), 2 * 16.93775383610923681, 1e-10);
}

/// Stopped as it is asked for the `last` time, which is answered "go on": what is integrated next
/// fails. Counts how often it was asked.
DesignResult design_until(DesignProblem problem, int last, int& asked) {
  std::atomic<bool> stop = false;
  problem.known.options.integrator.stop = &stop;
  asked = 0;
  DesignCallbacks callbacks;
  callbacks.interrupted = [&] {
    const bool answer = stop;
    stop = stop || ++asked == last;
    return answer;
  };
  return design(problem, callbacks);
}

TEST(SwitchingTimes, AStoppedDesignIsTheBestSoFar) {
  DesignProblem problem = one_parameter();
  problem.planned[0].inputs[0].newton = true;
  Requirement rest;
  rest.terms.push_back({2 * std::numbers::pi, "v"});
  for (const bool is_at_rest : {false, true}) {
    if (is_at_rest) {
      problem.planned[0].inputs[0].newton = false;
      problem.planned[0].base.requirements.push_back(rest);
    }
    int all = 0, asked = 0;
    const double best = design_until(problem, -1, all).design.psi;
    ASSERT_GT(all, 10);
    for (int last = 1; last < all;
         last += last < 6 || last + 3 >= all ? 1 : std::min(10, all - 3 - last)) {
      const DesignResult result = design_until(problem, last, asked);
      EXPECT_TRUE(result.interrupted) << last;
      EXPECT_TRUE(std::isfinite(result.design.psi)) << last;
      // Before it ends at rest, a design may be better than the best that does.
      EXPECT_TRUE(is_at_rest || result.design.psi >= best - 1e-9) << last;
    }
  }
}

/// Information about c2 itself, not about the scaled unknown.
SwitchingCriterion of_two_masses() {
  auto criterion = absolute(CriterionKind::kT, 1);
  criterion.inverse /= 1000;
  return criterion;
}

SwitchingTimes two_masses_from(bool at_rest, std::vector<double> t) {
  std::vector<double> u = {-10};
  for (std::size_t i = 0; i < t.size(); ++i) u.push_back(-u.back());
  return find_switching_times(plan_of(two_masses(at_rest)), of_two_masses(), u, std::move(t));
}

// Two masses, free end: 15 switches, from two or three digits of each (J and the first of them
// computed independently).
TEST(SwitchingTimes, TwoMassesSwitchFifteenTimes) {
  const auto found = two_masses_from(false, {0.034, 0.099, 0.159, 0.218, 0.283, 0.345, 0.402, 0.466,
                                             0.530, 0.588, 0.649, 0.715, 0.774, 0.832, 0.900});
  ASSERT_TRUE(found.converged);
  EXPECT_TRUE(found.is_minimum && found.keeps_sign);
  EXPECT_GE(found.information.trace(), 7.270439623735e-9);
  EXPECT_NEAR(found.information.trace(), 7.270439623735e-9, 1e-19);
  EXPECT_NEAR(found.t[0], 0.033751172, 2e-7);  // at a flat optimum
}

// At rest in the end: the best that an independent program found from many starts has 16 switches.
// Its switching function has the wrong sign somewhere, and indeed a 17th switch is better.
TEST(SwitchingTimes, SwitchingFunctionTellsThatOneMoreSwitchIsBetter) {
  const auto sixteen =
      two_masses_from(true, {0.015, 0.082, 0.144, 0.200, 0.265, 0.329, 0.386, 0.448, 0.513, 0.571,
                             0.632, 0.696, 0.757, 0.815, 0.872, 0.929});
  ASSERT_TRUE(sixteen.converged);
  EXPECT_TRUE(sixteen.is_minimum);
  EXPECT_LT(sixteen.violation, 1e-13);
  EXPECT_NEAR(sixteen.information.trace(), 6.922762295594e-9, 1e-20);
  EXPECT_FALSE(sixteen.keeps_sign);
  const auto seventeen =
      two_masses_from(true, {0.016, 0.083, 0.144, 0.201, 0.266, 0.329, 0.386, 0.449, 0.514, 0.572,
                             0.632, 0.697, 0.757, 0.816, 0.871, 0.928, 0.997});
  ASSERT_TRUE(seventeen.converged);
  EXPECT_TRUE(seventeen.is_minimum && seventeen.keeps_sign);
  EXPECT_GT(seventeen.information.trace(), 6.92331e-9);
}

// Saturated values keep their bounds without having any, and steepest descent creeps to what bounds
// and BFGS find: what Oberpeilsteiner (2018) reports.
TEST(Saturation, SteepestDescentCreepsToWhatBoundsFind) {
  DesignProblem bounds = one_parameter();
  bounds.planned[0].base.samples->count = 80;
  PlannedInput& u = bounds.planned[0].inputs[0];
  u.free_breaks = false;
  u.pieces = 20;
  u.initial.assign(20, -0.5);
  std::fill_n(u.initial.begin(), 5, 0.5);
  const DesignResult best = design(bounds);
  const double J = 0.5 * best.design.trace_M;
  EXPECT_LT(J, 16.93775383611);
  EXPECT_GT(J, 16.9);
  for (const auto saturation : {Saturation::kArctan, Saturation::kExponential}) {
    DesignProblem creeping = bounds;
    creeping.method = BoxMethod::kGradient;
    creeping.max_iterations = 60;
    creeping.planned[0].inputs[0].saturation = saturation;
    const DesignResult found = design(creeping);
    EXPECT_LT(0.5 * found.design.trace_M, J);
    EXPECT_GT(0.5 * found.design.trace_M,
              saturation == Saturation::kArctan ? 0.98 * J : 0.99999 * J);
    for (const double value : found.inputs[0][0].value) EXPECT_LT(std::abs(value), 1);
    EXPECT_LE(found.design.psi, found.start->psi);
  }
}

// (5.16), (5.17): slope 1 in the middle, bounds far out, the inverse is one.
TEST(Saturation, FunctionsHaveTheirSlopeAndBounds) {
  for (const auto saturation : {Saturation::kArctan, Saturation::kExponential}) {
    EXPECT_NEAR(saturated(saturation, 0), 0.5, 1e-15);
    EXPECT_NEAR((saturated(saturation, 1e-6) - saturated(saturation, -1e-6)) / 2e-6, 1, 1e-9);
    EXPECT_NEAR(saturated(saturation, 1e4), 1, 1.1e-5);
    EXPECT_NEAR(saturated(saturation, -1e4), 0, 1.1e-5);
    for (const double share : {0.01, 0.3, 0.9}) {
      EXPECT_NEAR(saturated(saturation, unsaturated(saturation, share)), share, 1e-14);
    }
  }
}

// The change of Psi along dM against differences of Psi.
TEST(Criterion, CurvatureIsTheDerivativeOfTheSlope) {
  MatrixXd M(3, 3), dM(3, 3);
  M << 4, 1, 0.5, 1, 3, 0.2, 0.5, 0.2, 1;
  dM << 0.3, -0.4, 0.2, -0.4, 0.1, 0.5, 0.2, 0.5, -0.2;
  for (const auto kind :
       {CriterionKind::kA, CriterionKind::kD, CriterionKind::kE, CriterionKind::kT}) {
    const double h = 1e-5;
    const MatrixXd difference =
        (evaluate_criterion(kind, M + h * dM).slope - evaluate_criterion(kind, M - h * dM).slope) /
        (2 * h);
    const MatrixXd exact = criterion_curvature(kind, M, dM);
    EXPECT_LT((difference - exact).norm(), 1e-8 * (1 + exact.norm())) << text(kind);
    EXPECT_GT(exact.norm(), 1e-3);
  }
}

TEST(SwitchingTimes, SayWhatTheyAreNotFor) {
  DesignProblem problem = one_parameter();
  problem.planned[0].inputs[0].newton = true;
  DesignProblem max_sd = problem;
  max_sd.criterion = CriterionKind::kMaxSd;
  EXPECT_NE(message_of(max_sd).find("the criteria A, D, E and T"), std::string::npos)
      << message_of(max_sd);
  DesignProblem sums = problem;
  sums.planned[0].continuous.reset();
  EXPECT_NE(message_of(sums).find("needs <continuous>"), std::string::npos) << message_of(sums);
  DesignProblem curved = problem;
  FormulaModel m;
  m.state("x", 0, "v");
  m.state("v", 0, "-c * sin(x) + u");
  m.parameter("c", 1);
  m.input("u", {0}, {0}, expr::Interpolation::kPrevious);
  curved.planned[0].base.system = dynamics::make_formula_system(m);
  curved.planned[0].with_inputs = test_designs::planned(m, "x", 1, 2).with_inputs;
  EXPECT_NE(message_of(curved).find("linear in states and input"), std::string::npos)
      << message_of(curved);
}

}  // namespace
}  // namespace parfait::estimate::switching_times_test
