#include <gtest/gtest.h>

#include "models.h"
#include "parfait/tree/algorithms/derivatives.h"
#include "parfait/tree/algorithms/second_derivatives.h"
#include "parfait/tree/build/mechanism_tree.h"
#include "testing/random_models.h"
#include "two_engines.h"

/// Inputs of systems: torques and forces of joints from outside, against elements that do the same
/// in natural coordinates and against analytic derivatives.
namespace parfait::inputs_test {
namespace {

using testing_support::Random;
using testing_support::TwoEngines;

/// A mechanism, and the same with an actuator at every joint that turns about or slides along z.
struct Driven {
  mechanism::Description plain, with_actuators;
  std::vector<std::string> rates;  ///< of the actuators' measures
  std::vector<double> pulls;       ///< of the actuators: they do the work -pull times rate
};

Driven with_actuators(const mechanism::Description& description, unsigned seed) {
  Random random(seed);
  Driven out{description, description, {}, {}};
  const auto add = [&](const mechanism::Joint& joint, const char* key, const char* constant) {
    mechanism::Force force;
    force.key = key;
    force.id = std::string(constant) + "_at_" + joint.id;
    force.begin = joint.begin;
    force.end = joint.end;
    out.pulls.push_back(random.uniform(1, 3));
    force.constants = {{constant, out.pulls.back(), {}}};
    out.rates.push_back(force.id + ".rate");
    out.with_actuators.forces.push_back(force);
  };
  for (const auto& joint : description.joints) {
    const bool turns = joint.key == "Revolute" || joint.key == "Cylindrical";
    const bool slides = joint.key == "Prismatic" || joint.key == "Cylindrical";
    if (turns) add(joint, "Rotational_Actuator", "torque");
    if (slides) add(joint, "Direction_Actuator", "force");
  }
  return out;
}

std::vector<double> rates_at(const dynamics::System& system, const dynamics::Point& at) {
  const auto ws = system.make_workspace(0);
  std::vector<double> dydt(system.sizes().ny());
  EXPECT_EQ(system.evaluate(*ws, at, dydt, {}), dynamics::Status::kOk);
  return dydt;
}

/// Inputs that do the work of the actuators. Each is the force of one coordinate of a tree.
std::vector<double> inputs_of(const Driven& driven, const tree::Model& model,
                              const std::vector<double>& y) {
  const int nq = model.sizes().nq, nv = model.sizes().nv;
  const auto ws = model.make_workspace(nv);
  const auto observer = model.make_observer(driven.rates);
  std::vector<double> values(driven.rates.size()), u(model.sizes().nu);
  dynamics::Point at;
  at.y = y;
  EXPECT_EQ(model.observe(*ws, *observer, at, values), dynamics::Status::kOk);
  math::Directions dy(model.sizes().ny(), nv), drates(observer->size(), nv);
  for (int k = 0; k < nv; ++k) dy(nq + k, k) = 1;
  dynamics::PointDirections d;
  d.dy = &dy;
  model.observe_directions(*ws, *observer, d, drates);
  for (int i = 0; i < observer->size(); ++i) {
    for (int k = 0; k < nv; ++k) u[k] -= driven.pulls[i] * drates(i, k);
  }
  return u;
}

/// Rates of the natural state, of origins and axes of all bodies, in both engines.
void expect_same_rates(const Driven& driven, bool one_coordinate_each) {
  TwoEngines engines(driven.with_actuators);
  const std::vector<double> y = engines.start();
  const std::vector<double> u = inputs_of(driven, engines.joints(), y);
  if (one_coordinate_each) {
    int acting = 0;
    for (const double each : u) acting += std::abs(each) > 1e-10;
    EXPECT_EQ(acting, static_cast<int>(driven.pulls.size()));
  }

  const tree::Model plain(driven.plain);
  ASSERT_EQ(plain.sizes().nu, plain.sizes().nv);
  dynamics::Point at;
  at.y = y;
  const std::vector<double> without = rates_at(plain, at);
  at.u = u;
  const std::vector<double> dydt = rates_at(plain, at);
  EXPECT_NE(without, dydt);

  math::Directions along(static_cast<int>(y.size()), 1);
  for (int i = 0; i < along.rows(); ++i) along(i, 0) = dydt[i];
  const auto moved = engines.natural_directions(0, y, along, math::Directions(0, 1));
  const std::vector<double> natural_y = engines.natural_state(0, y);
  dynamics::Point natural_at;
  natural_at.y = natural_y;
  const std::vector<double> natural = rates_at(engines.natural(), natural_at);
  ASSERT_EQ(static_cast<int>(natural.size()), moved.rows());
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < natural.size(); ++i) {
    largest = std::max(largest, std::abs(natural[i]));
    difference = std::max(difference, std::abs(natural[i] - moved(static_cast<int>(i), 0)));
  }
  EXPECT_GT(largest, 0.1);
  EXPECT_LT(difference, 1e-11 * largest);
}

TEST(Inputs, AreActuatorsOfJointsInNaturalCoordinates) {
  testing_support::RandomModelOptions options;
  options.joints = {"Revolute", "Cylindrical", "Prismatic", "Spherical", "Universal", "Free"};
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    options.bodies = 2 + static_cast<int>(seed % 7);
    options.tree = seed % 2 == 0;
    const auto driven = with_actuators(random_model(seed, options).description, seed);
    if (driven.pulls.empty()) continue;
    expect_same_rates(driven, true);
  }
  expect_same_rates(with_actuators(bench::revolute_chain(12), 3), true);
}

