#include "parfait/motion/dynamics/inverse_dynamics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "parfait/base/error.h"
#include "parfait/tree/algorithms/algorithms.h"

namespace parfait::motion::inverse_dynamics_test {
namespace {

using mechanism::Coordinate;
using mechanism::Description;
using tree::MechanismTree;

mechanism::Joint joint(const char* id, const char* from, const char* to, bool turns,
                       std::array<double, 3> axis) {
  mechanism::Joint j;
  j.key = mechanism::kAxesJoint;
  j.id = id;
  j.begin.body = from;
  j.end.body = to;
  Coordinate c;
  c.id = std::string("q_") + id;
  c.kind = turns ? Coordinate::Kind::kRotation : Coordinate::Kind::kTranslation;
  j.motion.coordinates = {c};
  mechanism::MotionAxis a;
  a.turns = turns;
  a.axis = axis;
  a.coordinate = c.id;
  j.motion.axes = {a};
  return j;
}

/// A pendulum of mass 2, centre 0.5 below its hinge, inertia 0.3 about it; y is up.
Description pendulum() {
  Description d;
  mechanism::Body body;
  body.id = "rod";
  body.mass = 2;
  body.center_of_mass = {0.0, -0.5, 0.0};
  body.inertia = {mechanism::Value3{0.3, 0.0, 0.0}, mechanism::Value3{0.0, 0.1, 0.0},
                  mechanism::Value3{0.0, 0.0, 0.3}};
  d.bodies = {body};
  d.joints = {joint("hinge", mechanism::kInertial, "rod", true, {0, 0, 1})};
  mechanism::Force g;
  g.key = "Gravitation";
  g.id = "gravity";
  g.constants = {{"gx", 0.0}, {"gy", -9.81}, {"gz", 0.0}};
  d.forces = {g};
  return d;
}

TEST(InverseDynamics, MomentOfAPendulumIsItsClosedForm) {
  const auto d = pendulum();
  const MechanismTree mechanism(d);
  std::vector<double> t, q;
  const double w = 3;
  for (int i = 0; i <= 200; ++i) {
    t.push_back(0.01 * i);
    q.push_back(0.4 * std::sin(w * t.back()));
  }
  InverseDynamicsOptions options;
  options.has_range = true;
  options.from = 0.5;
  options.until = 1.5;
  const auto found = inverse_dynamics(mechanism, t, {q}, {}, options);
  ASSERT_EQ(found.time.size(), 101U);
  EXPECT_EQ(found.mass, 2);
  for (std::size_t i = 0; i < found.time.size(); ++i) {
    const double s = found.time[i], x = 0.4 * std::sin(w * s);
    // (Theta + m l^2) q'' + m g l sin q
    const double tau = -(0.3 + 2 * 0.25) * w * w * x + 2 * 9.81 * 0.5 * std::sin(x);
    EXPECT_NEAR(found.tau[i][0], tau, 1e-5) << s;  // measured 3e-8: what the spline leaves
    EXPECT_NEAR(found.power[i][0], tau * 0.4 * w * std::cos(w * s), 1e-5);
  }
}

TEST(InverseDynamics, ALoadIsTakenOffWhereverItIsExpressed) {
  const auto d = pendulum();
  const MechanismTree mechanism(d);
  const std::vector<double> t{0, 0.1, 0.2, 0.3, 0.4, 0.5}, q(6, 0.7);
  // A force that carries the weight at the centre of mass: given in the world, in the body.
  const double c = std::cos(0.7), s = std::sin(0.7), weight = 2 * 9.81;
  ExternalLoad world;
  world.body = 0;
  world.time = {0, 1};
  world.force = {{0, weight, 0}, {0, weight, 0}};
  world.point = {{0.5 * s, -0.5 * c, 0}, {0.5 * s, -0.5 * c, 0}};
  ExternalLoad own = world;
  own.force_in = own.point_in = 0;
  own.force = {{weight * s, weight * c, 0}, {weight * s, weight * c, 0}};
  own.point = {{0, -0.5, 0}, {0, -0.5, 0}};
  ExternalLoad moment;  // a pure moment that does the same
  moment.body = 0;
  moment.time = world.time;
  moment.force = {{0, 0, 0}, {0, 0, 0}};
  moment.moment = {{0, 0, weight * 0.5 * s}, {0, 0, weight * 0.5 * s}};
  const double without = inverse_dynamics(mechanism, t, {q}, {}, {}).tau[2][0];
  EXPECT_NEAR(without, weight * 0.5 * s, 1e-12);
  for (const auto& load : {world, own, moment}) {
    EXPECT_NEAR(inverse_dynamics(mechanism, t, {q}, {load}, {}).tau[2][0], 0, 1e-12);
  }
  world.time = {10, 11};  // not now
  EXPECT_NEAR(inverse_dynamics(mechanism, t, {q}, {world}, {}).tau[2][0], without, 1e-12);
}

TEST(InverseDynamics, LoadsAreStraightLinesBetweenTheirSamples) {
  const MechanismTree mechanism(pendulum());
  const std::vector<double> t{0, 0.1, 0.2, 0.3, 0.4, 0.5}, q(6, 0.7);
  ExternalLoad load;
  load.body = 0;
  load.time = {0, 0.2, 0.6};
  load.force = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  load.moment = {{0, 0, 1}, {0, 0, 3}, {0, 0, -5}};
  const double held = 2 * 9.81 * 0.5 * std::sin(0.7);
  const auto found = inverse_dynamics(mechanism, t, {q}, {load}, {});
  const double moments[] = {1, 2, 3, 1, -1, -3};
  for (std::size_t i = 0; i < t.size(); ++i) {
    EXPECT_NEAR(found.tau[i][0], held - moments[i], 1e-12) << t[i];
  }
}

TEST(InverseDynamics, ForwardDynamicsGivesTheAccelerationBack) {
  auto d = pendulum();
  mechanism::Body second = d.bodies[0];
  second.id = "second";
  d.bodies.push_back(second);
  d.joints.push_back(joint("elbow", "rod", "second", true, {0.1, 0.2, 1}));
  d.joints[1].begin.frame.o = {0.0, -1.0, 0.0};
  const MechanismTree mechanism(d);
  std::vector<double> t, a, b;
  for (int i = 0; i < 40; ++i) {
    t.push_back(0.02 * i);
    a.push_back(std::sin(2 * t.back()));
    b.push_back(0.3 + std::cos(3 * t.back()));
  }
  const auto found = inverse_dynamics(mechanism, t, {a, b}, {}, {});
  tree::Workspace ws(mechanism.tree());
  std::vector<double> vdot(2);
  tree::forward_dynamics(mechanism.tree(), found.q[20], found.v[20], found.tau[20], {}, ws, vdot);
  EXPECT_NEAR(vdot[0], found.vdot[20][0], 1e-10);
  EXPECT_NEAR(vdot[1], found.vdot[20][1], 1e-10);
}

TEST(InverseDynamics, SaysWhatItNeeds) {
  const auto d = pendulum();
  const MechanismTree mechanism(d);
  EXPECT_THROW(inverse_dynamics(mechanism, {0, 1}, {{0, 0}}, {}, {}), base::InputError);
  InverseDynamicsOptions filtered;
  filtered.filter = 6;
  const std::vector<double> uneven{0, 0.01, 0.02, 0.035, 0.04, 0.05};
  EXPECT_THROW(inverse_dynamics(mechanism, uneven, {std::vector<double>(6)}, {}, filtered),
               base::InputError);
}

}  // namespace
}  // namespace parfait::motion::inverse_dynamics_test
