#include "parfait/estimate/design/design.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "parfait/estimate/design/box_minimizer.h"
#include "parfait/estimate/design/test_designs.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/fit/synthesize.h"

namespace parfait::estimate::design_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test_designs::estimate;
using test_designs::FormulaModel;
using test_designs::message_of;
using test_designs::planned;
using test_designs::single_mass;

/// A -> B -> C with rates th1 and th2; B is observed (Box and Lucas 1959).
FormulaModel box_lucas() {
  FormulaModel m;
  m.state("A", 1, "-th1 * A");
  m.state("B", 0, "th1 * A - th2 * B");
  m.parameter("th1", 0.7);
  m.parameter("th2", 0.2);
  return m;
}

DesignProblem box_lucas_problem(int count) {
  DesignProblem problem;
  problem.known.estimates = {estimate("th1", 0.7), estimate("th2", 0.2)};
  problem.relative = false;
  problem.planned = {planned(box_lucas(), "B", 10, count)};
  problem.planned[0].choice = {.of = Choice::Of::kSamples, .count = 2};
  return problem;
}

// Box and Lucas (1959): 1.23 and 6.86; |det| of the sensitivities 0.8104158999
// (docs/theory/design.md).
TEST(Design, BoxLucasTimesAreThePublishedOnes) {
  const DesignResult result = design(box_lucas_problem(10001));  // a grid of 0.001
  ASSERT_TRUE(result.selection);
  EXPECT_TRUE(result.selection->certified) << result.selection->gap;
  std::vector<double> times;
  for (const auto& c : result.chosen) {
    if (c.count > 0.5) times.push_back(c.t);
  }
  ASSERT_EQ(times.size(), 2U);
  EXPECT_NEAR(times[0], 1.22947141, 6e-4);
  EXPECT_NEAR(times[1], 6.85768906, 6e-4);
  EXPECT_NEAR(std::exp(0.5 * result.design.log_det_M), 0.8104158999, 1e-7);
}

// y = A exp(-k t) at A = k = 1: D-optimal at 0 and 1; A-optimal weight 0.32056619 at 0, the rest at
// 1.19442918, tr C = 16.5520917238 / n.
TEST(Design, ExponentialDecayHasItsClosedForms) {
  FormulaModel m;
  m.state("y", "A", "-k * y");
  m.parameter("A", 1);
  m.parameter("k", 1);
  DesignProblem problem;
  problem.known.estimates = {estimate("A", 1), estimate("k", 1)};
  problem.relative = false;
  problem.planned = {planned(m, "y", 4, 4001)};
  problem.planned[0].choice = {.of = Choice::Of::kSamples, .count = 1000, .repeat = 1000};
  const DesignResult d = design(problem);
  ASSERT_TRUE(d.selection->certified) << d.selection->gap;
  for (const auto& c : d.chosen) {
    const bool expected = std::abs(c.t) < 1e-9 || std::abs(c.t - 1) < 1e-9;
    EXPECT_NEAR(c.weight, expected ? 500 : 0, 1e-3) << c.t;
  }

  problem.criterion = CriterionKind::kA;
  // The grid has the time that is known to be best.
  std::vector<double> times = problem.planned[0].base.samples->all_times();
  times.push_back(1.19442918);
  std::ranges::sort(times);
  problem.planned[0].base.samples->times = times;
  const DesignResult a = design(problem);
  ASSERT_TRUE(a.selection->certified) << a.selection->gap;
  double at_zero = 0, near = 0;
  for (const auto& c : a.chosen) {
    if (c.t == 0) at_zero = c.weight / 1000;
    if (std::abs(c.t - 1.19442918) < 1e-9) near += c.weight / 1000;
  }
  EXPECT_NEAR(at_zero, 0.32056619, 1e-7);
  EXPECT_NEAR(near, 1 - 0.32056619, 1e-7);
  EXPECT_NEAR(std::exp(a.selection->convex) * 1000, 16.5520917238, 1e-8);
  EXPECT_LE(a.selection->efficiency, 1 + 1e-12);
  EXPECT_GT(a.selection->efficiency, 0.9999);
}

