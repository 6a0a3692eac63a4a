#include <gtest/gtest.h>

#include <cmath>

#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "testing/dense_model.h"
#include "testing/euler_lagrange.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"

// Accelerations against numbers computed in minimal coordinates: the pendulums of Kraus 2006,
// sections 12.1 and 13.1 as tables, random chains by Euler and Lagrange.
namespace parfait::mbs {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using testing_support::Chain;
using testing_support::DenseModel;
using testing_support::Random;

Description chain_of_k(int n, InertiaPoint about) {
  auto d = testing_support::revolute_chain(n);
  for (auto& body : d.bodies) body.about = about;
  return d;
}

std::vector<std::string> com_quantities(int n, const std::string& component) {
  std::vector<std::string> names;
  for (int i = 1; i <= n; ++i) names.push_back("body_" + std::to_string(i) + ".com." + component);
  return names;
}

// Kraus 2006, section 12.1: chain of n bodies along x at rest, inertia diag(2.5, 2, 2) read about
// the centre of mass or about the origin of the body. Initial vertical accelerations of the
// centres, from joint angles.
struct ChainRow {
  InertiaPoint about;
  std::vector<double> az;
};
const ChainRow kChains[] = {
    {InertiaPoint::kCenterOfMass, {-1.962}},
    {InertiaPoint::kCenterOfMass, {-3.110487805, -6.938780488}},
    {InertiaPoint::kCenterOfMass, {-3.252082192, -7.552356164, -8.842438356}},
    {InertiaPoint::kCenterOfMass,
     {-3.269778493, -7.629040135, -9.080355292, -9.558810838, -9.702347502}},
    {InertiaPoint::kOrigin, {-2.4525}},
    {InertiaPoint::kOrigin, {-3.503571429, -7.707857143}},
    {InertiaPoint::kOrigin, {-3.584423077, -8.112115385, -9.244038462}},
    {InertiaPoint::kOrigin, {-3.590676796, -8.143383978, -9.362859116, -9.688052486, -9.769350829}},
};

TEST(Reference, ChainsOfKrausFallWithAllPrintedDigitsInBothReadingsOfTheInertia) {
  for (const auto& row : kChains) {
    const int n = static_cast<int>(row.az.size());
    const Model model(chain_of_k(n, row.about));
    auto ws = model.make_workspace(0);
    const VectorXd az = observed(model, *ws, 0, start_state(model), com_quantities(n, "az"));
    for (int i = 0; i < n; ++i) EXPECT_NEAR(az[i], row.az[i], 5.1e-10) << n << " body " << i + 1;
  }
}

/// A body of Kraus turned by theta about y (x downward from the world's x), turning with `rate`.
void place(Body& body, const Vector3d& o, const Vector3d& v, double theta, double rate) {
  const double c = std::cos(theta), s = std::sin(theta);
  body.o = {o[0], o[1], o[2]};
  body.x = {c, 0, -s};
  body.y = {0, 1, 0};
  body.z = {s, 0, c};
  body.v = {v[0], v[1], v[2]};
  body.omega = {0, rate, 0};
}

// Kraus 2006, section 13.1 without the spring: angles from x downward (0.4, -0.7), both against the
// world, rates (1.1, -0.6), inertia about the centre.
TEST(Reference, MovingDoublePendulumAcceleratesWithAllPrintedDigits) {
  auto d = chain_of_k(2, InertiaPoint::kCenterOfMass);
  const double theta = 0.4, rate = 1.1;
  place(d.bodies[0], {0, 0, 0}, {0, 0, 0}, theta, rate);
  place(d.bodies[1], {std::cos(theta), 0, -std::sin(theta)},
        rate * Vector3d(-std::sin(theta), 0, -std::cos(theta)), -0.7, -0.6);
  const Model model(d);
  EXPECT_LT(model.assembly().moved, 1e-14);
  auto ws = model.make_workspace(0);
  const VectorXd y = start_state(model);
  const VectorXd ax = observed(model, *ws, 0, y, com_quantities(2, "ax"));
  const VectorXd az = observed(model, *ws, 0, y, com_quantities(2, "az"));
  EXPECT_NEAR(ax[0], -1.669203814, 5.1e-10);
  EXPECT_NEAR(az[0], -2.394439150, 5.1e-10);
  EXPECT_NEAR(ax[1], -2.704174118, 5.1e-10);
  EXPECT_NEAR(az[1], -5.821275513, 5.1e-10);
}

// Kraus 2006, section 12.1: the single pendulum from rest, centre of mass (x, z) and angular rate.
struct PendulumRow {
  double t, x, z, rate;
};
const PendulumRow kPendulum[] = {{0.1, 0.499903769, -0.009809245, 0.392384895},
                                 {0.25, 0.496249241, -0.061128479, 0.979526727},
                                 {0.5, 0.441960904, -0.233817363, 1.915723709}};

TEST(Reference, SinglePendulumSwingsThroughThePrintedPoints) {
  const Model model(chain_of_k(1, InertiaPoint::kCenterOfMass));
  auto ws = model.make_workspace(0);
  VectorXd y = start_state(model);
  constexpr double kStep = 2.5e-3;
  int next = 0;
  for (int i = 1; next < 3; ++i) {
    y = runge_kutta_step(model, *ws, (i - 1) * kStep, kStep, y);
    const auto& row = kPendulum[next];
    if (std::abs(i * kStep - row.t) > 1e-9) continue;
    EXPECT_NEAR(observed(model, *ws, row.t, y, "body_1.com.x"), row.x, 1e-9);
    EXPECT_NEAR(observed(model, *ws, row.t, y, "body_1.com.z"), row.z, 1e-9);
    EXPECT_NEAR(observed(model, *ws, row.t, y, "body_1.wy"), row.rate, 1e-9);
    ++next;
  }
}

// Kraus 2006, section 13.1: the double pendulum with a spring and damper (1 m, 10 N/m, 10 N s/m)
// from (1.5, 0, 1) to the centre of the second body; centre of the second body in both readings of
// the inertia.
struct SpringRow {
  double t, x_com, z_com, x_origin, z_origin;
};
const SpringRow kSpring[] = {{0.1, 1.499572970, -0.031841435, 1.499468071, -0.035029088},
                             {0.2, 1.494124078, -0.116654825, 1.492755975, -0.127102636},
                             {0.3, 1.474461969, -0.239289003, 1.468819619, -0.258103348},
                             {0.4, 1.430976456, -0.384952546, 1.416583725, -0.410662479},
                             {0.5, 1.356763423, -0.538926141, 1.328954149, -0.567896321}};

TEST(Reference, DoublePendulumWithSpringDamperMovesThroughThePrintedPoints) {
  for (auto about : {InertiaPoint::kCenterOfMass, InertiaPoint::kOrigin}) {
    auto d = chain_of_k(2, about);
    Force force;
    force.key = "Spring_Damper";
    force.id = "spring";
    force.begin = testing_support::marker(kInertial, testing_support::frame({1.5, 0, 1}));
    force.end = testing_support::marker("body_2", testing_support::frame({0.5, 0, 0}));
    force.constants = {{"rest_length", 1.0}, {"stiffness", 10.0}, {"damping", 10.0}};
    d.forces.push_back(force);
    const Model model(d);
    auto ws = model.make_workspace(0);
    VectorXd y = start_state(model);
    constexpr double kStep = 2.5e-3;
    for (int i = 0; i < 200; ++i) {
      y = runge_kutta_step(model, *ws, i * kStep, kStep, y);
      if ((i + 1) % 40 != 0) continue;
      const auto& row = kSpring[(i + 1) / 40 - 1];
      const bool com = about == InertiaPoint::kCenterOfMass;
      EXPECT_NEAR(observed(model, *ws, row.t, y, "body_2.com.x"), com ? row.x_com : row.x_origin,
                  1e-9);
      EXPECT_NEAR(observed(model, *ws, row.t, y, "body_2.com.z"), com ? row.z_com : row.z_origin,
                  1e-9);
    }
  }
}

TEST(Reference, RandomChainsAgreeWithEulerAndLagrange) {
  for (int n = 1; n <= 6; ++n) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const Chain chain = testing_support::random_chain(100 * n + seed, n);
      Random random(seed);
      const VectorXd theta = random.vector(chain.num_angles(), 0.8);
      const VectorXd theta_dot = random.vector(chain.num_angles(), 1.5);
      const auto expected = euler_lagrange(chain, theta, theta_dot);
      const Model model(describe(chain, theta, theta_dot));
      auto ws = model.make_workspace(0);
      const VectorXd y = start_state(model);
      for (int i = 0; i < 3; ++i) {
        const std::string component = std::string("a") + "xyz"[i];
        const VectorXd a = observed(model, *ws, 0, y, com_quantities(n, component));
        for (int b = 0; b < n; ++b) {
          const double scale = std::max(1.0, expected.center_acceleration[b].norm());
          EXPECT_LT(std::abs(a[b] - expected.center_acceleration[b][i]) / scale, 1e-10)
              << n << " bodies, seed " << seed << ", body " << b + 1;
        }
      }
    }
  }
}

