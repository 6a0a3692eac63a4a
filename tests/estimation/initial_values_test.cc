#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "build.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/math/dense_solves.h"
#include "problems.h"

// Initial values and constraints, against linear least squares solved directly.
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Kind = InitialState::Kind;
using Status = GaussNewtonResult::Status;

constexpr double kDecay = 0.8, kNoise = 0.05, kStart = 2;

/// x' = source - 0.8 x: x(t) = x0 e + source (1 - e) / 0.8 with e = exp(-0.8 t) is linear in x0 and
/// in the source, which is estimated.
Problem tank(Kind kind) {
  dynamics::FormulaModel model;
  model.state("x", kStart, "source - 0.8 * x");
  model.parameter("source", 1);
  Problem problem;
  problem.estimates.push_back({.parameter = "source", .initial = 0.3, .truth = 1});
  auto& e = problem.experiments.emplace_back(
      dynamic_experiment("tank", model, times(0.25, 5, 20), {{"x", "x"}}, kNoise));
  e.begin = 0;
  e.initial = {{.state = "x", .kind = kind}};
  e.grid.intervals = 5;
  problem.options.integrator.rtol = 1e-11;
  problem.options.integrator.atol = 1e-13;
  problem.options.iteration.tolerance = 1e-10;
  return synthesize(problem, 8);
}

/// Columns: x0, source; rows weighted.
struct Linear {
  MatrixXd J;
  VectorXd eta;
};

Linear linear_tank(Problem& problem) {
  auto& e = problem.experiments[0];
  const auto& t = column(e, "t");
  const auto& x = column(e, "x");
  const auto n = static_cast<Eigen::Index>(t.size());
  Linear out{MatrixXd(n, 2), VectorXd(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    const double decayed = std::exp(-kDecay * t[row]);
    out.J.row(i) << decayed / kNoise, (1 - decayed) / kDecay / kNoise;
    out.eta[i] = x[row] / kNoise;
  }
  return out;
}

void expect_solution(const FitResult& result, const MatrixXd& J, const VectorXd& eta,
                     const std::vector<std::string>& ids) {
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  const VectorXd solution = math::solve_least_squares(J, eta);
  const double objective = (J * solution - eta).squaredNorm();
  const double beta2 = objective / static_cast<double>(J.rows() - J.cols());
  const MatrixXd covariance = beta2 * math::inverse(math::gram(J));
  EXPECT_NEAR(result.objective, objective, 1e-8);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const auto& s = find(result, ids[i]).statistics;
    EXPECT_NEAR(s.value, solution[at], 1e-8) << ids[i];
    EXPECT_NEAR(s.sd, std::sqrt(covariance(at, at)), 1e-7) << ids[i];
  }
}

TEST(InitialValues, FixedOnesLeaveALinearProblemOfTheParameter) {
  Problem problem = tank(Kind::kFixed);
  const Linear linear = linear_tank(problem);
  const FitResult result = fit(problem);
  EXPECT_EQ(result.estimates.size(), 1U);
  expect_solution(result, linear.J.col(1), linear.eta - kStart * linear.J.col(0), {"source"});
}

TEST(InitialValues, FixedAtAGivenValueInsteadOfTheModels) {
  Problem problem = tank(Kind::kFixed);
  problem.experiments[0].initial[0].value = 1.7;
  const Linear linear = linear_tank(problem);
  expect_solution(fit(problem), linear.J.col(1), linear.eta - 1.7 * linear.J.col(0), {"source"});
}

TEST(InitialValues, FreeOnesAreOneMoreUnknown) {
  Problem problem = tank(Kind::kFree);
  problem.experiments[0].initial[0].value = -3;  // only a guess
  problem.experiments[0].initial[0].scale = 10;
  const Linear linear = linear_tank(problem);
  expect_solution(fit(problem), linear.J, linear.eta, {"x", "source"});
}

TEST(InitialValues, APriorIsOneMoreMeasurement) {
  Problem problem = tank(Kind::kPrior);
  problem.experiments[0].initial[0].value = 2.1;
  problem.experiments[0].initial[0].sigma = 0.03;
  problem.experiments[0].initial[0].scale = 4;
  const Linear linear = linear_tank(problem);
  MatrixXd J(21, 2);
  VectorXd eta(21);
  J << linear.J, 1 / 0.03, 0;
  eta << linear.eta, 2.1 / 0.03;
  expect_solution(fit(problem), J, eta, {"x", "source"});
}