// Michaelis-Menten v = V S / (K + S), V = K = 1, S <= 5: D-optimal at 5 and 5/7.
TEST(Design, MichaelisMentenHasItsSecondPoint) {
  FormulaModel m;
  m.state("S", 0, "1");  // the substrate is raised: time is its concentration
  m.parameter("V", 1);
  m.parameter("K", 1);
  DesignProblem problem;
  problem.known.estimates = {estimate("V", 1), estimate("K", 1)};
  problem.planned = {planned(m, "V * S / (K + S)", 5, 7001)};  // 5/7 is the 1000th
  problem.planned[0].choice = {.of = Choice::Of::kSamples, .count = 2};
  const DesignResult result = design(problem);
  EXPECT_TRUE(result.selection->certified);
  std::vector<double> times;
  for (const auto& c : result.chosen) {
    if (c.count > 0.5) times.push_back(c.t);
  }
  ASSERT_EQ(times.size(), 2U);
  EXPECT_NEAR(times[0], 5.0 / 7, 1e-9);
  EXPECT_NEAR(times[1], 5, 1e-9);
}

// The two measurement functions of mintOC's Lotka-Volterra design: w1, w2 in [0, 1], each for 4 of
// 12 time units. Edges and values: midpoint rule with 24 000 cells, computed independently.
TEST(Design, LotkaMeasuresAtTheKnownTimes) {
  FormulaModel m;
  m.state("x", 0.5, "x - p2 * x * y");
  m.state("y", 0.7, "-y + p4 * x * y");
  m.parameter("p2", 1);
  m.parameter("p4", 1);
  DesignProblem problem;
  problem.known.estimates = {estimate("p2", 1), estimate("p4", 1)};
  problem.planned = {planned(m, "x", 12, 6000)};
  Observation second = problem.planned[0].base.observations[0];
  second.column = "second";
  second.quantity = "y";
  problem.planned[0].base.observations.push_back(second);
  problem.planned[0].continuous = Continuous{.budget = 4};
  const auto edges = [](const DesignResult& result, const std::string& column) {
    std::vector<double> out;
    double before = 0;
    for (const auto& c : result.chosen) {
      if (c.label != column) continue;
      if ((c.weight > 0.5) != (before > 0.5)) out.push_back(c.t - 0.001);
      before = c.weight;
    }
    return out;
  };
  const auto expect = [](const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 3e-3);
  };
  const DesignResult d = design(problem);
  EXPECT_TRUE(d.selection->certified) << d.selection->gap;
  EXPECT_NEAR(d.design.log_det_M, 6.917012931, 2e-6);
  expect(edges(d, "y"), {2.342, 4.438, 9.142, 11.046});
  expect(edges(d, "second"), {2.910, 4.783, 9.4575, 11.5845});
  problem.criterion = CriterionKind::kA;
  const DesignResult a = design(problem);
  EXPECT_TRUE(a.selection->certified) << a.selection->gap;
  EXPECT_NEAR(a.design.trace_C, 0.063955896, 1e-7);
  expect(edges(a, "y"), {2.291, 4.418, 9.1295, 11.0025});
  expect(edges(a, "second"), {2.8995, 4.803, 9.4815, 11.578});
}

double first_switch(const DesignResult& result) {
  EXPECT_EQ(result.inputs[0][0].t.size(), 2U);
  return result.inputs[0][0].t.at(1);
}

TEST(Design, SingleMassSwitchesWhereItMust) {
  // O 5.3: J = -1/2 int (dx/dc)^2 alone; the root of the switching condition (corrected).
  DesignProblem one = single_mass(CriterionKind::kT);
  one.known.estimates.resize(1);
  one.starts = 4;  // without a switch there is another local optimum, 12.03994670977764
  const DesignResult c = design(one);
  EXPECT_NEAR(first_switch(c), 1.242422041699, 1e-5);
  EXPECT_NEAR(0.5 * c.design.trace_M, 16.93775383611, 1e-6);
  EXPECT_EQ(c.start.has_value(), true);
  EXPECT_LE(c.design.psi, c.start->psi);
}

