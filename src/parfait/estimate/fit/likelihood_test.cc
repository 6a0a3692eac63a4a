#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "parfait/dynamics/formula_system.h"
#include "parfait/estimate/experiment/likelihood.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/fit/profile.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/estimate/statistics/kinked_width.h"

namespace parfait::estimate::likelihood_test {
namespace {

using Eigen::VectorXd;
using Distribution = Noise::Distribution;

constexpr auto kLog = Estimate::Transform::kLog;

/// Integral over the real line of g(r) f(r) by the trapezoidal rule in r = sinh(u): f decays at
/// least like a power.
double expectation(const std::function<double(double)>& f, const std::function<double(double)>& g) {
  double sum = 0;
  constexpr double kStep = 1e-3;
  // Not at zero, where Laplace's density has its kink.
  for (int i = 0; i < 28000; ++i) {
    const double u = -14 + (i + 0.5) * kStep;
    const double r = std::sinh(u);
    sum += f(r) * g(r) * std::cosh(u) * kStep;
  }
  return sum;
}

TEST(Likelihood, DensitiesIntegrateToOneAndInformationIsTheirMeanSquaredScore) {
  for (const Noise& noise : {Noise{}, Noise{.distribution = Distribution::kLaplace},
                             Noise{.distribution = Distribution::kStudent, .df = 3.5}}) {
    const auto density = [&](double r) {
      return std::exp(-error_density(noise, r, 0, 1).cost / 2);
    };
    EXPECT_NEAR(expectation(density, [](double) { return 1.0; }), 1, 2e-6)
        << text(noise.distribution);
    const auto psi = [&](double r) { return error_density(noise, r, 0, 1).psi; };
    EXPECT_NEAR(expectation(density, [&](double r) { return psi(r) * psi(r); }),
                location_information(noise), 1e-5)
        << text(noise.distribution);
    EXPECT_NEAR(expectation(density, [&](double r) { return std::pow(r * psi(r) - 1, 2); }),
                scale_information(noise), 1e-5)
        << text(noise.distribution);
    // psi is the slope of -log f.
    const double r = 0.8, h = 1e-5;
    const double slope =
        (error_density(noise, r + h, 0, 1).cost - error_density(noise, r - h, 0, 1).cost) / (4 * h);
    EXPECT_NEAR(psi(r), slope, 1e-8);
  }
}

TEST(Likelihood, ErrorsOfLogarithmsHaveTheDensityOfTheMeasurementItself) {
  // The density of eta where lg eta is normal, written out: 1 / (eta ln10 s sqrt(2 pi)) exp(...).
  const double y = 3.1, eta = 2.2, s = 0.3;
  const double r = (std::log10(y) - std::log10(eta)) / s;
  const double expected =
      -std::log(eta * std::numbers::ln10 * s * std::sqrt(2 * std::numbers::pi)) - r * r / 2;
  EXPECT_NEAR(-error_density({.scale = ValueScale::kLog10}, y, eta, s).cost / 2, expected, 1e-14);
  const double q = (std::log(y) - std::log(eta)) / s;
  EXPECT_NEAR(-error_density({.scale = ValueScale::kLog}, y, eta, s).cost / 2,
              -std::log(eta * s * std::sqrt(2 * std::numbers::pi)) - q * q / 2, 1e-14);
}

/// y = a + b u with errors of the distribution, at n points.
Problem line(int n, unsigned seed, const Noise& noise, const std::string& sigma) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  Problem problem;
  ExperimentDescription e{.id = "line"};
  e.data.header = {"u", "v"};
  e.data.columns.resize(2);
  for (int i = 0; i < n; ++i) {
    const double u = 5.0 * i / (n - 1), y = 2 + 0.7 * u;
    const double error = 0.3 * normal(random);
    e.data.columns[0].push_back(u);
    e.data.columns[1].push_back(noise.scale == ValueScale::kLinear ? y + error
                                                                   : y * std::exp(error));
  }
  // One far away, which is what heavy tails are for.
  if (noise.distribution != Distribution::kNormal) e.data.columns[1][n / 3] += 4;
  e.observations.push_back({.column = "v", .quantity = "a + b*u", .noise = noise});
  e.observations.back().sigma.formula = sigma;
  problem.experiments.push_back(e);
  problem.estimates = {{.parameter = "a", .initial = 1, .lower = 0.01},
                       {.parameter = "b", .initial = 0.2, .lower = 0.001}};
  problem.options.iteration.tolerance = 1e-9;
  problem.options.iteration.globalization = Globalization::kLm;
  return problem;
}

double value_of(const FitResult& fit, const std::string& id) {
  for (const auto& e : fit.estimates) {
    if (e.id == id) return e.statistics.value;
  }
  return std::nan("");
}
double sd_of(const FitResult& fit, const std::string& id) {
  for (const auto& e : fit.estimates) {
    if (e.id == id) return e.statistics.sd;
  }
  return std::nan("");
}

TEST(Likelihood, EstimatedSigmaOfALinearModelHasItsClosedForm) {
  const int n = 40;
  for (const bool log_sigma : {false, true}) {
    Problem problem = line(n, 7, {}, "s");
    problem.estimates.push_back({.parameter = "s",
                                 .initial = 20,
                                 .lower = 1e-6,
                                 .transform = log_sigma ? kLog : Estimate::Transform::kNone});
    const FitResult fitted = fit(problem);
    ASSERT_TRUE(fitted.converged()) << fitted.iteration.message;

    // Least squares for a and b; sigma^2 = RSS / n; information n / sigma^2 times moments, and 2 n
    // / sigma^2 for sigma.
    const auto& u = problem.experiments[0].data.columns[0];
    const auto& v = problem.experiments[0].data.columns[1];
    double su = 0, suu = 0, sv = 0, suv = 0;
    for (int i = 0; i < n; ++i) {
      su += u[i], suu += u[i] * u[i], sv += v[i], suv += u[i] * v[i];
    }
    const double det = n * suu - su * su;
    const double a = (suu * sv - su * suv) / det, b = (n * suv - su * sv) / det;
    double rss = 0;
    for (int i = 0; i < n; ++i) rss += std::pow(v[i] - a - b * u[i], 2);
    const double s2 = rss / n;
    EXPECT_NEAR(value_of(fitted, "a"), a, 1e-7);
    EXPECT_NEAR(value_of(fitted, "b"), b, 1e-7);
    EXPECT_NEAR(value_of(fitted, "s"), std::sqrt(s2), 1e-7);
    EXPECT_NEAR(sd_of(fitted, "a"), std::sqrt(s2 * suu / det), 1e-7);
    EXPECT_NEAR(sd_of(fitted, "b"), std::sqrt(s2 * n / det), 1e-7);
    EXPECT_NEAR(sd_of(fitted, "s"), std::sqrt(s2 / (2 * n)), 1e-7);
    const double llh = -0.5 * n * (std::log(2 * std::numbers::pi * s2) + 1);
    ASSERT_TRUE(fitted.likelihood);
    EXPECT_NEAR(fitted.likelihood->log_likelihood, llh, 1e-9);
    EXPECT_NEAR(fitted.likelihood->aic(), 2 * 3 - 2 * llh, 1e-9);
    EXPECT_NEAR(fitted.likelihood->bic(), 3 * std::log(n) - 2 * llh, 1e-9);
    EXPECT_NEAR(fitted.objective, -2 * llh, 1e-9);
    EXPECT_EQ(fitted.scale.beta2, 1);
    EXPECT_EQ(fitted.scale.degrees_of_freedom, n - 3);
    EXPECT_FALSE(fitted.scale.chi2_p_value);
    // Weighted residuals have the mean square 1.
    double squares = 0;
    for (const auto& r : fitted.experiments[0].residuals) squares += r.weighted * r.weighted;
    EXPECT_NEAR(squares, n, 1e-5);
    EXPECT_NEAR(fitted.experiments[0].residuals[3].info.sigma, std::sqrt(s2), 1e-7);

    // n (2 log(s / s_hat) + s_hat^2 / s^2 - 1) = chi2_1 at the ends of the profile, since a and b
    // do not depend on s.
    const Profile profile = make_profile(problem, fitted, "s");
    for (const double end : {profile.low, profile.high}) {
      EXPECT_NEAR(n * (std::log(end * end / s2) + s2 / (end * end) - 1), 3.841458820694124, 1e-5);
    }
  }
}

TEST(Likelihood, GivenSigmaOfUnknownScaleHasTheLikelihoodOfItsBestScale) {
  Problem problem = line(30, 3, {}, "");
  problem.experiments[0].observations[0].sigma = {.absolute = 2.5};
  const FitResult fitted = fit(problem);
  ASSERT_TRUE(fitted.likelihood);
  EXPECT_FALSE(fitted.likelihood->is_objective);
  const double s2 = 2.5 * 2.5 * fitted.objective / 30;
  EXPECT_NEAR(fitted.likelihood->log_likelihood, -15 * (std::log(2 * std::numbers::pi * s2) + 1),
              1e-9);
  EXPECT_EQ(fitted.likelihood->num_parameters, 3);
}

/// Nelder and Mead's simplex, to check minima without any derivative.
std::vector<double> simplex_minimum(const std::function<double(const std::vector<double>&)>& f,
                                    const std::vector<double>& start) {
  const std::size_t n = start.size();
  std::vector<double> best = start;
  for (int restart = 0; restart < 12; ++restart) {
    std::vector<std::vector<double>> x(n + 1, best);
    for (std::size_t i = 0; i < n; ++i)
      x[i + 1][i] += 0.1 * std::pow(0.3, restart) * (std::abs(best[i]) + 0.1);
    std::vector<double> y;
    y.reserve(x.size());
    for (const auto& point : x) y.push_back(f(point));
    for (int k = 0; k < 4000; ++k) {
      std::vector<std::size_t> order(n + 1);
      for (std::size_t i = 0; i <= n; ++i) order[i] = i;
      std::ranges::sort(order, {}, [&](std::size_t i) { return y[i]; });
      const std::size_t worst = order[n];
      std::vector<double> centre(n, 0);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) centre[j] += x[order[i]][j] / static_cast<double>(n);
      }
      const auto along = [&](double t) {
        std::vector<double> point(n);
        for (std::size_t j = 0; j < n; ++j) point[j] = centre[j] + t * (x[worst][j] - centre[j]);
        return point;
      };
      auto trial = along(-1);
      double value = f(trial);
      if (value < y[order[0]]) {
        const auto far = along(-2);
        if (const double v = f(far); v < value) trial = far, value = v;
      } else if (!(value < y[order[n - 1]])) {
        trial = along(value < y[worst] ? -0.5 : 0.5);
        value = f(trial);
        if (!(value < y[worst])) {
          for (std::size_t i = 1; i <= n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
              x[order[i]][j] = 0.5 * (x[order[i]][j] + x[order[0]][j]);
            }
            y[order[i]] = f(x[order[i]]);
          }
          continue;
        }
      }
      x[worst] = trial;
      y[worst] = value;
    }
    best = x[static_cast<std::size_t>(std::ranges::min_element(y) - y.begin())];
  }
  return best;
}

