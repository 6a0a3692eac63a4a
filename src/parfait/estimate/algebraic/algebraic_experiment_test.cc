#include "parfait/estimate/algebraic/algebraic_experiment.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/linear/row_elimination.h"
#include "parfait/math/dense_solves.h"
#include "parfait/math/test_shortest.h"

namespace parfait::estimate {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr auto kLog = Estimate::Transform::kLog;

/// min |A d + b| s.t. C d + c = 0 for d = (xi, p), from the optimality conditions. Inequalities are
/// left aside.
VectorXd dense_increment(const Block& block) {
  const Index n = block.num_local() + block.num_shared(), m = block.C.rows();
  MatrixXd J(block.A.rows(), n), C(m, n);
  J << block.A, block.B;
  C << block.C, block.D;
  MatrixXd K = MatrixXd::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = math::gram(J);
  K.topRightCorner(n, m) = C.transpose();
  K.bottomLeftCorner(m, n) = C;
  VectorXd right(n + m);
  right << -J.transpose() * block.right.b, -block.right.c;
  return math::solve_least_squares(K, right).topRows(n);
}

/// Points measured in both coordinates on a curve v = a + b exp(-c u) + offset: errors in
/// variables, with everything else an algebraic experiment can have.
ExperimentDescription curve(int num_rows, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 0.05);
  ExperimentDescription e{.id = "curve"};
  e.data.header = {"u", "v", "w", "sw", "temperature"};
  e.data.columns.resize(5);
  for (int i = 0; i < num_rows; ++i) {
    const double u = 0.3 * i, v = 1 + 2 * std::exp(-0.7 * u);
    e.data.columns[0].push_back(u + noise(random));
    e.data.columns[1].push_back(i == 2 ? NAN : v + noise(random));
    e.data.columns[2].push_back(i % 2 == 0 ? NAN : u * v + noise(random));
    e.data.columns[3].push_back(0.1 + 0.02 * i);
    e.data.columns[4].push_back(1 + 0.01 * i);
  }
  e.data.columns[0][4] = e.data.columns[1][4] = NAN;  // row 5: nothing measured
  e.row_locals = {{.parameter = "ut", .initial = {"u"}, .scale = 2}};
  e.locals = {{.parameter = "offset", .initial = 0.1, .lower = -1, .upper = 1},
              {.parameter = "gain",
               .initial = 0.9,
               .transform = kLog,
               .prior = Prior{.value = 1, .sigma = 0.2}}};
  e.sets = {{.parameter = "t0", .value = 1.0}};
  const std::string v = "a + b*exp(-c*ut*temperature/t0) + offset";
  e.observations = {{.column = "u", .quantity = {"ut"}, .sigma = {.absolute = 0.05}},
                    {.column = "v",
                     .quantity = {"gain*(" + v + ")"},
                     .sigma = {.absolute = 0.03, .relative = 0.05}},
                    {.column = "w", .quantity = {"ut*(" + v + ")"}, .sigma = {.column = "sw"}}};
  e.requirements = {
      {.terms = {{.at = {}, .formula = {"a*offset"}}, {.at = {}, .formula = {"-0.1"}}}},
      {.terms = {{.at = {}, .formula = {"gain - b^2 + 9"}}}, .inequality = true}};
  return e;
}

Unknowns shared_of_curve() {
  return Unknowns({{.parameter = "a", .initial = 1.2},
                   {.parameter = "unused", .initial = 5},
                   {.parameter = "b", .initial = 1.7},
                   {.parameter = "c", .initial = 0.6, .transform = kLog}});
}

TEST(AlgebraicExperiment, CountsWhatIsMeasured) {
  AlgebraicExperiment e(curve(7, 1), shared_of_curve());
  // Rows 1..7 without row 5; column v misses row 3, column w every second row.
  EXPECT_EQ(e.layout().num_variables(), 2 + 6);
  const auto infos = e.layout().residuals;
  ASSERT_EQ(infos.size(), 6u + 5u + 3u + 1u);
  EXPECT_EQ(infos[2].column, "u");
  EXPECT_EQ(infos[2].t, 2);
  EXPECT_NEAR(infos[4].sigma, 0.12, 1e-15);
  EXPECT_TRUE(infos.back().prior);
  EXPECT_EQ(infos.back().column, "gain");
  const auto names = e.layout().variables;
  EXPECT_EQ(names[0], "offset");
  EXPECT_EQ(names[2], "ut[1]");
  EXPECT_EQ(names[6], "ut[6]");
}