// Differences along recorded steps are those of a smooth function, however coarse the tolerance;
// with steps of their own, step control puts noise into them.
TEST(Design, PlannedExperimentsRepeatRecordedSteps) {
  FormulaModel m = box_lucas();
  m.parameter("A0", 1);
  m.states[1].derivative.text = "th1 * A * A0 - th2 * B * abs(B)^0.3";
  const PlannedExperiment e = planned(m, "B", 10, 21);
  const Unknowns shared({estimate("th1", 0.7), estimate("th2", 0.2)});
  FitOptions options;
  options.integrator_given = true;
  options.integrator.rtol = 1e-3;
  options.integrator.atol = 1e-6;
  const auto information = [&](double A0, const std::vector<integrate::Record>* repeat) {
    ExperimentDescription description = e.base;
    description.sets = {{.parameter = "A0", .value = A0}};
    description.data = sample_table(*description.samples, "t", description.observations);
    const PlannedBlock block =
        linearize_planned(e, description, shared, shared.initial(), options, repeat);
    EXPECT_EQ(block.why, "");
    return std::pair(MatrixXd(block.B.transpose() * block.B), block.steps);
  };
  const auto recorded = information(1, nullptr).second;
  EXPECT_EQ(recorded.size(), 1U);
  const auto quotient = [&](double h, const std::vector<integrate::Record>* repeat) {
    return MatrixXd((information(1 + h, repeat).first - information(1 - h, repeat).first) /
                    (2 * h));
  };
  const MatrixXd smooth = quotient(1e-3, &recorded);
  EXPECT_LT((quotient(1e-6, &recorded) - smooth).norm(), 1e-5 * smooth.norm());
  EXPECT_GT((quotient(1e-6, nullptr) - smooth).norm(), 1e-5 * smooth.norm());
}

TEST(Design, SingleMassDependsOnTheCriterion) {
  const DesignResult T = design(single_mass(CriterionKind::kT));
  EXPECT_NEAR(T.design.trace_M, 204.861892592, 2e-6);
  EXPECT_NEAR(first_switch(T), 2.40771715, 1e-5);
  const DesignResult D = design(single_mass(CriterionKind::kD));
  EXPECT_NEAR(D.design.log_det_M, 8.08268145157, 1e-8);
  EXPECT_NEAR(first_switch(D), 2.73713523, 1e-5);
  const DesignResult A = design(single_mass(CriterionKind::kA));
  EXPECT_NEAR(A.design.trace_C, 0.054396921165, 1e-9);
  EXPECT_NEAR(first_switch(A), 3.76016917, 1e-5);
}

/// Wang and Dowling's reactor (docs/theory/design.md).
DesignProblem reactor(CriterionKind criterion, double CA0, const std::vector<double>& T) {
  FormulaModel m;
  m.define("k1", "A1 * exp(-1000 * E1 / (8.314 * T))");
  m.define("k2", "A2 * exp(-1000 * E2 / (8.314 * T))");
  m.state("CA", "CA0", "-k1 * CA");
  m.state("CB", 0, "k1 * CA - k2 * CB");
  m.parameter("A1", 84.79);
  m.parameter("A2", 371.72);
  m.parameter("E1", 7.78);
  m.parameter("E2", 15.05);
  m.parameter("CA0", 1);
  m.input("T", {0}, {300}, expr::Interpolation::kPrevious);
  DesignProblem problem;
  problem.criterion = criterion;
  problem.known.estimates = {estimate("A1", 84.79), estimate("A2", 371.72), estimate("E1", 7.78),
                             estimate("E2", 15.05)};
  problem.planned = {planned(m, "CA", 1, 9, 0.01)};
  auto& e = problem.planned[0];
  Observation o = e.base.observations[0];
  o.column = "cb";
  o.quantity = "CB";
  e.base.observations.push_back(o);
  o.column = "cc";
  o.quantity = "CA0 - CA - CB";
  e.base.observations.push_back(o);
  e.inputs = {PlannedInput{
      .id = "T", .pieces = 8, .from = 0, .to = 1, .lower = 300, .upper = 700, .initial = T}};
  e.variables = {PlannedVariable{.id = "CA0", .lower = 1, .upper = 5, .initial = CA0}};
  return problem;
}

// A piece ends with its own value, not with that of the next: Pyomo's numbers differ by 0.11 here.
TEST(Design, ReactorTakesLimitsFromTheLeft) {
  DesignProblem problem = reactor(CriterionKind::kD, 1, {350, 300, 300, 300, 300, 300, 300, 300});
  problem.max_iterations = 0;
  const DesignResult result = design(problem);
  ASSERT_TRUE(result.start);
  EXPECT_NEAR(result.start->log_det_M / std::numbers::ln10, 11.882191133995, 1e-7);
  EXPECT_NEAR(std::log10(result.start->trace_M), 5.595394285268, 1e-9);
  EXPECT_NEAR(result.start->lambda_min, 2.2945064186, 1e-5);
}

