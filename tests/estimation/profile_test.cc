#include "parfait/estimate/fit/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "build.h"
#include "parfait/math/quantiles.h"

// Profiles against regions that were computed without them. (Linear models: intervals_test.cc.)
namespace parfait::estimation::profile_test {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

const double kQ = math::normal_quantile(0.975);

/// Formulas of parameters that were measured once each, with known sigmas.
Problem measured(const std::vector<std::pair<std::string, double>>& formulas,
                 const std::vector<double>& sigmas, std::vector<Estimate> estimates) {
  Problem problem;
  problem.estimates = std::move(estimates);
  for (std::size_t i = 0; i < formulas.size(); ++i) {
    Data data = empty_data({0}, {"eta"});
    data.columns.back() = {formulas[i].second};
    problem.experiments.push_back(algebraic_experiment("e" + std::to_string(i), data,
                                                       {{"eta", formulas[i].first}}, sigmas[i]));
  }
  problem.options.sigma_known = true;
  return problem;
}

/// The least value of f between a and b, which has no other minimum there: golden sections.
double least(const std::function<double(double)>& f, double a, double b) {
  const double part = (std::sqrt(5.0) - 1) / 2;
  for (int i = 0; i < 120; ++i) {
    const double c = b - part * (b - a), d = a + part * (b - a);
    (f(c) < f(d) ? b : a) = f(c) < f(d) ? d : c;
  }
  return f((a + b) / 2);
}

/// Where f crosses zero between a and b.
double zero(const std::function<double(double)>& f, double a, double b) {
  const bool rises = f(b) > f(a);
  for (int i = 0; i < 200; ++i) {
    const double c = (a + b) / 2;
    ((f(c) > 0) == rises ? b : a) = c;
  }
  return (a + b) / 2;
}

TEST(Profile, BananaHasTheIntervalsOfItsLikelihoodRegion) {
  // ((a - 1) / s)^2 + ((b - a^2) / w)^2 <= q^2: a valley along a parabola.
  const double s = 0.4, w = 0.1;
  const Problem problem =
      measured({{"a", 1}, {"b - a^2", 0}}, {s, w},
               {{.parameter = "a", .initial = 0.8}, {.parameter = "b", .initial = 0.5}});
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  const Profile a = make_profile(problem, result, "a");
  EXPECT_NEAR(a.low, 1 - kQ * s, 1e-6);
  EXPECT_NEAR(a.high, 1 + kQ * s, 1e-6);
  // The highest and lowest b of the region: its boundary is b = a^2 +- w sqrt(q^2 - ((a - 1)/s)^2).
  const auto half = [&](double at) {
    return w * std::sqrt(std::max(0.0, kQ * kQ - (at - 1) * (at - 1) / (s * s)));
  };
  const double highest = -least([&](double at) { return -(at * at + half(at)); }, 1, 1 + kQ * s);
  const double lowest = least([&](double at) { return at * at - half(at); }, 1 - kQ * s, 1);
  const Profile b = make_profile(problem, result, "b");
  EXPECT_EQ(b.low_end, ProfileEnd::kThreshold);
  EXPECT_EQ(b.high_end, ProfileEnd::kThreshold);
  EXPECT_NEAR(b.low, lowest, 1e-6);
  EXPECT_NEAR(b.high, highest, 1e-6);
  // Not what +- says: 1 +- q sqrt(4 s^2 + w^2), half of it below zero.
  const auto& wald = result.estimates[1].statistics.individual;
  EXPECT_LT(wald.low, -0.5);
  EXPECT_GT(lowest, -0.2);
  EXPECT_GT(highest - wald.high, 0.5);
  for (const auto& point : b.points) {
    EXPECT_TRUE(point.converged);
    ASSERT_EQ(point.estimates.size(), 2U);
    EXPECT_NEAR(point.estimates[1], point.value, 1e-9);
  }
}

TEST(Profile, IsWalkedWhereTheParameterIsNotDeterminedToFirstOrder) {
  // x' = k (a - x) is long over when the first value is taken: only slow k can be excluded.
  dynamics::FormulaModel model;
  model.parameter("a", 1);
  model.parameter("k", 1000);
  model.state("x", 0, "k * (a - x)");
  Problem problem;
  problem.estimates = {{.parameter = "a", .initial = 1},
                       {.parameter = "k",
                        .initial = 1000,
                        .lower = 1e-3,
                        .upper = 1e6,
                        .transform = Estimate::Transform::kLog}};
  problem.experiments.push_back(dynamic_experiment("e", model, {1, 2, 3, 4}, {{"eta", "x"}}, 0.03));
  const std::vector<double> y = {1.03, 0.98, 1.01, 0.99};
  column(problem.experiments[0], "eta") = y;
  problem.options.sigma_known = true;
  problem.options.integrator.method = integrate::Method::kBdf;
  problem.options.integrator_given = true;
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  ASSERT_TRUE(std::isinf(result.estimates[1].statistics.sd));

  // x = a (1 - e^(-k t)): the best a is a quotient.
  const auto objective = [&](double k) {
    double zy = 0, zz = 0, sum = 0;
    for (int i = 0; i < 4; ++i) {
      const double z = 1 - std::exp(-k * (i + 1));
      zy += z * y[i];
      zz += z * z;
    }
    for (int i = 0; i < 4; ++i) {
      sum += std::pow((zy / zz * (1 - std::exp(-k * (i + 1))) - y[i]) / 0.03, 2);
    }
    return sum;
  };
  const double threshold = objective(1e3) + kQ * kQ;
  const double low = zero([&](double k) { return objective(k) - threshold; }, 1e-3, 1e3);
  const Profile profile = make_profile(problem, result, "k");
  EXPECT_EQ(profile.low_end, ProfileEnd::kThreshold) << profile.why;
  EXPECT_NEAR(profile.low, low, 1e-5 * low);
  EXPECT_EQ(profile.high_end, ProfileEnd::kBound);
  EXPECT_EQ(profile.high, 1e6);
  EXPECT_GT(profile.points.size(), 8U);
  for (const auto& point : profile.points) {
    EXPECT_NEAR(point.objective, objective(point.value), 1e-4 * threshold) << point.value;
  }
}

TEST(Profile, FlatSidesAreOpen) {
  // p / (1 + p) rises to 1, which the measurement does not exclude; q says nothing at all.
  const Problem problem = measured({{"p / (1 + p) + 0 * q", 0.9}}, {0.1},
                                   {{.parameter = "p", .initial = 5}, {.parameter = "q"}});
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  const Profile p = make_profile(problem, result, "p");
  EXPECT_EQ(p.low_end, ProfileEnd::kThreshold);
  const double edge = 0.9 - kQ * 0.1;
  EXPECT_NEAR(p.low, edge / (1 - edge), 1e-5);
  EXPECT_EQ(p.high_end, ProfileEnd::kOpen);
  EXPECT_EQ(p.high, kInfinity);
  const Profile q = make_profile(problem, result, "q");
  EXPECT_EQ(q.low_end, ProfileEnd::kOpen);
  EXPECT_EQ(q.high_end, ProfileEnd::kOpen);
  EXPECT_EQ(q.low, -kInfinity);
}

TEST(Profile, EndsAtTheBoundWhereTheEstimateAlreadyLies) {
  const Problem problem =
      measured({{"p", -1}}, {1}, {{.parameter = "p", .initial = 2, .lower = 0}});
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged());
  ASSERT_EQ(result.estimates[0].statistics.value, 0);
  const Profile profile = make_profile(problem, result, "p");
  EXPECT_EQ(profile.low_end, ProfileEnd::kBound);
  EXPECT_EQ(profile.low, 0);
  // (p + 1)^2 - 1 = q^2
  EXPECT_EQ(profile.high_end, ProfileEnd::kThreshold);
  EXPECT_NEAR(profile.high, std::sqrt(1 + kQ * kQ) - 1, 1e-6);
}

TEST(Profile, SaysWhereAnotherMinimumIsLower) {
  // (p^2 - 1)^2 + (0.3 (p - 1))^2: p = 1 is best, but this fit ends near -1.
  const Problem problem =
      measured({{"p^2", 1}, {"0.3 * (p - 1)", 0}}, {1, 1}, {{.parameter = "p", .initial = -1.2}});
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  ASSERT_LT(result.estimates[0].statistics.value, -0.8);
  const Profile profile = make_profile(problem, result, "p");
  ASSERT_TRUE(profile.lower_one);
  EXPECT_GT(profile.lower_one->value, 0.5);
  EXPECT_LT(profile.lower_one->objective, 0.7 * result.objective);
}

TEST(Profile, NeedsDegreesOfFreedomOrKnownSigma) {
  Problem problem = measured({{"p", 1}}, {1}, {{.parameter = "p", .initial = 2}});
  problem.options.sigma_known = false;
  const FitResult result = fit(problem);
  const Profile profile = make_profile(problem, result, "p");
  EXPECT_EQ(profile.low_end, ProfileEnd::kFailed);
  EXPECT_NE(profile.why.find("degrees of freedom"), std::string::npos) << profile.why;
}

}  // namespace
}  // namespace parfait::estimation::profile_test
