#include "parfait/run/fit/minimization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "parfait/base/error.h"
#include "parfait/dynamics/formula_system.h"
#include "parfait/io/results/result_json.h"

namespace parfait::run::minimization_test {
namespace {

using testing::HasSubstr;

/// x'' = -c x - 2 d x' + sin t, measured without errors at (1.2, 0.4) and fitted from (1, 0.5).
estimate::Problem oscillator() {
  dynamics::FormulaModel model;
  model.state("x", 0.0, "v");
  model.state("v", 0.0, "-c*x - 2*d*v + sin(t)");
  model.parameter("c", 1);
  model.parameter("d", 0.5);
  estimate::Problem problem;
  problem.file = "oscillator.xml";
  problem.estimates = {{.parameter = "c", .initial = 1}, {.parameter = "d", .initial = 0.5}};
  auto& e = problem.experiments.emplace_back();
  e.id = "run1";
  e.system = dynamics::make_formula_system(model);
  e.data.header = {"t", "x"};
  e.data.columns.resize(2);
  const double c = 1.2, d = 0.4, w = std::sqrt(c - d * d);
  // x = A sin t + B cos t + exp(-d t)(C cos w t + S sin w t)
  const double n = (c - 1) * (c - 1) + 4 * d * d, A = (c - 1) / n, B = -2 * d / n;
  const double C = -B, S = (-A + d * C) / w;
  for (int i = 1; i <= 20; ++i) {
    const double t = 0.5 * i;
    e.data.columns[0].push_back(t);
    e.data.columns[1].push_back(A * std::sin(t) + B * std::cos(t) +
                                std::exp(-d * t) * (C * std::cos(w * t) + S * std::sin(w * t)));
  }
  e.observations = {{.column = "x", .quantity = {"x"}, .sigma = {.absolute = 0.01}}};
  problem.options.integrator.rtol = 1e-11;
  problem.options.integrator.atol = 1e-13;
  return problem;
}

TEST(Minimization, FindsTheTruthByEveryMethod) {
  for (const char* method : {"lbfgs", "bfgs"}) {
    for (const char* gradient : {"adjoint", "forward"}) {
      MinimizationRequest request;
      request.problem = oscillator();
      request.method = method;
      request.gradient = gradient;
      request.tolerance = 1e-9;
      const auto run = minimize(request);
      EXPECT_TRUE(run.finished()) << run.result.verdict.message;
      EXPECT_LE(run.result.iterations, 20) << method;
      EXPECT_NEAR(run.result.parameters[0].value, 1.2, 1e-6) << method << gradient;
      EXPECT_NEAR(run.result.parameters[1].value, 0.4, 1e-6) << method << gradient;
    }
  }
}

TEST(Minimization, StaysWithinBounds) {
  MinimizationRequest request;
  request.problem = oscillator();
  request.problem->estimates[0].upper = 1.1;
  const auto run = minimize(request);
  EXPECT_TRUE(run.finished()) << run.result.verdict.message;
  EXPECT_EQ(run.result.parameters[0].value, 1.1);
  EXPECT_TRUE(run.result.parameters[0].at_bound);
  EXPECT_LT(run.result.parameters[0].gradient, 0);
}

TEST(Minimization, MakesACostSmall) {
  // The distance from where the oscillator should be at the end: the damping decides.
  MinimizationRequest request;
  request.problem = oscillator();
  auto& e = request.problem->experiments[0];
  e.data = {};
  e.observations.clear();
  e.end = 3;
  e.costs = {{.id = "J",
              .terms = {{.kind = estimate::CostTerm::Kind::kFinal, .formula = {"(x - 1.3)^2"}}}}};
  request.problem->estimates.erase(request.problem->estimates.begin());
  const auto run = minimize(request);
  EXPECT_TRUE(run.has_costs);
  EXPECT_TRUE(run.finished()) << run.result.verdict.message;
  EXPECT_LT(run.result.objective, 1e-10);
}

TEST(Minimization, DrawsContours) {
  MinimizationRequest request;
  request.problem = oscillator();
  request.contour = {"c", "d"};
  const auto run = minimize(request);
  ASSERT_EQ(run.contour.points.size(), 31u * 31u);
  double least = INFINITY;
  for (const auto& point : run.contour.points) least = std::min(least, point[2]);
  EXPECT_GE(least, run.result.objective);
  EXPECT_LT(least, run.result.path.front().objective);
  request.contour = {"c", "e"};
  EXPECT_THROW(minimize(request), base::InputError);
}

TEST(Minimization, IsWrittenAndReadAgain) {
  MinimizationRequest request;
  request.problem = oscillator();
  const auto run = minimize(request);
  EXPECT_EQ(io::read_minimization_text(io::result_text(run.result), "result.json"), run.result);
}

TEST(Minimization, RefusesWhatItCannotDo) {
  MinimizationRequest request;
  request.problem = oscillator();
  request.method = "newton";
  EXPECT_THROW(minimize(request), base::InputError);
  request.method = "lbfgs";
  request.problem->experiments[0].grid.intervals = 4;
  try {
    minimize(request);
    ADD_FAILURE();
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("several shooting intervals"));
  }
}

}  // namespace
}  // namespace parfait::run::minimization_test
