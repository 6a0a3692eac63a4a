#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "parfait/dynamics/formula_system.h"
#include "problems.h"

// The same problem in other units has the same solution, and the same way to it.
namespace parfait::estimation::units_test {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

/// Factors of the units of prey, predators and the two rates of meeting.
struct Units {
  double x1, x2, p1, p2;
};

/// Lotka-Volterra of Heidelberg with X1 = u1 x1, X2 = u2 x2, P1 = v1 p1, P2 = v2 p2, data and all.
Problem predators_in(const Units& u, int intervals, bool bounded) {
  dynamics::FormulaModel model;
  model.state("x1", u.x1, fmt::format("-x1 + p1 / {:.17g} * x1 * x2", u.p1 * u.x2));
  model.state("x2", u.x2, fmt::format("x2 - p2 / {:.17g} * x1 * x2", u.p2 * u.x1));
  model.parameter("p1", 0.5 * u.p1);
  model.parameter("p2", 0.5 * u.p2);
  Problem problem =
      make_problem(model, "lv_heidelberg.csv", {{"p1", 0.5 * u.p1}, {"p2", 0.5 * u.p2}},
                   {{"x1", "x1"}, {"x2", "x2"}});
  auto& e = problem.experiments.front();
  for (const auto& [column, factor] :
       {std::pair{"x1", u.x1}, {"sigma1", u.x1}, {"x2", u.x2}, {"sigma2", u.x2}}) {
    for (double& value : e.data.columns[e.data.find_column(column)]) value *= factor;
  }
  e.observations[0].sigma.column = "sigma1";
  e.observations[1].sigma.column = "sigma2";
  e.initial = {{.kind = InitialState::Kind::kFree}};
  e.grid.intervals = intervals;
  if (intervals > 1) e.grid.nodes = Grid::Nodes::kMeasured;
  if (bounded) problem.estimates[1].lower = 0.36 * u.p2;  // active: the minimum is at 0.341
  problem.options.integrator.rtol = 1e-12;
  problem.options.integrator.atol = 1e-24;  // relative to all units
  problem.options.iteration.tolerance = 1e-10;
  return problem;
}

TEST(Units, DoNotChangeAFit) {
  const Units kOne{1, 1, 1, 1};
  for (const int intervals : {1, 10}) {
    for (const bool bounded : {false, true}) {
      const FitResult one = fit(predators_in(kOne, intervals, bounded));
      ASSERT_TRUE(one.converged()) << one.iteration.message;
      EXPECT_EQ(at_bound(find(one, "p2").statistics.determined), bounded);
      for (const Units& u :
           {Units{1e6, 1e-6, 1e-6, 1e6}, Units{1e-6, 1e6, 1e-6, 1e6}, Units{1e-6, 1e-6, 1e-6, 1e-6},
            Units{1e6, 1e6, 1, 1}, Units{1, 1, 1e6, 1e-6}}) {
        const FitResult other = fit(predators_in(u, intervals, bounded));
        const auto where = fmt::format("{} intervals, units {:g} {:g} {:g} {:g}", intervals, u.x1,
                                       u.x2, u.p1, u.p2);
        ASSERT_TRUE(other.converged()) << where << ": " << other.iteration.message;
        EXPECT_LE(std::abs(one.iteration.iterations - other.iteration.iterations), 1) << where;
        for (const auto& [id, factor] :
             {std::pair{"p1", u.p1}, {"p2", u.p2}, {"x1", u.x1}, {"x2", u.x2}}) {
          const auto &a = find(one, id).statistics, &b = find(other, id).statistics;
          EXPECT_EQ(a.determined, b.determined) << where << ": " << id;
          if (at_bound(a.determined)) continue;
          EXPECT_NEAR(b.value / factor, a.value, 1e-6 * a.sd) << where << ": " << id;
          EXPECT_NEAR(b.sd / factor, a.sd, 1e-5 * a.sd) << where << ": " << id;
        }
      }
    }
  }
}

// Only k1 k2 shows: which of them is undetermined must not depend on how they are counted.
TEST(Units, DoNotChangeWhatIsDetermined) {
  for (const double unit : {1.0, 1e6, 1e-6}) {
    dynamics::FormulaModel model;
    model.state("x", 1, fmt::format("-k1 * k2 / {:.17g} * x", unit));
    model.parameter("k1", unit);
    model.parameter("k2", 1);
    Problem problem;
    problem.estimates = {{.parameter = "k1", .initial = unit}, {.parameter = "k2", .initial = 1}};
    auto& e = problem.experiments.emplace_back();
    e.id = "run";
    e.system = dynamics::make_formula_system(model);
    e.data.header = {"t", "x"};
    e.data.columns = {{0.5, 1, 1.5, 2}, {0.51, 0.23, 0.11, 0.06}};
    e.observations = {{.column = "x", .quantity = {"x"}, .sigma = {.absolute = 0.01}}};
    const FitResult result = fit(problem);
    ASSERT_TRUE(result.converged()) << unit << ": " << result.iteration.message;
    EXPECT_EQ(result.rank, 1) << unit;
    for (const char* id : {"k1", "k2"}) {
      EXPECT_EQ(find(result, id).statistics.determined, Determined::kUndetermined)
          << unit << ": " << id;
    }
  }
}

}  // namespace
}  // namespace parfait::estimation::units_test
