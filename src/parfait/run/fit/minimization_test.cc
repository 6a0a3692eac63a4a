#include "parfait/run/fit/minimization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>

#include "parfait/base/error.h"
#include "parfait/dynamics/formula_system.h"
#include "parfait/estimate/fit/fit.h"
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
  for (const char* method : {"lbfgs", "bfgs", "lsmr"}) {
    for (const char* gradient : {"adjoint", "forward"}) {
      if (method == std::string("lsmr") && gradient == std::string("forward")) continue;
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
  double second = 0;
  for (const char* method : {"lbfgs", "lsmr"}) {
    MinimizationRequest request;
    request.problem = oscillator();
    request.problem->estimates[0].upper = 1.1;
    request.method = method;
    const auto run = minimize(request);
    EXPECT_TRUE(run.finished()) << run.result.verdict.message;
    EXPECT_EQ(run.result.parameters[0].value, 1.1) << method;
    EXPECT_TRUE(run.result.parameters[0].at_bound) << method;
    EXPECT_LT(run.result.parameters[0].gradient, 0) << method;
    if (second != 0) {
      EXPECT_NEAR(run.result.parameters[1].value, second, 1e-6);
    }
    second = run.result.parameters[1].value;
  }
}

/// Residuals that do not vanish: every fifth datum is wrong by three sigma.
estimate::Problem noisy_oscillator() {
  auto problem = oscillator();
  auto& x = problem.experiments[0].data.columns[1];
  for (std::size_t i = 0; i < x.size(); i += 5) x[i] += 0.03;
  return problem;
}

TEST(Minimization, EndsWithTheIntervalsOfGaussNewton) {
  const auto fit = estimate::fit(noisy_oscillator());
  ASSERT_TRUE(fit.converged());
  for (const char* method : {"lbfgs", "lsmr"}) {
    MinimizationRequest request;
    request.problem = noisy_oscillator();
    request.method = method;
    const auto run = minimize(request);
    EXPECT_TRUE(run.finished()) << run.result.verdict.message;
    EXPECT_NEAR(run.result.objective, 0.5 * fit.objective, 1e-9 * fit.objective);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto& known = fit.estimates[i].statistics;
      const auto& found = run.result.parameters[i];
      EXPECT_NEAR(found.value, known.value, 1e-4 * known.sd) << method;
      ASSERT_TRUE(found.sd.has_value());
      EXPECT_NEAR(*found.sd, known.sd, 1e-6 * known.sd);
      ASSERT_EQ(found.ci95.size(), 2u);
      EXPECT_NEAR(found.ci95[1], known.individual.high, 1e-4 * known.sd);
    }
  }
}

TEST(Minimization, StepsOfLsmrAreThoseOfGaussNewton) {
  // From the same start, one step without limits: the increments are the same.
  auto problem = noisy_oscillator();
  problem.estimates[0].initial = 1.15;
  problem.estimates[1].initial = 0.42;
  problem.estimates[1].prior = estimate::Prior{.value = 0.43, .sigma = 0.05};
  MinimizationRequest request;
  request.problem = problem;
  request.method = "lsmr";
  request.max_iterations = 1;
  const auto run = minimize(request);
  ASSERT_EQ(run.result.path.size(), 2u);
  ASSERT_EQ(run.result.path[1].length, 1);
  problem.options.iteration.globalization = estimate::Globalization::kFull;
  problem.options.iteration.back_projection = false;
  std::vector<std::vector<double>> values;
  estimate::FitSettings settings;
  settings.max_iterations = 1;
  settings.on_iteration = [&](const estimate::Iteration&, const std::vector<double>& at,
                              estimate::VecIn) {
    values.push_back(at);
    return true;
  };
  estimate::fit(problem, settings);
  ASSERT_GE(values.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const double increment = values[1][i] - values[0][i];
    EXPECT_NEAR(run.result.path[1].values[i] - run.result.path[0].values[i], increment,
                1e-8 * std::abs(increment));
  }
}

TEST(Minimization, SearchesInParallelWithTheSameBitsOnAnyNumberOfThreads) {
  MinimizationRequest request;
  request.problem = oscillator();
  request.line_search = "parallel";
  const auto run = minimize(request);
  const tbb::global_control alone(tbb::global_control::max_allowed_parallelism, 1);
  const auto again = minimize(request);
  EXPECT_TRUE(run.finished()) << run.result.verdict.message;
  EXPECT_NEAR(run.result.parameters[0].value, 1.2, 1e-6);
  EXPECT_NEAR(run.result.parameters[1].value, 0.4, 1e-6);
  EXPECT_EQ(run.result, again.result);
}

TEST(Minimization, OfSpectraIsThatOfGaussNewton) {
  for (const char* of : {"coefficients", "amplitude", "power", "log"}) {
    auto problem = noisy_oscillator();
    auto& observation = problem.experiments[0].observations[0];
    observation.kind = "spectrum";
    observation.quantity = {};
    observation.settings = {
        {"spectrum", "x"}, {"from", "0.1"}, {"to", "0.5"}, {"of", of}, {"window", "hanning"}};
    const auto fit = estimate::fit(problem);
    ASSERT_TRUE(fit.converged()) << of;
    MinimizationRequest request;
    request.problem = problem;
    for (const char* method : {"lbfgs", "lsmr"}) {
      request.method = method;
      const auto run = minimize(request);
      EXPECT_TRUE(run.finished()) << run.result.verdict.message;
      EXPECT_NEAR(run.result.objective, 0.5 * fit.objective, 1e-8 * fit.objective) << of << method;
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(run.result.parameters[i].value, fit.estimates[i].statistics.value,
                    1e-3 * fit.estimates[i].statistics.sd)
            << of << method;
      }
    }
  }
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
  request.method = "lsmr";
  request.gradient = "forward";
  EXPECT_THROW(minimize(request), base::InputError);
  request.gradient = "adjoint";
  request.line_search = "golden";
  EXPECT_THROW(minimize(request), base::InputError);
  request.line_search.reset();
  request.method = "lbfgs";
  request.gradient = "adjoint";
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
