#include "parfait/estimate/problem/check_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parfait/dynamics/formula_system.h"
#include "parfait/estimate/problem/horizon.h"
#include "parfait/estimate/problem/problem_counts.h"

// Problems made in code are checked like those from files; messages then name the element, not a
// line. The messages with places are in tests/cases/broken_problems.
namespace parfait::estimate {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const double kEmpty = std::nan("");

std::shared_ptr<const dynamics::System> decay() {
  dynamics::FormulaModel m;
  m.parameter("k", 1);
  m.parameter("c", 2);
  m.state("x", "c", "-k*x");
  m.state("w", 0, "x");
  return dynamics::make_formula_system(m);
}

std::shared_ptr<const dynamics::System> decay_as_dae() {
  dynamics::FormulaModel m;
  m.parameter("k", 1);
  m.state("x", 1, "z");
  m.algebraic("z", 0);
  m.equation("z = -k*x");
  return dynamics::make_formula_system(m);
}

/// k from x at four times; x is measured twice at 2.
Problem right_problem() {
  Problem p;
  p.estimates.push_back({.parameter = "k", .initial = 1});
  auto& e = p.experiments.emplace_back();
  e.id = "run";
  e.system = decay();
  e.data.header = {"t", "x"};
  e.data.columns = {{1, 2, 2, 3}, {1.2, 0.7, 0.8, kEmpty}};
  e.observations.push_back({.column = "x", .quantity = "x"});
  return p;
}

/// The message about a problem that `spoil` made wrong, or "right".
template <class Spoil>
std::string message(Spoil spoil, Problem p = right_problem()) {
  spoil(p);
  try {
    check(p);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "right";
}

TEST(CheckProblem, ARightProblemHasNoWarnings) {
  EXPECT_THAT(check(right_problem()), IsEmpty());
}

TEST(CheckProblem, WithoutPlacesTheElementIsNamed) {
  EXPECT_EQ(message([](Problem& p) { p.experiments.clear(); }), "the problem has no experiment.");
  EXPECT_EQ(message([](Problem& p) { p.experiments[0].observations[0].quantity = "2*xx"; }),
            "experiment \"run\", observe \"x\": unknown name \"xx\". Did you mean \"x\"? "
            "Known here: t, x, w, k, c, x.rate, w.rate.");
  EXPECT_EQ(message([](Problem& p) { p.experiments[0].data.columns[0][2] = 0.5; }),
            "experiment \"run\": row 3: time 0.5 follows 2; times must not descend.");
  EXPECT_EQ(message([](Problem& p) { p.experiments[0].data.columns[1][1] = kInfinity; }),
            "experiment \"run\": row 2: column \"x\" is inf: must be finite.");
  EXPECT_EQ(message([](Problem& p) { p.experiments[0].data.columns[1].pop_back(); }),
            "experiment \"run\": column \"x\" has 3 rows, \"t\" has 4.");
  EXPECT_EQ(message([](Problem& p) { p.experiments[0].data.header.pop_back(); }),
            "experiment \"run\": the data have 1 names for 2 columns.");
  EXPECT_EQ(message([](Problem& p) { p.estimates[0].initial = kEmpty; }),
            "estimate \"k\": initial = nan: must be finite.");
  EXPECT_EQ(message([](Problem& p) { p.options.confidence = 1; }),
            "options: confidence = 1: must be > 0 and < 1.");
  EXPECT_EQ(message([](Problem& p) { p.experiments[0].requirements.emplace_back(); }),
            "experiment \"run\", require: a requirement needs a formula.");
}

TEST(CheckProblem, AMethodMustSuitTheModel) {
  const auto use = [](integrate::Method method, bool given) {
    return [=](Problem& p) {
      p.experiments[0].system = decay_as_dae();
      p.options.integrator.method = method;
      p.options.integrator_given = given;
    };
  };
  EXPECT_EQ(message(use(integrate::Method::kDop853, true)),
            "options: integrator \"dop853\": the model of experiment \"run\" has algebraic states, "
            "which only bdf can integrate.");
  EXPECT_EQ(message(use(integrate::Method::kDop853, false)), "right");
  EXPECT_EQ(message(use(integrate::Method::kBdf, true)), "right");
}

TEST(CheckProblem, FreeInitialStatesAloneCanBeEstimated) {
  Problem p = right_problem();
  EXPECT_NO_THROW(check_estimated(p));
  p.estimates.clear();
  EXPECT_THROW(check_estimated(p), base::InputError);
  p.experiments[0].initial.push_back({.state = "x", .kind = InitialState::Kind::kFree});
  EXPECT_NO_THROW(check_estimated(p));
  EXPECT_THAT(check(p), IsEmpty());
}

TEST(CheckProblem, AParameterNeedsOneExperimentThatHasIt) {
  // "c" only in the second experiment, which has no model.
  const auto add_second = [](Problem& p, const char* quantity) {
    auto& e = p.experiments.emplace_back();
    e.id = "still";
    e.data.header = {"s", "y"};
    e.data.columns = {{1, 2}, {3, 4}};
    e.observations.push_back({.column = "y", .quantity = quantity});
    p.estimates.push_back({.parameter = "gain", .initial = 1});
  };
  EXPECT_EQ(message([&](Problem& p) { add_second(p, "gain*s"); }), "right");
  EXPECT_EQ(message([&](Problem& p) { add_second(p, "k*s"); }),
            "estimate \"gain\": no experiment has a parameter \"gain\". Parameters: k, c.");
}

TEST(CheckProblem, WarnsOfWhatIsProbablyNotMeant) {
  Problem p = right_problem();
  p.estimates[0].upper = 2;
  p.estimates[0].truth = 3;
  auto& e = p.experiments[0];
  e.data.header.emplace_back("w");
  e.data.columns.push_back({kEmpty, kEmpty, kEmpty, kEmpty});
  e.observations.push_back({.column = "w", .quantity = "w"});
  e.observations[0].quantity = "2*x";
  e.observations[1].quantity = "2*w";
  e.grid.nodes = Grid::Nodes::kMeasured;
  e.locals.push_back({.parameter = "c", .initial = 1});
  e.initial.push_back({.kind = InitialState::Kind::kFree});
  const auto warnings = check(p);
  EXPECT_THAT(warnings,
              ::testing::ElementsAre(HasSubstr("its true value 3 is outside its bounds"),
                                     HasSubstr("observe \"w\": all cells of this column are empty"),
                                     HasSubstr("no state is measured directly"),
                                     HasSubstr("3 measurements for 4 unknown")));
}

TEST(CheckProblem, WarnsOfLevenbergMarquardtWithMatchingConditions) {
  Problem p = right_problem();
  p.options.iteration.globalization = Globalization::kLm;
  EXPECT_THAT(check(p), IsEmpty());
  p.experiments[0].grid.intervals = 3;
  EXPECT_THAT(check(p), ::testing::ElementsAre(HasSubstr(
                            "globalization \"lm\" is meant for problems without matching "
                            "conditions, which it does not damp; experiment \"run\" has those of "
                            "3 nodes.")));
}

TEST(Horizon, HoldsDataNodesAndRequirements) {
  auto e = right_problem().experiments[0];
  const auto expect = [&](double begin, double end) {
    const auto horizon = horizon_of(e);
    EXPECT_EQ(horizon.begin, begin);
    EXPECT_EQ(horizon.end, end);
  };
  expect(0, 3);  // initial values hold at 0
  e.requirements.push_back({.terms = {{.at = 5, .formula = "x"}}});
  expect(0, 5);
  e.grid.times = {0.5, 2};
  expect(0.5, 5);
  e.data.columns[0][0] = -1;
  expect(-1, 5);
  e.begin = 1;
  e.end = 2.5;
  expect(1, 2.5);
}

TEST(ProblemCounts, CountWhatIsMeasuredAndUnknown) {
  auto e = right_problem().experiments[0];
  EXPECT_EQ(count(e).rows, 4);
  EXPECT_EQ(count(e).measurements, 3);
  EXPECT_EQ(count(e).nodes, 1);
  EXPECT_EQ(count(e).unknowns(), 0);
  e.grid.intervals = 5;
  EXPECT_EQ(count(e).unknowns(), 4 * 2);
  e.grid.end_node = true;
  EXPECT_EQ(count(e).nodes, 6);
  e.initial.push_back({.kind = InitialState::Kind::kFree});
  e.initial.push_back({.state = "w", .kind = InitialState::Kind::kFixed});
  EXPECT_EQ(num_free_initial(e), 1);
  EXPECT_EQ(count(e).node_states, 1 + 5 * 2);
  e.grid.times = {1, 2};  // in a horizon from 1 to 3
  e.grid.end_node = false;
  EXPECT_EQ(count(e).nodes, 2);
  e.system = decay_as_dae();
  EXPECT_EQ(count(e).node_states, 1 + 1 + 2);
}

}  // namespace
}  // namespace parfait::estimate
