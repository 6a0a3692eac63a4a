#include <gtest/gtest.h>

#include <cmath>

#include "parfait/dynamics/formula_model.h"
#include "parfait/dynamics/formula_system.h"
#include "parfait/integrate/adams/test_adams.h"
#include "parfait/integrate/driver/test_system.h"

namespace parfait::integrate {
namespace {

using dynamics::Directions;
using dynamics::FormulaModel;

/// Kepler's problem with eccentricity 0.5, as formulas: with directions.
std::unique_ptr<dynamics::System> kepler_formulas() {
  FormulaModel m;
  m.state("x", 0.5, "u");
  m.state("y", 0.0, "v");
  m.state("u", 0.0, "-x / (x^2 + y^2)^1.5");
  m.state("v", std::sqrt(3), "-y / (x^2 + y^2)^1.5");
  return dynamics::make_formula_system(m);
}

/// A point on a circle of radius 1 under gravity, in Cartesian coordinates y = (q, v):
///
///   v' = (0, -g) - lambda q,  lambda = (v.v - g q_y) / (q.q),    |q| = 1,  q.v = 0
class CartesianPendulum : public RhsSystem {
 public:
  static constexpr double kGravity = 9.81;

  CartesianPendulum()
      : RhsSystem({std::sin(1.2), -std::cos(1.2), 0, 0}, [](double, ConstVec y, Vec f) {
          const double lambda =
              (y[2] * y[2] + y[3] * y[3] - kGravity * y[1]) / (y[0] * y[0] + y[1] * y[1]);
          f[0] = y[2];
          f[1] = y[3];
          f[2] = -lambda * y[0];
          f[3] = -kGravity - lambda * y[1];
          return Status::kOk;
        }) {
    counts.ne = 0;
    counts.nq = counts.nv = 2;
    counts.num_pos = counts.num_vel = 1;
  }

  Status evaluate(dynamics::Workspace& ws, const dynamics::Point& at, Vec dydt,
                  Vec residual) const override {
    std::copy(at.y.begin(), at.y.end(), evaluated_);
    return RhsSystem::evaluate(ws, at, dydt, residual);
  }
  void directions(dynamics::Workspace&, const dynamics::PointDirections& d, Directions& df,
                  Directions*) const override {
    const double *q = evaluated_, *v = evaluated_ + 2;
    const double rr = q[0] * q[0] + q[1] * q[1];
    const double lambda = (v[0] * v[0] + v[1] * v[1] - kGravity * q[1]) / rr;
    for (int j = 0; j < df.count(); ++j) {
      const Directions& dy = *d.dy;
      const double dlambda = (2 * (v[0] * dy(2, j) + v[1] * dy(3, j)) - kGravity * dy(1, j) -
                              2 * lambda * (q[0] * dy(0, j) + q[1] * dy(1, j))) /
                             rr;
      for (int i = 0; i < 2; ++i) {
        df(i, j) = dy(2 + i, j);
        df(2 + i, j) = -dlambda * q[i] - lambda * dy(i, j);
      }
    }
  }

  dynamics::ProjectionReport project(dynamics::Workspace&, double, Vec y, dynamics::Norm,
                                     double) const override {
    std::copy(y.begin(), y.end(), projected_);
    const double r = std::hypot(y[0], y[1]);
    dynamics::ProjectionReport report;
    report.distance_q = std::abs(r - 1);
    for (int i = 0; i < 2; ++i) y[i] /= r;
    const double radial = y[0] * y[2] + y[1] * y[3];
    report.distance_v = std::abs(radial);
    for (int i = 0; i < 2; ++i) y[2 + i] -= radial * y[i];
    return report;
  }
  Status project_directions(dynamics::Workspace&, Directions& W) const override {
    const double r = std::hypot(projected_[0], projected_[1]);
    const double q[2] = {projected_[0] / r, projected_[1] / r};
    const double* v = projected_ + 2;
    for (int j = 0; j < W.count(); ++j) {
      const double along = q[0] * W(0, j) + q[1] * W(1, j);
      const double dq[2] = {(W(0, j) - q[0] * along) / r, (W(1, j) - q[1] * along) / r};
      const double radial = q[0] * v[0] + q[1] * v[1];
      const double dradial = dq[0] * v[0] + dq[1] * v[1] + q[0] * W(2, j) + q[1] * W(3, j);
      for (int i = 0; i < 2; ++i) {
        W(i, j) = dq[i];
        W(2 + i, j) -= dq[i] * radial + q[i] * dradial;
      }
    }
    return Status::kOk;
  }