TEST(Design, ReactorReachesThePublishedOptima) {
  const DesignResult D =
      design(reactor(CriterionKind::kD, 4, {310, 480, 310, 310, 310, 310, 310, 310}));
  EXPECT_GE(D.design.log_det_M / std::numbers::ln10, 19.431369);
  EXPECT_NEAR(D.design.log_det_M / std::numbers::ln10, 19.431369859, 1e-6);
  const DesignResult E =
      design(reactor(CriterionKind::kE, 4, {310, 560, 310, 310, 330, 330, 330, 320}));
  EXPECT_GE(std::log10(E.design.lambda_min), 3.392595);
}

TEST(Design, SaysWhatIsWrong) {
  DesignProblem many = box_lucas_problem(11);
  many.planned[0].choice.count = 12;
  EXPECT_NE(message_of(many).find("12 are to be chosen, but there are only 11"), std::string::npos);
  many.planned[0].choice.count = 4;
  many.planned[0].choice.spacing = 4;
  EXPECT_NE(message_of(many).find("only 3 with a spacing of 4"), std::string::npos);
  DesignProblem blind = box_lucas_problem(11);
  blind.planned[0].base.observations[0].quantity = "A";
  EXPECT_NE(message_of(blind).find("th2 would not be determined"), std::string::npos)
      << message_of(blind);
  DesignProblem impossible = reactor(CriterionKind::kD, 1, {300});
  Requirement too_much;
  too_much.terms.push_back({1.0, "CA - 6"});
  impossible.planned[0].base.requirements.push_back(too_much);
  impossible.max_iterations = 20;
  EXPECT_NE(message_of(impossible).find("no design was found that keeps all requirements"),
            std::string::npos)
      << message_of(impossible);
}

// Chosen times keep their distance, and the choice is the best that does (all pairs are tried).
TEST(Design, SpacingIsKept) {
  DesignProblem problem = box_lucas_problem(21);
  problem.planned[0].choice = {.of = Choice::Of::kSamples, .count = 3, .spacing = 2};
  const DesignResult result = design(problem);
  std::vector<double> t;
  for (const auto& c : result.chosen) {
    if (c.count > 0.5) t.push_back(c.t);
  }
  ASSERT_EQ(t.size(), 3U);
  EXPECT_GE(t[1] - t[0], 2 - 1e-12);
  EXPECT_GE(t[2] - t[1], 2 - 1e-12);
  // The model's sensitivities, by hand.
  const auto row = [](double s) {
    const double a = 0.7, b = 0.2, ea = std::exp(-a * s), eb = std::exp(-b * s);
    Eigen::RowVector2d j;
    j << -b / ((a - b) * (a - b)) * (eb - ea) + a / (a - b) * s * ea,
        a / ((a - b) * (a - b)) * (eb - ea) - a / (a - b) * s * eb;
    return j;
  };
  double best = 0;
  for (int i = 0; i < 21; ++i) {
    for (int j = i + 4; j < 21; ++j) {
      for (int k = j + 4; k < 21; ++k) {
        Eigen::Matrix2d M = Eigen::Matrix2d::Zero();
        for (const int n : {i, j, k}) M += row(n * 0.5).transpose() * row(n * 0.5);
        best = std::max(best, M.determinant());
      }
    }
  }
  EXPECT_NEAR(std::exp(result.design.log_det_M), best, 1e-7);
}

// What was known before stays: information adds, and parameters without any are told.
TEST(Design, KnowsWhatWasMeasuredBefore) {
  DesignProblem problem = box_lucas_problem(101);
  ExperimentDescription earlier = problem.planned[0].base;
  earlier.id = "earlier";
  earlier.observations[0].quantity = "A";
  earlier.data = sample_table(*earlier.samples, "t", earlier.observations);
  for (double& cell : earlier.data.columns[1]) cell = 0;
  problem.known.experiments = {earlier};
  problem.known.options.sigma_known = true;
  const DesignResult result = design(problem);
  EXPECT_FALSE(result.known);
  ASSERT_EQ(result.sds.size(), 2U);
  EXPECT_TRUE(std::isfinite(result.sds[0].known));
  EXPECT_FALSE(std::isfinite(result.sds[1].known));
  EXPECT_LT(result.sds[0].design, result.sds[0].known);
  EXPECT_TRUE(std::isfinite(result.sds[1].design));
}

