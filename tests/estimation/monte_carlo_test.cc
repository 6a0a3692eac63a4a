#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdio>

#include "build.h"
#include "parfait/estimate/synthesize.h"
#include "problems.h"

// Covariances and intervals against what happens when an experiment is repeated 2000 times.
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

/// Three runs of A -> B -> C with a feed of A. Shared: k1, k2, k3 with k1 + k2 = 1.5; each run has
/// its own feed and free initial values; in the second run a balance A(0) + B(0) = 1 is known.
Problem chain_of_reactions() {
  dynamics::FormulaModel model;
  model.state("A", 1, "feed - k1 * A");
  model.state("B", 0, "k1 * A - k2 * B / (1 + k3 * B)");
  model.parameter("k1", 1);
  model.parameter("k2", 0.5);
  model.parameter("k3", 0.4);
  model.parameter("feed", 0.1);
  Problem problem;
  for (const auto& [id, truth] : {std::pair{"k1", 1.0}, {"k2", 0.5}, {"k3", 0.4}}) {
    problem.estimates.push_back({.parameter = id, .initial = truth, .truth = truth});
  }
  const double nowhere = std::nan("");
  problem.requirements.push_back(require({{nowhere, "k1 + k2 - 1.5"}}));
  const double feed[] = {0.1, 0.6, 0.3}, A0[] = {1.0, 0.7, 0.2}, B0[] = {0.2, 0.3, 0.9};
  for (int i = 0; i < 3; ++i) {
    auto& e = problem.experiments.emplace_back(dynamic_experiment(
        "run" + std::to_string(i + 1), model, times(0, 4, 7), {{"a", "A"}, {"b", "B"}}, 0.003));
    e.locals.push_back({.parameter = "feed", .initial = feed[i], .truth = feed[i]});
    e.initial = {{.state = "A", .kind = InitialState::Kind::kFree, .value = A0[i]},
                 {.state = "B", .kind = InitialState::Kind::kFree, .value = B0[i]}};
    e.grid.intervals = 1 + i;
  }
  problem.experiments[1].requirements.push_back(require({{0, "A + B - 1"}}));
  problem.options.integrator.method = integrate::Method::kDopri5;
  problem.options.integrator.rtol = 1e-6;
  problem.options.integrator.atol = 1e-7;
  problem.options.iteration.tolerance = 1e-6;
  return problem;
}

TEST(MonteCarlo, CovarianceAndIntervalsOfAConstrainedMultiExperimentProblemAreRight) {
  constexpr int kRuns = 2000;
  const Problem problem = chain_of_reactions();

  // At the truth, without noise: the covariance that theory promises, and the start of all fits.
  Problem exact = problem;
  for (auto& e : exact.experiments) {
    for (auto& o : e.observations) o.sigma.absolute = 1e-9;
  }
  exact = synthesize(exact, 1);
  for (auto& e : exact.experiments) {
    for (auto& o : e.observations) o.sigma.absolute = 0.003;
  }
  exact.options.sigma_known = true;
  const FitResult truth = fit(exact);
  ASSERT_TRUE(truth.converged());
  const Eigen::MatrixXd& C = truth.covariance;
  const auto n = static_cast<Eigen::Index>(truth.estimates.size());
  ASSERT_EQ(n, 3 + 3 * 3);
  // 12 unknowns, 2 equations, 42 data.
  EXPECT_EQ(truth.scale.num_free, 10);
  EXPECT_EQ(truth.scale.degrees_of_freedom, 32);

  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(n, n), promised = sum;
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(n), covered = mean;
  for (int run = 0; run < kRuns; ++run) {
    const FitResult result =
        fit(synthesize(problem, static_cast<std::uint64_t>(run) + 1), {.start = truth.x});
    ASSERT_TRUE(result.converged()) << "seed " << run + 1 << ": " << result.iteration.message;
    Eigen::VectorXd error(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto& s = result.estimates[static_cast<std::size_t>(i)].statistics;
      const double true_value = truth.estimates[static_cast<std::size_t>(i)].statistics.value;
      error[i] = s.value - true_value;
      covered[i] += s.individual.low <= true_value && true_value <= s.individual.high;
    }
    mean += error / kRuns;
    sum += error * error.transpose();
    promised += result.covariance / kRuns;
  }
  const Eigen::MatrixXd S = (sum - kRuns * mean * mean.transpose()) / (kRuns - 1);

  double worst = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto& e = truth.estimates[static_cast<std::size_t>(i)];
    const double coverage = covered[i] / kRuns;
    std::printf("  %-4s %-5s sd %.3e, found %.3e, mean error %+.2f se, covered %.1f %%\n",
                e.experiment.c_str(), e.id.c_str(), std::sqrt(C(i, i)), std::sqrt(S(i, i)),
                mean[i] / std::sqrt(C(i, i) / kRuns), 100 * coverage);
    // The share has a standard error of 0.5 %.
    EXPECT_GT(coverage, 0.93) << e.id << " " << e.experiment;
    EXPECT_LT(coverage, 0.97) << e.id << " " << e.experiment;
    for (Eigen::Index j = 0; j <= i; ++j) {
      // S is Wishart distributed: var S_ij = (C_ij^2 + C_ii C_jj) / (runs - 1). Four standard
      // errors are exceeded by one of the 78 entries in one of 200 seeds.
      const double se = std::sqrt((C(i, j) * C(i, j) + C(i, i) * C(j, j)) / (kRuns - 1));
      EXPECT_LT(std::abs(S(i, j) - C(i, j)), 4 * se) << i << ", " << j;
      worst = std::max(worst, std::abs(S(i, j) - C(i, j)) / se);
      // beta^2 has 32 degrees of freedom: sd of its mean sqrt(2 / 32 / runs) = 0.6 %.
      EXPECT_NEAR(promised(i, j), C(i, j), 0.03 * std::sqrt(C(i, i) * C(j, j))) << i << ", " << j;
    }
  }
  std::printf("  largest deviation of a covariance: %.2f standard errors\n", worst);
  // Not vacuous: the equation of k1 and k2 is in it, and runs are correlated through k.
  EXPECT_NEAR(C(0, 1), -C(0, 0), 1e-9 * C(0, 0));
  EXPECT_GT(std::abs(truth.correlation(3, 6)), 0.05);
}

}  // namespace
}  // namespace parfait::estimation