 private:
  mutable double evaluated_[4] = {}, projected_[4] = {};
};

/// Directions at the end and inside the last step against differences of repeated runs, which start
/// on the manifold as every run must.
void expect_derivative_of_the_run(const dynamics::System& system, const Options& options,
                                  double t_end) {
  AdamsRun run(system, options, 4);
  run.flow.project(0, run.start.y);
  run.flow.project_directions(run.start.W);
  ASSERT_EQ(run.run(t_end), Outcome::kFinished);
  const Directions& W = run.stepper->W1();
  const double t = 0.4 * run.stepper->t0() + 0.6 * run.stepper->t1();
  Directions W_inside(4, 4);
  run.stepper->directions(t, W_inside);

  AdamsRun moved(system, options);
  const auto y0 = moved.start.y;
  std::vector<double> inside_plus(4), inside_minus(4);
  const auto along = [&](const std::vector<double>& d, double epsilon,
                         std::vector<double>& inside) {
    for (int i = 0; i < 4; ++i) moved.start.y[i] = y0[i] + epsilon * d[i];
    moved.flow.project(0, moved.start.y);
    moved.repeat(run.record);
    moved.stepper->state(t, inside);
    return moved.y1();
  };
  double largest = 0;
  for (int j = 0; j < 4; ++j) {
    std::vector<double> d(4);
    d[j] = 1;
    // Fourth-order differences: their error is of the order of epsilon^4 and 1e-16 / epsilon.
    const double epsilon = 2e-5;
    std::vector<double> near(4), inside_near(4), far(4), inside_far(4);
    const auto central = [&](double step, std::vector<double>& end, std::vector<double>& inside) {
      const auto plus = along(d, step, inside_plus);
      const auto minus = along(d, -step, inside_minus);
      for (int i = 0; i < 4; ++i) {
        end[i] = (plus[i] - minus[i]) / (2 * step);
        inside[i] = (inside_plus[i] - inside_minus[i]) / (2 * step);
      }
    };
    central(epsilon, near, inside_near);
    central(2 * epsilon, far, inside_far);
    for (int i = 0; i < 4; ++i) {
      const double scale = 1e-8 * (1 + std::abs(W(i, j)));
      EXPECT_NEAR((4 * near[i] - far[i]) / 3, W(i, j), scale) << i << ", " << j;
      EXPECT_NEAR((4 * inside_near[i] - inside_far[i]) / 3, W_inside(i, j), scale)
          << i << ", " << j;
      largest = std::max(largest, std::abs(W(i, j)));
    }
  }
  EXPECT_GT(largest, 1);

  // y(y0 + epsilon d) - y - epsilon W d is of second order.
  const std::vector<double> d = {0.3, -0.5, 0.7, 0.2};
  const auto y = run.y1();
  const auto defect = [&](double epsilon) {
    auto predicted = y;
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) predicted[i] += epsilon * W(i, j) * d[j];
    }
    return largest_difference(along(d, epsilon, inside_plus), predicted);
  };
  for (double epsilon : {4e-5, 2e-5}) {
    ASSERT_GT(defect(epsilon / 2), 1e-11);
    EXPECT_NEAR(std::log2(defect(epsilon) / defect(epsilon / 2)), 2, 0.05);
  }
}

