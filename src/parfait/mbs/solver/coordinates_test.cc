#include <gtest/gtest.h>

#include <cmath>

#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "testing/dense_model.h"
#include "testing/model_gallery.h"
#include "testing/system_laws.h"

// One mechanism in all coordinates moves alike; a body that gave up a constraint moves as it must.
namespace parfait::mbs {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kTimeStep = 2e-3;

/// The double pendulum of Kraus 2006, section 13.1 with its spring, pushed out of the plane on a
/// ball joint.
Description double_pendulum() {
  auto d = testing_support::revolute_chain(2);
  d.joints[1].key = "Spherical";
  d.bodies[0].center_of_mass = {0.5, -0.2, 0.1};
  d.bodies[1].center_of_mass = {0.4, 0.1, -0.2};
  d.bodies[0].omega = Number3{0, 0.8, 0};
  d.bodies[1].v = Number3{0, 0, -0.8};
  d.bodies[1].omega = Number3{0.3, -0.5, 0.9};
  Force f;
  f.key = "Spring_Damper";
  f.id = "spring";
  f.begin = testing_support::marker(kInertial, testing_support::frame({1.5, 0, 1}));
  f.end = testing_support::marker("body_2", testing_support::frame({0.5, 0, 0}));
  f.constants = {{"rest_length", 1.0}, {"stiffness", 10.0}, {"damping", 1.0}};
  d.forces.push_back(f);
  return d;
}

Number3 to_number3(const Vector3d& a) {
  return {a[0], a[1], a[2]};
}
Vector3d vector3(const Number3& a) {
  return {a[0], a[1], a[2]};
}
Vector3d vector3(const Value3& a) {
  return {a[0].number, a[1].number, a[2].number};
}
Value3 value3(const Vector3d& a) {
  return {a[0], a[1], a[2]};
}

/// The same model with the axes X of a body replaced by X U, U upper triangular: all vectors given
/// in the body are written anew; inertia stays, as it is given in the orthonormal frame.
void skew(Description& d, const std::string& id, const Matrix3d& U) {
  const Matrix3d inverse = U.inverse();
  for (auto& body : d.bodies) {
    if (body.id != id) continue;
    Matrix3d X;
    X << vector3(body.x), vector3(body.y), vector3(body.z);
    X = X * U;
    body.x = to_number3(X.col(0));
    body.y = to_number3(X.col(1));
    body.z = to_number3(X.col(2));
    body.center_of_mass = value3(inverse * vector3(body.center_of_mass));
  }
  const auto rewrite = [&](Marker& marker) {
    if (marker.body != id) return;
    for (Value3* a : {&marker.frame.o, &marker.frame.x, &marker.frame.y, &marker.frame.z}) {
      *a = value3(inverse * vector3(*a));
    }
  };
  for (auto& joint : d.joints) {
    rewrite(joint.begin);
    rewrite(joint.end);
  }
  for (auto& force : d.forces) {
    if (force.begin) rewrite(*force.begin);
    if (force.end) rewrite(*force.end);
  }
}

const std::vector<std::string>& watched() {
  static const std::vector<std::string> names = {
      "body_1.com.x",       "body_1.com.z", "body_2.com.x",  "body_2.com.y",
      "body_2.com.z",       "body_2.wx",    "body_2.wz",     "energy.total",
      "joint_1.reaction.x", "spring.force", "joint_1.angle", "body_2.com.ay"};
  return names;
}

/// The watched quantities after one second.
VectorXd after_one_second(const Description& d) {
  const Model model(d);
  EXPECT_LT(model.assembly().moved, 1e-12);
  EXPECT_LT(model.assembly().velocity_change, 1e-12);
  auto ws = model.make_workspace(0);
  VectorXd y = start_state(model);
  for (int i = 0; i < 500; ++i) y = runge_kutta_step(model, *ws, i * kTimeStep, kTimeStep, y);
  return observed(model, *ws, 1.0, y, watched());
}

TEST(Coordinates, AllChoicesAndGeneralFramesGiveTheSameMotion) {
  const VectorXd expected = after_one_second(double_pendulum());
  const VectorXd start = [&] {
    const Model model(double_pendulum());
    auto ws = model.make_workspace(0);
    return observed(model, *ws, 0, start_state(model), watched());
  }();
  EXPECT_GT((expected - start).head(5).cwiseAbs().maxCoeff(), 0.3);  // it does move
  for (auto choice : {BodyCoordinates::kTwoPointsTwoVectors, BodyCoordinates::kFourPoints}) {
    auto d = double_pendulum();
    for (const auto& body : d.bodies) d.natural.bodies[body.id].coordinates = choice;
    EXPECT_LT(relative_difference(after_one_second(d), expected), 1e-10);
  }
  Matrix3d U, V;
  U << 1.3, 0.2, -0.3, 0, 0.8, 0.1, 0, 0, 1.1;
  V << 0.7, -0.2, 0.1, 0, 1.2, 0.3, 0, 0, 0.9;
  for (auto choice : {BodyCoordinates::kOriginAndAxes, BodyCoordinates::kTwoPointsTwoVectors,
                      BodyCoordinates::kFourPoints}) {
    auto d = double_pendulum();
    skew(d, "body_1", U);
    skew(d, "body_2", V);
    for (const auto& body : d.bodies) d.natural.bodies[body.id].coordinates = choice;
    EXPECT_LT(relative_difference(after_one_second(d), expected), 1e-10);
  }
}

TEST(Coordinates, PointCoordinatesNameTheirStatesAsPoints) {
  auto d = double_pendulum();
  d.natural.bodies["body_1"].coordinates = BodyCoordinates::kTwoPointsTwoVectors;
  d.natural.bodies["body_2"].coordinates = BodyCoordinates::kFourPoints;
  const Model model(d);
  const auto names = model.state_names();
  EXPECT_EQ(names[3], "body_1.p1.x");
  EXPECT_EQ(names[6], "body_1.e2.x");
  EXPECT_EQ(names[12 + 9], "body_2.p3.x");
  EXPECT_EQ(names[24 + 12 + 9], "body_2.p3.vx");
  const VectorXd y = start_state(model);  // body 2 starts at (1, 0, 0)
  EXPECT_EQ(y.segment(12 + 9, 3), Vector3d(1, 0, 1));
}

constexpr double kJxx = (1.1 + 1.3 - 0.8) / 2, kJyy = (0.8 + 1.3 - 1.1) / 2;

/// A body whose e1 may change its length.
Description stretching_body() {
  Description d;
  Body body;
  body.id = "body";
  body.mass = 2.0;
  body.inertia[0][0] = 0.8;
  body.inertia[1][1] = 1.1;
  body.inertia[2][2] = 1.3;
  d.bodies = {body};
  d.natural.bodies["body"].released.xx = true;
  return d;
}

// A body whose e1 may change its length (xx released), held by four springs of rest length 0
// between its points (+-1, 0, 0) and anchors at (+-a, +-c, 0). With lambda = |e1| and the second
// moment Jxx = (Iyy + Izz - Ixx) / 2 the symmetric motion is Jxx lambda'' = -4 k (lambda - a).
TEST(Released, LengthOscillatesAsItsClosedFormSays) {
  const double a = 1.4, c = 0.6, k = 3, rate = 0.25;
  Description d = stretching_body();
  d.bodies[0].x_rate = {rate, 0, 0};
  for (int i = 0; i < 4; ++i) {
    const double side = i < 2 ? 1 : -1, across = i % 2 ? 1 : -1;
    Force f;
    f.key = "Spring";
    f.id = "spring_" + std::to_string(i);
    f.begin = testing_support::marker(kInertial, testing_support::frame({side * a, across * c, 0}));
    f.end = testing_support::marker("body", testing_support::frame({side, 0, 0}));
    f.constants = {{"rest_length", 0.0}, {"stiffness", k}};
    d.forces.push_back(f);
  }
  const Model model(d);
  EXPECT_EQ(model.degrees_of_freedom(), 7);
  auto ws = model.make_workspace(0);
  VectorXd y = start_state(model);
  const double w = std::sqrt(4 * k / kJxx);
  double farthest = 0;
  for (int i = 1; i <= 1000; ++i) {
    y = runge_kutta_step(model, *ws, (i - 1) * kTimeStep, kTimeStep, y);
    const double t = i * kTimeStep;
    const double lambda = a + (1 - a) * std::cos(w * t) + rate / w * std::sin(w * t);
    EXPECT_NEAR(observed(model, *ws, t, y, "body.e1.x"), lambda, 1e-9);
    EXPECT_NEAR(observed(model, *ws, t, y, "body.e2.y"), 1, 1e-12);
    farthest = std::max(farthest, lambda);
  }
  EXPECT_GT(farthest, 1.7);
}

// The same length held from inside, by a spring between two of the body's own points (Kraus 2006,
// section 5.1.2: a force in the place of the constraint): Jxx lambda'' = -k (lambda - rest).
TEST(Released, ASpringInsideTheBodyKeepsItsLength) {
  const double k = 5, rest = 1.3;
  Description d = stretching_body();
  Force f;
  f.key = "Spring";
  f.id = "inside";
  f.begin = testing_support::marker("body", testing_support::frame({0, 0, 0}));
  f.end = testing_support::marker("body", testing_support::frame({1, 0, 0}));
  f.constants = {{"rest_length", rest}, {"stiffness", k}};
  d.forces = {f};
  const Model model(d);
  auto ws = model.make_workspace(0);
  VectorXd y = start_state(model);
  const double w = std::sqrt(k / kJxx);
  for (int i = 1; i <= 1000; ++i) {
    y = runge_kutta_step(model, *ws, (i - 1) * kTimeStep, kTimeStep, y);
    const double lambda = rest + (1 - rest) * std::cos(w * i * kTimeStep);
    EXPECT_NEAR(observed(model, *ws, 0, y, "body.e1.x"), lambda, 1e-9);
  }
  EXPECT_NEAR(observed(model, *ws, 0, y, "body.com.x"), 0, 1e-12);
  testing_support::LawPoint point;
  point.t = 0;
  point.y.assign(y.begin(), y.end());
  EXPECT_TRUE(testing_support::check_system_laws(model, point, {.step = 2e-3}).violations.empty());
}

// Nothing holds it: a spinning body stretches for ever and slows down, with the energy and angular
// momentum it began with. In the plane L = (Jxx lambda^2 + Jyy) w.
TEST(Released, FreeSpinningBodyKeepsEnergyAndAngularMomentumWhileItStretches) {
  Description d = stretching_body();
  d.bodies[0].omega = Number3{0, 0, 2.0};
  const Model model(d);
  auto ws = model.make_workspace(0);
  VectorXd y = start_state(model);
  const double energy = observed(model, *ws, 0, y, "energy.total");
  EXPECT_NEAR(energy, 0.5 * (kJxx + kJyy) * 4, 1e-12);
  for (int i = 0; i < 500; ++i) y = runge_kutta_step(model, *ws, i * kTimeStep, kTimeStep, y);
  const Vector3d e1 = y.segment(3, 3), e2 = y.segment(6, 3);
  const double w = e1.normalized().dot(Vector3d(-y.segment(12 + 6, 3)));  // e2' = -w e1 / |e1|
  EXPECT_GT(e1.norm(), 1.5);
  EXPECT_LT(std::abs(e1.dot(e2)), 1e-11);
  EXPECT_NEAR((kJxx * e1.squaredNorm() + kJyy) * w, (kJxx + kJyy) * 2.0, 1e-9);
  EXPECT_NEAR(observed(model, *ws, 1, y, "energy.total"), energy, 1e-9);
}

TEST(Released, WithoutForcesStretchesUniformlyWhileItFalls) {
  Description d;
  Body body;
  body.id = "body";
  for (int i = 0; i < 3; ++i) body.inertia[i][i] = 1.0 + 0.1 * i;
  body.center_of_mass = {0.5, 0.0, 0.0};
  body.x_rate = {0.3, 0, 0};
  d.bodies = {body};
  d.natural.bodies["body"].released.xx = true;
  d.forces = {testing_support::gravitation()};
  const Model model(d);
  auto ws = model.make_workspace(0);
  VectorXd y = start_state(model);
  for (int i = 0; i < 500; ++i) y = runge_kutta_step(model, *ws, i * kTimeStep, kTimeStep, y);
  EXPECT_NEAR(y[3], 1.3, 1e-12);
  EXPECT_NEAR(observed(model, *ws, 1, y, "body.com.x"), 0.5 * 1.3, 1e-12);
  EXPECT_NEAR(observed(model, *ws, 1, y, "body.com.z"), -0.5 * 9.81, 1e-11);
}

}  // namespace
}  // namespace parfait::mbs
