#include "parfait/estimate/shooting/shooting_experiment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "parfait/dynamics/formula_system.h"

namespace parfait::estimate {
namespace {

using Eigen::VectorXd;

VectorXd random_vector(Eigen::Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  VectorXd x(n);
  for (double& value : x) value = normal(random);
  return x;
}

dynamics::FormulaModel predator_and_prey() {
  dynamics::FormulaModel model;
  model.state("x1", 0.4, "-p1 * x1 + p2 * x1 * x2 + offset");
  model.state("x2", "start", "p3 * x2 - p4 * x1 * x2");
  for (const char* name : {"p1", "p2", "p3", "p4"}) model.parameter(name, 1);
  model.parameter("offset", 0.1);
  model.parameter("start", 1);
  return model;
}

Data data_at(const std::vector<double>& times) {
  Data data;
  data.header = {"t", "first", "second"};
  data.columns.resize(3);
  for (double t : times) {
    data.columns[0].push_back(t);
    data.columns[1].push_back(0.5 + 0.1 * std::sin(3 * t));
    data.columns[2].push_back(t == 0.7 ? std::nan("") : 0.9 + 0.1 * std::cos(2 * t));
  }
  return data;
}

ExperimentDescription predator_experiment() {
  ExperimentDescription e;
  e.id = "run";
  e.system = dynamics::make_formula_system(predator_and_prey());
  e.data = data_at({0, 0.35, 0.7, 1, 1.3, 2});
  e.observations = {
      {.column = "first", .quantity = "x1", .sigma = {.absolute = 0.1}},
      {.column = "second", .quantity = "x2 + 0.5 * x1 * p1", .sigma = {.absolute = 0.2}}};
  e.locals = {{.parameter = "offset", .initial = 0.1}};
  e.grid.intervals = 4;
  return e;
}

std::vector<Estimate> shared_estimates() {
  return {{.parameter = "p1", .initial = 0.9},
          {.parameter = "p2", .initial = 1.2, .transform = Estimate::Transform::kLog},
          {.parameter = "start", .initial = 1.1, .scale = 2},
          {.parameter = "elsewhere", .initial = 3}};
}

struct Case {
  std::string name;
  ExperimentDescription description;
  FitOptions options;
};

std::vector<Case> cases() {
  FitOptions options;
  options.integrator.rtol = 1e-11;
  options.integrator.atol = 1e-13;
  std::vector<Case> out;
  out.push_back({"fixed start", predator_experiment(), options});

  Case free{"free start, end node, constraints", predator_experiment(), options};
  free.description.initial = {
      {.kind = InitialState::Kind::kFree, .scale = 2},
      {.state = "x2", .kind = InitialState::Kind::kPrior, .value = 1.05, .sigma = 0.3}};
  free.description.grid.end_node = true;
  free.description.requirements = {
      {.terms = {{.at = 0.35, .formula = "x1"}, {.at = 1.0, .formula = "-x2"}}},
      {.terms = {{.at = 2.0, .formula = "x1 - 0.2"}}, .inequality = true}};
  free.description.state_bounds = {{.state = "x1", .lower = 0, .upper = 5}};
  out.push_back(free);

  Case orthogonal = free;
  orthogonal.name = "orthogonal condensing";
  orthogonal.options.condensing = Condensing::kOrthogonal;
  out.push_back(orthogonal);

  Case fixfit = free;
  fixfit.name = "fixfit";
  fixfit.options.reduction = ReductionMethod::kFixedFit;
  out.push_back(fixfit);

  Case single{"single shooting", predator_experiment(), options};
  single.description.grid.intervals = 1;
  out.push_back(single);

  dynamics::FormulaModel dae;
  dae.state("x1", 0.4, "-p1 * x1 + z");
  dae.state("x2", "start", "x1 - x2 * z");
  dae.algebraic("z", 0.3);
  dae.equation("0 = z + 0.1 * z^3 - p2 * x1 * x2 - offset");
  for (const char* name : {"p1", "p2"}) dae.parameter(name, 1);
  dae.parameter("offset", 0.1);
  dae.parameter("start", 1);
  Case algebraic{"relaxed DAE", predator_experiment(), options};
  algebraic.description.system = dynamics::make_formula_system(dae);
  algebraic.description.observations[1].quantity = "x2 + z";
  algebraic.description.initial = {{.state = "x1", .kind = InitialState::Kind::kFree}};
  out.push_back(algebraic);
  return out;
}

class ShootingCases : public testing::TestWithParam<int> {
 protected:
  ShootingCases()
      : case_(cases()[static_cast<std::size_t>(GetParam())]),
        shared_(shared_estimates()),
        experiment_(case_.description, shared_, case_.options) {
    EXPECT_TRUE(experiment_.initialize(shared_.initial(), x_)) << experiment_.why();
    // Away from the trajectory: nothing matches, nothing is consistent.
    x_ += 0.02 * random_vector(x_.size(), 5);
    p_ = shared_.initial() + 0.02 * random_vector(shared_.size(), 6);
  }
  bool is_dae() const { return case_.description.system->sizes().nz > 0; }