struct DistributionCase {
  const char* name;
  Noise noise;
  /// -log density of eta given y and sigma, written out anew.
  std::function<double(double eta, double y, double s)> minus_log;
  double tolerance;
};

class LikelihoodOf : public testing::TestWithParam<DistributionCase> {};

TEST_P(LikelihoodOf, ErrorsThatGrowIsMinimizedDirectly) {
  // sigma = s0 + s1 y: the error grows with what is measured.
  const auto& c = GetParam();
  Problem problem = line(60, 21, c.noise, "s0 + s1*v");
  problem.estimates.push_back({.parameter = "s0", .initial = 1, .lower = 1e-6, .transform = kLog});
  problem.estimates.push_back(
      {.parameter = "s1", .initial = 0.05, .lower = 1e-9, .transform = kLog});
  problem.estimates.back().upper = 10;
  const FitResult fitted = fit(problem);
  ASSERT_TRUE(fitted.converged()) << fitted.iteration.message;

  const auto& u = problem.experiments[0].data.columns[0];
  const auto& v = problem.experiments[0].data.columns[1];
  const auto cost = [&](const std::vector<double>& p) {
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double y = p[0] + p[1] * u[i], s = std::exp(p[2]) + std::exp(p[3]) * y;
      sum += c.minus_log(v[i], y, s);
    }
    return std::isfinite(sum) ? sum : 1e300;
  };
  const auto best =
      simplex_minimum(cost, {value_of(fitted, "a"), value_of(fitted, "b"),
                             std::log(value_of(fitted, "s0")), std::log(value_of(fitted, "s1"))});
  EXPECT_NEAR(-fitted.likelihood->log_likelihood, cost(best), c.tolerance);
  EXPECT_NEAR(value_of(fitted, "a"), best[0], 30 * std::sqrt(c.tolerance) * sd_of(fitted, "a"));
  EXPECT_NEAR(value_of(fitted, "b"), best[1], 30 * std::sqrt(c.tolerance) * sd_of(fitted, "b"));
}

