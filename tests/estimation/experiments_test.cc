#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <cstring>

#include "build.h"
#include "parfait/estimate/fit/synthesize.h"
#include "problems.h"

// Several experiments in one estimation.
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

constexpr double kSigma = 0.02;

/// Four experiments that share k and E, three of them with their own model:
///   cold, hot   x' = -k exp(E (T - 1)) x at the set temperatures T, x(0) free, 3 intervals
///   filling     y' = k (level - y), y(0) = 0, the level its own parameter
///   table       z = offset + k T, a formula, the offset its own parameter
/// and k + E = 1.5.
Problem structured() {
  dynamics::FormulaModel decay;
  decay.state("x", 1, "-k * exp(E * (T - 1)) * x");
  for (const char* id : {"k", "E", "T"}) decay.parameter(id, 1);
  dynamics::FormulaModel filling;
  filling.state("y", 0, "k * (level - y)");
  filling.parameter("k", 1);
  filling.parameter("level", 2);

  Problem problem;
  problem.estimates = {{.parameter = "k", .initial = 0.8, .truth = 0.8},
                       {.parameter = "E", .initial = 0.7, .truth = 0.7}};
  problem.requirements.push_back(require({{std::nan(""), "k + E - 1.5"}}));
  for (const auto& [id, T] : {std::pair{"cold", 0.5}, {"hot", 2.0}}) {
    auto& e = problem.experiments.emplace_back(
        dynamic_experiment(id, decay, times(0, 3, 10), {{"x", "x"}}, kSigma));
    e.sets.push_back({.parameter = "T", .value = T});
    free_start(e);
    e.grid.intervals = 3;
  }
  auto& fill = problem.experiments.emplace_back(
      dynamic_experiment("filling", filling, times(0.5, 4, 8), {{"y", "y"}}, kSigma));
  fill.begin = 0;
  fill.locals.push_back({.parameter = "level", .initial = 2, .truth = 2});
  Data table = empty_data(times(0, 1, 5), {"T", "z"});
  table.columns[1] = {0.5, 1, 1.5, 2, 3};
  auto& formula = problem.experiments.emplace_back(
      algebraic_experiment("table", table, {{"z", "offset + k * T"}}, kSigma));
  formula.locals.push_back({.parameter = "offset", .initial = 0.3, .truth = 0.3});
  problem.options.integrator.rtol = 1e-11;
  problem.options.integrator.atol = 1e-13;
  problem.options.iteration.tolerance = 1e-10;
  return synthesize(problem, 21);
}

/// The same as one table with one formula: all parameters shared, solutions in closed form.
Problem stacked(const Problem& problem) {
  Data all;
  all.header = {"t", "T", "cold", "hot", "filling", "table", "eta"};
  all.columns.resize(all.header.size());
  for (std::size_t i = 0; i < 4; ++i) {
    ExperimentDescription e = problem.experiments[i];
    const std::string name = e.observations[0].column;
    for (std::size_t row = 0; row < column(e, "t").size(); ++row) {
      const double T = i == 3 ? column(e, "T")[row] : i == 0 ? 0.5 : 2.0;
      const double cells[] = {column(e, "t")[row], T,
                              i == 0 ? 1.0 : 0.0,  i == 1 ? 1.0 : 0.0,
                              i == 2 ? 1.0 : 0.0,  i == 3 ? 1.0 : 0.0,
                              column(e, name)[row]};
      for (std::size_t c = 0; c < all.columns.size(); ++c) all.columns[c].push_back(cells[c]);
    }
  }
  all.time = "none";
  Problem one;
  one.estimates = problem.estimates;
  for (const auto& [id, initial] :
       {std::pair{"x_cold", 1.0}, {"x_hot", 1.0}, {"level", 2.0}, {"offset", 0.3}}) {
    one.estimates.push_back({.parameter = id, .initial = initial});
  }
  one.requirements = problem.requirements;
  one.experiments.push_back(
      algebraic_experiment("all", all,
                           {{"eta",
                             "(cold * x_cold + hot * x_hot) * exp(-k * exp(E * (T - 1)) * t)"
                             " + filling * level * (1 - exp(-k * t)) + table * (offset + k * T)"}},
                           kSigma));
  one.options.iteration.tolerance = 1e-10;
  return one;
}

