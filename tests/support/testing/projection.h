#pragma once

#include <Eigen/Dense>

#include "testing/dense_model.h"
#include "testing/differences.h"

/// The nearest consistent state, as the exact solution of the minimum problem (not of a linearized
/// one), by Newton's method with exact second derivatives.
namespace parfait::testing_support {

struct Projected {
  State state;
  /// Multipliers of the minimum: mechanical: M (q - q0) + G^T lambda_q = 0 and
  /// M (v - v0) + G^T lambda_v = 0; Euclidean: lambda_q belongs to g, lambda_v to g_velocity.
  /// Zero for rows that others imply.
  Eigen::VectorXd lambda_q, lambda_v;
};

/// min |q - q0|_M with g(t, q) = 0, then min |v - v0|_M with g_velocity(t, q, v) = 0 at that q
/// (K eq. 8.16, 8.17).
Projected mechanical_projection(const DenseModel& model, const State& state);

/// min |q - q0|^2 + |v - v0|^2 with g = 0 and g_velocity = 0 together (K eq. 8.20).
Projected euclidean_projection(const DenseModel& model, const State& state);

/// Derivative of the projected (q, v) along a direction, by extrapolated differences.
using Projection = Projected (*)(const DenseModel&, const State&);
Derivative projection_derivative(Projection projection, const DenseModel& model, const State& state,
                                 const State& direction, double h0 = 0.02);
/// The same with a constant of the description instead of the state.
Derivative projection_derivative(Projection projection,
                                 const std::function<mechanism::Description(double h)>& at,
                                 const State& state, const Functions& functions = {},
                                 double h0 = 0.02);

}  // namespace parfait::testing_support