const double kLogRootTwoPi = 0.5 * std::log(2 * std::numbers::pi);

INSTANTIATE_TEST_SUITE_P(
    Distributions, LikelihoodOf,
    testing::Values(DistributionCase{"normal",
                                     {},
                                     [](double eta, double y, double s) {
                                       return kLogRootTwoPi + std::log(s) +
                                              std::pow((eta - y) / s, 2) / 2;
                                     },
                                     1e-8},
                    DistributionCase{"log_normal",
                                     {.scale = ValueScale::kLog},
                                     [](double eta, double y, double s) {
                                       return kLogRootTwoPi + std::log(s * eta) +
                                              std::pow((std::log(eta) - std::log(y)) / s, 2) / 2;
                                     },
                                     1e-8},
                    DistributionCase{"laplace",
                                     {.distribution = Distribution::kLaplace},
                                     [](double eta, double y, double s) {
                                       return std::log(2 * s) + std::abs(eta - y) / s;
                                     },
                                     2e-5},
                    DistributionCase{"student",
                                     {.distribution = Distribution::kStudent, .df = 3},
                                     [](double eta, double y, double s) {
                                       // Gamma(2) / (Gamma(3/2) sqrt(3 pi)) = 2 / (pi sqrt 3)
                                       return std::log(s * std::numbers::pi * std::sqrt(3.0) / 2) +
                                              2 * std::log(1 + std::pow((eta - y) / s, 2) / 3);
                                     },
                                     1e-7}),
    [](const auto& test) { return std::string(test.param.name); });

