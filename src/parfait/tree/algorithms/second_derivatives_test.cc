#include "parfait/tree/algorithms/second_derivatives.h"

#include <gtest/gtest.h>

#include "parfait/base/error.h"
#include "parfait/tree/algorithms/test_trees.h"

/// Gradients and second derivatives of mu . vdot against differences along the manifold.
namespace parfait::tree {
namespace {

using Numbers = std::vector<double>;

TEST(SecondDerivatives, AreThoseOfTheGradient) {
  const Tree tree = tree_of_plain_joints().build();
  const TestState state = test_state(tree, 5);
  const int n = tree.nv;
  Numbers tau(n), mu(n);
  for (int i = 0; i < n; ++i) {
    tau[i] = 2 * std::sin(1.1 * i);
    mu[i] = std::cos(0.7 * i + 0.4);
  }
  Workspace ws(tree);
  SecondDerivativeWorkspace at(tree), moved(tree);
  forward_dynamics_second_derivatives(tree, state.q, state.v, tau, mu, ws, at);

  // The gradient is that of mu . vdot, whose derivatives another function has.
  DerivativeWorkspace first(tree);
  Numbers vdot(n);
  forward_dynamics_derivatives(tree, state.q, state.v, tau, {}, ws, first, vdot);
  double largest = 0;
  for (int k = 0; k < n; ++k) {
    double expected[3] = {};
    for (int i = 0; i < n; ++i) {
      expected[0] += mu[i] * first.dvdot_dq[i * n + k];
      expected[1] += mu[i] * first.dvdot_dv[i * n + k];
      expected[2] += mu[i] * first.dvdot_dtau[i * n + k];
    }
    for (int part = 0; part < 3; ++part) {
      EXPECT_NEAR(at.gradient[part * n + k], expected[part], 1e-9 * (1 + std::abs(expected[part])));
      largest = std::max(largest, std::abs(expected[part]));
    }
  }
  EXPECT_GT(largest, 1);

  // Its differences, some columns of each kind. Columns of q are compared with displacements that
  // are symmetric to second order, so mixed derivatives within a ball differ by half a bracket.
  double scale = 1;
  for (const double x : at.hessian) scale = std::max(scale, std::abs(x));
  const double h = 1e-5;
  for (int j = n; j < 3 * n; j += 5) {
    Numbers gradient[2];
    for (int side = 0; side < 2; ++side) {
      Numbers v = state.v, t = tau;
      (j < 2 * n ? v[j - n] : t[j - 2 * n]) += side == 0 ? -h : h;
      forward_dynamics_transposed(tree, state.q, v, t, mu, ws, moved);
      gradient[side] = moved.gradient;
    }
    for (int i = 0; i < 3 * n; ++i) {
      const double fd = (gradient[1][i] - gradient[0][i]) / (2 * h);
      EXPECT_NEAR(at.hessian[i * 3 * n + j], fd, 1e-7 * scale) << i << ' ' << j;
    }
  }
  // Along one line of q: d2/ds2 of mu . vdot(q displaced by s delta).
  Numbers delta(n), q(tree.nq);
  for (int i = 0; i < n; ++i) delta[i] = std::sin(2.3 * i + 0.1);
  const auto value = [&](double s) {
    Numbers step(n);
    for (int i = 0; i < n; ++i) step[i] = s * delta[i];
    displace(tree, state.q, step, q);
    forward_dynamics(tree, q, state.v, tau, {}, ws, vdot);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += mu[i] * vdot[i];
    return sum;
  };
  double along = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) along += delta[i] * at.hessian[i * 3 * n + j] * delta[j];
  }
  const double s = 2e-3;
  const double fd =
      (-value(2 * s) + 16 * value(s) - 30 * value(0) + 16 * value(-s) - value(-2 * s)) /
      (12 * s * s);
  EXPECT_GT(std::abs(fd), 1);
  EXPECT_NEAR(along, fd, 1e-5 * std::abs(fd));
}

TEST(SecondDerivatives, RefuseDrivenMotions) {
  const Tree tree = tree_of_driven_joints().build();
  const TestState state = test_state(tree, 1);
  Workspace ws(tree);
  SecondDerivativeWorkspace room(tree);
  EXPECT_THROW(forward_dynamics_second_derivatives(tree, state.q, state.v, Numbers(tree.nv, 0.0),
                                                   Numbers(tree.nv, 1.0), ws, room),
               base::InputError);
}

}  // namespace
}  // namespace parfait::tree
