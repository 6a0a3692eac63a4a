#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "parfait/mbs/model.h"
#include "testing/dense_model.h"

// What the tests of this room share: states of the dense witness as states of a Model.
namespace parfait::mbs {

inline dynamics::ConstVec view(const Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}
inline dynamics::Vec view(Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

inline Eigen::VectorXd stacked(const testing_support::State& s) {
  Eigen::VectorXd y(s.q.size() + s.v.size() + s.e.size());
  y << s.q, s.v, s.e;
  return y;
}

/// A state without external states.
inline testing_support::State unstacked(double t, const Eigen::VectorXd& y) {
  const Eigen::Index n = y.size() / 2;
  return {t, y.head(n), y.tail(n), Eigen::VectorXd()};
}

/// y' at a state.
inline Eigen::VectorXd rates(const Model& model, dynamics::Workspace& ws, double t,
                             const Eigen::VectorXd& y) {
  Eigen::VectorXd dydt(y.size());
  dynamics::Point at;
  at.t = t;
  at.y = view(y);
  EXPECT_EQ(model.evaluate(ws, at, view(dydt), {}), dynamics::Status::kOk);
  return dydt;
}

/// The assembled initial state, and the parameters it was assembled with.
inline Eigen::VectorXd start_state(const Model& model) {
  const auto y = model.initial_state();
  return Eigen::VectorXd::Map(y.data(), static_cast<Eigen::Index>(y.size()));
}
inline Eigen::VectorXd start_parameters(const Model& model) {
  Eigen::VectorXd p(model.sizes().np);
  for (int i = 0; i < p.size(); ++i) p[i] = model.parameters()[i].initial;
  return p;
}

/// The nearest consistent state.
inline Eigen::VectorXd projected(const Model& model, dynamics::Workspace& ws, double t,
                                 Eigen::VectorXd y, dynamics::Norm norm = dynamics::Norm::kMass,
                                 double tolerance = 1e-12) {
  const auto report = model.project(ws, t, view(y), norm, tolerance);
  EXPECT_EQ(report.status, dynamics::Status::kOk);
  EXPECT_LE(report.residual, tolerance);
  return y;
}

/// Quantities by name at a state.
inline Eigen::VectorXd observed(const Model& model, dynamics::Workspace& ws, double t,
                                const Eigen::VectorXd& y, const std::vector<std::string>& names) {
  const auto observer = model.make_observer(names);
  Eigen::VectorXd values(observer->size());
  dynamics::Point at;
  at.t = t;
  at.y = view(y);
  EXPECT_EQ(model.observe(ws, *observer, at, view(values)), dynamics::Status::kOk);
  return values;
}
inline double observed(const Model& model, dynamics::Workspace& ws, double t,
                       const Eigen::VectorXd& y, const std::string& name) {
  return observed(model, ws, t, y, std::vector<std::string>{name})[0];
}

/// One classical Runge-Kutta step.
inline Eigen::VectorXd unprojected_step(const Model& model, dynamics::Workspace& ws, double t,
                                        double h, const Eigen::VectorXd& y) {
  const Eigen::VectorXd k1 = rates(model, ws, t, y);
  const Eigen::VectorXd k2 = rates(model, ws, t + h / 2, y + h / 2 * k1);
  const Eigen::VectorXd k3 = rates(model, ws, t + h / 2, y + h / 2 * k2);
  const Eigen::VectorXd k4 = rates(model, ws, t + h, y + h * k3);
  return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

/// One classical Runge-Kutta step, then back to the constraints.
inline Eigen::VectorXd runge_kutta_step(const Model& model, dynamics::Workspace& ws, double t,
                                        double h, const Eigen::VectorXd& y) {
  return projected(model, ws, t + h, unprojected_step(model, ws, t, h, y));
}

inline double relative_difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

}  // namespace parfait::mbs
