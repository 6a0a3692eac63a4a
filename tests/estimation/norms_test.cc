#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdio>
#include <random>

#include "build.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/math/dense_solves.h"
#include "problems.h"

// Outliers and bounded errors: what the norms make of them.
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kAmplitude = 2, kRate = 0.7, kScatter = 0.005;

/// x(t) = amplitude exp(-rate t), as an ODE with free initial value or as a formula.
Problem decay(bool dynamic) {
  Problem problem;
  problem.estimates.push_back({.parameter = "rate", .initial = 0.4, .truth = kRate});
  const auto t = times(0, 4, 41);
  if (dynamic) {
    dynamics::FormulaModel model;
    model.state("x", kAmplitude, "-rate * x");
    model.parameter("rate", kRate);
    auto& e = problem.experiments.emplace_back(
        dynamic_experiment("run", model, t, {{"x", "x"}}, kScatter));
    free_start(e);
    e.grid.intervals = 4;
  } else {
    problem.estimates.push_back({.parameter = "amplitude", .initial = 1, .truth = kAmplitude});
    problem.experiments.push_back(algebraic_experiment(
        "run", empty_data(t, {"x"}), {{"x", "amplitude * exp(-rate * t)"}}, kScatter));
  }
  problem.options.iteration.tolerance = 1e-8;
  return synthesize(problem, 5);
}

/// Every fifth measurement is far too large.
void spoil(Problem& problem) {
  auto& x = column(problem.experiments[0], "x");
  for (std::size_t i = 2; i < x.size(); i += 5) x[i] += 0.8 + 0.1 * static_cast<double>(i % 3);
}

FitResult fit_with(Problem problem, Norm norm) {
  problem.options.linear.norm = norm;
  FitResult result = fit(problem);
  EXPECT_TRUE(result.converged()) << text(norm) << ": " << result.iteration.message;
  return result;
}

double amplitude_of(const FitResult& result, bool dynamic) {
  return value(result, dynamic ? "x" : "amplitude");
}

/// Residuals and their derivatives with respect to all free variables, at a solution.
struct Linearized {
  VectorXd r;
  MatrixXd J;
};

Linearized linearize(const Problem& problem, const FitResult& result) {
  Team alone;
  const auto ensemble = make_ensemble(problem, alone);
  EXPECT_TRUE(ensemble->linearize(result.x).exists);
  const Block& block = ensemble->blocks()[1];
  MatrixXd J(block.A.rows(), block.A.cols() + block.B.cols());
  J << block.A, block.B;
  return {ensemble->residuals_of(0), J};
}

class Outliers : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Models, Outliers, testing::Bool(),
                         [](const auto& model) { return model.param ? "Ode" : "Formula"; });

TEST_P(Outliers, L1RecoversWhatL2LosesAndHuberIsBetween) {
  Problem problem = decay(GetParam());
  spoil(problem);
  double error[3] = {};
  const Norm norms[] = {Norm::kL1, Norm::kHuber, Norm::kL2};
  for (int k = 0; k < 3; ++k) {
    const FitResult result = fit_with(problem, norms[k]);
    const double rate = std::abs(value(result, "rate") / kRate - 1);
    const double amplitude = std::abs(amplitude_of(result, GetParam()) / kAmplitude - 1);
    error[k] = std::max(rate, amplitude);
    std::printf("  %-5s  rate off by %.2f %%, amplitude by %.2f %%\n", text(norms[k]), 100 * rate,
                100 * amplitude);
  }
  EXPECT_LT(error[0], 0.01);
  EXPECT_GT(error[2], 0.10);
  EXPECT_LT(error[0], error[1]);
  EXPECT_LT(error[1], error[2]);
}

TEST_P(Outliers, AsManyResidualsVanishAtTheL1OptimumAsThereAreUnknownsAndDualsAreFeasible) {
  Problem problem = decay(GetParam());
  spoil(problem);
  problem.options.linear.norm = Norm::kL1;
  const FitResult result = fit_with(problem, Norm::kL1);
  const auto [r, J] = linearize(problem, result);
  ASSERT_EQ(J.cols(), 2);
  std::vector<Eigen::Index> vanishing;
  VectorXd gradient = VectorXd::Zero(2);
  for (Eigen::Index i = 0; i < r.size(); ++i) {
    if (std::abs(r[i]) < 1e-6) {
      vanishing.push_back(i);
    } else {
      EXPECT_GT(std::abs(r[i]), 1e-3);  // a clear distinction
      gradient += (r[i] > 0 ? 1.0 : -1.0) * J.row(i).transpose();
    }
  }
  ASSERT_EQ(vanishing.size(), 2U);
  // 0 = sum of sign(r_i) J_i + sum of u_i J_i over the vanishing ones, |u_i| <= 1.
  MatrixXd basis(2, 2);
  for (int k = 0; k < 2; ++k) basis.col(k) = J.row(vanishing[static_cast<std::size_t>(k)]);
  const VectorXd u = math::solve_lu(basis, -gradient);
  EXPECT_LE(u.cwiseAbs().maxCoeff(), 1 + 1e-9);
  EXPECT_GT(u.cwiseAbs().minCoeff(), 1e-6);  // not degenerate
}