TEST(Inputs, ActThroughLoops) {
  // An actuator at the joint that closes the loop acts on several coordinates of the tree.
  expect_same_rates(with_actuators(bench::loop(1), 1), false);
  expect_same_rates(with_actuators(bench::loop(3), 2), false);
  expect_same_rates(with_actuators(testing_support::four_bar(), 3), false);
}

/// At the described state of a tree without closures and with generic inputs: directions along
/// every input are H^-1, and pull-backs its transpose. Both by other roads than the system's.
void expect_analytic_derivatives(const mechanism::Description& description) {
  const tree::Model model(description);
  const tree::MechanismTree mechanism(description);
  const tree::Tree& tree = mechanism.tree();
  const int nv = tree.nv, nq = tree.nq;
  Random random(7);
  std::vector<double> u(nv), mu(nv), vdot(nv);
  for (int k = 0; k < nv; ++k) {
    u[k] = random.uniform(-2, 2);
    mu[k] = random.uniform(-1, 1);
  }
  tree::Workspace tree_ws(tree);
  tree::DerivativeWorkspace analytic(tree);
  forward_dynamics_derivatives(tree, mechanism.q(), mechanism.v(), u, {}, tree_ws, analytic, vdot);

  const std::vector<double> y = model.initial_state();
  const auto ws = model.make_workspace(nv);
  std::vector<double> dydt(y.size());
  dynamics::Point at;
  at.y = y;
  at.u = u;
  ASSERT_EQ(model.evaluate(*ws, at, dydt, {}), dynamics::Status::kOk);
  math::Directions du(nv, nv), ddydt(model.sizes().ny(), nv);
  for (int k = 0; k < nv; ++k) du(k, k) = 1;
  dynamics::PointDirections d;
  d.du = &du;
  model.directions(*ws, d, ddydt, nullptr);
  double largest = 0;
  for (const double each : analytic.dvdot_dtau) largest = std::max(largest, std::abs(each));
  for (int i = 0; i < nv; ++i) {
    EXPECT_NEAR(dydt[nq + i], vdot[i], 1e-11 * (1 + std::abs(vdot[i])));
    for (int k = 0; k < nv; ++k) {
      EXPECT_NEAR(ddydt(nq + i, k), analytic.dvdot_dtau[i * nv + k], 1e-12 * largest)
          << i << ' ' << k;
    }
  }
  for (int i = 0; i < nq; ++i) {
    for (int k = 0; k < nv; ++k) EXPECT_EQ(ddydt(i, k), 0);  // q' = N(q) v
  }

  std::vector<double> seed(y.size()), y_bar(y.size()), u_bar(nv), expected(nv);
  std::copy(mu.begin(), mu.end(), seed.begin() + nq);
  dynamics::Pulled to{.t = 0, .y = y_bar, .z = {}, .u = u_bar};
  model.pull_back(*ws, seed, {}, to);
  if (tree.plain) {
    tree::SecondDerivativeWorkspace transposed(tree);
    forward_dynamics_transposed(tree, mechanism.q(), mechanism.v(), u, mu, tree_ws, transposed);
    std::copy_n(transposed.gradient.begin() + 2 * nv, nv, expected.begin());
  } else {
    for (int k = 0; k < nv; ++k) {
      for (int i = 0; i < nv; ++i) expected[k] += mu[i] * analytic.dvdot_dtau[i * nv + k];
    }
  }
  for (int k = 0; k < nv; ++k) EXPECT_NEAR(u_bar[k], expected[k], 1e-12 * nv * largest) << k;
}