TEST(AlgebraicExperiment, DerivativesAgreeWithCentralDifferences) {
  AlgebraicExperiment e(curve(9, 2), shared_of_curve(), {.eliminate_rows = false});
  const VectorXd p0 = shared_of_curve().initial();
  VectorXd x0;
  ASSERT_TRUE(e.initialize(p0, x0));
  ASSERT_TRUE(e.linearize(x0, p0));
  const Block block = e.block();
  const Index nx = x0.size(), n = nx + p0.size();
  ASSERT_EQ(block.num_local(), nx);
  MatrixXd J(block.A.rows() + block.C.rows() + block.E.rows(), n);
  J << block.A, block.B, block.C, block.D, block.E, block.F;
  const auto values = [&](const VectorXd& d) {
    EXPECT_TRUE(e.evaluate(x0 + d.head(nx), p0 + d.tail(p0.size())));
    const RightSide right = e.right_side();
    VectorXd all(J.rows());
    all << right.b, right.c, right.e;
    return all;
  };
  const double h = 1e-5;
  for (Index j = 0; j < n; ++j) {
    VectorXd d = VectorXd::Zero(n);
    d[j] = h;
    const VectorXd fd = (values(d) - values(-d)) / (2 * h);
    // Differences of numbers up to 60 with h = 1e-5: rounding 1e-9, truncation 1e-9.
    EXPECT_LT((J.col(j) - fd).cwiseAbs().maxCoeff(), 2e-8) << j;
    EXPECT_EQ(J.col(j).norm() > 0, j != nx + 1) << j;  // "unused" has no influence, all others have
  }
}

TEST(AlgebraicExperiment, EliminatedRowsGiveTheIncrementOfTheWholeProblem) {
  for (const unsigned seed : {3u, 4u, 5u}) {
    const auto description = curve(11, seed);
    // "unused" has no column: leave it out, so that the dense system is regular.
    const Unknowns shared({{.parameter = "a", .initial = 1.2},
                           {.parameter = "b", .initial = 1.7},
                           {.parameter = "c", .initial = 0.6, .transform = kLog}});
    AlgebraicExperiment whole(description, shared, {.eliminate_rows = false});
    AlgebraicExperiment condensed(description, shared);
    const VectorXd& p = shared.initial();
    VectorXd x;
    ASSERT_TRUE(whole.initialize(p, x));
    ASSERT_TRUE(whole.linearize(x, p));
    ASSERT_TRUE(condensed.linearize(x, p));
    ASSERT_EQ(condensed.block().num_local(), 2);
    EXPECT_EQ(whole.residuals(), condensed.residuals());
    const VectorXd d = dense_increment(whole.block()), dy = dense_increment(condensed.block());
    ASSERT_GT(d.norm(), 0.1);
    EXPECT_LT((dy.tail(3) - d.tail(3)).norm(), 1e-9 * d.norm());
    const VectorXd dx = condensed.expand(dy.head(2), dy.tail(3), true);
    EXPECT_LT((dx - d.head(x.size())).norm(), 1e-9 * d.norm());

    // Other values, the matrices of before: what a globalization asks.
    const VectorXd x1 = x + 0.4 * dx, p1 = p + 0.4 * dy.tail(3);
    ASSERT_TRUE(whole.evaluate(x1, p1));
    ASSERT_TRUE(condensed.evaluate(x1, p1));
    Block whole1 = whole.block(), condensed1 = condensed.block();
    whole1.right = whole.right_side();
    condensed1.right = condensed.right_side();
    const VectorXd e1 = dense_increment(whole1), ey1 = dense_increment(condensed1);
    ASSERT_GT((e1 - d).norm(), 1e-3);
    EXPECT_LT((ey1.tail(3) - e1.tail(3)).norm(), 1e-9);
    EXPECT_LT((condensed.expand(ey1.head(2), ey1.tail(3), true) - e1.head(x.size())).norm(), 1e-9);

    // Without values expand() is linear, and it is the difference of two expansions.
    const VectorXd linear =
        condensed.expand(ey1.head(2) - dy.head(2), ey1.tail(3) - dy.tail(3), false);
    const VectorXd twice = condensed.expand(dy.head(2), dy.tail(3), true) + linear;
    EXPECT_LT((twice - condensed.expand(ey1.head(2), ey1.tail(3), true)).norm(), 1e-12);
  }
}

TEST(RowElimination, LeavesTheMinimumOverTheRowsUnknowns) {
  std::srand(1);
  struct Sizes {
    int rows, own;
  };
  for (const Sizes& s : {Sizes{4, 2}, Sizes{3, 3}, Sizes{2, 3}, Sizes{5, 3}}) {
    MatrixXd A = MatrixXd::Random(s.rows, s.own);
    if (s.rows == 5) A.col(2) = A.col(0) - 2 * A.col(1);  // a direction that is not seen
    const MatrixXd B = MatrixXd::Random(s.rows, 2);
    RowElimination row;
    row.factorize(A, B, 1e-9);
    const VectorXd y = VectorXd::Random(2), b = VectorXd::Random(s.rows);
    const VectorXd z = row.solve(y, b), expected = -math::shortest_by_eigenvalues(A, B * y + b);
    EXPECT_EQ(row.rank(), std::min({s.rows, s.own, s.rows == 5 ? 2 : 3}));
    EXPECT_LT((z - expected).norm(), 1e-12);
    EXPECT_NEAR((row.left() * y + row.reduce(b)).norm(), (A * z + B * y + b).norm(), 1e-13);
  }
}

