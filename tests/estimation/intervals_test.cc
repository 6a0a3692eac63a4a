#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "build.h"
#include "parfait/estimate/fit/prediction.h"
#include "parfait/estimate/fit/profile.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/math/dense_solves.h"
#include "parfait/math/quantiles.h"
#include "problems.h"

// How far an estimate can be trusted: profiles, bands, the integrator's share.
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// eta = a + b t, as a formula or as x' = b with x(0) = a free.
Problem line(bool dynamic) {
  Problem problem;
  problem.estimates.push_back({.parameter = "b", .initial = 0, .truth = -0.7});
  const auto t = times(0, 3, 13);
  if (dynamic) {
    dynamics::FormulaModel model;
    model.state("x", 2, "b");
    model.parameter("b", -0.7);
    problem.experiments.push_back(dynamic_experiment("line", model, t, {{"eta", "x"}}, 0.1));
    free_start(problem.experiments[0]);
    problem.experiments[0].grid.intervals = 3;
  } else {
    problem.estimates.push_back({.parameter = "a", .initial = 0, .truth = 2});
    problem.experiments.push_back(
        algebraic_experiment("line", empty_data(t, {"eta"}), {{"eta", "a + b * t"}}, 0.1));
  }
  return synthesize(problem, 14);
}

/// Textbook regression of the line.
struct Regression {
  VectorXd solution;    ///< a, b
  MatrixXd covariance;  ///< with the estimated variance
  double t = 0;         ///< 97.5 % quantile
};

Regression regress(Problem& problem) {
  const auto& t = column(problem.experiments[0], "t");
  const auto& eta = column(problem.experiments[0], "eta");
  const auto n = static_cast<Eigen::Index>(t.size());
  MatrixXd X(n, 2);
  VectorXd y(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    X.row(i) << 1, t[static_cast<std::size_t>(i)];
    y[i] = eta[static_cast<std::size_t>(i)];
  }
  Regression out;
  out.solution = math::solve_least_squares(X, y);
  const double s2 = (X * out.solution - y).squaredNorm() / static_cast<double>(n - 2);
  out.covariance = s2 * math::inverse(math::gram(X));
  out.t = math::student_t_quantile(0.975, static_cast<double>(n - 2));
  return out;
}

TEST(Profile, LinearModelHasTheTInterval) {
  for (bool dynamic : {false, true}) {
    Problem problem = line(dynamic);
    const Regression expected = regress(problem);
    const double half = expected.t * std::sqrt(expected.covariance(1, 1));
    const FitResult result = fit(problem);
    ASSERT_TRUE(result.converged()) << result.iteration.message;
    const auto& s = find(result, "b").statistics;
    EXPECT_NEAR(s.individual.low, expected.solution[1] - half, 1e-8);
    EXPECT_NEAR(s.individual.high, expected.solution[1] + half, 1e-8);
    const Profile profile = make_profile(problem, result, "b");
    EXPECT_NEAR(profile.low, expected.solution[1] - half, 1e-7);
    EXPECT_NEAR(profile.high, expected.solution[1] + half, 1e-7);
    // The profile is the parabola through the minimum.
    for (const auto& point : profile.points) {
      EXPECT_TRUE(point.converged);
      const double u = (point.value - expected.solution[1]) / half;
      const double parabola = result.objective + u * u * (profile.threshold - result.objective);
      EXPECT_NEAR(point.objective, parabola, 1e-6 * parabola);
    }
  }
}