TEST(InitialValues, InitialFormulasOfParametersCarryTheirDerivative) {
  // x(0) = 2 source: one unknown, in the start and in the equation.
  Problem problem = tank(Kind::kFixed);
  dynamics::FormulaModel model;
  model.state("x", "2 * source", "source - 0.8 * x");
  model.parameter("source", 1);
  problem.experiments[0].system = dynamic_experiment("tank", model, {0, 1}, {{"x", "x"}}, 1).system;
  const Linear linear = linear_tank(problem);
  expect_solution(fit(problem), 2 * linear.J.col(0) + linear.J.col(1), linear.eta, {"source"});
}

TEST(Constraints, InteriorPointConditionHoldsAndSolutionIsTheConstrainedMinimum) {
  Problem problem = tank(Kind::kFree);
  // x(1.3) = 1.5, inside an interval and away from all data.
  problem.experiments[0].requirements.push_back(require({{1.3, "x - 1.5"}}));
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  const Linear linear = linear_tank(problem);
  const double e = std::exp(-kDecay * 1.3);
  MatrixXd kkt = MatrixXd::Zero(3, 3);
  kkt.topLeftCorner(2, 2) = linear.J.transpose() * linear.J;
  kkt.col(2).head(2) << e, (1 - e) / kDecay;
  kkt.row(2) = kkt.col(2).transpose();
  VectorXd right(3);
  right << linear.J.transpose() * linear.eta, 1.5;
  const VectorXd solution = math::solve_lu(kkt, right);
  EXPECT_NEAR(value(result, "x"), solution[0], 1e-7);
  EXPECT_NEAR(value(result, "source"), solution[1], 1e-7);
  EXPECT_EQ(result.scale.num_free, 1);
  // The covariance is the corresponding block of the inverse.
  const double beta2 = result.objective / 19;
  const MatrixXd inverse = math::inverse(kkt);
  EXPECT_NEAR(find(result, "x").statistics.sd, std::sqrt(beta2 * inverse(0, 0)), 1e-7);
  EXPECT_NEAR(find(result, "source").statistics.sd, std::sqrt(beta2 * inverse(1, 1)), 1e-7);
}

TEST(Constraints, PeriodicSolutionsComeBack) {
  // A forced oscillator in its limit cycle: x(0) = x(T), v(0) = v(T).
  dynamics::FormulaModel model;
  model.state("x", 0.5, "v");
  model.state("v", 0, "-stiffness * x - 0.3 * v + force * cos(2 * t)");
  model.parameter("stiffness", 2);
  model.parameter("force", 1);
  const double T = M_PI;
  Problem problem;
  problem.estimates = {{.parameter = "stiffness", .initial = 2, .truth = 2},
                       {.parameter = "force", .initial = 1, .truth = 1}};
  auto& e = problem.experiments.emplace_back(
      dynamic_experiment("cycle", model, times(0, T, 15), {{"x", "x"}}, 0.02));
  // The limit cycle Re((a - ib) exp(2it)): a + ib = force / (k - 4 + 0.6 i)*.
  const double norm = 4 + 0.36;
  const double a = -2 / norm, b = 0.6 / norm;
  e.initial = {{.state = "x", .kind = Kind::kFree, .value = a},
               {.state = "v", .kind = Kind::kFree, .value = 2 * b}};
  e.grid.intervals = 4;
  problem = synthesize(problem, 12);
  problem.estimates[0].initial = 1;
  problem.estimates[1].initial = 0.4;
  problem.experiments[0].initial[0].value = 0;
  problem.experiments[0].initial[1].value = 0;
  problem.experiments[0].requirements = {require({{0, "x"}, {T, "-x"}}),
                                         require({{0, "v"}, {T, "-v"}})};
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  EXPECT_LT(result.iteration.history.back().infeasibility, 1e-8);
  EXPECT_EQ(result.scale.num_free, 2);
  // On the limit cycle of the estimated parameters, in closed form.
  const double k = value(result, "stiffness"), force = value(result, "force");
  const double n = (k - 4) * (k - 4) + 0.36;
  EXPECT_NEAR(value(result, "x"), force * (k - 4) / n, 1e-7);
  EXPECT_NEAR(value(result, "v"), 2 * force * 0.6 / n, 1e-7);
  EXPECT_NEAR(k, 2, 4 * find(result, "stiffness").statistics.sd);
}