/// Decay with a scale and an offset that the model does not have, two observations with different
/// distributions, sigmas of all kinds, and a condition that is estimated.
Problem decay() {
  dynamics::FormulaModel model;
  model.state("A", "A0", "-k*A");
  model.state("B", 0, "k*A - c*B");
  model.parameter("k", 0.8);
  model.parameter("c", 0.3);
  model.parameter("A0", 2);
  Problem problem;
  ExperimentDescription e{.id = "run"};
  e.system = dynamics::make_formula_system(model);
  e.data.header = {"t", "a", "b", "c"};
  e.data.columns.resize(4);
  std::mt19937 random(5);
  std::normal_distribution<double> normal(0, 1);
  for (int i = 0; i <= 80; ++i) {
    const double t = 0.0625 * i, A = 2 * std::exp(-0.8 * t);
    const double B = 3.2 * (std::exp(-0.3 * t) - std::exp(-0.8 * t)), y = 1.5 * A + 0.1;
    e.data.columns[0].push_back(t);
    e.data.columns[1].push_back(y + (0.05 + 0.04 * y) * normal(random));
    e.data.columns[2].push_back((B + 0.5 + 0.8 * t) *
                                std::pow(10, 0.05 * (1 + 0.1 * A) * normal(random)));
    e.data.columns[3].push_back(i % 3 == 0 ? NAN : A - 0.1 * B + 0.25 * normal(random));
  }
  e.observations.push_back({.column = "a", .quantity = "gain*A + offset"});
  e.observations[0].sigma.formula = "sa + sr*y";
  e.observations.push_back(
      {.column = "b", .quantity = "B + 0.5 + k*t", .noise = {.scale = ValueScale::kLog10}});
  e.observations[1].sigma.formula = "sb*(1 + 0.1*A)";
  e.observations.push_back({.column = "c",
                            .quantity = "A - B*offset",
                            .sigma = {.absolute = 0.25},
                            .noise = {.distribution = Distribution::kStudent, .df = 5}});
  e.sets.push_back({.parameter = "c", .estimate = "c_run"});
  e.locals.push_back({.parameter = "offset", .initial = 0.05, .prior = Prior{0.1, 0.2}});
  problem.experiments.push_back(e);
  problem.estimates = {{.parameter = "k", .initial = 0.7, .transform = kLog},
                       {.parameter = "gain", .initial = 1.2},
                       {.parameter = "c_run", .initial = 0.35},
                       {.parameter = "sa", .initial = 0.08, .lower = 1e-3, .transform = kLog},
                       // Positive: where sigma may vanish at one measurement, likelihoods have no
                       // bound.
                       {.parameter = "sr", .initial = 0.02, .lower = 1e-4, .transform = kLog},
                       {.parameter = "sb", .initial = 0.1, .transform = kLog}};
  problem.estimates[0].prior = Prior{.value = -0.1, .sigma = 0.3, .scale = ValueScale::kLog10};
  problem.options.integrator.rtol = 1e-11;
  problem.options.integrator.atol = 1e-12;
  return problem;
}

