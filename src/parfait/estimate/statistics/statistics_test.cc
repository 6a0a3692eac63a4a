#include "parfait/estimate/statistics/statistics.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "parfait/math/dense_solves.h"
#include "parfait/math/quantiles.h"

namespace parfait::estimate {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Unknowns plain(int n) {
  std::vector<Estimate> estimates;
  estimates.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    estimates.push_back({.parameter = "p" + std::to_string(i), .initial = 1.0 + i});
  }
  return Unknowns(estimates);
}

// Age and Gesell score of 21 children (M. R. Mickey, O. J. Dunn, V. Clark, Comput. Biomed. Res. 1
// (1967) 105-111); regression as printed in N. R. Draper, H. Smith: 109.8738 - 1.1270 age, standard
// errors 5.0678 and 0.3102, s = 11.0229.
TEST(Statistics, ReproduceAPublishedRegression) {
  const std::vector<double> age = {15, 26, 10, 9,  15, 20, 18, 11, 8,  20, 7,
                                   9,  10, 11, 11, 10, 12, 42, 17, 11, 10};
  const std::vector<double> score = {95, 71, 83, 91,  102, 87,  93, 100, 104, 94, 113,
                                     96, 83, 84, 102, 100, 105, 57, 121, 86,  100};
  const Unknowns unknowns({{.parameter = "a", .initial = 100}, {.parameter = "b", .initial = -2}});
  // In scaled unknowns, and with sigma = 3 for all: beta takes it out again.
  MatrixXd J(21, 2);
  VectorXd eta(21);
  for (int i = 0; i < 21; ++i) {
    J.row(i) << unknowns.scale(0) / 3, unknowns.scale(1) * age[i] / 3;
    eta[i] = score[i] / 3;
  }
  const MatrixXd C = math::inverse(math::gram(J));
  const VectorXd x = C * J.transpose() * eta;
  const FitScale scale = make_fit_scale(J * x - eta, 2, {});
  EXPECT_EQ(scale.degrees_of_freedom, 19);
  EXPECT_NEAR(3 * scale.beta(), 11.0229, 5e-5);
  const auto a = parameter_statistics(unknowns, 0, x[0], C(0, 0), Determined::kByData, scale);
  const auto b = parameter_statistics(unknowns, 1, x[1], C(1, 1), Determined::kByData, scale);
  EXPECT_NEAR(a.value, 109.8738, 5e-5);
  EXPECT_NEAR(b.value, -1.1270, 5e-5);
  EXPECT_NEAR(a.sd, 5.0678, 5e-5);
  EXPECT_NEAR(b.sd, 0.3102, 5e-5);
  EXPECT_NEAR(b.individual.low, b.value - 2.093 * b.sd, 1e-4);             // t(0.975; 19) = 2.093
  EXPECT_NEAR(b.joint.high, b.value + std::sqrt(2 * 3.522) * b.sd, 1e-4);  // F(0.95; 2, 19) = 3.522
  EXPECT_FALSE(scale.chi2_p_value);
  const MatrixXd covariance =
      parameter_covariance(unknowns, x, C, {Determined::kByData, Determined::kByData}, scale);
  EXPECT_NEAR(std::sqrt(covariance(1, 1)), b.sd, 1e-12);
  const MatrixXd rho = correlation_of(covariance);
  EXPECT_EQ(rho(0, 0), 1);
  // -mean / sqrt(mean of squares) of the ages.
  EXPECT_NEAR(rho(0, 1), -302.0 / std::sqrt(21.0 * 5606.0), 1e-10);
}

/// Coverage of intervals and of the ellipsoid over many noise realizations of a linear model.
struct Coverage {
  double individual = 0, joint_one = 0, ellipsoid = 0;
};
Coverage coverage(bool sigma_known, double noise_scale, double confidence) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal(0, noise_scale);
  const int n = 9, p = 3, trials = 4000;
  MatrixXd J(n, p);
  for (int i = 0; i < n; ++i) J.row(i) << 1, std::sin(i), std::cos(0.7 * i);
  const MatrixXd C = math::inverse(math::gram(J));
  const VectorXd truth = Eigen::Vector3d(1, -2, 0.5);
  const Unknowns unknowns = plain(3);
  Coverage counted;
  for (int k = 0; k < trials; ++k) {
    VectorXd eta = J * truth;
    for (int i = 0; i < n; ++i) eta[i] += normal(random);
    const VectorXd x = C * J.transpose() * eta;
    const auto scale =
        make_fit_scale(J * x - eta, p, {.sigma_known = sigma_known, .confidence = confidence});
    const auto s = parameter_statistics(unknowns, 0, x[0], C(0, 0), Determined::kByData, scale);
    if (s.individual.low <= truth[0] && truth[0] <= s.individual.high) counted.individual += 1;
    if (s.joint.low <= truth[0] && truth[0] <= s.joint.high) counted.joint_one += 1;
    const VectorXd d = x - truth;
    if (d.dot(math::gram(J) * d) <= scale.beta2 * scale.joint * scale.joint) {
      counted.ellipsoid += 1;
    }
  }
  counted.individual /= trials;
  counted.joint_one /= trials;
  counted.ellipsoid /= trials;
  return counted;
}

