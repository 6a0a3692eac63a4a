#include <gtest/gtest.h>

#include <cmath>

#include "build.h"
#include "parfait/estimate/fit/synthesize.h"
#include "problems.h"

// Models with algebraic states, relaxed so that nodes need not be consistent.
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

/// A tank that empties through a valve: the outflow z solves z^2 + drag z = level.
dynamics::FormulaModel tank_dae() {
  dynamics::FormulaModel model;
  model.state("level", 2, "-valve * z");
  model.algebraic("z", 1);
  model.equation("0 = z^2 + drag * z - level");
  model.parameter("valve", 0.6);
  model.parameter("drag", 0.5);
  return model;
}

dynamics::FormulaModel tank_ode() {
  dynamics::FormulaModel model;
  model.define("z", "(sqrt(drag^2 + 4 * level) - drag) / 2");
  model.state("level", 2, "-valve * z");
  model.parameter("valve", 0.6);
  model.parameter("drag", 0.5);
  return model;
}

Problem emptying(const dynamics::FormulaModel& model, const std::string& flow) {
  Problem problem;
  problem.estimates = {{.parameter = "valve", .initial = 0.6, .truth = 0.6},
                       {.parameter = "drag", .initial = 0.5, .truth = 0.5}};
  auto& e = problem.experiments.emplace_back(dynamic_experiment(
      "tank", model, times(0, 3, 16), {{"level", "level"}, {"flow", flow}}, 0.01));
  free_start(e);
  e.grid.intervals = 4;
  problem.options.integrator.rtol = 1e-9;
  problem.options.integrator.atol = 1e-11;
  problem.options.iteration.tolerance = 1e-8;
  return problem;
}

TEST(RelaxedDae, FitFromInconsistentAlgebraicStatesEqualsThatOfTheOde) {
  Problem ode = synthesize(emptying(tank_ode(), "z"), 6);
  Problem dae = emptying(tank_dae(), "z");
  dae.experiments[0].data = ode.experiments[0].data;
  for (Problem* problem : {&ode, &dae}) {
    problem->estimates[0].initial = 0.3;
    problem->estimates[1].initial = 1.2;
  }
  const FitResult reference = fit(ode);
  ASSERT_TRUE(reference.converged()) << reference.iteration.message;

  // The first guess solves the algebraic equations; here each node's z is off by 60 %.
  Team alone;
  const auto ensemble = make_ensemble(dae, alone);
  Eigen::VectorXd start;
  ASSERT_TRUE(ensemble->initialize(start));
  const auto names = ensemble->experiment(0).layout().variables;
  int moved = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i][0] != 'z') continue;
    start[ensemble->offset_of(0) + static_cast<Eigen::Index>(i)] *= moved++ % 2 == 0 ? 1.6 : 0.4;
  }
  ASSERT_EQ(moved, 4);
  const FitResult result = fit(dae, {.start = start});
  print("tank as a DAE", result);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  EXPECT_GT(result.iteration.history.front().infeasibility, 0.3);  // it was inconsistent
  EXPECT_LT(result.iteration.history.back().infeasibility, 1e-8);
  EXPECT_NEAR(result.objective, reference.objective, 1e-5 * reference.objective);
  for (const char* id : {"valve", "drag", "level"}) {
    const auto &a = find(result, id).statistics, &b = find(reference, id).statistics;
    // bdf and dop853 at rtol 1e-9: far below the sd.
    EXPECT_NEAR(a.value, b.value, 1e-4 * b.sd) << id;
    EXPECT_NEAR(a.sd, b.sd, 1e-4 * b.sd) << id;
  }

  const FitResult consistent = fit(dae);
  ASSERT_TRUE(consistent.converged()) << consistent.iteration.message;
  EXPECT_LT(consistent.iteration.history.front().infeasibility, 1e-7);
  EXPECT_NEAR(value(consistent, "drag"), value(result, "drag"), 1e-6);
}

TEST(RelaxedDae, InitialValuesThatAreFixedWorkToo) {
  Problem ode = synthesize(emptying(tank_ode(), "z"), 9);
  Problem dae = emptying(tank_dae(), "z");
  dae.experiments[0].data = ode.experiments[0].data;
  for (Problem* problem : {&ode, &dae}) {
    problem->experiments[0].initial.clear();
    problem->experiments[0].grid.intervals = 1;
    problem->estimates[1].initial = 0.9;
  }
  const FitResult a = fit(ode), b = fit(dae);
  ASSERT_TRUE(a.converged()) << a.iteration.message;
  ASSERT_TRUE(b.converged()) << b.iteration.message;
  EXPECT_NEAR(value(a, "drag"), value(b, "drag"), 1e-4 * find(a, "drag").statistics.sd);
  EXPECT_NEAR(value(a, "valve"), value(b, "valve"), 1e-4 * find(a, "valve").statistics.sd);
}

}  // namespace
}  // namespace parfait::estimation
