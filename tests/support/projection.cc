#include "testing/projection.h"

#include <functional>
#include <limits>
#include <stdexcept>

#include "parfait/math/dense_solves.h"

namespace parfait::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// min (x - x0)^T W (x - x0) / 2 with c(x) = 0.
struct NearestPoint {
  MatrixXd W;
  VectorXd x0;
  std::function<VectorXd(const VectorXd&)> c;
  std::function<MatrixXd(const VectorXd&)> dc_dx;
  std::function<MatrixXd(const VectorXd&, const VectorXd& weight)> hessian;
};

struct Minimum {
  VectorXd x, lambda;
};

/// Step and new multipliers of the quadratic model with Hessian H and the given rows.
struct QuadraticStep {
  VectorXd dx, lambda;
};
QuadraticStep quadratic_step(const NearestPoint& p, const MatrixXd& H, const VectorXd& x,
                             const VectorXd& c, const MatrixXd& J, const std::vector<int>& rows) {
  const auto n = x.size(), m = static_cast<Eigen::Index>(rows.size());
  MatrixXd K = MatrixXd::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = H;
  K.bottomLeftCorner(m, n) = J(rows, Eigen::all);
  K.topRightCorner(n, m) = K.bottomLeftCorner(m, n).transpose();
  VectorXd b(n + m);
  b << -(p.W * (x - p.x0)), -c(rows);
  const VectorXd s = math::solve_lu(K, b);
  VectorXd lambda = VectorXd::Zero(c.size());
  lambda(rows) = s.tail(m);
  return {s.head(n), lambda};
}

void check_minimum(const MatrixXd& H, const MatrixXd& J) {
  const MatrixXd N = math::OrthogonalDecomposition(J).null_space();
  if (N.cols() == 0) return;
  if (!(math::symmetric_eigen_pairs(math::congruence(N.transpose(), H)).values[0] > 0)) {
    throw std::runtime_error("projection: the stationary point is not a minimum; start nearer.");
  }
}

Minimum minimize(const NearestPoint& p) {
  Minimum at{p.x0, {}};
  const auto size = [](const VectorXd& y) { return y.size() ? y.lpNorm<Eigen::Infinity>() : 0.0; };

  // To the constraints without their curvature: robust, feasible quickly. Rows that depend on the
  // others at the solution do so here only up to the distance from it, hence the coarse tolerance.
  for (int i = 0; i < 40; ++i) {
    const VectorXd c = p.c(at.x);
    const MatrixXd J = p.dc_dx(at.x);
    QuadraticStep step = quadratic_step(p, p.W, at.x, c, J, independent_rows(J, 1e-3));
    double length = 1;
    while (length > 1e-3 && size(p.c(at.x + length * step.dx)) > 2 * size(c) + 1e-6) length /= 2;
    at = {at.x + length * step.dx, step.lambda};
    if (size(step.dx) < 1e-6) break;
  }

  // Then Newton, quadratically, with a set of rows that stays.
  const std::vector<int> rows = independent_rows(p.dc_dx(at.x), 1e-5);
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 30; ++i) {
    const MatrixXd J = p.dc_dx(at.x);
    if (i == 0) {  // multipliers for these rows
      at.lambda = quadratic_step(p, p.W, at.x, p.c(at.x), J, rows).lambda;
    }
    const MatrixXd H = p.W + p.hessian(at.x, at.lambda);
    const QuadraticStep step = quadratic_step(p, H, at.x, p.c(at.x), J, rows);
    at = {at.x + step.dx, step.lambda};
    const double length = size(step.dx) / (1 + size(at.x));
    // Converged, and no more to gain: steps at rounding level no longer shrink.
    if (length < 1e-16 || (length < 1e-13 && length > 0.5 * last)) {
      const MatrixXd kept = J(rows, Eigen::all);
      check_minimum(H, kept);
      if (size(p.c(at.x)) > 1e-10) {
        throw std::runtime_error("projection: rows taken for redundant contradict the others.");
      }
      return at;
    }
    last = length;
  }
  throw std::runtime_error("projection: Newton's method did not converge.");
}

VectorXd stacked(const State& state) {
  VectorXd x(state.q.size() + state.v.size());
  x << state.q, state.v;
  return x;
}

}  // namespace

Projected mechanical_projection(const DenseModel& model, const State& state) {
  const double t = state.t;
  Projected result{state, {}, {}};
  const Minimum positions =
      minimize({model.M(), state.q, [&](const VectorXd& q) { return model.g(t, q); },
                [&](const VectorXd& q) { return model.dg_dq(t, q); },
                [&](const VectorXd& q, const VectorXd& w) { return model.hessian_g(t, q, w); }});
  result.state.q = positions.x;
  result.lambda_q = positions.lambda;

  const VectorXd& q = positions.x;
  const int n = model.nq();
  const Minimum velocities =
      minimize({model.M(), state.v, [&](const VectorXd& v) { return model.g_velocity(t, q, v); },
                [&](const VectorXd& v) -> MatrixXd { return model.G(t, q, v); },
                [&](const VectorXd& v, const VectorXd& w) -> MatrixXd {
                  VectorXd weight = VectorXd::Zero(model.num_position_rows() + model.num_rows());
                  weight.tail(model.num_rows()) = w;
                  if (model.num_velocity_rows() == 0) return MatrixXd::Zero(n, n);  // linear in v
                  return model.hessian_c(t, q, v, weight).bottomRightCorner(n, n);
                }});
  result.state.v = velocities.x;
  result.lambda_v = velocities.lambda;
  return result;
}

Projected euclidean_projection(const DenseModel& model, const State& state) {
  const double t = state.t;
  const int n = model.nq(), np = model.num_position_rows();
  const Minimum both =
      minimize({MatrixXd::Identity(2 * n, 2 * n), stacked(state),
                [&](const VectorXd& x) -> VectorXd {
                  VectorXd c(np + model.num_rows());
                  c << model.g(t, x.head(n)), model.g_velocity(t, x.head(n), x.tail(n));
                  return c;
                },
                [&](const VectorXd& x) { return model.dc_dx(t, x.head(n), x.tail(n)); },
                [&](const VectorXd& x, const VectorXd& w) {
                  return model.hessian_c(t, x.head(n), x.tail(n), w);
                }});
  return {{t, both.x.head(n), both.x.tail(n), state.e},
          both.lambda.head(np),
          both.lambda.tail(model.num_rows())};
}

Derivative projection_derivative(Projection projection, const DenseModel& model, const State& state,
                                 const State& direction, double h0) {
  return differentiate(
      [&](double h) { return stacked(projection(model, moved(state, direction, h)).state); }, h0);
}

Derivative projection_derivative(Projection projection,
                                 const std::function<mechanism::Description(double)>& at,
                                 const State& state, const Functions& functions, double h0) {
  return differentiate(
      [&](double h) { return stacked(projection(DenseModel(at(h), functions), state).state); }, h0);
}

}  // namespace parfait::testing_support