TEST(Statistics, IntervalsAndEllipsoidCoverAsOftenAsTheySay) {
  // One standard deviation of a count is 0.0034 at 95 % and 0.0063 at 80 %.
  const Coverage estimated = coverage(false, 7.0, 0.95);
  EXPECT_NEAR(estimated.individual, 0.95, 0.011);
  EXPECT_NEAR(estimated.ellipsoid, 0.95, 0.011);
  EXPECT_GT(estimated.joint_one, 0.985);  // wider than an interval for one parameter
  const Coverage known = coverage(true, 1.0, 0.80);
  EXPECT_NEAR(known.individual, 0.80, 0.02);
  EXPECT_NEAR(known.ellipsoid, 0.80, 0.02);
}

TEST(Statistics, JointAndIndividualIntervalsAgreeForASingleParameter) {
  const VectorXd r = VectorXd::LinSpaced(7, -1, 2);
  const FitScale estimated = make_fit_scale(r, 1, {});
  EXPECT_NEAR(estimated.joint, estimated.individual, 1e-12);
  const FitScale known = make_fit_scale(r, 1, {.sigma_known = true});
  EXPECT_NEAR(known.joint, known.individual, 1e-12);
}

TEST(Statistics, GoodnessOfFitNeedsKnownSigma) {
  const VectorXd r = VectorXd::Constant(12, 1.5);
  const FitScale known = make_fit_scale(r, 2, {.sigma_known = true});
  ASSERT_TRUE(known.chi2_p_value);
  EXPECT_NEAR(*known.chi2_p_value, math::chi_squared_upper_tail(27, 10), 1e-15);
  EXPECT_EQ(known.beta2, 1);
  EXPECT_FALSE(make_fit_scale(r, 2, {}).chi2_p_value);
  EXPECT_FALSE(make_fit_scale(r, 2, {.norm = Norm::kL1, .sigma_known = true}).chi2_p_value);
}

TEST(Statistics, DeviationIsUndefinedAtABoundAndInfiniteIfUndetermined) {
  const Unknowns unknowns({{.parameter = "a", .initial = 2, .lower = 2},
                           {.parameter = "b", .initial = 3, .upper = 5},
                           {.parameter = "c", .initial = 1},
                           {.parameter = "d", .initial = 1}});
  VectorXd x = unknowns.initial();
  auto determined = determined_by(unknowns, x);
  EXPECT_EQ(determined[0], Determined::kAtLower);
  EXPECT_EQ(determined[1], Determined::kByData);
  x[1] = unknowns.x_of(1, 5);
  determined = determined_by(unknowns, x);
  EXPECT_EQ(determined[1], Determined::kAtUpper);
  mark_undetermined(Eigen::Vector4d(0.6, 0, 0.8, 1e-9), determined);
  EXPECT_EQ(determined[0], Determined::kAtLower);
  EXPECT_EQ(determined[2], Determined::kUndetermined);
  EXPECT_EQ(determined[3], Determined::kByData);

  const FitScale scale = make_fit_scale(VectorXd::Ones(8), 1, {});
  const auto a = parameter_statistics(unknowns, 0, x[0], 0, determined[0], scale);
  EXPECT_TRUE(std::isnan(a.sd));
  EXPECT_TRUE(std::isnan(a.individual.low));
  const auto c = parameter_statistics(unknowns, 2, x[2], 0, determined[2], scale);
  EXPECT_EQ(c.sd, kInfinity);
  EXPECT_EQ(c.individual.low, -kInfinity);
  const MatrixXd covariance =
      parameter_covariance(unknowns, x, MatrixXd::Identity(4, 4), determined, scale);
  EXPECT_TRUE(std::isnan(covariance(0, 3)));
  EXPECT_TRUE(std::isnan(covariance(2, 2)));
  EXPECT_GT(covariance(3, 3), 0);
  EXPECT_TRUE(std::isnan(correlation_of(covariance)(3, 1)));
  EXPECT_EQ(correlation_of(covariance)(3, 3), 1);
}

TEST(Statistics, LogParametersHaveIntervalsInTheLogarithm) {
  const Unknowns unknowns(
      {{.parameter = "k", .initial = 0.01, .scale = 2, .transform = Estimate::Transform::kLog}});
  const double x = unknowns.initial()[0];
  const FitScale scale = make_fit_scale(VectorXd::Ones(6), 1, {.sigma_known = true});
  const auto s = parameter_statistics(unknowns, 0, x, 0.25, Determined::kByData, scale);
  EXPECT_NEAR(s.sd, 0.01 * 2 * 0.5, 1e-15);  // of p to first order: p times the sd of log p
  EXPECT_NEAR(std::log(s.individual.high / s.value), 1.95996398, 1e-7);
  EXPECT_NEAR(s.individual.low * s.individual.high, s.value * s.value, 1e-15);
}

TEST(Statistics, SayWhenNothingIsLeftToEstimateTheScale) {
  const FitScale scale = make_fit_scale(VectorXd::Zero(3), 3, {});
  EXPECT_EQ(scale.degrees_of_freedom, 0);
  EXPECT_TRUE(std::isnan(scale.beta2));
  EXPECT_EQ(scale.convention, "no covariance: too few data to estimate the scale of the errors");
  EXPECT_EQ(
      make_fit_scale(VectorXd::Ones(9), 3, {}).convention,
      "covariance = beta^2 (J+ J+^T) under equations and active bounds, beta^2 = objective / "
      "degrees of freedom; 95 % intervals: individual ones t, joint ones F; they end at bounds");
}

}  // namespace
}  // namespace parfait::estimate