TEST_P(Outliers, HuberSolutionIsStationaryWithClippedResiduals) {
  Problem problem = decay(GetParam());
  spoil(problem);
  problem.options.linear.norm = Norm::kHuber;
  const FitResult result = fit_with(problem, Norm::kHuber);
  const auto [r, J] = linearize(problem, result);
  const double gamma = problem.options.linear.huber_gamma;
  const VectorXd clipped = r.cwiseMin(gamma).cwiseMax(-gamma);
  EXPECT_GT((r - clipped).cwiseAbs().maxCoeff(), 10);  // outliers are there
  const VectorXd gradient = J.transpose() * clipped;
  EXPECT_LT(gradient.norm(), 1e-6 * J.norm() * clipped.norm());
}

TEST_P(Outliers, AreNamedByTheNormsThatTheyDoNotMove) {
  Problem problem = decay(GetParam());
  spoil(problem);
  for (const Norm norm : {Norm::kL1, Norm::kHuber}) {
    const FitResult result = fit_with(problem, norm);
    ASSERT_EQ(result.outliers.size(), 5U);
    for (const auto& outlier : result.outliers) {
      EXPECT_EQ(outlier.index % 5, 2) << text(norm);
      EXPECT_LT(outlier.p_value, 1e-6) << text(norm);
      // At least 0.8 / sigma deviations, pulled a little to their side.
      EXPECT_LT(outlier.studentized, -60) << text(norm);
    }
  }
  // Least squares lets them make each other look ordinary.
  EXPECT_GT(fit_with(problem, Norm::kL2).outliers[0].p_value, 0.01);
}

TEST_P(Outliers, LInfinityTakesBoundedErrorsBetterThanL2) {
  double sum_linf = 0, sum_l2 = 0;
  constexpr int kRuns = 20;
  std::mt19937_64 random(17);
  for (int run = 0; run < kRuns; ++run) {
    Problem problem = decay(GetParam());
    auto& t = column(problem.experiments[0], "t");
    auto& x = column(problem.experiments[0], "x");
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      x[i] = kAmplitude * std::exp(-kRate * t[i]) + kScatter * (2 * unit - 1);
    }
    problem.options.linear.norm = Norm::kLInf;
    const FitResult result = fit_with(problem, Norm::kLInf);
    const FitResult squares = fit_with(problem, Norm::kL2);
    sum_linf += std::pow(value(result, "rate") - kRate, 2);
    sum_l2 += std::pow(value(squares, "rate") - kRate, 2);
    const auto [r, J] = linearize(problem, result);
    const double tau = r.cwiseAbs().maxCoeff();
    EXPECT_LE(tau, 1);  // the truth has residuals up to 1 sigma: the optimum is not worse
    EXPECT_LT(tau, linearize(problem, squares).r.cwiseAbs().maxCoeff());
    // Two unknowns and tau: three residuals are the largest, and they alternate.
    EXPECT_EQ((r.cwiseAbs().array() > tau * (1 - 1e-6)).count(), 3);
    EXPECT_NEAR(result.objective, tau, 1e-12);
  }
  std::printf("  rms error of the rate: l-infinity %.2e, l2 %.2e\n", std::sqrt(sum_linf / kRuns),
              std::sqrt(sum_l2 / kRuns));
  EXPECT_LT(sum_linf, sum_l2);
}

TEST_P(Outliers, AllNormsAgreeOnExactData) {
  Problem problem = decay(GetParam());
  auto& t = column(problem.experiments[0], "t");
  auto& x = column(problem.experiments[0], "x");
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = kAmplitude * std::exp(-kRate * t[i]);
  for (Norm norm : {Norm::kL2, Norm::kHuber, Norm::kL1, Norm::kLInf}) {
    const FitResult result = fit_with(problem, norm);
    EXPECT_NEAR(value(result, "rate"), kRate, 1e-7) << text(norm);
    EXPECT_NEAR(amplitude_of(result, GetParam()), kAmplitude, 1e-7) << text(norm);
  }
}

}  // namespace
}  // namespace parfait::estimation