/// Gauss-Newton with full steps.
struct CircleFit {
  VectorXd p, x, residuals;
  int iterations = 0;
};
CircleFit fit_circle(const std::vector<double>& x, const std::vector<double>& y) {
  ExperimentDescription e{.id = "circle"};
  e.data.header = {"x", "y"};
  e.data.columns = {x, y};
  e.row_locals = {{.parameter = "phi", .initial = {"atan2(y - yc, x - xc)"}}};
  e.observations = {{.column = "x", .quantity = {"xc + r*cos(phi)"}},
                    {.column = "y", .quantity = {"yc + r*sin(phi)"}}};
  const Unknowns shared({{.parameter = "xc", .initial = 5},
                         {.parameter = "yc", .initial = 3},
                         {.parameter = "r", .initial = 4}});
  AlgebraicExperiment experiment(e, shared);
  CircleFit fit{.p = shared.initial(), .x = {}, .residuals = {}};
  EXPECT_TRUE(experiment.initialize(fit.p, fit.x));
  for (double step = 1; step > 1e-12 && fit.iterations < 100; ++fit.iterations) {
    EXPECT_TRUE(experiment.linearize(fit.x, fit.p));
    const VectorXd dp = dense_increment(experiment.block());
    fit.x += experiment.expand(VectorXd(0), dp, true);
    fit.p += dp;
    step = dp.norm();
  }
  EXPECT_TRUE(experiment.evaluate(fit.x, fit.p));
  fit.residuals = experiment.residuals();
  fit.p = shared.values(fit.p);
  return fit;
}

// W. Gander, G. H. Golub, R. Strebel, BIT 34 (1994) 558-578, table 5.1: the circle with the least
// sum of squared distances.
TEST(AlgebraicExperiment, FindsThePublishedGeometricCircle) {
  const CircleFit fit = fit_circle({1, 2, 5, 7, 9, 3}, {7, 6, 8, 7, 5, 7});
  EXPECT_LT(fit.iterations, 100);
  EXPECT_NEAR(fit.p[0], 4.7398, 5e-5);
  EXPECT_NEAR(fit.p[1], 2.9835, 5e-5);
  EXPECT_NEAR(fit.p[2], 4.7142, 5e-5);
  EXPECT_NEAR(fit.residuals.squaredNorm(), 1.2276, 5e-5);
}

TEST(AlgebraicExperiment, FindsTheCircleOnWhichThePointsLie) {
  std::vector<double> x, y;
  for (const double phi : {-0.4, 0.3, 0.9, 2.0, 3.3}) {
    x.push_back(4 + 5 * std::cos(phi));
    y.push_back(2.5 + 5 * std::sin(phi));
  }
  const CircleFit fit = fit_circle(x, y);
  EXPECT_LT((fit.p - Eigen::Vector3d(4, 2.5, 5)).norm(), 1e-11);
  EXPECT_LT(fit.residuals.norm(), 1e-11);
}