  Case case_;
  Unknowns shared_;
  ShootingExperiment experiment_;
  VectorXd x_, p_;
};

// With an adaptive integrator differences are as good as its tolerance divided by the step.
TEST_P(ShootingCases, TheBlockIsTheDerivativeAlongWhatExpandSays) {
  ASSERT_TRUE(experiment_.linearize(x_, p_)) << experiment_.why();
  const Block block = experiment_.block();
  EXPECT_EQ(block.num_local(), experiment_.layout().initial_unknowns.size() + 1);
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const VectorXd xi = random_vector(block.num_local(), seed);
    const VectorXd dp = random_vector(shared_.size(), 10 + seed);
    const VectorXd dx = experiment_.expand(xi, dp, false);
    constexpr double kStep = 1e-4;
    ShootingExperiment other(case_.description, shared_, case_.options);
    ASSERT_TRUE(other.evaluate(x_ + kStep * dx, p_ + kStep * dp));
    const VectorXd plus = other.residuals();
    ASSERT_TRUE(other.evaluate(x_ - kStep * dx, p_ - kStep * dp));
    const VectorXd difference = (plus - other.residuals()) / (2 * kStep);
    const VectorXd derivative = block.A * xi + block.B * dp;
    ASSERT_GT(derivative.norm(), 1e-2);
    const double tolerance = is_dae() ? 1e-5 : 1e-6;
    EXPECT_LT((difference - derivative).norm(), tolerance * (1 + derivative.norm()));
  }
}

// r(x + t u) for u = the correction of the eliminated equations: its slope at 0, added to the
// value, is the condensed right-hand side, also for the values of another point.
TEST_P(ShootingCases, TheRightSideIsWhatTheCorrectionOfMatchingLeaves) {
  ASSERT_TRUE(experiment_.linearize(x_, p_));
  const VectorXd x2 = x_ + 0.01 * random_vector(x_.size(), 9);
  ASSERT_TRUE(experiment_.evaluate(x2, p_));
  const RightSide right = experiment_.right_side();
  const VectorXd r2 = experiment_.residuals();
  const VectorXd no_xi = VectorXd::Zero(experiment_.block().num_local());
  const VectorXd no_p = VectorXd::Zero(shared_.size());
  const VectorXd u = experiment_.expand(no_xi, no_p, true);
  ASSERT_EQ(u.tail(1)[0], 0);
  if (case_.description.grid.intervals > 1 || is_dae()) {
    ASSERT_GT(u.norm(), 1e-3);
  }
  // J(x) u by differences around x, where the linearization was made.
  constexpr double kStep = 1e-4;
  ShootingExperiment other(case_.description, shared_, case_.options);
  ASSERT_TRUE(other.evaluate(x_ + kStep * u, p_));
  const VectorXd plus = other.residuals();
  ASSERT_TRUE(other.evaluate(x_ - kStep * u, p_));
  const VectorXd slope = (plus - other.residuals()) / (2 * kStep);
  EXPECT_LT((right.b - r2 - slope).norm(), (is_dae() ? 1e-5 : 1e-6) * (1 + slope.norm()));
}

INSTANTIATE_TEST_SUITE_P(All, ShootingCases, testing::Range(0, static_cast<int>(cases().size())),
                         [](const auto& one) {
                           std::string name = cases()[static_cast<std::size_t>(one.param)].name;
                           std::erase_if(name, [](char c) { return !std::isalnum(c); });
                           return name;
                         });

TEST(ShootingExperiment, NodesFoundByIntegrationMatch) {
  for (const Case& c : cases()) {
    const Unknowns shared(shared_estimates());
    ShootingExperiment experiment(c.description, shared, c.options);
    VectorXd x;
    ASSERT_TRUE(experiment.initialize(shared.initial(), x));
    ASSERT_TRUE(experiment.evaluate(x, shared.initial()));
    if (c.description.requirements.empty()) {
      EXPECT_LT(experiment.infeasibility(), 1e-8) << c.name;
    }
  }
}

TEST(ShootingExperiment, NodesFromDataTakeWhatIsMeasured) {
  ExperimentDescription description = predator_experiment();
  description.observations[1].quantity = "x2";
  description.initial = {{.kind = InitialState::Kind::kFree}};
  description.grid.nodes = Grid::Nodes::kMeasured;
  const Unknowns shared(shared_estimates());
  ShootingExperiment experiment(description, shared, {});
  VectorXd x;
  ASSERT_TRUE(experiment.initialize(shared.initial(), x));
  EXPECT_DOUBLE_EQ(x[0], 0.5);                        // x1(0)
  EXPECT_DOUBLE_EQ(x[1], 1.0);                        // x2(0)
  EXPECT_DOUBLE_EQ(x[4], 0.5 + 0.1 * std::sin(3.0));  // x1(1)
  // x2 was not measured at 0.7: between 0.35 and 1 it is a line.
  const double a = 0.9 + 0.1 * std::cos(0.7), b = 0.9 + 0.1 * std::cos(2.0);
  EXPECT_NEAR(x[3], a + (b - a) * (0.5 - 0.35) / 0.65, 1e-12);
}

// One observation of two states: the nearest state that shows it lies in the direction of the
// observation's gradient (1, 2).
TEST(ShootingExperiment, ProjectedNodesShowWhatIsMeasured) {
  ExperimentDescription description = predator_experiment();
  description.observations = {{.column = "first", .quantity = "x1 + 2 * x2"}};
  description.grid.intervals = 2;
  const Unknowns shared(shared_estimates());
  const double measured = 0.5 + 0.1 * std::sin(3.0);
  VectorXd by_rule[3];
  const Grid::Nodes rules[3] = {Grid::Nodes::kIntegrate, Grid::Nodes::kProject,
                                Grid::Nodes::kAverage};
  for (int k = 0; k < 3; ++k) {
    description.grid.nodes = rules[k];
    description.grid.weight = 0.25;
    ShootingExperiment experiment(description, shared, {});
    VectorXd x;
    ASSERT_TRUE(experiment.initialize(shared.initial(), x));
    by_rule[k] = x.head(2);  // the node at t = 1; the first is fixed
  }
  EXPECT_NEAR(by_rule[1][0] + 2 * by_rule[1][1], measured, 1e-9);
  const VectorXd way = by_rule[1] - by_rule[0];
  EXPECT_NEAR(way[1], 2 * way[0], 1e-9);
  EXPECT_GT(way.norm(), 0.1);
  EXPECT_LT((by_rule[2] - (by_rule[0] + 0.25 * way)).norm(), 1e-9);
}

TEST(ShootingExperiment, SaysWhereAnIntegrationFailed) {
  dynamics::FormulaModel model;
  model.state("x", 1, "k * x^2");
  model.parameter("k", 1);
  ExperimentDescription e;
  e.id = "explosion";
  e.system = dynamics::make_formula_system(model);
  e.data = data_at({0, 2});
  e.observations = {{.column = "first", .quantity = "x"}};
  const Unknowns shared({{.parameter = "k", .initial = 1}});
  ShootingExperiment experiment(e, shared, {});
  VectorXd x(0);
  EXPECT_FALSE(experiment.evaluate(x, shared.initial()));
  EXPECT_NE(experiment.why().find("experiment \"explosion\", interval 1 from t = 0"),
            std::string::npos)
      << experiment.why();
}

}  // namespace
}  // namespace parfait::estimate
