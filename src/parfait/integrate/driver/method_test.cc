#include "parfait/integrate/stepping/method.h"

#include <gtest/gtest.h>

#include <set>

#include "parfait/base/error.h"
#include "parfait/integrate/driver/test_formulas.h"
#include "parfait/integrate/driver/test_oscillator.h"

// What the table of methods claims, the methods do.
namespace parfait::integrate {
namespace {

dynamics::FormulaModel decay_with_algebraic_state() {
  dynamics::FormulaModel model;
  model.states = {{.id = "x", .initial = 1, .derivative = "-z"}};
  model.algebraics = {{.id = "z", .initial = 1}};
  model.equations = {{"z - x"}};
  return model;
}

dynamics::FormulaModel decay() {
  dynamics::FormulaModel model;
  model.states = {{.id = "x", .initial = 1, .derivative = "-x"}};
  return model;
}

TEST(Methods, HaveDifferentNamesAndAreFoundByThem) {
  std::set<std::string> names;
  for (const auto& method : methods()) {
    EXPECT_TRUE(names.insert(method.name).second) << method.name;
    EXPECT_EQ(method_of(method.name), method.method);
    EXPECT_EQ(&info(method.method), &method);
  }
  EXPECT_THROW(method_of("dop835"), base::InputError);
}

TEST(Methods, IntegrateAlgebraicStatesExactlyWhereTheTableSaysSo) {
  for (const auto& method : methods()) {
    FormulaRun run(decay_with_algebraic_state());
    if (method.solves_dae) {
      EXPECT_NEAR(run.run(1, with(method.method, 1e-8, 1e-10)).y[0], std::exp(-1), 1e-3);
    } else {
      EXPECT_THROW(run.run(1, with(method.method, 1e-8, 1e-10)), base::InputError) << method.name;
    }
    EXPECT_EQ(obstacle(method.method, *run.system).empty(), method.solves_dae) << method.name;
  }
}

TEST(Methods, IntegrateFormulasExactlyWhereTheyNeedNoMasses) {
  for (const auto& method : methods()) {
    FormulaRun run(decay());
    if (method.needs_second_order) {
      EXPECT_THROW(run.run(1, with(method.method, 1e-8, 1e-10)), base::InputError) << method.name;
    } else {
      EXPECT_NEAR(run.run(1, with(method.method, 1e-8, 1e-10)).y[0], std::exp(-1), 1e-3);
    }
  }
}

/// The error of a repetition under a much smaller tolerance, over that of the run it repeats: 1 if
/// the steps are the same.
double error_of_repetition(Method method) {
  const Oscillator system(1, 0, 1);
  const auto workspace = system.make_workspace(0);
  Record record;
  State run, repeated;
  run.y = repeated.y = system.initial_state();
  Integrator(system, *workspace, with(method, 1e-3, 1e-3)).run(run, 5, {}, &record);
  Integrator(system, *workspace, with(method, 1e-9, 1e-9)).replay(repeated, record);
  return std::abs(repeated.y[0] - std::cos(5)) / std::abs(run.y[0] - std::cos(5));
}

TEST(Methods, RepeatRecordedStepsExactlyWhereTheTableSaysSo) {
  for (const auto& method : methods()) {
    if (method.can_replay) {
      EXPECT_NEAR(error_of_repetition(method.method), 1, 0.01) << method.name;
    } else {
      EXPECT_LT(error_of_repetition(method.method), 0.1) << method.name;
    }
  }
}

TEST(Methods, ForStiffProblemsTakeFewStepsOnOne) {
  for (const auto& method : methods()) {
    const Oscillator stiff(1, 0, 1e6);  // e' = -1e6 e beside a slow oscillation
    const auto workspace = stiff.make_workspace(0);
    State state;
    state.y = stiff.initial_state();
    Options options = with(method.method, 1e-3, 1e-4);
    options.max_steps = 2000;
    const auto result = Integrator(stiff, *workspace, options).run(state, 1);
    EXPECT_EQ(result.outcome == Outcome::kFinished, method.for_stiff) << method.name;
  }
}

TEST(Methods, DefaultIsTheFirstThatCan) {
  EXPECT_EQ(default_method(*FormulaRun(decay()).system), Method::kDop853);
  EXPECT_EQ(default_method(*FormulaRun(decay_with_algebraic_state()).system), Method::kBdf);
}

TEST(Methods, ObstacleNamesTheMethodsThatCan) {
  EXPECT_EQ(obstacle(Method::kAbm, *FormulaRun(decay_with_algebraic_state()).system),
            "has algebraic states, which only bdf can integrate");
  EXPECT_EQ(obstacle(Method::kHht, *FormulaRun(decay()).system),
            "is not mechanical. Use " +
                method_names([](const MethodInfo& m) { return !m.needs_second_order; }, "or"));
}

}  // namespace
}  // namespace parfait::integrate