TEST(AlgebraicExperiment, LeveragesAreThoseOfTheWholeProblem) {
  const auto description = curve(11, 6);
  const Unknowns shared({{.parameter = "a", .initial = 1.2},
                         {.parameter = "b", .initial = 1.7},
                         {.parameter = "c", .initial = 0.6, .transform = kLog}});
  AlgebraicExperiment whole(description, shared, {.eliminate_rows = false});
  AlgebraicExperiment condensed(description, shared);
  VectorXd x;
  ASSERT_TRUE(whole.initialize(shared.initial(), x));
  ASSERT_TRUE(whole.linearize(x, shared.initial()));
  ASSERT_TRUE(condensed.linearize(x, shared.initial()));
  // Under the equation, without which a and offset could not be told apart.
  const auto covariance = [](const Block& block) {
    const Index n = block.num_local() + block.num_shared();
    MatrixXd J(block.A.rows(), n), C(block.C.rows(), n);
    J << block.A, block.B;
    C << block.C, block.D;
    const MatrixXd Z = math::OrthogonalDecomposition(C).null_space(), JZ = J * Z;
    return math::congruence(Z, math::inverse(math::gram(JZ)));
  };
  const VectorXd h = whole.leverages(covariance(whole.block()));
  const VectorXd hc = condensed.leverages(covariance(condensed.block()));
  EXPECT_NEAR(h.sum(), static_cast<double>(x.size()) + 3 - 1, 1e-8);
  EXPECT_LT((h - hc).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(AlgebraicExperiment, KeepsLocalParametersInTheirBounds) {
  const AlgebraicExperiment e(curve(7, 1), shared_of_curve());
  VectorXd x = VectorXd::Constant(e.layout().num_variables(), 7.0);
  const VectorXd inside = e.into_bounds(x);
  EXPECT_EQ(inside[0], 1);
  EXPECT_EQ(inside.tail(x.size() - 1), x.tail(x.size() - 1));
}

TEST(AlgebraicExperiment, SaysWhereItCannotBeEvaluated) {
  ExperimentDescription e{.id = "root"};
  e.data = {.file = "root.csv",
            .header = {"x", "y"},
            .columns = {{1, 2}, {1, 1}},
            .lines = {2, 3},
            .place = {.file = "root.csv"}};
  e.observations = {{.column = "y", .quantity = {"sqrt(k - x)"}}};
  const Unknowns shared({{.parameter = "k", .initial = 4}});
  AlgebraicExperiment experiment(e, shared);
  VectorXd x;
  ASSERT_TRUE(experiment.initialize(shared.initial(), x));
  EXPECT_TRUE(experiment.linearize(x, VectorXd::Constant(1, 1.0)));
  EXPECT_FALSE(experiment.evaluate(x, VectorXd::Constant(1, 0.3)));
  EXPECT_EQ(experiment.why(), "experiment \"root\": root.csv:3: \"sqrt(k - x)\" is not finite");
  EXPECT_FALSE(experiment.linearize(x, VectorXd::Constant(1, 0.5)));
  EXPECT_EQ(experiment.why(),
            "experiment \"root\": root.csv:3: the derivative of \"sqrt(k - x)\" is not finite");
}

TEST(AlgebraicExperiment, ResidualsThatOverflowAreNamed) {
  Problem problem;
  for (const char* id : {"fine", "tiny"}) {
    ExperimentDescription& e = problem.experiments.emplace_back(ExperimentDescription{.id = id});
    e.data = {.header = {"x", "y"}, .columns = {{1, 2}, {1, 1}}};
    e.observations = {{.column = "y", .quantity = {"k*x"}}};
    if (e.id == "tiny") e.observations.front().sigma.absolute = 1e-308;
  }
  problem.estimates = {{.parameter = "k", .initial = 40}};
  Team alone;
  const auto ensemble = make_ensemble(problem, alone);
  VectorXd x;
  ASSERT_TRUE(ensemble->initialize(x));
  EXPECT_FALSE(ensemble->evaluate(x).exists);
  EXPECT_EQ(ensemble->why(), "experiment \"tiny\": the residual of \"y\" at 1 is not finite");
}

TEST(AlgebraicExperiment, RefusesWhatHasNoMeaning) {
  const Unknowns shared({{.parameter = "k", .initial = 4}});
  const auto message = [&](auto change) -> std::string {
    ExperimentDescription e{.id = "e"};
    e.data = {.file = "e.csv",
              .header = {"x", "y"},
              .columns = {{1, NAN, 3}, {1, 1, NAN}},
              .lines = {2, 3, 4},
              .place = {.file = "runs/e.csv"}};
    e.observations = {{.column = "y", .quantity = {"k"}}};
    change(e);
    try {
      AlgebraicExperiment experiment(e, shared);
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "";
  };
  using E = ExperimentDescription;
  EXPECT_EQ(message([](E&) {}), "");
  EXPECT_EQ(message([](E& e) { e.observations[0].quantity = {"k*x"}; }),
            "experiment \"e\": runs/e.csv:3: \"k*x\" needs column \"x\", which is empty there.");
  EXPECT_EQ(message([](E& e) { e.observations[0].sigma.absolute = 0; }),
            "runs/e.csv:2: column \"y\": sigma = 0 of the value 1: must be > 0.");
  EXPECT_EQ(message([](E& e) { e.observations[0].column = "Y"; }),
            "experiment \"e\": the data have no column \"Y\". Did you mean \"y\"? Columns: x, y.");
  EXPECT_EQ(message([](E& e) { e.requirements = {{.terms = {{.at = 1.0, .formula = {"k"}}}}}; }),
            "experiment \"e\": a requirement at 1: without a model there is no time.");
  EXPECT_EQ(
      message([](E& e) { e.requirements = {{.terms = {{.at = {}, .formula = {"k - x"}}}}}; }),
      "experiment \"e\": \"k - x\" uses \"x\": a requirement holds for parameters, not for the "
      "rows of the data.");
  EXPECT_EQ(message([](E& e) {
              e.data.columns[1] = {NAN, NAN, NAN};
            }),
            "experiment \"e\": has no measurements.");
}

}  // namespace
}  // namespace parfait::estimate
