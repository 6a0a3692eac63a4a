#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdio>

#include "build.h"
#include "parfait/estimate/synthesize.h"
#include "parfait/io/model_file.h"
#include "parfait/mbs/model.h"
#include "problems.h"

// Covariances and intervals of a mechanism against what happens when its experiment is repeated.
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

constexpr double kMarkerSigma = 0.005;

/// The pendulum of examples/pendulum: gravity, the place of the hinge on the bar (which changes the
/// constraints) and the initial angle and rate are unknown; the centre is measured 15 times.
Problem hinged_pendulum() {
  mbs::Description d =
      io::read_model(std::string(PARFAIT_SOURCE_DIR) + "/examples/pendulum/pendulum.xml");
  mbs::Parameter hinge;
  hinge.id = "hinge";
  hinge.targets = {"Hinge.end.o.x"};
  d.parameters.push_back(hinge);
  d.bodies[0].x = {0.8, 0, -0.6};
  d.bodies[0].z = {0.6, 0, 0.8};
  Problem problem;
  problem.estimates = {{.parameter = "gravity", .initial = -9.81, .truth = -9.81},
                       {.parameter = "hinge", .initial = 0.1, .truth = 0.1}};
  ExperimentDescription& e = problem.experiments.emplace_back();
  e.id = "swing";
  e.system = mbs::build(d);
  e.data = empty_data(times(0, 1.4, 15), {"x", "z"});
  for (const char* c : {"x", "z"}) {
    e.observations.push_back({.column = c,
                              .quantity = std::string("Bar.com.") + c,
                              .sigma = {.absolute = kMarkerSigma}});
  }
  free_start(e);
  e.grid.intervals = 2;
  problem.options.integrator.method = integrate::Method::kDopri5;
  problem.options.integrator.rtol = 1e-6;
  problem.options.integrator.atol = 1e-7;
  return problem;
}

TEST(MonteCarlo, CovarianceAndIntervalsOfAMechanismWithUnknownGeometryAreRight) {
  constexpr int kRuns = 500;
  const Problem problem = hinged_pendulum();

  // At the truth, without noise: the covariance that theory promises, and the start of all fits.
  Problem exact = problem;
  for (auto& o : exact.experiments[0].observations) o.sigma.absolute = 0;
  exact = synthesize(exact, 1);
  for (auto& o : exact.experiments[0].observations) o.sigma.absolute = kMarkerSigma;
  exact.options.sigma_known = true;
  const FitResult truth = fit(exact);
  ASSERT_TRUE(truth.converged()) << truth.iteration.message;
  // 26 unknowns, of which the constraints leave an angle and a rate; 30 data.
  EXPECT_EQ(truth.scale.num_free, 4);
  EXPECT_EQ(truth.scale.degrees_of_freedom, 26);

  // The parameters, the initial angle and rate in e1 = (cos, 0, -sin), and where the bar begins:
  // o = -hinge e1 depends on both.
  std::vector<Eigen::Index> watched;
  for (const char* id : {"gravity", "hinge", "Bar.e1.z", "Bar.e1.vz", "Bar.o.z"}) {
    watched.push_back(&find(truth, id) - truth.estimates.data());
  }
  const auto n = static_cast<Eigen::Index>(watched.size());
  const Eigen::MatrixXd C = truth.covariance(watched, watched);

  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(n, n), promised = sum;
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(n), covered = mean;
  for (int run = 0; run < kRuns; ++run) {
    const FitResult result =
        fit(synthesize(problem, static_cast<std::uint64_t>(run) + 1), {.start = truth.x});
    ASSERT_TRUE(result.converged()) << "seed " << run + 1 << ": " << result.iteration.message;
    Eigen::VectorXd error(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(watched[static_cast<std::size_t>(i)]);
      const auto& s = result.estimates[k].statistics;
      const double true_value = truth.estimates[k].statistics.value;
      error[i] = s.value - true_value;
      covered[i] += s.individual.low <= true_value && true_value <= s.individual.high;
    }
    mean += error / kRuns;
    sum += error * error.transpose();
    promised += result.covariance(watched, watched) / kRuns;
  }
  const Eigen::MatrixXd S = (sum - kRuns * mean * mean.transpose()) / (kRuns - 1);

  double worst = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto& e = truth.estimates[static_cast<std::size_t>(watched[static_cast<std::size_t>(i)])];
    const double coverage = covered[i] / kRuns;
    std::printf("  %-9s sd %.3e, found %.3e, mean error %+.2f se, covered %.1f %%\n", e.id.c_str(),
                std::sqrt(C(i, i)), std::sqrt(S(i, i)), mean[i] / std::sqrt(C(i, i) / kRuns),
                100 * coverage);
    EXPECT_NEAR(coverage, 0.95, 0.03) << e.id;  // three standard errors of the share
    for (Eigen::Index j = 0; j <= i; ++j) {
      // S is Wishart distributed: var S_ij = (C_ij^2 + C_ii C_jj) / (runs - 1).
      const double se = std::sqrt((C(i, j) * C(i, j) + C(i, i) * C(j, j)) / (kRuns - 1));
      EXPECT_LT(std::abs(S(i, j) - C(i, j)), 4 * se) << i << ", " << j;
      worst = std::max(worst, std::abs(S(i, j) - C(i, j)) / se);
      // beta^2 has 26 degrees of freedom: sd of its mean sqrt(2 / 26 / runs) = 1.2 %.
      EXPECT_NEAR(promised(i, j), C(i, j), 0.04 * std::sqrt(C(i, i) * C(j, j))) << i << ", " << j;
    }
  }
  std::printf("  largest deviation of a covariance: %.2f standard errors\n", worst);
  EXPECT_GT(std::abs(truth.correlation(watched[0], watched[1])), 0.05);  // not vacuous
}

}  // namespace
}  // namespace parfait::estimation