TEST(Likelihood, RowsGiveTheGradientOfTheObjectiveWhateverTheirWeights) {
  for (const int intervals : {1, 4}) {
    for (const bool expected : {false, true}) {
      Problem problem = decay();
      problem.experiments[0].grid.intervals = intervals;
      Team alone;
      const auto ensemble = make_ensemble(problem, alone);
      VectorXd x;
      ASSERT_TRUE(ensemble->initialize(x));
      ensemble->set_expected_information(expected);
      ASSERT_TRUE(ensemble->linearize(x).exists) << ensemble->why();
      // Shared parameters, and the local one, whose column is the only one of A: initial values are
      // fixed, later nodes are condensed.
      VectorXd gradient = VectorXd::Zero(7);
      for (const Block& block : ensemble->blocks()) {
        gradient.head(6) += 2 * block.B.transpose() * block.right.b;
        if (block.A.cols() > 0) gradient.tail(1) += 2 * block.A.transpose() * block.right.b;
      }
      // Single shooting has no nodes that would have to follow.
      Problem single = decay();
      const auto plain = make_ensemble(single, alone);
      VectorXd x1;
      ASSERT_TRUE(plain->initialize(x1));
      for (int j = 0; j < 7; ++j) {
        const double h = 1e-5;
        VectorXd ahead = x1, behind = x1;
        ahead[j] += h, behind[j] -= h;
        const double fd =
            (plain->evaluate(ahead).objective - plain->evaluate(behind).objective) / (2 * h);
        // Nodes that were integrated match to 1e-9.
        EXPECT_NEAR(gradient[j], fd, 2e-6 * (1 + std::abs(fd))) << j << " " << intervals;
      }
      EXPECT_GT(gradient.cwiseAbs().minCoeff(), 1e-3);
    }
  }
}

TEST(Likelihood, MixedDistributionsAndConditionsThatAreEstimatedConvergeToAStationaryPoint) {
  Problem problem = decay();
  problem.options.iteration.globalization = Globalization::kLm;
  problem.options.iteration.tolerance = 1e-8;
  const FitResult fitted = fit(problem);
  ASSERT_TRUE(fitted.converged()) << fitted.iteration.message;
  Team alone;
  const auto ensemble = make_ensemble(problem, alone);
  for (int j = 0; j < fitted.x.size(); ++j) {
    const double h = 1e-5;
    VectorXd ahead = fitted.x, behind = fitted.x;
    ahead[j] += h, behind[j] -= h;
    const double f1 = ensemble->evaluate(ahead).objective,
                 f0 = ensemble->evaluate(behind).objective;
    EXPECT_NEAR((f1 - f0) / (2 * h), 0, 1e-3) << j;
  }
}

/// Medians of their own and one level for all: two experiments of n values with Laplace errors.
Problem medians(int n) {
  Problem problem;
  for (const char* id : {"first", "second"}) {
    ExperimentDescription e{.id = id};
    e.data.header = {"u", "v", "w"};
    e.data.columns = {std::vector<double>(n, 1.0), {}, {}};
    std::mt19937 random(7);
    for (int column : {1, 2}) {
      for (int i = 0; i < n; ++i) {
        // Quantiles of the density, in some order.
        const double p = (i + 0.5) / n;
        e.data.columns[column].push_back(p < 0.5 ? std::log(2 * p) : -std::log(2 - 2 * p));
      }
      std::ranges::shuffle(e.data.columns[column], random);
    }
    e.locals = {{.parameter = "own", .initial = 0.2}};
    e.observations.push_back(
        {.column = "v", .quantity = "own*u", .noise = {.distribution = Distribution::kLaplace}});
    e.observations.push_back(
        {.column = "w", .quantity = "all*u", .noise = {.distribution = Distribution::kLaplace}});
    problem.experiments.push_back(std::move(e));
  }
  problem.estimates = {{.parameter = "all", .initial = 0.2}};
  problem.options.iteration.max_iterations = 400;
  return problem;
}

