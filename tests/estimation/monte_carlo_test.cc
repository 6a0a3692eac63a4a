#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <numeric>

#include "build.h"
#include "problems.h"
#include "repeated.h"

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
  const Problem problem = chain_of_reactions();
  const FitResult truth = fit_exact_data(problem);
  ASSERT_TRUE(truth.converged());
  std::vector<Eigen::Index> all(truth.estimates.size());
  std::iota(all.begin(), all.end(), 0);
  ASSERT_EQ(all.size(), 3 + 3 * 3);
  // 12 unknowns, 2 equations, 42 data.
  EXPECT_EQ(truth.scale.num_free, 10);
  EXPECT_EQ(truth.scale.degrees_of_freedom, 32);
  // The share has a standard error of 0.5 %; beta^2 has 32 degrees of freedom, sd of its mean
  // sqrt(2 / 32 / runs) = 0.6 %.
  expect_repetitions_agree(problem, truth, all, 2000, {.coverage = 0.02, .covariance = 0.03});
  // Not vacuous: the equation of k1 and k2 is in it, and runs are correlated through k.
  const Eigen::MatrixXd& C = truth.covariance;
  EXPECT_NEAR(C(0, 1), -C(0, 0), 1e-9 * C(0, 0));
  EXPECT_GT(std::abs(truth.correlation(3, 6)), 0.05);
}

}  // namespace
}  // namespace parfait::estimation
