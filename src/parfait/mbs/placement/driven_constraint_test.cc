#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "parfait/mechanism/elements/constraint_types.h"
#include "parfait/mechanism/elements/registry.h"
#include "testing/dense_model.h"
#include "testing/differences.h"
#include "testing/driven_models.h"

// Driven constraints of every kind do what docs/theory/natural_coordinates.md (N7) says: the
// measure they name, computed from the markers alone, is the offset.
namespace parfait::mbs {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using testing_support::DenseModel;
using testing_support::TestModel;
using testing_support::WitnessMarker;

/// r_a - r_b and its rate, the vectors d of begin and end.
struct MarkerMotion {
  Vector3d delta, delta_rate, d_a, d_b;
};

MarkerMotion marker_motion(const DenseModel& dense, const Constraint& c, const VectorXd& y) {
  const VectorXd q = y.head(dense.nq()), v = y.tail(dense.nq());
  const auto& row = dense.parts().constraints.back();
  const auto point = [&](const WitnessMarker& m) -> Vector3d {
    return m.body < 0 ? m.point : dense.point(m.body, m.point, q);
  };
  const auto velocity = [&](const WitnessMarker& m) -> Vector3d {
    return m.body < 0 ? Vector3d(Vector3d::Zero()) : dense.point(m.body, m.point, v);
  };
  const auto axis = [&](const WitnessMarker& m, char name) -> Vector3d {
    const Vector3d u = m.axes.col(name - 'x');
    return m.body < 0 ? u : dense.direction(m.body, u, q);
  };
  return {point(row.a) - point(row.b), velocity(row.a) - velocity(row.b), axis(row.a, c.begin_axis),
          axis(row.b, c.end_axis)};
}

/// What a constraint makes equal to its offset; a kind that is not here fails the tests.
double driven_measure(const std::string& key, const MarkerMotion& m) {
  static const std::map<std::string, std::function<double(const MarkerMotion&)>> kMeasures = {
      {"B0_x", [](const MarkerMotion& x) { return x.delta.x(); }},
      {"B0_y", [](const MarkerMotion& x) { return x.delta.y(); }},
      {"B0_z", [](const MarkerMotion& x) { return x.delta.z(); }},
      {"DDX", [](const MarkerMotion& x) { return x.d_a.dot(x.d_b); }},
      {"BBDX", [](const MarkerMotion& x) { return x.delta.dot(x.d_a); }},
      {"BBX", [](const MarkerMotion& x) { return x.delta.norm(); }},
      {"V0_x", [](const MarkerMotion& x) { return x.delta_rate.x(); }},
      {"V0_y", [](const MarkerMotion& x) { return x.delta_rate.y(); }},
      {"V0_z", [](const MarkerMotion& x) { return x.delta_rate.z(); }},
      {"VVDX", [](const MarkerMotion& x) { return x.delta_rate.dot(x.d_a); }},
      {"VVX", [](const MarkerMotion& x) { return x.delta_rate.norm(); }}};
  return kMeasures.at(key)(m);
}

/// A driven model and both sides of its constraint.
struct Driven {
  explicit Driven(const TestModel& test)
      : model(test.description),
        dense(test.description, test.functions),
        offset(test.functions.offsets.at("drive")),
        constraint(test.description.constraints[0]) {}

  double measure_at(const VectorXd& y) const {
    return driven_measure(constraint.key, marker_motion(dense, constraint, y));
  }
  double error(double t, const VectorXd& y) const { return std::abs(measure_at(y) - offset(t)[0]); }
  /// Of the rate of the measure along y'.
  double rate_error(double t, const VectorXd& y, const VectorXd& dydt) const {
    const auto along = [&](double h) -> VectorXd {
      return VectorXd::Constant(1, measure_at(y + h * dydt));
    };
    return std::abs(testing_support::differentiate(along, 0.02).value[0] - offset(t)[1]);
  }

  Model model;
  DenseModel dense;
  testing_support::Drive offset;
  Constraint constraint;
};

TEST(DrivenConstraints, EveryKindHoldsAfterProjectionWithItsRate) {
  constexpr double kTime = 0.7;
  for (const auto& type : mechanism::constraint_types()) {
    for (const auto& test : testing_support::driven_models(type.key)) {
      SCOPED_TRACE(test.description.id);
      const Driven driven(test);
      auto ws = driven.model.make_workspace(0);
      const VectorXd start = start_state(driven.model);
      EXPECT_LT(driven.error(0, start), 1e-11);     // measured 1.4e-13: assembled
      EXPECT_GT(driven.error(kTime, start), 0.05);  // what the drive asks for has changed
      const VectorXd y = projected(driven.model, *ws, kTime, start);
      EXPECT_LT(driven.error(kTime, y), 1e-11);  // measured 6.7e-16
      // Rates: of positions by the velocities, of velocities by the accelerations.
      EXPECT_GT(std::abs(driven.offset(kTime)[1]), 0.04);
      const VectorXd dydt = rates(driven.model, *ws, kTime, y);
      EXPECT_LT(driven.rate_error(kTime, y, dydt), 1e-11);  // measured 1.8e-13
    }
  }
}

TEST(DrivenConstraints, EveryKindHoldsAlongAMotionUpToTheIntegrationError) {
  // Without projection: the accelerations alone keep the constraint.
  constexpr double kUntil = 0.5;
  for (const auto& type : mechanism::constraint_types()) {
    for (const auto& test : testing_support::driven_models(type.key)) {
      SCOPED_TRACE(test.description.id);
      const Driven driven(test);
      auto ws = driven.model.make_workspace(0);
      const auto drift = [&](int steps) {
        VectorXd y = start_state(driven.model);
        const double h = kUntil / steps;
        for (int i = 0; i < steps; ++i) y = unprojected_step(driven.model, *ws, i * h, h, y);
        return driven.error(kUntil, y);
      };
      EXPECT_GT(driven.error(kUntil, start_state(driven.model)), 0.05);
      const double coarse = drift(40), fine = drift(80);
      EXPECT_LT(fine, 2e-6);        // measured 5e-13 (V0) to 9.3e-7 (VVX)
      EXPECT_GT(coarse, 8 * fine);  // of fourth order: measured 12.6 to 28.2
    }
  }
}

}  // namespace
}  // namespace parfait::mbs