// Many fits of synthetic data scatter as predicted: 100 seeds, within 3 / sqrt(2 n) = 21 %.
TEST(Design, PredictedDeviationsAreThoseOfFits) {
  DesignProblem problem = box_lucas_problem(101);
  problem.planned[0].base.observations[0].sigma.absolute = 0.01;
  problem.planned[0].choice = {.of = Choice::Of::kSamples, .count = 10, .repeat = 5};
  const DesignResult result = design(problem);
  Problem next = problem.known;
  next.experiments = result.experiments;
  auto& e = next.experiments[0];
  e.data = sample_table(*e.samples, "t", e.observations);
  next.options.sigma_known = true;
  constexpr int kSeeds = 100;
  VectorXd sum = VectorXd::Zero(2), squares = VectorXd::Zero(2);
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const FitResult fitted = fit(synthesize(next, static_cast<std::uint64_t>(seed)));
    ASSERT_TRUE(fitted.converged());
    for (Index i = 0; i < 2; ++i) {
      const double p = fitted.estimates[static_cast<std::size_t>(i)].statistics.value;
      sum[i] += p;
      squares[i] += p * p;
    }
  }
  for (Index i = 0; i < 2; ++i) {
    const double mean = sum[i] / kSeeds;
    const double sd = std::sqrt((squares[i] - kSeeds * mean * mean) / (kSeeds - 1));
    EXPECT_NEAR(sd / result.sds[static_cast<std::size_t>(i)].design, 1, 0.21);
  }
}

/// y = a + b t, t from 0 to 1.
DesignProblem line(CriterionKind criterion) {
  FormulaModel m;
  m.state("s", 0, "1");
  m.parameter("a", 1);
  m.parameter("b", 1);
  DesignProblem problem;
  problem.criterion = criterion;
  problem.relative = false;
  problem.known.estimates = {estimate("a", 1), estimate("b", 1)};
  problem.planned = {planned(m, "a + b * s", 1, 101)};
  problem.planned[0].choice = {.of = Choice::Of::kSamples, .count = 30, .repeat = 30};
  return problem;
}

// Hoel and Levine (1964): to extrapolate a line from [0, 1] to 2, a third of the measurements at 0,
// the rest at 1; the variance is (1 + 2)^2 / n.
TEST(Design, ExtrapolationOfALineIsHoelsAndLevines) {
  DesignProblem problem = line(CriterionKind::kPrediction);
  problem.planned[0].predictions = {PredictedQuantity{.quantity = "a + b * s", .at = {2}}};
  const DesignResult result = design(problem);
  EXPECT_TRUE(result.selection->certified) << result.selection->gap;
  EXPECT_NEAR(result.design.trace_C, 9.0 / 30, 1e-9);
  EXPECT_EQ(result.chosen.front().count, 10);
  EXPECT_EQ(result.chosen.back().count, 20);
  // The same as the variance of a combination.
  DesignProblem c = line(CriterionKind::kC);
  c.combination = "a + 2 * b";
  const DesignResult combined = design(c);
  EXPECT_NEAR(combined.design.trace_C, 9.0 / 30, 1e-9);
  EXPECT_TRUE(combined.selection->certified);
}

// About its middle the information of a line is a multiple of 1 with half of the measurements at
// each end: the largest eigenvalue is double, and there is no certificate.
TEST(Design, DoubleEigenvaluesAreNotCertified) {
  DesignProblem problem = line(CriterionKind::kE);
  problem.planned[0].base.observations[0].quantity = "a + b * (2 * s - 1)";
  const DesignResult result = design(problem);
  EXPECT_FALSE(result.selection->certified);
  EXPECT_NE(result.selection->remark.find("multiple"), std::string::npos);
  EXPECT_NEAR(result.design.lambda_min, 30, 1e-6);
}

