#include "repeated.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "parfait/estimate/fit/synthesize.h"

namespace parfait::estimation {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

FitResult fit_exact_data(const Problem& problem) {
  Problem exact = problem;
  for (auto& e : exact.experiments) {
    for (auto& o : e.observations) o.sigma = {.absolute = 1e-300};
  }
  exact = synthesize(exact, 1);
  for (std::size_t e = 0; e < exact.experiments.size(); ++e) {
    exact.experiments[e].observations = problem.experiments[e].observations;
  }
  exact.options.sigma_known = true;
  return fit(exact);
}

void expect_repetitions_agree(const Problem& problem, const FitResult& truth,
                              const std::vector<Index>& watched, int runs,
                              RepetitionMargins margins) {
  const auto n = static_cast<Index>(watched.size());
  const auto estimate_of = [&](const FitResult& result, Index i) -> const EstimateResult& {
    return result.estimates[static_cast<std::size_t>(watched[static_cast<std::size_t>(i)])];
  };
  const MatrixXd C = truth.covariance(watched, watched);
  MatrixXd sum = MatrixXd::Zero(n, n), promised = sum;
  VectorXd mean = VectorXd::Zero(n), covered = mean;
  for (int run = 1; run <= runs; ++run) {
    const FitResult result =
        fit(synthesize(problem, static_cast<std::uint64_t>(run)), {.start = truth.x});
    ASSERT_TRUE(result.converged()) << "seed " << run << ": " << result.iteration.message;
    VectorXd error(n);
    for (Index i = 0; i < n; ++i) {
      const auto& s = estimate_of(result, i).statistics;
      const double true_value = estimate_of(truth, i).statistics.value;
      error[i] = s.value - true_value;
      covered[i] += s.individual.low <= true_value && true_value <= s.individual.high;
    }
    mean += error / runs;
    sum += error * error.transpose();
    promised += result.covariance(watched, watched) / runs;
  }
  const MatrixXd S = (sum - runs * mean * mean.transpose()) / (runs - 1);

  double worst = 0;
  for (Index i = 0; i < n; ++i) {
    const EstimateResult& e = estimate_of(truth, i);
    const double coverage = covered[i] / runs;
    std::printf("  %-5s %-9s sd %.3e, found %.3e, mean error %+.2f se, covered %.1f %%\n",
                e.experiment.c_str(), e.id.c_str(), std::sqrt(C(i, i)), std::sqrt(S(i, i)),
                mean[i] / std::sqrt(C(i, i) / runs), 100 * coverage);
    EXPECT_NEAR(coverage, 0.95, margins.coverage) << e.id << " " << e.experiment;
    for (Index j = 0; j <= i; ++j) {
      // S is Wishart distributed: var S_ij = (C_ij^2 + C_ii C_jj) / (runs - 1). Four standard
      // errors are exceeded by one of 78 entries in one of 200 seeds.
      const double se = std::sqrt((C(i, j) * C(i, j) + C(i, i) * C(j, j)) / (runs - 1));
      EXPECT_LT(std::abs(S(i, j) - C(i, j)), 4 * se) << i << ", " << j;
      worst = std::max(worst, std::abs(S(i, j) - C(i, j)) / se);
      EXPECT_NEAR(promised(i, j), C(i, j), margins.covariance * std::sqrt(C(i, i) * C(j, j)))
          << i << ", " << j;
    }
  }
  std::printf("  largest deviation of a covariance: %.2f standard errors\n", worst);
}

}  // namespace parfait::estimation
