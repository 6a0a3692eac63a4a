#include <gtest/gtest.h>

#include <cmath>

#include "problems.h"

// Published problems and their solutions; data/README.md names the sources.
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

struct Expected {
  std::string id;
  double value, sd;
};

void expect_estimates(const FitResult& result, const std::vector<Expected>& expected,
                      double tolerance, double sd_tolerance) {
  for (const auto& e : expected) {
    const auto& s = find(result, e.id).statistics;
    EXPECT_NEAR(s.value, e.value, tolerance * std::abs(e.value)) << e.id;
    EXPECT_NEAR(s.sd, e.sd, sd_tolerance * e.sd) << "sd of " << e.id;
  }
}

TEST(PublishedFit, BockNotoriousWithBothStatesMeasured) {
  const FitResult result = fit(bock_problem(true, 20));
  print("Bock, y1 and y2", result);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  EXPECT_LE(result.iteration.iterations, 7);
  expect_estimates(result, {{"p", 3.14603987089008268, 0.00645568856597}}, 1e-9, 1e-9);
  // sd of the initial values are given for known sigma.
  const double beta = result.scale.beta();
  EXPECT_NEAR(find(result, "y1").statistics.value, -0.00128531861641517, 1e-10);
  EXPECT_NEAR(find(result, "y2").statistics.value, 3.22315898787499, 1e-8);
  EXPECT_NEAR(find(result, "y1").statistics.sd / beta, 0.000841132772352, 1e-11);
  EXPECT_NEAR(find(result, "y2").statistics.sd / beta, 0.0499321553348, 1e-10);
  EXPECT_NEAR(result.objective, 33.066381655151, 1e-8);
}

TEST(PublishedFit, BockNotoriousWithTheFirstStateMeasured) {
  Problem problem = bock_problem(false, 20);
  problem.options.sigma_known = true;
  const FitResult result = fit(problem);
  print("Bock, y1 alone", result);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  EXPECT_LE(result.iteration.iterations, 10);
  expect_estimates(result,
                   {{"p", 3.1440545722124041, 0.0277039833898},
                    {"y1", -0.0595393337025704, 0.0499380489836},
                    {"y2", 6.71641459436663, 2.99645258828}},
                   1e-9, 1e-9);
  EXPECT_NEAR(result.objective, 12.7136607337298, 1e-8);
}

TEST(PublishedFit, BockNotoriousCannotBeSolvedBySingleShooting) {
  Problem problem = bock_problem(true, 1);
  problem.options.iteration.max_iterations = 50;
  const FitResult result = fit(problem);
  print("Bock, single shooting", result);
  EXPECT_EQ(result.iteration.status, GaussNewtonResult::Status::kEvaluationFailed);
  EXPECT_NE(result.iteration.message.find("solutions grow by"), std::string::npos)
      << result.iteration.message;
}

TEST(PublishedFit, GaussCondensingLosesDigitsWhereTheOrthogonalOneDoesNot) {
  double error[2] = {};
  for (int k = 0; k < 2; ++k) {
    Problem problem = bock_problem(true, 20);
    problem.options.condensing = k == 0 ? Condensing::kGauss : Condensing::kOrthogonal;
    problem.options.iteration.max_iterations = 20;
    const FitResult result = fit(problem);
    print(k == 0 ? "Bock, Gauss condensing" : "Bock, orthogonal condensing", result);
    error[k] = result.estimates.empty()
                   ? HUGE_VAL
                   : std::abs(find(result, "p").statistics.value - 3.14603987089008268);
  }
  std::printf("error of p: Gauss %.1e, orthogonal %.1e\n", error[0], error[1]);
  EXPECT_GT(error[0], 1e3 * error[1]);
}