TEST(Experiments, StructuredSolutionEqualsThatOfTheStackedProblem) {
  Problem problem = structured();
  problem.estimates[0].initial = 0.5;
  problem.estimates[1].initial = 1.0;
  const FitResult parts = fit(problem);
  const FitResult whole = fit(stacked(problem));
  ASSERT_TRUE(parts.converged()) << parts.iteration.message;
  ASSERT_TRUE(whole.converged()) << whole.iteration.message;
  EXPECT_NEAR(parts.objective, whole.objective, 1e-8 * whole.objective);
  EXPECT_EQ(parts.scale.degrees_of_freedom, whole.scale.degrees_of_freedom);
  EXPECT_EQ(parts.rank, 5);  // six unknowns, one equation
  // k, E, x of cold, x of hot, level, offset: the same order.
  ASSERT_EQ(parts.estimates.size(), 6U);
  for (Eigen::Index i = 0; i < 6; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_NEAR(parts.estimates[at].statistics.value, whole.estimates[at].statistics.value, 1e-8)
        << parts.estimates[at].id;
    for (Eigen::Index j = 0; j < 6; ++j) {
      const double size = std::sqrt(whole.covariance(i, i) * whole.covariance(j, j));
      EXPECT_NEAR(parts.covariance(i, j), whole.covariance(i, j), 1e-6 * size) << i << ", " << j;
    }
  }
  EXPECT_NEAR(value(parts, "k") + value(parts, "E"), 1.5, 1e-12);
  EXPECT_GT(std::abs(whole.correlation(2, 5)), 0.02);  // experiments do see each other
  EXPECT_EQ(parts.num_shared, 2);
  EXPECT_EQ(find_in(parts, "filling", "level").experiment, "filling");
}

TEST(Experiments, OrderOfExperimentsDoesNotMatter) {
  Problem problem = structured();
  const FitResult forward = fit(problem);
  std::ranges::reverse(problem.experiments);
  const FitResult backward = fit(problem);
  ASSERT_TRUE(forward.converged() && backward.converged());
  EXPECT_NEAR(value(forward, "k"), value(backward, "k"), 1e-11);
  EXPECT_NEAR(find_in(forward, "hot", "x").statistics.sd,
              find_in(backward, "hot", "x").statistics.sd, 1e-11);
}

// A circle through points measured in both coordinates. The parameterized surface (each point has
// its own angle) and the orthogonal distances, from which the angles are gone, have the same
// minimum.
TEST(Experiments, ParameterizedSurfaceEqualsOrthogonalDistances) {
  Data data = empty_data(times(0, 1, 12), {"x", "y"});
  Problem surface;
  surface.estimates = {{.parameter = "a", .initial = 1.2, .truth = 1},
                       {.parameter = "b", .initial = -1.8, .truth = -2},
                       {.parameter = "radius", .initial = 2.5, .truth = 3}};
  for (int i = 0; i < 12; ++i) {
    // Noise as a fixed pattern, about 0.05.
    data.columns[1][static_cast<std::size_t>(i)] =
        1 + 3 * std::cos(0.4 * i) + 0.06 * std::sin(7.0 * i);
    data.columns[2][static_cast<std::size_t>(i)] =
        -2 + 3 * std::sin(0.4 * i) + 0.06 * std::cos(5.0 * i);
  }
  surface.options.iteration.tolerance = 1e-10;
  Problem distances = surface;
  auto& e = surface.experiments.emplace_back(algebraic_experiment(
      "points", data, {{"x", "a + radius * cos(phi)"}, {"y", "b + radius * sin(phi)"}}, 0.05));
  e.row_locals.push_back({.parameter = "phi", .initial = "atan2(y + 2, x - 1)"});
  data.header.emplace_back("zero");
  data.columns.emplace_back(12, 0.0);
  distances.experiments.push_back(algebraic_experiment(
      "points", data, {{"zero", "sqrt((x - a)^2 + (y - b)^2) - radius"}}, 0.05));

  const FitResult by_surface = fit(surface);
  const FitResult by_distance = fit(distances);
  ASSERT_TRUE(by_surface.converged()) << by_surface.iteration.message;
  ASSERT_TRUE(by_distance.converged()) << by_distance.iteration.message;
  EXPECT_NEAR(by_surface.objective, by_distance.objective, 1e-9);
  EXPECT_EQ(by_surface.scale.degrees_of_freedom, 9);  // 24 data, 12 angles, 3 parameters
  for (const char* id : {"a", "b", "radius"}) {
    EXPECT_NEAR(value(by_surface, id), value(by_distance, id), 1e-8) << id;
    // The Jacobians agree where the residuals vanish: to residual / radius = 2 % here.
    EXPECT_NEAR(find(by_surface, id).statistics.sd, find(by_distance, id).statistics.sd,
                0.03 * find(by_distance, id).statistics.sd)
        << id;
  }
  // Without the elimination of single rows (other norms keep all unknowns) nothing changes.
  surface.options.linear.norm = Norm::kHuber;
  surface.options.linear.huber_gamma = 1e6;
  const FitResult uneliminated = fit(surface);
  ASSERT_TRUE(uneliminated.converged()) << uneliminated.iteration.message;
  for (const char* id : {"a", "b", "radius"}) {
    EXPECT_NEAR(value(by_surface, id), value(uneliminated, id), 1e-9) << id;
  }
  // The shares of measurements in their own predictions add up to the number of unknowns.
  double sum = 0;
  for (std::size_t i = 0; i < 24; ++i) {
    const ResidualResult& r = by_surface.experiments[0].residuals[i];
    EXPECT_NEAR(r.sd_model, uneliminated.experiments[0].residuals[i].sd_model, 1e-8);
    sum += std::pow(r.sd_model / (by_surface.scale.beta() * r.info.sigma), 2);
  }
  EXPECT_NEAR(sum, 12 + 3, 1e-9);
}

