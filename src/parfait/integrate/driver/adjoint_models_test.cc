#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "parfait/integrate/driver/test_adjoint.h"
#include "parfait/mbs/model.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"

// Adjoint and forward directions over the kinds of mechanisms there are, with parameters of every
// kind, across everything that interrupts a run.
namespace parfait::integrate::adjoint_models_test {
namespace {

using mechanism::Description;
using mechanism::Force;
using test_adjoint::Comparison;
using test_adjoint::difference;
using test_adjoint::Gradients;
using test_adjoint::tolerance;
using testing_support::axis_frame;
using testing_support::frame;
using testing_support::marker;

void drive(Description& d, const std::vector<std::string>& targets) {
  for (const auto& target : targets) {
    mechanism::Parameter p;
    p.id = "p" + std::to_string(d.parameters.size() + 1);
    p.targets = {target};
    d.parameters.push_back(p);
  }
}

Force force(const std::string& key, const std::string& id, const mechanism::Marker& begin,
            const mechanism::Marker& end, const std::vector<mechanism::NamedValue>& constants) {
  Force f;
  f.key = key;
  f.id = id;
  f.begin = begin;
  f.end = end;
  f.constants = constants;
  return f;
}

/// Springs and dampers, a law with an external state, inertia, geometry, gravity.
Description sprung() {
  auto d = testing_support::revolute_chain(3);
  const auto wall = [](double x, double z) {
    return marker(mechanism::kInertial, frame({x, 0, z}));
  };
  d.forces.push_back(force("Spring_Damper", "Spring", wall(0.5, -2),
                           marker("body_2", frame({0.4, 0, 0})),
                           {{"rest_length", 1.5}, {"stiffness", 60.0}, {"damping", 3.0}}));
  d.forces.push_back(force(
      "Rotational_Spring_Damper", "Twist", marker("body_1", axis_frame({1, 0, 0}, {0, 1, 0})),
      marker("body_2", axis_frame({0, 0, 0}, {0, 1, 0})), {{"stiffness", 5.0}, {"damping", 0.5}}));
  auto law = force("General_Linear", "Law", wall(2, 1), marker("body_3", frame({0.7, 0, 0})), {});
  law.law.formula = "8 * (length - 1)^3 + 0.7 * rate + w * length";
  d.forces.push_back(law);
  mechanism::State w;
  w.id = "w";
  w.initial = 0.3;
  w.derivative.formula = "a * (body_3.com.z - w) + 0.1 * sin(t)";
  d.states.push_back(w);
  mechanism::Parameter a;
  a.id = "a";
  a.initial = 2.0;
  d.parameters.push_back(a);
  drive(d, {"body_1.mass", "body_2.com.x", "body_2.inertia.yy", "body_3.cholesky.0",
            "joint_2.begin.o.x", "Gravitation.g", "Spring.stiffness", "Spring.rest_length",
            "Spring.end.o.x", "Twist.damping"});
  return d;
}

/// The free end of two bodies falls onto a soft floor; a cable holds the middle.
Description touching() {
  auto d = testing_support::revolute_chain(2);
  auto floor = force("Z_Spring_Damper", "Floor", marker("body_2", frame({1, 0, 0})),
                     marker(mechanism::kInertial, frame({0, 0, -0.6})),
                     {{"stiffness", 400.0}, {"damping", 4.0}});
  floor.side = mechanism::Side::kPush;
  auto cable = force("Spring", "Cable", marker("body_1", frame({1, 0, 0})),
                     marker(mechanism::kInertial, frame({0, 0, 1})),
                     {{"rest_length", 1.8}, {"stiffness", 90.0}});
  cable.side = mechanism::Side::kPull;
  d.forces.push_back(floor);
  d.forces.push_back(cable);
  drive(d, {"Floor.stiffness", "Floor.damping", "Cable.rest_length", "Cable.stiffness",
            "body_2.mass"});
  return d;
}

/// The pendulum hits a wall at x = 0.3 twice, and each time an external state is set.
Description hitting() {
  auto d = testing_support::revolute_chain(1);
  d.bodies[0].v = mechanism::Number3{0, 0, 0};
  mechanism::State w;
  w.id = "w";
  w.derivative.formula = "body_1.com.x - 0.3 * w";
  d.states.push_back(w);
  mechanism::Event hit;
  hit.id = "Hit";
  hit.key = "Impact";
  hit.begin = marker(mechanism::kInertial, axis_frame({-0.3, 0, 0}, {1, 0, 0}));
  hit.end = marker("body_1", frame({1, 0, 0}));
  hit.constants = {{"restitution", 0.8}};
  hit.set("w", "w + body_1.com.vz");
  d.events = {hit};
  drive(d,
        {"body_1.mass", "body_1.inertia.yy", "body_1.com.x", "Hit.restitution", "Hit.begin.o.x"});
  return d;
}

/// A force by a table with jumps, and a kick at a time that is a parameter.
Description pushed() {
  auto d = testing_support::revolute_chain(2);
  dynamics::Input u;
  u.id = "u";
  u.t = {0, 0.21, 0.43, 0.9};
  u.value = {2, -3, 4, 1};
  u.interpolation = expr::Interpolation::kPrevious;
  d.inputs.push_back(u);
  Force push = force("Z_Actuator", "Push", marker("body_2", frame({1, 0, 0})),
                     marker(mechanism::kInertial, frame({0, 0, 0})), {});
  mechanism::Value value;
  value.formula = "u + k";
  push.constants = {{"force", value}};
  d.forces.push_back(push);
  mechanism::State k;
  k.id = "k";
  k.initial = 1;
  k.derivative.formula = "-k";
  d.states.push_back(k);
  mechanism::Parameter when;
  when.id = "when";
  when.initial = 0.57;
  d.parameters.push_back(when);
  mechanism::Event kick;
  kick.id = "Kick";
  kick.at = "when";
  kick.set("k", "k + 3 * when");
  d.events.push_back(kick);
  drive(d, {"body_1.mass", "joint_1.begin.o.x"});
  return d;
}

Description released() {
  testing_support::RandomModelOptions options;
  options.release_constraints = true;
  options.forces = 3;
  options.bodies = 3;
  auto d = testing_support::random_model(3, options).description;
  drive(d, {d.bodies[0].id + ".mass"});
  return d;
}

Description general() {
  testing_support::RandomModelOptions options;
  options.general_frames = options.mixed_coordinates = options.tree = true;
  options.forces = 5;
  options.bodies = 5;
  auto d = testing_support::random_model(11, options).description;
  drive(d, {d.bodies[1].id + ".mass", d.bodies[2].id + ".com.y"});
  return d;
}

Description with_mass(Description d) {
  drive(d, {d.bodies[1].id + ".mass"});
  return d;
}

struct Case {
  std::string name;
  Description description;
  double t_end = 0.7;
  unsigned events = 0;  ///< at least so many
  bool on_velocities = false;
};

std::vector<Case> cases() {
  auto driven = testing_support::driven_pendulum().description;
  driven.parameters.clear();
  drive(driven, {"body_1.mass", "joint_2.begin.o.z"});
  return {{.name = "sprung", .description = sprung()},
          {.name = "touching", .description = touching(), .t_end = 1.2, .events = 2},
          {.name = "hitting", .description = hitting(), .t_end = 5, .events = 2},
          {.name = "pushed", .description = pushed(), .t_end = 0.9, .events = 1},
          {.name = "driven", .description = driven},
          {.name = "four bar", .description = with_mass(testing_support::four_bar())},
          {.name = "bricard", .description = with_mass(testing_support::bricard())},
          {.name = "hexapod", .description = with_mass(testing_support::hexapod()), .t_end = 0.2},
          {.name = "released", .description = released(), .t_end = 0.3},
          {.name = "general frames", .description = general(), .t_end = 0.3},
          {.name = "skate", .description = testing_support::skate(), .on_velocities = true},
          {.name = "constant speed",
           .description = testing_support::constant_speed_pair(),
           .on_velocities = true}};
}

class AdjointModels : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, AdjointModels,
                         testing::Values(Method::kDop853, Method::kDopri5, Method::kAbm,
                                         Method::kHht),
                         [](const auto& instance) { return std::string(text(instance.param)); });

TEST_P(AdjointModels, EqualForwardDirections) {
  const bool is_hht = GetParam() == Method::kHht;
  for (const Case& one : cases()) {
    if (is_hht && one.on_velocities) continue;  // constraints that hht cannot keep
    const mbs::Model model(one.description);
    const auto g =
        Comparison(model, tolerance(GetParam(), is_hht ? 1e-5 : 1e-8), one.t_end, 9).run();
    EXPECT_LT(difference(g), 1e-10) << one.name;
    EXPECT_GE(g.num_events, one.events) << one.name;
  }
}

}  // namespace
}  // namespace parfait::integrate::adjoint_models_test
