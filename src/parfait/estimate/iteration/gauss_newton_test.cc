#include "parfait/estimate/iteration/gauss_newton.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <functional>

#include "parfait/math/dense_solves.h"
#include "parfait/math/finite.h"

namespace parfait::estimate {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// min |F(x)| without constraints, dense, as simple as can be: the iteration alone is tested.
class Dense : public LeastSquaresProblem {
 public:
  using Function = std::function<void(const VectorXd& x, VectorXd& r, MatrixXd* J)>;
  Dense(int n, Function f) : n_(n), f_(std::move(f)) {}

  int num_variables() const override { return n_; }
  Values evaluate(VecIn x) override {
    ++evaluations;
    f_(x, r_, nullptr);
    return {.exists = math::all_finite(r_), .defined = true, .objective = r_.squaredNorm()};
  }
  Values linearize(VecIn x) override {
    f_(x, r_, &J_);
    if (!math::all_finite(r_)) return {};
    r_linear_ = r_;
    damped_.resize(0);
    return {.exists = true, .defined = true, .objective = r_.squaredNorm()};
  }
  std::string why() const override { return math::all_finite(r_) ? "" : "not finite"; }
  VectorXd increment() override {
    return damped_.size() > 0 ? damped_ : VectorXd(-math::solve_least_squares(J_, r_));
  }
  VectorXd remainder() override { return r_linear_ + J_ * increment_at_linearization(); }
  VectorXd increment_of(VecIn r1) override { return -math::solve_least_squares(J_, r1); }
  bool damp(double lambda) override {
    const VectorXd D = J_.colwise().norm().transpose();
    MatrixXd A(J_.rows() + n_, n_);
    A << J_, MatrixXd((std::sqrt(lambda) * D).asDiagonal());
    VectorXd b(J_.rows() + n_);
    b << r_linear_, VectorXd::Zero(n_);
    damped_ = -math::solve_least_squares(A, b);
    return true;
  }
  VectorXd into_bounds(VecIn x) const override { return x; }
  int rank() const override { return static_cast<int>(math::PivotedQr(J_).rank()); }
  int num_free() const override { return n_; }
  double condition() const override {
    const math::PivotedQr qr(J_);
    return qr.pivot(0) / qr.pivot(n_ - 1);
  }

  int evaluations = 0;