/// y' = -k y, one measurement at the end.
DesignProblem decay_at_the_end() {
  FormulaModel m;
  m.state("y", 1, "-k * y");
  m.parameter("k", 1);
  DesignProblem problem;
  problem.known.estimates = {estimate("k", 1)};
  problem.planned = {planned(m, "y", 3, 2)};
  problem.planned[0].base.samples->times = {3};
  problem.planned[0].variables = {
      PlannedVariable{
          .kind = PlannedVariable::Kind::kDuration, .id = "duration", .lower = 0.2, .upper = 5},
      PlannedVariable{.kind = PlannedVariable::Kind::kState, .id = "y", .lower = 1, .upper = 3}};
  return problem;
}

// The sensitivity -y0 t exp(-k t) is largest at t = 1/k, and grows with y0.
TEST(Design, DurationAndInitialStateAreDesigned) {
  const DesignResult result = design(decay_at_the_end());
  EXPECT_NEAR(result.variables[0].value, 1, 1e-6);
  EXPECT_NEAR(result.variables[1].value, 3, 1e-12);
  EXPECT_NEAR(result.sds[0].design, std::exp(1.0) / 3, 1e-8);
  EXPECT_NEAR(result.experiments[0].samples->all_times().back(), 1, 1e-6);
}

// The mean of -ln(t exp(-k t)) is smallest at 1 / mean(k).
TEST(Design, RobustDesignsAverage) {
  DesignProblem problem = decay_at_the_end();
  problem.known.estimates[0].initial = 2;
  problem.robust = {.samples = 32, .seed = 3, .spread = 0.2};
  const DesignResult result = design(problem);
  EXPECT_NEAR(result.variables[0].value, 0.5, 0.01);
}

TEST(Design, RatesAndPathsAreKept) {
  DesignProblem problem = single_mass(CriterionKind::kA);
  auto& e = problem.planned[0];
  e.inputs[0].free_breaks = false;
  e.inputs[0].shape = PlannedInput::Shape::kLinear;
  e.inputs[0].rate = 0.5;
  e.inputs[0].initial = {0.1};
  for (const double t : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}) {
    Requirement below;
    below.inequality = true;
    below.terms.push_back({t, "0.8 - x"});
    e.base.requirements.push_back(below);
  }
  Requirement rest;
  rest.terms.push_back({2 * std::numbers::pi, "v"});
  e.base.requirements.push_back(rest);
  const DesignResult result = design(problem);
  EXPECT_LE(result.violation, 1e-6);
  const auto& input = result.inputs[0][0];
  ASSERT_EQ(input.t.size(), 11U);
  double fastest = 0;
  for (std::size_t i = 1; i < input.t.size(); ++i) {
    fastest = std::max(
        fastest, std::abs(input.value[i] - input.value[i - 1]) / (input.t[i] - input.t[i - 1]));
  }
  EXPECT_LE(fastest, 0.5 + 1e-5);
  EXPECT_GT(fastest, 0.4);  // it matters
  // Without the conditions one can do better.
  DesignProblem free = single_mass(CriterionKind::kA);
  EXPECT_LT(design(free).design.psi, result.design.psi);
}

TEST(BoxMinimizer, FindsTheCornerAndKeepsConditions) {
  // min (x - 2)^2 + (y - 0.3)^2 s.t. x + y = 1, x <= 0.8: at (0.8, 0.2)
  BoxProblem problem;
  problem.value = [](const VectorXd& u) {
    BoxPoint p;
    p.f = std::pow(u[0] - 2, 2) + std::pow(u[1] - 0.3, 2);
    p.c = VectorXd::Constant(1, u[0] + u[1] - 1);
    p.g = VectorXd::Constant(1, 0.8 - u[0]);
    return p;
  };
  problem.slope = [](const VectorXd& u) {
    BoxSlope s;
    s.f = VectorXd(2);
    s.f << 2 * (u[0] - 2), 2 * (u[1] - 0.3);
    s.c = MatrixXd::Ones(1, 2);
    s.g = MatrixXd::Zero(1, 2);
    s.g(0, 0) = -1;
    return s;
  };
  VectorXd start(2);
  start << 0.1, 0.1;
  const BoxResult result = minimize_in_box(problem, start);
  EXPECT_TRUE(result.feasible);
  EXPECT_NEAR(result.u[0], 0.8, 1e-6);
  EXPECT_NEAR(result.u[1], 0.2, 1e-6);
}

}  // namespace
}  // namespace parfait::estimate::design_test