// Loose tolerances: the derivative of the exact solution is far from that of the computed one.
TEST(AdamsDirections, AreTheDerivativeOfWhatTheStepsCompute) {
  expect_derivative_of_the_run(*kepler_formulas(), adams_options(1e-4, 1e-4), 5);
}

TEST(AdamsDirections, AreTheDerivativeOfTheProjectedStepsToo) {
  expect_derivative_of_the_run(CartesianPendulum(), adams_options(1e-4, 1e-4), 4);
}

TEST(AdamsDirections, AreRepeatedBitForBit) {
  const auto system = kepler_formulas();
  AdamsRun run(*system, adams_options(1e-7, 1e-9), 4);
  std::vector<std::vector<double>> ends;
  run.run(20, [&] { ends.push_back(run.y1()); });
  ASSERT_GT(run.flow.statistics.rejected, 0);  // what was rejected left no trace

  AdamsRun again(*system, adams_options(1e-3, 1e-3), 4);
  std::size_t n = 0;
  again.repeat(run.record, [&] { EXPECT_EQ(again.y1(), ends[n++]); });
  EXPECT_EQ(n, ends.size());
  EXPECT_EQ(again.flow.statistics.evaluations, static_cast<int>(1 + 2 * n));
  const auto& W = run.stepper->W1();
  for (std::size_t i = 0; i < W.size(); ++i) {
    EXPECT_EQ(W.data()[i], again.stepper->W1().data()[i]);
  }
}

TEST(AdamsDirections, MayControlTheStep) {
  // The state rests at zero, so that only the direction has an error.
  FormulaModel m;
  m.state("y", 0.0, "sin(3 * y) * cos(5 * t)");
  const auto system = dynamics::make_formula_system(m);
  const double exact = std::exp(3 * std::sin(5 * 2.0) / 5);
  const auto error = [&](bool control) {
    Options options = adams_options(1e-8, 1e-8);
    options.control_sensitivities = control;
    AdamsRun run(*system, options, 1);
    EXPECT_EQ(run.run(2), Outcome::kFinished);
    return std::abs(run.stepper->W1()(0, 0) - exact);
  };
  EXPECT_LT(error(true), 3e-7);
  EXPECT_GT(error(false), 1e-2);
}

TEST(AdamsProjection, KeepsTheInvariantsAndEvaluatesWhereItProjected) {
  const CartesianPendulum system;
  AdamsRun run(system, adams_options(1e-6, 1e-8), 2);
  std::vector<double> f(4), rate(4), y(4);
  double drift = 0;
  EXPECT_EQ(run.run(10,
                    [&] {
                      Stepper& s = *run.stepper;
                      const auto y1 = s.y1();
                      EXPECT_NEAR(std::hypot(y1[0], y1[1]), 1, 1e-14);
                      EXPECT_NEAR(y1[0] * y1[2] + y1[1] * y1[3], 0, 1e-14);
                      for (int j = 0; j < 2; ++j) {
                        EXPECT_NEAR(y1[0] * s.W1()(0, j) + y1[1] * s.W1()(1, j), 0, 1e-13);
                      }
                      // The past, and the slope at the end, are those of the projected point.
                      run.flow.evaluate(s.t1(), y1, f);
                      s.rate(s.t1(), rate);
                      EXPECT_LT(largest_difference(f, rate), 1e-13);
                      s.state(s.t1(), y);
                      drift = std::max(drift, std::abs(std::hypot(y[0], y[1]) - 1));
                    }),
            Outcome::kFinished);
  EXPECT_GT(drift, 1e-9);  // there was something to project
  const double energy = 0.5 * (y[2] * y[2] + y[3] * y[3]) + 9.81 * y[1];
  EXPECT_NEAR(energy, -9.81 * std::cos(1.2), 1e-3);
}

}  // namespace
}  // namespace parfait::integrate