 private:
  VectorXd increment_at_linearization() const {
    return damped_.size() > 0 ? damped_ : VectorXd(-math::solve_least_squares(J_, r_linear_));
  }
  int n_;
  Function f_;
  VectorXd r_, r_linear_, damped_;
  MatrixXd J_;
};

/// x -> atan(x): Newton's full step diverges from |x| > 1.39.
Dense arctangent() {
  return {1, [](const VectorXd& x, VectorXd& r, MatrixXd* J) {
            r = VectorXd::Constant(1, std::atan(x[0]));
            if (J) *J = MatrixXd::Constant(1, 1, 1 / (1 + x[0] * x[0]));
          }};
}

Dense rosenbrock() {
  return {2, [](const VectorXd& x, VectorXd& r, MatrixXd* J) {
            r.resize(2);
            r << 10 * (x[1] - x[0] * x[0]), 1 - x[0];
            if (!J) return;
            J->resize(2, 2);
            *J << -20 * x[0], 10, -1, 0;
          }};
}

TEST(GaussNewton, SolvesALinearProblemWithOneIncrement) {
  const MatrixXd A = (MatrixXd(4, 2) << 1, 2, 3, 4, 5, 6, 7, 9).finished();
  const VectorXd b = (VectorXd(4) << 1, -1, 2, 3).finished();
  Dense problem(2, [&](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    r = A * x + b;
    if (J) *J = A;
  });
  for (auto g : {Globalization::kFull, Globalization::kNatural, Globalization::kRmt}) {
    const auto result =
        gauss_newton(problem, VectorXd::Constant(2, 7.0), {.globalization = g, .tolerance = 1e-10});
    ASSERT_TRUE(result.converged()) << text(g);
    EXPECT_EQ(result.iterations, 1) << text(g);
    EXPECT_LT((A.transpose() * (A * result.x + b)).norm(), 1e-11);
    EXPECT_NEAR(result.history[0].omega, 0, 1e-10);
    EXPECT_NEAR(result.history[1].kappa, 0, 1e-10);
  }
}

TEST(GaussNewton, DampedStepsConvergeWhereFullStepsDiverge) {
  const VectorXd far = VectorXd::Constant(1, 10.0);
  Dense full = arctangent();
  const auto diverged = gauss_newton(
      full, far,
      {.globalization = Globalization::kFull, .back_projection = false, .max_iterations = 20});
  EXPECT_FALSE(diverged.converged());
  for (auto g : {Globalization::kNatural, Globalization::kRmt, Globalization::kLm}) {
    for (bool back : {false, true}) {
      Dense problem = arctangent();
      const auto result = gauss_newton(
          problem, far, {.globalization = g, .back_projection = back, .tolerance = 1e-9});
      ASSERT_TRUE(result.converged()) << text(g) << ": " << result.message;
      EXPECT_NEAR(result.x[0], 0, 1e-9);
    }
  }
}

TEST(GaussNewton, RestrictiveStepsStayInTheirWindow) {
  for (bool back : {false, true}) {
    for (double start : {3.0, 30.0}) {
      Dense problem = arctangent();
      const GaussNewtonOptions options{
          .globalization = Globalization::kRmt, .back_projection = back, .tolerance = 1e-9};
      const auto result = gauss_newton(problem, VectorXd::Constant(1, start), options);
      ASSERT_TRUE(result.converged()) << result.message;
      int damped = 0;
      for (const Iteration& line : result.history) {
        if (line.step == 0) continue;
        EXPECT_LE(line.test, options.eta_max);
        if (line.step < 1) {
          EXPECT_GE(line.test, options.eta_min);
          ++damped;
        }
      }
      EXPECT_GT(damped, 0);
    }
  }
}

TEST(GaussNewton, AllGlobalizationsSolveRosenbrocksValley) {
  for (auto g :
       {Globalization::kFull, Globalization::kNatural, Globalization::kRmt, Globalization::kLm}) {
    for (bool back : {false, true}) {
      Dense problem = rosenbrock();
      const VectorXd start = (VectorXd(2) << -1.2, 1).finished();
      const auto result = gauss_newton(
          problem, start, {.globalization = g, .back_projection = back, .tolerance = 1e-10});
      ASSERT_TRUE(result.converged()) << text(g) << ": " << result.message;
      EXPECT_NEAR(result.x[0], 1, 1e-9) << text(g);
      EXPECT_NEAR(result.x[1], 1, 1e-9) << text(g);
    }
  }
}

// r = (x, a (1 + x^2)) has its minimum at 0, where J = (1, 0): kappa = |2 a^2|. The rate of
// convergence is kappa, and beyond 1 the point repels.
TEST(GaussNewton, KappaIsTheRateOfConvergence) {
  for (double a : {0.3, 0.6}) {
    Dense problem(1, [a](const VectorXd& x, VectorXd& r, MatrixXd* J) {
      r = (VectorXd(2) << x[0], a * (1 + x[0] * x[0])).finished();
      if (J) *J = (MatrixXd(2, 1) << 1, 2 * a * x[0]).finished();
    });
    const auto result = gauss_newton(
        problem, VectorXd::Constant(1, 0.1),
        {.globalization = Globalization::kFull, .back_projection = false, .tolerance = 1e-8});
    ASSERT_TRUE(result.converged());
    const auto& last = result.history[result.history.size() - 2];
    const auto& end = result.history.back();
    EXPECT_NEAR(end.increment / last.increment, 2 * a * a, 1e-3);
    EXPECT_NEAR(end.kappa, 2 * a * a, 1e-3);
  }
}

TEST(GaussNewton, AMinimumThatNoiseWouldMoveRepelsFullSteps) {
  Dense problem(1, [](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    r = (VectorXd(2) << x[0], 2 * (1 + x[0] * x[0])).finished();
    if (J) *J = (MatrixXd(2, 1) << 1, 4 * x[0]).finished();
  });
  const auto result = gauss_newton(
      problem, VectorXd::Constant(1, 1e-3),
      {.globalization = Globalization::kFull, .back_projection = false, .max_iterations = 30});
  EXPECT_FALSE(result.converged());
  EXPECT_NEAR(result.history[1].kappa, 8, 0.1);  // 2 a^2, close to the minimum
}

// The same minimum by descent, which takes no full steps: a short increment ends that, too.
TEST(GaussNewton, ADescentEndsWithAShortIncrement) {
  Dense problem(1, [](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    r = (VectorXd(2) << x[0], 2 * (1 + x[0] * x[0])).finished();
    if (J) *J = (MatrixXd(2, 1) << 1, 4 * x[0]).finished();
  });
  const auto result = gauss_newton(problem, VectorXd::Constant(1, 0.3),
                                   {.globalization = Globalization::kAuto,
                                    .convergence = Convergence::kIncrement,
                                    .tolerance = 1e-4});
  ASSERT_TRUE(result.converged()) << result.message;
  EXPECT_TRUE(result.history[result.history.size() - 2].descent);
  EXPECT_LE(result.history.back().increment, 1e-4);
  EXPECT_GT(result.history.back().increment, 1e-12);  // not by rounding
  EXPECT_NEAR(result.x[0], 0, 1e-4);
}

TEST(GaussNewton, PointsThatDoNotExistShortenTheStep) {
  // sqrt(x) - 1 from x = 5: the full step goes to x < 0.
  Dense problem(1, [](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    r = VectorXd::Constant(1, std::sqrt(x[0]) - 1);
    if (J) *J = MatrixXd::Constant(1, 1, 0.5 / std::sqrt(x[0]));
  });
  for (auto g : {Globalization::kNatural, Globalization::kRmt, Globalization::kLm}) {
    const auto result = gauss_newton(problem, VectorXd::Constant(1, 9.0), {.globalization = g});
    ASSERT_TRUE(result.converged()) << text(g) << ": " << result.message;
    EXPECT_NEAR(result.x[0], 1, 1e-5);
  }
  const auto full =
      gauss_newton(problem, VectorXd::Constant(1, 9.0), {.globalization = Globalization::kFull});
  EXPECT_EQ(full.status, GaussNewtonResult::Status::kEvaluationFailed);
}

TEST(GaussNewton, StopsWhenAskedAndSaysWhenTheIterationsAreUsedUp) {
  Dense problem = rosenbrock();
  const VectorXd start = (VectorXd(2) << -1.2, 1).finished();
  const auto stopped =
      gauss_newton(problem, start, {}, [](const Iteration&, VecIn) { return false; });
  EXPECT_EQ(stopped.status, GaussNewtonResult::Status::kInterrupted);
  EXPECT_EQ(stopped.iterations, 1);
  const auto ended = gauss_newton(problem, start, {.tolerance = 1e-14, .max_iterations = 1});
  EXPECT_EQ(ended.status, GaussNewtonResult::Status::kMaxIterations);
  EXPECT_THROW(gauss_newton(problem, start, {.tolerance = 0}), std::runtime_error);
}

// Work that is interrupted leaves points that do not exist; that is no reason to shorten steps.
TEST(GaussNewton, AnInterruptedEvaluationIsNoFailure) {
  for (const int allowed : {0, 1, 2, 5}) {  // in a linearization, at a trial point
    int left = allowed;
    Dense problem(2, [&](const VectorXd& x, VectorXd& r, MatrixXd* J) {
      r.resize(2);
      r << 10 * (x[1] - x[0] * x[0]), 1 - x[0];
      if (J) *J = (MatrixXd(2, 2) << -20 * x[0], 10, -1, 0).finished();
      if (left-- <= 0) r.setConstant(std::nan(""));
    });
    const VectorXd start = (VectorXd(2) << -1.2, 1).finished();
    const auto result = gauss_newton(problem, start, {}, {}, [&] { return left < 0; });
    EXPECT_EQ(result.status, GaussNewtonResult::Status::kInterrupted) << allowed;
    EXPECT_TRUE(math::all_finite(result.x));
    if (allowed <= 1) {
      EXPECT_EQ(result.x, start) << allowed;
    }
  }
}

}  // namespace
}  // namespace parfait::estimate