TEST(Likelihood, IntervalsOfMediansReachAsFarAsTheExpectedScoreSays) {
  const int n = 60;
  const FitResult fitted = fit(medians(n));
  ASSERT_TRUE(fitted.converged()) << fitted.iteration.message;
  ASSERT_EQ(fitted.estimates.size(), 3u);
  const double z = 1.959963984540054;
  for (const auto& e : fitted.estimates) {
    const double count = e.experiment.empty() ? 2 * n : n;
    const auto& s = e.statistics;
    EXPECT_NEAR(s.sd, 1 / std::sqrt(count), 1e-9) << e.id;
    const double half = -std::log(1 - z / std::sqrt(count));
    EXPECT_NEAR(s.individual.high - s.value, half, 1e-9) << e.id;
    EXPECT_NEAR(s.value - s.individual.low, half, 1e-9) << e.id;
  }
  // Three values cannot be nearly two deviations off in their score.
  const FitResult few = fit(medians(3));
  for (const auto& e : few.estimates) {
    if (e.experiment.empty()) continue;
    EXPECT_EQ(e.statistics.individual.high, kInfinity);
    EXPECT_EQ(e.statistics.individual.low, -kInfinity);
  }
}

TEST(Likelihood, WidthsWithSmoothRowsSolveTheirEquation) {
  // Normal rows alone, rows of both kinds, and many that hardly matter each.
  EXPECT_EQ(kinked_width(1.96, {}), 1.96);
  for (const KinkedRows rows :
       {KinkedRows{0.3, 0.1}, KinkedRows{0.9, 0.4}, KinkedRows{1 - 1e-6, 0.6}}) {
    for (const double z : {0.5, 1.96, 4.0}) {
      const double t = kinked_width(z, rows), w = rows.cubes / rows.squares;
      EXPECT_NEAR((1 - rows.squares) * t + rows.squares / w * (1 - std::exp(-w * t)), z, 1e-10);
      EXPECT_GT(t, z);
    }
  }
  EXPECT_NEAR(kinked_width(1.96, {1, 1e-3}), 1.96 * (1 + 1.96e-3 / 2), 1e-5);
}

TEST(Likelihood, SynthesizedErrorsHaveTheirDistribution) {
  Problem problem;
  ExperimentDescription e{.id = "points"};
  e.data.header = {"u", "v", "w"};
  const int n = 4000;
  e.data.columns = {std::vector<double>(n, 1.0), std::vector<double>(n, 0.0),
                    std::vector<double>(n, 1.0)};
  e.observations.push_back(
      {.column = "v", .quantity = "a*u", .noise = {.distribution = Distribution::kLaplace}});
  e.observations.back().sigma.formula = "s*v";
  e.observations.push_back(
      {.column = "w", .quantity = "a*u", .noise = {.scale = ValueScale::kLog}});
  e.observations.back().sigma.formula = "s";
  problem.experiments.push_back(e);
  problem.estimates = {{.parameter = "a", .initial = 1, .truth = 3},
                       {.parameter = "s", .initial = 1, .truth = 0.2}};
  const Problem made = synthesize(problem, 11);
  double absolute = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    absolute += std::abs(made.experiments[0].data.columns[1][i] - 3) / n;
    squares += std::pow(std::log(made.experiments[0].data.columns[2][i] / 3), 2) / n;
  }
  EXPECT_NEAR(absolute, 0.6, 0.03);   // E|error| = b = 0.2 * 3
  EXPECT_NEAR(squares, 0.04, 0.003);  // variance of the logarithm
}

/// A <-> B with the total conserved, and B makes C: at rest before the experiment with another
/// input.
Problem relaxation(double k_before) {
  dynamics::FormulaModel model;
  model.state("A", "total*0.9", "-k1*A + k2*B");
  model.state("B", "total*0.1", "k1*A - k2*B");
  model.state("C", 1, "u*B + (t < 0 ? 0 : 0.3) - c*C");
  for (const auto& [id, value] :
       {std::pair{"k1", 0.4}, {"k2", 0.1}, {"u", 2.0}, {"c", 1e-3}, {"total", 3.0}}) {
    model.parameter(id, value);
  }
  Problem problem;
  ExperimentDescription e{.id = "run"};
  e.system = dynamics::make_formula_system(model);
  e.begin = 0;
  e.data.header = {"t", "c"};
  e.data.columns = {{0, 1, 2.5, 4}, {700, 650, 660, 655}};
  e.observations.push_back({.column = "c", .quantity = "C"});
  Equilibrium before;
  before.sets.push_back({.parameter = "u", .value = 0.5});
  before.sets.push_back({.parameter = "k1", .estimate = "k_before"});
  e.equilibrium = before;
  problem.experiments.push_back(e);
  problem.estimates = {{.parameter = "k1", .initial = 0.4},
                       {.parameter = "k2", .initial = 0.1},
                       {.parameter = "c", .initial = 1e-3},
                       {.parameter = "total", .initial = 3},
                       {.parameter = "k_before", .initial = k_before, .transform = kLog}};
  problem.options.integrator.rtol = 1e-11;
  return problem;
}