Problem twenty_experiments() {
  dynamics::FormulaModel model;
  model.state("x1", 0.4, "-p1 * x1 + p2 * x1 * x2 + drift");
  model.state("x2", 1, "p3 * x2 - p4 * x1 * x2");
  Problem problem;
  for (const char* id : {"p1", "p2", "p3", "p4"}) {
    model.parameter(id, 1);
    problem.estimates.push_back({.parameter = id, .initial = 0.9, .truth = 1});
  }
  model.parameter("drift", 0.01);
  for (int i = 0; i < 20; ++i) {
    auto& e = problem.experiments.emplace_back(dynamic_experiment(
        "run" + std::to_string(i), model, times(0, 5, 11), {{"a", "x1"}, {"b", "x2"}}, 0.05));
    e.initial = {{.state = "x1", .kind = InitialState::Kind::kFree, .value = 0.4 + 0.03 * i},
                 {.state = "x2", .kind = InitialState::Kind::kFree, .value = 1}};
    e.locals.push_back({.parameter = "drift", .initial = 0.02, .truth = 0.01});
    e.grid.intervals = 5;
  }
  return synthesize(problem, 4);
}

TEST(Threads, OneAndTwoGiveTheSameBits) {
  const Problem problem = twenty_experiments();
  const auto fit_on = [&](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return fit(problem, {.certify = true});
  };
  const FitResult one = fit_on(1), two = fit_on(2), again = fit_on(2);
  ASSERT_TRUE(one.converged()) << one.iteration.message;
  const auto same = [](const auto& a, const auto& b) {
    return a.size() == b.size() &&
           std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) ==
               0;
  };
  for (const FitResult* other : {&two, &again}) {
    EXPECT_TRUE(same(one.x, other->x));
    EXPECT_TRUE(same(one.covariance, other->covariance));
    EXPECT_EQ(one.objective, other->objective);
    EXPECT_EQ(one.work.steps, other->work.steps);
    ASSERT_EQ(one.iteration.history.size(), other->iteration.history.size());
    for (std::size_t k = 0; k < one.iteration.history.size(); ++k) {
      EXPECT_EQ(one.iteration.history[k].increment, other->iteration.history[k].increment);
      EXPECT_EQ(one.iteration.history[k].kappa, other->iteration.history[k].kappa);
    }
    for (std::size_t i = 0; i < one.estimates.size(); ++i) {
      EXPECT_EQ(one.estimates[i].statistics.sd, other->estimates[i].statistics.sd);
      EXPECT_EQ(one.estimates[i].shift, other->estimates[i].shift);
    }
  }
}

}  // namespace
}  // namespace parfait::estimation