TEST(Constraints, BoundsOfNodeStatesHold) {
  // The data dip below 1.2; the model must not, at its nodes.
  Problem problem = tank(Kind::kFree);
  problem.estimates[0].truth = 0.9;
  problem = synthesize(problem, 8);
  const FitResult loose = fit(problem);
  problem.experiments[0].state_bounds.push_back({.state = "x", .lower = 1.2});
  const FitResult bounded = fit(problem);
  ASSERT_TRUE(loose.converged() && bounded.converged()) << bounded.iteration.message;
  const auto& before = loose.experiments[0].nodes;
  const auto& after = bounded.experiments[0].nodes;
  ASSERT_EQ(after.cols(), 5);
  EXPECT_LT(before.minCoeff(), 1.19);  // the bound matters
  EXPECT_GE(after.minCoeff(), 1.2 - 1e-9);
  EXPECT_NEAR(after.minCoeff(), 1.2, 1e-9);
  EXPECT_GT(bounded.objective, loose.objective);
  EXPECT_EQ(bounded.scale.num_free, loose.scale.num_free - 1);
  // The bounded solution is the one with x(4) = 1.2 as an equation.
  problem.experiments[0].state_bounds.clear();
  problem.experiments[0].requirements.push_back(require({{4, "x - 1.2"}}));
  const FitResult equation = fit(problem);
  EXPECT_NEAR(value(bounded, "source"), value(equation, "source"), 1e-8);
}

TEST(Constraints, InequalitiesThatDoNotBindChangeNothingAndOthersBind) {
  Problem problem = tank(Kind::kFree);
  const FitResult loose = fit(problem);
  problem.experiments[0].requirements = {require({{2.0, "x - 0.1"}}, true)};
  const FitResult idle = fit(problem);
  EXPECT_NEAR(value(loose, "source"), value(idle, "source"), 1e-10);
  problem.experiments[0].requirements = {require({{0, "x"}, {5, "-x"}, {5, "-0.7"}}, true)};
  const FitResult binding = fit(problem);  // x(0) >= x(5) + 0.7 holds anyway or binds
  problem.experiments[0].requirements = {require({{0, "x"}, {5, "-x"}, {5, "-0.9"}}, true)};
  const FitResult tight = fit(problem);
  ASSERT_TRUE(binding.converged() && tight.converged());
  const auto drop = [](const FitResult& r) {
    const double e = std::exp(-kDecay * 5);
    return value(r, "x") * (1 - e) - value(r, "source") * (1 - e) / kDecay;
  };
  EXPECT_LT(drop(loose), 0.9);
  EXPECT_NEAR(drop(tight), 0.9, 1e-8);
  EXPECT_NEAR(drop(binding), std::max(0.7, drop(loose)), 1e-8);
}

TEST(Constraints, ContradictionsAreAStatusThatSaysSo) {
  Problem problem = tank(Kind::kFree);
  problem.experiments[0].requirements = {require({{0, "x - 1"}}), require({{0, "x - 2"}})};
  const FitResult result = fit(problem);
  EXPECT_EQ(result.iteration.status, Status::kLinearFailed);
  EXPECT_EQ(result.iteration.message,
            "equations that depend on each other contradict each other; these contradict each "
            "other: \"x - 1 [t = 0] = 0\", \"x - 2 [t = 0] = 0\"");
}

TEST(Constraints, OnlyThoseThatContradictAreNamedWithTheirPlaces) {
  Problem problem = tank(Kind::kFree);
  auto& all = problem.experiments[0].requirements;
  all = {require({{0, "x - 1"}}), require({{5, "x - 3"}}), require({{2, "x"}}, true)};
  problem.requirements = {require({{std::nan(""), "source - 0.5"}})};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].place = {.file = "tank.xml", .line = static_cast<int>(i) + 7, .column = 5};
  }
  problem.requirements[0].place = {.file = "tank.xml", .line = 3, .column = 3};
  // Two unknowns, three equations: x(0), x(5) and the source.
  const FitResult result = fit(problem);
  EXPECT_EQ(result.iteration.status, Status::kLinearFailed);
  EXPECT_NE(result.iteration.message.find(
                "these contradict each other: \"source - 0.5 = 0\" (tank.xml:3:3), "
                "\"x - 1 [t = 0] = 0\" (tank.xml:7:5), \"x - 3 [t = 5] = 0\" (tank.xml:8:5)"),
            std::string::npos)
      << result.iteration.message;
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_NE(
      result.warnings[0].find("more required equations (3) than unknown parameters and "
                              "initial states (2): they hold only if some follow from others: "
                              "\"source - 0.5 = 0\" (tank.xml:3:3), "),
      std::string::npos)
      << result.warnings[0];
}

TEST(Constraints, ContradictoryInequalitiesAreInfeasible) {
  Problem problem = tank(Kind::kFree);
  problem.experiments[0].requirements = {require({{0, "x - 2"}}, true),
                                         require({{0, "1 - x"}}, true)};
  const FitResult result = fit(problem);
  EXPECT_EQ(result.iteration.status, Status::kLinearFailed);
  EXPECT_EQ(result.iteration.message,
            "no point satisfies all equations and inequalities; these contradict each other: "
            "\"x - 2 [t = 0] >= 0\", \"1 - x [t = 0] >= 0\"");
}