TEST(EquilibriumBefore, IsWhereTheMotionTendsToWithWhatItConserves) {
  // At rest: A k = B k2, A + B = total; C = u B / c. The slowest rate is c = 1e-3: a run until rest
  // to 1e-12 would last 3e4.
  const Problem problem = relaxation(0.7);
  Team alone;
  const auto ensemble = make_ensemble(problem, alone);
  VectorXd x;
  ASSERT_TRUE(ensemble->initialize(x));
  ASSERT_TRUE(ensemble->linearize(x).exists) << ensemble->why();
  const double B = 3 * 0.7 / (0.7 + 0.1), C = 0.5 * B / 1e-3;
  EXPECT_NEAR(ensemble->experiment(0).first_state()[0], 3 - B, 1e-10);
  EXPECT_NEAR(ensemble->experiment(0).first_state()[1], B, 1e-10);
  EXPECT_NEAR(ensemble->experiment(0).first_state()[2], C, 1e-7);

  // The same by a long run before the experiment.
  dynamics::FormulaModel model;
  model.state("A", 2.7, "-0.7*A + 0.1*B");
  model.state("B", 0.3, "0.7*A - 0.1*B");
  model.state("C", 1, "0.5*B - 1e-3*C");
  integrate::Options options;
  options.method = integrate::Method::kBdf;
  options.rtol = 1e-11;
  options.atol = 1e-11;
  ExperimentDescription watched{.id = "long"};
  watched.system = std::shared_ptr<dynamics::System>(dynamics::make_formula_system(model));
  watched.data.header = {"t", "c"};
  watched.data.columns = {{3e4}, {0}};
  watched.observations.push_back({.column = "c", .quantity = "C"});
  Problem run;
  run.experiments.push_back(watched);
  run.options.integrator = options;
  run.options.integrator_given = true;
  const auto long_run = make_ensemble(run, alone);
  VectorXd none;
  ASSERT_TRUE(long_run->initialize(none));
  ASSERT_TRUE(long_run->evaluate(none).exists) << long_run->why();
  EXPECT_NEAR(long_run->residuals()[0], C, 1e-6);

  // Derivatives against differences.
  const Eigen::MatrixXd J = ensemble->blocks()[1].B;
  for (int j = 0; j < 5; ++j) {
    const double h = 1e-6;
    VectorXd ahead = x, behind = x;
    ahead[j] += h * std::max(1e-3, std::abs(x[j])), behind[j] -= h * std::max(1e-3, std::abs(x[j]));
    ASSERT_TRUE(ensemble->evaluate(ahead).exists);
    const VectorXd up = ensemble->residuals();
    ASSERT_TRUE(ensemble->evaluate(behind).exists);
    const VectorXd fd = (up - ensemble->residuals()) / (ahead[j] - behind[j]);
    EXPECT_GT(fd.norm(), 1e-3);
    EXPECT_LT((J.col(j) - fd).norm(), 1e-5 * fd.norm()) << j;
  }
}

TEST(EquilibriumBefore, SaysWhatNeverComesToRest) {
  dynamics::FormulaModel model;
  model.state("A", 1, "k");
  model.parameter("k", 1);
  Problem problem;
  ExperimentDescription e{.id = "run"};
  e.system = dynamics::make_formula_system(model);
  e.data.header = {"t", "a"};
  e.data.columns = {{0, 1}, {1, 2}};
  e.observations.push_back({.column = "a", .quantity = "A"});
  e.equilibrium = Equilibrium{};
  problem.experiments.push_back(e);
  problem.estimates = {{.parameter = "k", .initial = 1}};
  const FitResult fitted = fit(problem);
  EXPECT_FALSE(fitted.converged());
  EXPECT_NE(fitted.iteration.message.find("no equilibrium before the experiment"),
            std::string::npos)
      << fitted.iteration.message;
}

}  // namespace
}  // namespace parfait::estimate::likelihood_test