/// A hanging chain of n equal rods on ball joints, bent like a helix and turning.
Description bent_ball_chain(int n) {
  Chain chain;
  for (int i = 0; i < n; ++i) {
    testing_support::ChainLink link;
    link.spherical = true;
    link.joint_in_parent = Vector3d(i == 0 ? 0 : 1, 0, 0);
    link.mass = 2;
    link.center = Vector3d(0.5, 0, 0);
    link.inertia = Vector3d(2.5, 2, 2).asDiagonal();
    chain.links.push_back(link);
  }
  VectorXd theta(3 * n), rate(3 * n);
  for (int i = 0; i < n; ++i) {
    theta.segment(3 * i, 3) << 0.3 * std::sin(i), 0.4 * std::cos(0.7 * i), 0.25;
    rate.segment(3 * i, 3) << 0.2 * std::cos(i), -0.3 * std::sin(0.4 * i), 0.1;
  }
  return describe(chain, theta, rate);
}

// Chains of balls are where an elimination that symmetrizes its blocks loses digits with every
// link.
TEST(Reference, BentMovingBallChainsOfSixtyAndNinetyLinksKeepTwelveDigits) {
  for (int n : {60, 90}) {
    const auto d = bent_ball_chain(n);
    const Model model(d);
    const DenseModel dense(d);
    auto ws = model.make_workspace(0);
    const auto s = dense.initial_state();
    const VectorXd expected = dense.solve(s).a;
    const VectorXd a = rates(model, *ws, 0, stacked(s)).segment(s.q.size(), s.v.size());
    EXPECT_GT(expected.cwiseAbs().maxCoeff(), 1.0);
    EXPECT_LT(relative_difference(a, expected), 1e-12) << n;  // measured 1e-15
  }
}

}  // namespace
}  // namespace parfait::mbs