TEST(Inputs, HaveTheDerivativesOfForwardDynamics) {
  testing_support::RandomModelOptions options;
  options.joints = {"Spherical",   "Revolute",  "Revolute_2", "Universal",
                    "Cylindrical", "Prismatic", "Free"};
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    options.bodies = 3 + static_cast<int>(seed);
    options.tree = seed % 2 == 0;
    expect_analytic_derivatives(random_model(seed, options).description);
  }
  expect_analytic_derivatives(bench::human());
}

/// The energy of a mechanism without losses grows by what inputs supply, u . v.
TEST(Inputs, SupplyTheirPower) {
  testing_support::RandomModelOptions options;
  options.joints = {"Spherical", "Revolute", "Universal", "Cylindrical", "Prismatic"};
  options.bodies = 5;
  for (const auto& description :
       {random_model(4, options).description, testing_support::four_bar()}) {
    const tree::Model model(description);
    const auto ws = model.make_workspace(1);
    const std::vector<double> y = model.initial_state();
    std::vector<double> u(model.sizes().nu);
    for (std::size_t k = 0; k < u.size(); ++k) u[k] = 0.5 + 0.3 * static_cast<double>(k);
    dynamics::Point at;
    at.y = y;
    at.u = u;
    const std::vector<double> dydt = rates_at(model, at);
    const std::vector<std::string> names = {"energy.total", "power.supplied"};
    const auto observer = model.make_observer(names);
    std::vector<double> values(2);
    ASSERT_EQ(model.observe(*ws, *observer, at, values), dynamics::Status::kOk);
    math::Directions dy(model.sizes().ny(), 1), dvalues(2, 1);
    for (int i = 0; i < dy.rows(); ++i) dy(i, 0) = dydt[i];
    dynamics::PointDirections d;
    d.dy = &dy;
    model.observe_directions(*ws, *observer, d, dvalues);
    EXPECT_GT(std::abs(values[1]), 0.01);
    EXPECT_NEAR(dvalues(0, 0), values[1], 1e-11 * (1 + std::abs(values[0]))) << description.id;
  }
}

/// What is evaluated without inputs forgets those of the evaluation before.
TEST(Inputs, AreZeroUnlessGiven) {
  const tree::Model model(bench::revolute_chain(4));
  const auto ws = model.make_workspace(0);
  const std::vector<double> y = model.initial_state(), u(model.sizes().nu, 1.0),
                            zero(model.sizes().nu, 0.0);
  std::vector<double> rates[3];
  for (int i = 0; i < 3; ++i) {
    dynamics::Point at;
    at.y = y;
    if (i == 0) at.u = u;
    if (i == 2) at.u = zero;
    rates[i].resize(y.size());
    ASSERT_EQ(model.evaluate(*ws, at, rates[i], {}), dynamics::Status::kOk);
  }
  EXPECT_NE(rates[0], rates[1]);
  EXPECT_EQ(rates[1], rates[2]);
  EXPECT_EQ(mbs::Model(bench::revolute_chain(4)).sizes().nu, 0);
}

}  // namespace
}  // namespace parfait::inputs_test