TEST(Profile, CurvedModelHasAnAsymmetricInterval) {
  Problem problem;
  problem.estimates = {{.parameter = "rate", .initial = 0.5, .truth = 0.5},
                       {.parameter = "top", .initial = 2, .truth = 2}};
  problem.experiments.push_back(algebraic_experiment("curve", empty_data(times(0.5, 3, 6), {"eta"}),
                                                     {{"eta", "top * (1 - exp(-rate * t))"}},
                                                     0.05));
  problem = synthesize(problem, 2);
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged());
  const Profile profile = make_profile(problem, result, "top");
  const double top = value(result, "top");
  // Both ends lie on the threshold: checked by fitting what remains there.
  for (double end : {profile.low, profile.high}) {
    Problem held = problem;
    held.estimates.pop_back();
    held.experiments[0].sets.push_back({.parameter = "top", .value = end});
    held.estimates[0].initial = value(result, "rate");
    EXPECT_NEAR(fit(held).objective, profile.threshold, 1e-5 * profile.threshold);
  }
  EXPECT_GT(profile.high - top, 1.2 * (top - profile.low));
}

TEST(Prediction, BandsOfALinearModelAreThoseOfRegression) {
  Problem problem = line(true);
  const Regression expected = regress(problem);
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged());
  const auto predictions = predict(problem, result, 31);
  ASSERT_EQ(predictions.size(), 1U);
  const Prediction& band = predictions[0];
  ASSERT_GE(band.t.size(), 31U);
  for (std::size_t i = 0; i < band.t.size(); ++i) {
    const Eigen::Vector2d x(1, band.t[i]);
    const auto at = static_cast<Eigen::Index>(i);
    EXPECT_NEAR(band.values(0, at), x.dot(expected.solution), 1e-8) << "t = " << band.t[i];
    EXPECT_NEAR(band.sd(0, at), std::sqrt(x.dot(expected.covariance * x)), 1e-8);
  }
  // The fit's own sd of what it says at the measurements is the same.
  for (const auto& r : result.experiments[0].residuals) {
    const Eigen::Vector2d x(1, r.info.t);
    EXPECT_NEAR(r.sd_model, std::sqrt(x.dot(expected.covariance * x)), 1e-8);
  }
}

TEST(Certificate, ShiftIsSmallForTightAndVisibleForLooseTolerances) {
  dynamics::FormulaModel model;
  model.state("x", 1, "v");
  model.state("v", 0, "-k * sin(x) - d * v");
  model.parameter("k", 4);
  model.parameter("d", 0.1);
  Problem problem;
  problem.estimates = {{.parameter = "k", .initial = 4, .truth = 4},
                       {.parameter = "d", .initial = 0.1, .truth = 0.1}};
  problem.experiments.push_back(
      dynamic_experiment("swing", model, times(0, 10, 41), {{"x", "x"}}, 0.001));
  problem.options.integrator.method = integrate::Method::kDopri5;
  problem.options.integrator.rtol = 1e-11;
  problem.options.integrator.atol = 1e-13;
  problem = synthesize(problem, 3);
  const FitResult exact = fit(problem);
  double largest[2] = {}, truth[2] = {};
  for (int k = 0; k < 2; ++k) {
    problem.options.integrator.rtol = k == 0 ? 1e-9 : 1e-3;
    problem.options.integrator.atol = k == 0 ? 1e-11 : 1e-4;
    const FitResult result = fit(problem, {.certify = true});
    ASSERT_TRUE(result.converged()) << result.iteration.message;
    for (const char* id : {"k", "d"}) {
      const auto& e = find(result, id);
      ASSERT_TRUE(e.shift.has_value());
      largest[k] = std::max(largest[k], std::abs(*e.shift));
      const double error = (value(exact, id) - e.statistics.value) / e.statistics.sd;
      truth[k] = std::max(truth[k], std::abs(error));
    }
  }
  std::printf("  shift in sd: rtol 1e-9 %.1e (true %.1e), rtol 1e-3 %.2f (true %.2f)\n", largest[0],
              truth[0], largest[1], truth[1]);
  EXPECT_LT(largest[0], 1e-3);
  EXPECT_GT(largest[1], 0.3);
  EXPECT_NEAR(largest[1], truth[1], 0.2 * truth[1]);  // and it says how large the error is
}

}  // namespace
}  // namespace parfait::estimation