TEST(PublishedFit, LotkaVolterraOfHeidelbergWithCovariance) {
  const FitResult result = fit(lotka_volterra_heidelberg());
  print("Lotka-Volterra (Heidelberg)", result);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  expect_estimates(result,
                   {{"p1", 6.939711062323e-01, 2.51208810e-02},
                    {"p2", 3.409214843848e-01, 3.80767172e-03},
                    {"x1", 1.006348531421e+00, 3.00395639e-02},
                    {"x2", 1.015083987377e+00, 3.80825471e-02}},
                   1e-9, 1e-7);
  EXPECT_NEAR(result.objective, 2.303087147593e+01, 1e-9);
  const double covariance[4][4] = {
      {6.31058664e-04, 8.10760722e-06, -1.14631241e-04, -9.14874030e-04},
      {8.10760722e-06, 1.44983639e-05, -8.84892320e-05, -3.28374665e-06},
      {-1.14631241e-04, -8.84892320e-05, 9.02375399e-04, 6.36547160e-05},
      {-9.14874030e-04, -3.28374665e-06, 6.36547160e-05, 1.45028040e-03}};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      EXPECT_NEAR(result.covariance(i, j), covariance[i][j],
                  1e-7 * std::abs(covariance[i][j]) + 1e-12);
    }
  }
}

TEST(PublishedFit, GasOilCracking) {
  const FitResult result = fit(gas_oil());
  print("gas oil", result);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  expect_estimates(result,
                   {{"theta1", 1.184673838177e+01, 3.26436732e-01},
                    {"theta2", 8.344519501241e+00, 3.07780729e-01},
                    {"theta3", 1.001439967199e+00, 3.49345115e-01}},
                   1e-8, 1e-7);
  EXPECT_NEAR(result.objective, 5.236595833903e-03, 1e-12);
}

TEST(PublishedFit, MethanolWithOneParameterAtItsBound) {
  const FitResult result = fit(methanol());
  print("methanol", result);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  expect_estimates(result,
                   {{"theta1", 1.775181024471e+00, 2.97368455e-01},
                    {"theta2", 2.167982918822e+00, 1.50528886e-01},
                    {"theta3", 1.857559498799e+00, 1.95600930e-01},
                    {"theta4", 1.802447311032e+00, 7.38429135e-02}},
                   1e-7, 1e-6);
  const auto& fifth = find(result, "theta5").statistics;
  EXPECT_EQ(fifth.value, 0);
  EXPECT_EQ(fifth.determined, Determined::kAtLower);
  EXPECT_TRUE(std::isnan(fifth.sd));
  EXPECT_NEAR(result.objective, 9.022289851247e-03, 1e-11);
}

TEST(PublishedFit, BiochemicalOxygenDemandAsFormulaAndAsOde) {
  Data data;
  data.header = {"t", "y"};
  data.columns = {{1, 2, 3, 4, 5, 7}, {8.3, 10.3, 19.0, 16.0, 15.6, 19.8}};
  dynamics::FormulaModel ode;
  ode.state("y", 0, "rate * (asymptote - y)");
  ode.parameter("asymptote", 15);
  ode.parameter("rate", 0.5);
  for (bool dynamic : {false, true}) {
    Problem problem =
        make_problem(ode, "cops_gasoil.csv", {{"asymptote", 15}, {"rate", 0.5}}, {{"y", "y"}});
    auto& e = problem.experiments.front();
    e.data = data;
    if (!dynamic) {
      e.system = nullptr;
      e.observations[0].quantity = "asymptote * (1 - exp(-rate * t))";
    }
    const FitResult result = fit(problem);
    print(dynamic ? "BOD, ODE" : "BOD, formula", result);
    ASSERT_TRUE(result.converged()) << result.iteration.message;
    expect_estimates(result,
                     {{"asymptote", 1.91425752846179e+01, std::sqrt(6.229603329211)},
                      {"rate", 5.31091376965210e-01, std::sqrt(0.04124233951705)}},
                     1e-8, 1e-7);
    EXPECT_NEAR(result.covariance(0, 1), -0.4322647502876, 1e-7);
    EXPECT_NEAR(result.objective, 2.59902672819413e+01, 1e-9);
  }
}

}  // namespace
}  // namespace parfait::estimation