TEST(Constraints, AnEquationOutsideTheBoundsOfItsParameterIsInfeasible) {
  Problem problem = tank(Kind::kFree);
  problem.estimates[0].upper = 5;
  problem.requirements = {require({{std::nan(""), "source - 7"}})};
  const FitResult result = fit(problem);
  EXPECT_EQ(result.iteration.status, Status::kLinearFailed) << result.iteration.message;
  EXPECT_NE(result.iteration.message.find("\"source - 7 = 0\", \"source <= 5\""), std::string::npos)
      << result.iteration.message;
  // Bounds of states are rows, too.
  problem.requirements.clear();
  problem.experiments[0].grid.end_node = true;
  problem.experiments[0].state_bounds = {{.state = "x", .lower = 3}};
  problem.experiments[0].requirements = {require({{5, "2 - x"}}, true)};
  const FitResult below = fit(problem);
  EXPECT_NE(below.iteration.message.find("\"x >= 3\" at t = 5"), std::string::npos)
      << below.iteration.message;
  problem.experiments[0].grid.end_node = false;
  problem.experiments[0].state_bounds.clear();
  problem.experiments[0].requirements.clear();
  // On the bound itself there is a point.
  problem.requirements = {require({{std::nan(""), "source - 5"}})};
  const FitResult at_bound = fit(problem);
  ASSERT_TRUE(at_bound.converged()) << at_bound.iteration.message;
  EXPECT_NEAR(value(at_bound, "source"), 5, 1e-12);
}

TEST(Constraints, MoreThanThereAreVariablesAreAStatusThatSaysSo) {
  Problem problem = tank(Kind::kFixed);
  problem.experiments[0].requirements = {require({{1, "x - 1.5"}}), require({{2, "x - 1.4"}}),
                                         require({{3, "x - 1.1"}})};
  const FitResult result = fit(problem);
  EXPECT_EQ(result.iteration.status, Status::kLinearFailed);
  // Any two of them are enough; the warning has all.
  EXPECT_NE(result.iteration.message.find("\"x - 1.4 [t = 2] = 0\", \"x - 1.1 [t = 3] = 0\""),
            std::string::npos)
      << result.iteration.message;
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0],
            "more required equations (3) than unknown parameters and initial states (1): they hold "
            "only if some follow from others: \"x - 1.5 [t = 1] = 0\", \"x - 1.4 [t = 2] = 0\", "
            "\"x - 1.1 [t = 3] = 0\".");
}

TEST(Constraints, RedundantOnesDoNoHarm) {
  Problem problem = tank(Kind::kFree);
  problem.experiments[0].requirements = {require({{1.3, "x - 1.5"}})};
  const FitResult once = fit(problem);
  problem.experiments[0].requirements.push_back(require({{1.3, "3 * x - 4.5"}}));
  const FitResult twice = fit(problem);
  ASSERT_TRUE(once.converged() && twice.converged()) << twice.iteration.message;
  EXPECT_NEAR(value(once, "source"), value(twice, "source"), 1e-9);
  EXPECT_EQ(once.scale.degrees_of_freedom, twice.scale.degrees_of_freedom);
}

TEST(Constraints, AParameterAtItsBoundIsMarkedAndTheOthersAreThoseOfTheReducedProblem) {
  Problem problem = tank(Kind::kFree);
  problem.estimates[0].initial = 0.5;
  problem.estimates[0].upper = 0.9;
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  const auto& source = find(result, "source").statistics;
  EXPECT_EQ(source.value, 0.9);
  EXPECT_EQ(source.determined, Determined::kAtUpper);
  EXPECT_TRUE(std::isnan(source.sd));
  const Linear linear = linear_tank(problem);
  expect_solution(result, linear.J.col(0), linear.eta - 0.9 * linear.J.col(1), {"x"});
}

TEST(Constraints, LogarithmsOfParametersHaveTheSameMinimum) {
  Problem problem = tank(Kind::kFree);
  const FitResult plain = fit(problem);
  problem.estimates[0].transform = Estimate::Transform::kLog;
  const FitResult log = fit(problem);
  ASSERT_TRUE(plain.converged() && log.converged()) << log.iteration.message;
  EXPECT_NEAR(value(plain, "source"), value(log, "source"), 1e-8);
  EXPECT_NEAR(plain.objective, log.objective, 1e-8);
  EXPECT_NEAR(find(plain, "source").statistics.sd, find(log, "source").statistics.sd, 1e-7);
  EXPECT_GT(find(log, "source").statistics.individual.low, 0);
}

}  // namespace
}  // namespace parfait::estimation
