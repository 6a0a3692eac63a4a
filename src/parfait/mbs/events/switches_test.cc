#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"
#include "testing/system_laws.h"

// Switching functions of models, the mode, and one-sided forces.
namespace parfait::mbs {
namespace {

using dynamics::Status;
using dynamics::SwitchInfo;
using Eigen::Vector3d;
using Eigen::VectorXd;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing_support::Random;
using testing_support::RandomModelOptions;
using Modes = std::vector<std::int8_t>;

constexpr double kMass = 2, kStiffness = 800, kDamping = 30, kRadius = 0.1;

/// A ball of radius 0.1 above the ground.
Description ball(double height, double speed) {
  Description d;
  Body body;
  body.id = "Ball";
  body.mass = kMass;
  for (int i = 0; i < 3; ++i) body.inertia[i][i] = 0.008;
  body.o = {0.3, -0.2, height};
  body.v = Number3{0, 0, speed};
  body.omega = Number3{0, 0, 0};
  d.bodies.push_back(body);
  return d;
}

Force support(const std::string& key, Side side) {
  Force f;
  f.id = "Floor";
  f.key = key;
  f.begin = testing_support::marker("Ball", {});
  f.end = testing_support::marker(kInertial, {});
  f.side = side;
  f.constants = {{"rest_length", kRadius}};
  if (key.find("Spring") != std::string::npos) f.constants.push_back({"stiffness", kStiffness});
  if (key.find("Damper") != std::string::npos) f.constants.push_back({"damping", kDamping});
  return f;
}

struct Trial {
  explicit Trial(const Description& d)
      : model(d), ws(model.make_workspace(4)), y(start_state(model)) {}
  VectorXd switches(double t = 0, const Modes& mode = {}) {
    VectorXd s(model.sizes().num_switches);
    EXPECT_EQ(model.switches(*ws, point(t, mode), view(s)), Status::kOk);
    return s;
  }
  VectorXd rates(double t = 0, const Modes& mode = {}) {
    VectorXd dydt(y.size());
    EXPECT_EQ(model.evaluate(*ws, point(t, mode), view(dydt), {}), Status::kOk);
    return dydt;
  }
  double observe(const std::string& name, const Modes& mode = {}) {
    const std::vector<std::string> names = {name};
    const auto observer = model.make_observer(names);
    VectorXd value(1);
    EXPECT_EQ(model.observe(*ws, *observer, point(0, mode), view(value)), Status::kOk);
    return value[0];
  }
  dynamics::Point point(double t, const Modes& mode) const {
    dynamics::Point at;
    at.t = t;
    at.y = view(y);
    at.mode = mode;
    return at;
  }
  Model model;
  std::unique_ptr<dynamics::Workspace> ws;
  VectorXd y;
};

std::vector<std::string> switch_names(const Model& model) {
  std::vector<std::string> names;
  for (const auto& info : model.switch_infos()) names.push_back(info.name);
  return names;
}

State state(const std::string& id, const std::string& derivative, double initial) {
  State s;
  s.id = id;
  s.derivative.formula = derivative;
  s.initial = initial;
  return s;
}

Parameter switch_parameter(const std::string& id, double initial,
                           std::vector<std::string> targets = {}) {
  Parameter p;
  p.id = id;
  p.initial = initial;
  p.targets = std::move(targets);
  return p;
}

TEST(Switches, ModelListsSwitchesInTheOrderOfTheDescription) {
  auto d = ball(1.5, 0);
  auto floor = support("General_Z", Side::kBoth);
  floor.constants.clear();
  floor.law.formula = "max(length - 2, 0) + abs(rate + 3)";
  d.forces.push_back(floor);
  d.states.push_back(state("x", "min(x, Ball.com.z)", 0.25));
  Constraint drive;
  drive.key = "B0_x";
  drive.id = "Drive";
  drive.begin = testing_support::marker("Ball", {});
  drive.end = testing_support::marker(kInertial, {});
  drive.offset.formula = "0.3 + (t < 1 ? 0 : (t - 1)^3)";
  d.constraints.push_back(drive);
  Trial m(d);
  EXPECT_THAT(switch_names(m.model),
              ElementsAre("Floor: max(length - 2, 0) + abs(rate + 3) [1]",
                          "Floor: max(length - 2, 0) + abs(rate + 3) [2]", "x: min(x, Ball.com.z)",
                          "Drive: 0.3 + (t < 1 ? 0 : (t - 1)^3)"));
  const VectorXd s = m.switches(0.75);
  EXPECT_NEAR(s[0], -0.5, 1e-14);
  EXPECT_NEAR(s[1], 3, 1e-14);
  EXPECT_NEAR(s[2], 0.25 - 1.5, 1e-14);
  EXPECT_NEAR(s[3], -0.25, 1e-14);
}

TEST(Switches, AreNotThereInAModelWithoutBranches) {
  const Model model(ball(1, 0));
  EXPECT_EQ(model.sizes().num_switches, 0);
  EXPECT_THAT(model.switch_infos(), IsEmpty());
}

TEST(Switches, ContinueTheBranchTheModeHolds) {
  auto d = ball(1.5, 0);
  auto floor = support("General_Z", Side::kBoth);
  floor.constants.clear();
  floor.law.formula = "5*max(length - 2, 0)";
  d.forces.push_back(floor);
  d.states.push_back(state("x", "abs(x - 1)", 0.25));
  Trial m(d);
  EXPECT_EQ(m.rates().tail(1)[0], 0.75);
  EXPECT_EQ(m.observe("Floor.force"), 0);
  const Modes held = {+1, +1};  // beyond both switches
  EXPECT_NEAR(m.observe("Floor.force", held), 5 * (1.5 - 2), 1e-14);
  EXPECT_NEAR(m.rates(0, held)[12 + 2], -5 * (1.5 - 2) / kMass, 1e-14);
  EXPECT_EQ(m.rates(0, held).tail(1)[0], -0.75);
  EXPECT_EQ(m.rates().tail(1)[0], 0.75);  // and forgets it
}

TEST(Switches, DrivenConstraintHoldsTheAccelerationOfItsMode) {
  auto d = ball(1.5, 0);
  Constraint drive;
  drive.key = "B0_x";
  drive.id = "Drive";
  drive.begin = testing_support::marker("Ball", {});
  drive.end = testing_support::marker(kInertial, {});
  drive.offset.formula = "0.3 + (t < 1 ? 0 : (t - 1)^2)";
  d.constraints.push_back(drive);
  Trial m(d);
  EXPECT_NEAR(m.rates(0.9)[12], 0, 1e-14);
  EXPECT_NEAR(m.rates(0.9, {+1})[12], 2, 1e-14);
  EXPECT_NEAR(m.rates(1.1)[12], 2, 1e-14);
  EXPECT_NEAR(m.rates(1.1, {-1})[12], 0, 1e-14);
}

/// Branches everywhere, parameters in everything.
Description switched_model(unsigned seed) {
  RandomModelOptions options;
  options.bodies = 3;
  options.tree = options.mixed_coordinates = true;
  options.general_frames = seed % 2 == 0;
  options.release_constraints = seed % 3 == 0;
  options.joints = {"Revolute", "Spherical", "Universal", "Cylindrical"};
  auto d = testing_support::random_model(seed, options).description;
  Random random(seed + 50);
  const auto pair = [&](const std::string& key, const std::string& id) {
    Force f;
    f.key = key;
    f.id = id;
    f.begin = testing_support::marker(
        "body_1", testing_support::axes_frame(random.vector(0.5), random.rotation()));
    f.end = testing_support::marker(
        "body_3", testing_support::axes_frame(random.vector(0.5), random.rotation()));
    for (auto* m : {&*f.begin, &*f.end}) m->frame.has_x = m->frame.has_y = false;
    return f;
  };
  auto general = pair("General_Linear", "Muscle");
  general.law.formula = "max(length - bend, 0)*3 + abs(rate)*0.2 + (x < 0.5 ? 1 : gain*x)";
  d.forces.push_back(general);
  for (const Side side : {Side::kPush, Side::kPull}) {
    auto stop = pair("Spring_Damper", side == Side::kPush ? "Stop" : "Cable");
    stop.side = side;
    stop.constants = {{"rest_length", 1.1}, {"stiffness", 40.0}, {"damping", 3.0}};
    d.forces.push_back(stop);
  }
  auto gate = pair("General_Direction", "Gate");
  gate.side = Side::kPull;
  gate.law.formula = "2*length + 0.3*rate + sign(rate)";
  gate.constants = {{"rest_length", -3.0}};
  d.forces.push_back(gate);
  d.states.push_back(
      state("x", "min(x, body_1.com.x) - abs(body_2.com.vz) + step(t - 0.5) + Stop.force", 0.7));
  d.parameters = {switch_parameter("m1", 1.3, {"body_1.mass"}), switch_parameter("bend", 0.4),
                  switch_parameter("gain", 0.8),
                  switch_parameter("rest", 1.2, {"Stop.rest_length"}),
                  switch_parameter("at", 0.2, {"Cable.begin.o.x"})};
  return d;
}

testing_support::LawPoint generic_point(const Model& model, unsigned seed, double size) {
  testing_support::LawPoint point;
  point.t = 0.3;
  const VectorXd y = start_state(model) + Random(seed).vector(model.sizes().ny(), size);
  const VectorXd p = start_parameters(model);
  point.y.assign(y.begin(), y.end());
  point.p.assign(p.begin(), p.end());
  return point;
}

TEST(Switches, SwitchesAndTheirBranchesHaveExactDirections) {
  for (unsigned seed : {1u, 2u, 3u}) {
    const Model model(switched_model(seed));
    ASSERT_EQ(model.sizes().num_switches, 3 + 2 + 2 + 3 + 3);
    auto point = generic_point(model, seed, 0.02);
    testing_support::LawOptions options;
    options.step = 1e-3;
    options.quantities = {"Stop.force", "Cable.force", "Gate.force", "energy.potential"};
    for (int held = 0; held < 3; ++held) {  // by value, then against it
      point.mode.clear();
      for (int i = 0; held > 0 && i < model.sizes().num_switches; ++i) {
        point.mode.push_back((i + held) % 3 == 0 ? -1 : +1);
      }
      const auto report = check_system_laws(model, point, options);
      EXPECT_THAT(report.violations, IsEmpty()) << seed << " mode " << held;
      EXPECT_GT(report.num_nonzero, 1000);
    }
  }
}

TEST(OneSided, SpringPushesOnlyWhileItTouches) {
  for (const double height : {0.03, kRadius, 0.4}) {
    auto d = ball(height, -0.7);
    d.forces.push_back(support("Z_Spring", Side::kPush));
    Trial m(d);
    EXPECT_THAT(switch_names(m.model), ElementsAre("Floor: touch"));
    EXPECT_NEAR(m.switches()[0], kRadius - height, 1e-15);
    const double law = kStiffness * (height - kRadius);
    const double expected = height < kRadius ? law : 0;
    EXPECT_NEAR(m.observe("Floor.force"), expected, 1e-12);
    EXPECT_NEAR(m.rates()[12 + 2], -expected / kMass, 1e-12);
    EXPECT_NEAR(m.observe("energy.potential"), 0.5 * expected * expected / kStiffness, 1e-12);
    EXPECT_NEAR(m.rates(0, {+1})[12 + 2], -law / kMass, 1e-12);
    EXPECT_NEAR(m.rates(0, {-1})[12 + 2], 0, 1e-12);
    EXPECT_NEAR(m.observe("energy.potential", {+1}), 0.5 * law * law / kStiffness, 1e-12);
  }
}

TEST(OneSided, CablePullsOnlyWhileItIsTight) {
  for (const double height : {0.03, 0.4}) {
    auto d = ball(height, 0);
    auto cable = support("Spring", Side::kPull);
    cable.end->frame.o[0] = 0.3;
    cable.end->frame.o[1] = -0.2;
    d.forces.push_back(cable);
    Trial m(d);
    EXPECT_NEAR(m.switches()[0], height - kRadius, 1e-15);
    const double expected = height > kRadius ? kStiffness * (height - kRadius) : 0;
    EXPECT_NEAR(m.rates()[12 + 2], -expected / kMass, 1e-12);
  }
}

TEST(OneSided, DamperDoesNotPullInAContactUnlessItMayAdhere) {
  for (const double speed : {-0.7, +0.7, +2.5}) {
    auto d = ball(0.05, speed);
    d.forces.push_back(support("Z_Spring_Damper", Side::kPush));
    Trial m(d);
    EXPECT_THAT(switch_names(m.model), ElementsAre("Floor: touch", "Floor: adhesion"));
    const double law = kStiffness * (0.05 - kRadius) + kDamping * speed;
    EXPECT_NEAR(m.switches()[1], -law, 1e-12);
    EXPECT_NEAR(m.observe("Floor.force"), std::min(law, 0.0), 1e-12);
    EXPECT_NEAR(m.rates(0, {+1, +1})[12 + 2], -law / kMass, 1e-12);
    EXPECT_NEAR(m.rates(0, {+1, -1})[12 + 2], 0, 1e-12);
    EXPECT_NEAR(m.rates(0, {-1, +1})[12 + 2], 0, 1e-12);
    d.forces[0].adhesion = true;
    Trial sticky(d);
    EXPECT_EQ(sticky.model.sizes().num_switches, 1);
    EXPECT_NEAR(sticky.observe("Floor.force"), law, 1e-12);
  }
}

TEST(OneSided, DamperAndGeneralLawHaveATouchOfTheirOwn) {
  auto d = ball(0.05, -0.7);
  d.forces.push_back(support("Z_Damper", Side::kPush));
  EXPECT_NEAR(Trial(d).observe("Floor.force"), -0.7 * kDamping, 1e-12);
  d.forces[0].key = "General_Z";
  d.forces[0].constants = {{"rest_length", kRadius}};
  d.forces[0].law.formula = "-1000*(0.1 - length)^1.5";
  Trial general(d);
  EXPECT_EQ(general.model.sizes().num_switches, 2);
  EXPECT_NEAR(general.observe("Floor.force"), -1000 * std::pow(0.05, 1.5), 1e-12);
  d.bodies[0].o[2] = 0.2;  // the law alone would not be a number here
  EXPECT_EQ(Trial(d).observe("Floor.force"), 0);
}

TEST(OneSided, PlaneOfAMarkerIsAFloorWithAnyNormal) {
  // A Direction element whose z points into the wall measures the height above it.
  Random random(3);
  const Eigen::Matrix3d R = random.rotation();
  const Vector3d foot(0.4, 0.1, -0.3), normal = R.col(2);
  for (const double height : {0.06, 0.3}) {
    auto d = ball(0, 0);
    const Vector3d o = foot + height * normal + 0.7 * R.col(0);
    d.bodies[0].o = {o.x(), o.y(), o.z()};
    auto wall = support("Direction_Spring", Side::kPush);
    wall.begin = testing_support::marker(kInertial, testing_support::axis_frame(foot, -normal));
    wall.end = testing_support::marker("Ball", {});
    d.forces.push_back(wall);
    Trial m(d);
    EXPECT_NEAR(m.switches()[0], kRadius - height, 1e-14);
    const Vector3d a = m.rates().segment<3>(12);
    const double depth = std::max(kRadius - height, 0.0);
    EXPECT_LT((a - kStiffness * depth / kMass * normal).norm(), 1e-11);
  }
}

TEST(OneSided, BallBouncesOffAStiffSpringAsTheClosedFormSays) {
  // In touch: height = radius - g/w^2 (1 - cos w t) - v/w sin w t; it leaves with +v after
  // (pi + 2 atan(g / (w v))) / w.
  const double v = 1.7, omega = std::sqrt(kStiffness / kMass);
  auto d = ball(kRadius, -v);
  d.forces = {testing_support::gravitation({0, 0, -9.81}), support("Z_Spring", Side::kPush)};
  Trial m(d);
  const double duration = (std::numbers::pi + 2 * std::atan(9.81 / (omega * v))) / omega;
  const int steps = 400;
  const double h = duration / steps;
  const Modes touching = {+1};
  const double energy = m.observe("energy.total", touching);
  double deepest = 0;
  for (int i = 0; i < steps; ++i) {
    const VectorXd y0 = m.y;
    const auto f = [&](const VectorXd& y) {
      m.y = y;
      return m.rates(0, touching);
    };
    const VectorXd k1 = f(y0), k2 = f(y0 + h / 2 * k1), k3 = f(y0 + h / 2 * k2),
                   k4 = f(y0 + h * k3);
    m.y = y0 + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    deepest = std::max(deepest, m.switches()[0]);
  }
  EXPECT_NEAR(m.y[2], kRadius, 1e-9);
  EXPECT_NEAR(m.y[12 + 2], v, 1e-8);
  EXPECT_NEAR(m.observe("energy.total", touching), energy, 1e-7);
  const double amplitude = std::hypot(9.81 / (omega * omega), v / omega);
  EXPECT_NEAR(deepest, 9.81 / (omega * omega) + amplitude, 1e-5);
}

TEST(Directions, BeyondThoseOfTheParametersDoNotMoveThem) {
  auto d = ball(0.05, -0.7);
  d.forces.push_back(support("Z_Spring", Side::kPush));
  d.parameters = {switch_parameter("m", kMass, {"Ball.mass"}),
                  switch_parameter("at", 0, {"Floor.begin.o.z"}),
                  switch_parameter("k", kStiffness, {"Floor.stiffness"})};
  const Model model(d);
  const int ny = model.sizes().ny(), two = 2 * math::kLanes;
  auto ws = model.make_workspace(two);
  math::Directions dp(3, two), one(3, 1), dy(ny, two), out(ny, two);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < two; ++k) dp(i, k) = 1;
    one(i, 0) = 1;
  }
  const VectorXd y = start_state(model);
  rates(model, *ws, 0, y);
  dynamics::PointDirections along;
  along.dy = &dy;
  model.bind_directions(*ws, dp);
  model.directions(*ws, along, out, nullptr);
  EXPECT_GT(std::abs(out(14, two - 1)), 1);
  model.bind_directions(*ws, one);  // what the second chunk held before is no longer asked for
  model.directions(*ws, along, out, nullptr);
  EXPECT_GT(std::abs(out(14, 0)), 1);
  for (int k = 1; k < two; ++k) EXPECT_EQ(out(14, k), 0) << k;
}

}  // namespace
}  // namespace parfait::mbs
