#pragma once

#include <Eigen/Dense>
#include <functional>

#include "parfait/mechanism/description/description.h"
#include "testing/dense_model.h"

namespace parfait::testing_support {

struct Derivative {
  Eigen::VectorXd value;
  double error = 0;  ///< estimate of the largest error of a component
};

/// d f(h) / dh at h = 0 by central differences with steps h0, h0/2, ... and Richardson
/// extrapolation; the entry of the table with the least estimated error is returned. For smooth f
/// of size and curvature near one the error is about 1e-12.
Derivative differentiate(const std::function<Eigen::VectorXd(double h)>& f, double h0 = 0.05);

/// Change of the accelerations along a direction of (t, q, v, e).
Derivative acceleration_derivative(const DenseModel& model, const State& state,
                                   const State& direction, double h0 = 0.05);

/// Change of the accelerations at a fixed state with a constant of the description; `at` gives the
/// description with the constant moved by h. Lengths and angles the rigid-body rows keep come from
/// the body frames of each description.
Derivative acceleration_derivative(const std::function<mechanism::Description(double h)>& at,
                                   const State& state, const Functions& functions = {},
                                   double h0 = 0.05);

}  // namespace parfait::testing_support
