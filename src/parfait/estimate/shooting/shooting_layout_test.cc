#include "parfait/estimate/shooting/shooting_layout.h"

#include <gtest/gtest.h>

#include "parfait/dynamics/formula_system.h"
#include "parfait/estimate/shooting/shooting_point.h"

namespace parfait::estimate {
namespace shooting_layout_test {
namespace {

/// Two states, one of them free at the start; two intervals, three rows of data.
ExperimentDescription experiment() {
  dynamics::FormulaModel model;
  model.state("a", 1, "-k * a + c");
  model.state("b", 2, "k * a");
  for (const char* name : {"k", "c", "unused"}) model.parameter(name, 3);
  ExperimentDescription e;
  e.id = "run";
  e.system = dynamics::make_formula_system(model);
  e.data.header = {"t", "seen"};
  e.data.columns = {{0, 0.5, 2}, {1, 2, 3}};
  e.observations = {{.column = "seen", .quantity = "a + b", .sigma = {.absolute = 0.5}}};
  e.sets = {{.parameter = "unused", .value = 7}};
  e.locals = {{.parameter = "c", .initial = 0.1, .lower = 0}};
  e.initial = {{.state = "b", .kind = InitialState::Kind::kFree, .value = 4, .scale = 10}};
  e.grid.intervals = 2;
  return e;
}

const Unknowns& shared() {
  static const Unknowns unknowns(
      {{.parameter = "elsewhere", .initial = 1}, {.parameter = "k", .initial = 0.9}});
  return unknowns;
}

TEST(ShootingLayout, VariablesAreFreeStatesThenNodesThenLocals) {
  const ShootingLayout layout = make_shooting_layout(experiment(), shared());
  EXPECT_EQ(layout.experiment.variables, (std::vector<std::string>{"b(0)", "a(1)", "b(1)", "c"}));
  EXPECT_EQ(layout.num_variables(), 4);
  EXPECT_EQ(layout.first_of_state(1), 1);
  EXPECT_EQ(layout.first_local(), 3);
  EXPECT_EQ(layout.free, std::vector<int>{1});
  EXPECT_EQ(layout.given[1], 4);
  EXPECT_EQ(layout.experiment.nodes.first, (std::vector<int>{-1, 1}));
}

TEST(ShootingLayout, ThetaHoldsLocalThenSharedParametersThatTheModelHas) {
  const ShootingLayout layout = make_shooting_layout(experiment(), shared());
  ASSERT_EQ(layout.num_theta(), 2);
  EXPECT_TRUE(layout.theta[0].local);
  EXPECT_EQ(layout.theta[0].parameter, 1);  // c
  EXPECT_FALSE(layout.theta[1].local);
  EXPECT_EQ(layout.theta[1].unknown, 1);  // k, behind one that the model does not have
  EXPECT_EQ(layout.parameters[2], 7);     // a condition of the experiment
}

TEST(ShootingLayout, ATimeBelongsToTheIntervalThatBeginsThere) {
  const ShootingLayout layout = make_shooting_layout(experiment(), shared());
  EXPECT_EQ(layout.times, (std::vector<double>{0, 1}));
  EXPECT_EQ(layout.interval_of(0.5), 0);
  EXPECT_EQ(layout.interval_of(1), 1);
  EXPECT_EQ(layout.interval_of(2), 1);
  EXPECT_EQ(layout.sample_times, (std::vector<std::vector<double>>{{0, 0.5}, {2}}));
  EXPECT_EQ(layout.end_of(1), 2);
}

TEST(ShootingLayout, AnEndNodeHasAnIntervalOfLengthZero) {
  ExperimentDescription e = experiment();
  e.grid.end_node = true;
  const ShootingLayout layout = make_shooting_layout(e, shared());
  ASSERT_EQ(layout.num_nodes(), 3);
  EXPECT_EQ(layout.end_of(2), layout.times[2]);
  EXPECT_EQ(layout.sample_times[2], std::vector<double>{2});
}

TEST(ShootingLayout, RowsAreDataThenPriorsAndBoundsAreInequalities) {
  ExperimentDescription e = experiment();
  e.initial[0].kind = InitialState::Kind::kPrior;
  e.state_bounds = {{.state = "a", .lower = 0}, {.state = "b", .lower = 0, .upper = 9}};
  const ShootingLayout layout = make_shooting_layout(e, shared());
  ASSERT_EQ(layout.data.size(), 4U);
  EXPECT_EQ(layout.experiment.residuals.size(), 4U);
  EXPECT_TRUE(layout.experiment.residuals[3].prior);
  EXPECT_EQ(layout.data[0].constant, -1 / 0.5);
  EXPECT_EQ(layout.data[0].terms[0].what->interval(), 0);
  EXPECT_EQ(layout.data[2].terms[0].what->interval(), 1);
  // a at one node (at the first it is not free), b at two with two bounds each, c below.
  EXPECT_EQ(layout.inequalities.size(), 1U + 4U + 1U);
}

TEST(ShootingLayout, APointIsUnpackedIntoNodesAndParameters) {
  const ShootingLayout layout = make_shooting_layout(experiment(), shared());
  ShootingPoint point;
  set_point(layout, Eigen::Vector4d(0.4, 1, 0.2, 0.3), Eigen::Vector2d(1, 0.8), point);
  EXPECT_EQ(point.s[0], Eigen::VectorXd::Constant(1, 0.4));
  EXPECT_EQ(point.s[1], Eigen::Vector2d(1, 0.2));
  EXPECT_EQ(point.parameters, (std::vector<double>{0.8, 0.3, 7}));
}

}  // namespace
}  // namespace shooting_layout_test
}  // namespace parfait::estimate
