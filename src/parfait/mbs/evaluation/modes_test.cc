#include "parfait/dynamics/modes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <functional>
#include <numbers>

#include "parfait/dynamics/equilibrium.h"
#include "parfait/dynamics/equilibrium_directions.h"
#include "parfait/dynamics/rest_point.h"
#include "parfait/dynamics/tangent.h"
#include "parfait/math/dense_solves.h"
#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "testing/model_gallery.h"

// Static equilibrium and linear modes of mechanisms against closed forms and against energies along
// the motion, neither of which knows tangent spaces.
namespace parfait::mbs {
namespace {

using dynamics::EquilibriumOutcome;
using dynamics::Stability;
using Eigen::Vector3d;
using Eigen::VectorXd;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing_support::axis_frame;
using testing_support::frame;
using testing_support::marker;

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kGravity = 9.81;

struct Settled {
  explicit Settled(const Description& description, const dynamics::EquilibriumOptions& options = {},
                   double t = 0)
      : model(description), ws(model.make_workspace(0)), y(start_state(model)) {
    report = dynamics::find_equilibrium(model, *ws, t, view(y), {}, options);
    modes = dynamics::analyze_modes(model, *ws, t, view(y), {});
  }
  double at(const std::string& quantity) { return observed(model, *ws, 0, y, quantity); }

  Model model;
  std::unique_ptr<dynamics::Workspace> ws;
  VectorXd y;
  dynamics::EquilibriumReport report;
  dynamics::ModalAnalysis modes;
};

Force make_spring(const std::string& id, double rest, double stiffness, double damping,
                  const Marker& begin, const Marker& end) {
  Force force;
  force.key = "Spring_Damper";
  force.id = id;
  force.begin = begin;
  force.end = end;
  force.constants = {{"Constant_0", rest}, {"Constant_1", stiffness}, {"Constant_2", damping}};
  return force;
}

/// Turns a whole planar chain of Kraus, given along x, by angles against x about y (downwards).
void hang(Description& d, const std::vector<double>& theta) {
  Vector3d o = Vector3d::Zero();
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const double c = std::cos(theta[i]), s = std::sin(theta[i]);
    auto& body = d.bodies[i];
    body.o = {o[0], o[1], o[2]};
    body.x = {c, 0, -s};
    body.z = {s, 0, c};
    o += Vector3d(c, 0, -s);
  }
}

TEST(MechanicalModes, PendulumSwingsWithTheFrequencyOfTheTextbook) {
  // Kraus's body: m = 2, l = 0.5, I about the hinge 2 + m l^2; omega^2 = m g l / I.
  Settled s(testing_support::revolute_chain(1));
  ASSERT_TRUE(s.report.found()) << s.report.message();
  EXPECT_NEAR(s.at("body_1.com.z"), -0.5, 1e-13);
  EXPECT_NEAR(s.at("body_1.com.x"), 0, 1e-13);
  EXPECT_EQ(s.modes.degrees_of_freedom, 1);
  EXPECT_THAT(s.report.neutral, IsEmpty());
  ASSERT_EQ(s.modes.modes.size(), 1u);
  const double omega = std::sqrt(2 * kGravity * 0.5 / (2 + 2 * 0.25));
  EXPECT_NEAR(s.modes.modes[0].frequency, omega / kTurn, 1e-13);
  EXPECT_NEAR(s.modes.modes[0].damping, 0, 1e-14);
  EXPECT_EQ(s.report.stability, Stability::kMarginal);
  EXPECT_LE(s.report.residual, 1e-12);
}

TEST(MechanicalModes, InvertedPendulumIsUnstableAndLeftForTheHangingOne) {
  auto d = testing_support::revolute_chain(1);
  hang(d, {-std::numbers::pi / 2});
  Settled upright(d, {.prefer_stable = false});
  ASSERT_TRUE(upright.report.found());
  EXPECT_NEAR(upright.at("body_1.com.z"), 0.5, 1e-12);
  EXPECT_EQ(upright.report.stability, Stability::kUnstable);
  const double omega = std::sqrt(2 * kGravity * 0.5 / 2.5);
  EXPECT_NEAR(upright.report.growth, omega, 1e-12);

  Settled hanging(d);
  ASSERT_TRUE(hanging.report.found()) << hanging.report.message();
  EXPECT_NEAR(hanging.at("body_1.com.z"), -0.5, 1e-12);
  EXPECT_EQ(hanging.report.stability, Stability::kMarginal);
}

TEST(MechanicalModes, DoublePendulumMatchesItsTwoByTwoEigenproblem) {
  Settled s(testing_support::revolute_chain(2));
  ASSERT_TRUE(s.report.found()) << s.report.message();
  // Angles against the vertical; m = 2, centre at 0.5, length 1, 2 about the centre.
  const double m = 2, c = 0.5, l = 1, inertia = 2;
  Eigen::Matrix2d M, K;
  M << inertia + m * c * c + m * l * l, m * l * c, m * l * c, inertia + m * c * c;
  K << (m * c + m * l) * kGravity, 0, 0, m * c * kGravity;
  const math::SymmetricPairs expected = math::generalized_eigen_pairs(K, M);
  ASSERT_EQ(s.modes.modes.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    const auto& mode = s.modes.modes[i];
    EXPECT_NEAR(mode.frequency, std::sqrt(expected.values[i]) / kTurn, 1e-12);
    // Hanging straight down, e1 turns by the angle along x.
    const auto names = s.model.state_names();
    const auto at = [&](const std::string& name) {
      return mode.shape[std::find(names.begin(), names.end(), name) - names.begin()].real();
    };
    const Eigen::Vector2d u = expected.vectors.col(i);
    EXPECT_NEAR(at("body_1.e1.x") / at("body_2.e1.x"), u[0] / u[1], 1e-11);
  }
}

TEST(MechanicalModes, MassOnSpringAndDamperHasTheDampingOfTheTextbook) {
  const double m = 2, k = 300, damping = 7, rest = 0.4;
  Description d;
  Body body;
  body.id = "Mass";
  body.mass = m;
  for (int i = 0; i < 3; ++i) body.inertia[i][i] = 1.0;
  body.o = {0, 0, -0.5};
  d.bodies.push_back(body);
  Joint rail;
  rail.key = "Prismatic";
  rail.id = "Rail";
  rail.begin = marker(kInertial, axis_frame({0, 0, 0}, {0, 0, 1}));
  rail.end = marker("Mass", axis_frame({0, 0, 0}, {0, 0, 1}));
  d.joints.push_back(rail);
  d.forces.push_back(make_spring("Spring", rest, k, damping, marker(kInertial, frame({0, 0, 0})),
                                 marker("Mass", frame({0, 0, 0}))));
  d.forces.push_back(testing_support::gravitation());
  Settled s(d);
  ASSERT_TRUE(s.report.found()) << s.report.message();
  EXPECT_NEAR(s.at("Mass.com.z"), -(rest + m * kGravity / k), 1e-13);
  EXPECT_EQ(s.report.stability, Stability::kStable);
  ASSERT_EQ(s.modes.modes.size(), 1u);
  EXPECT_NEAR(s.modes.modes[0].frequency, std::sqrt(k / m) / kTurn, 1e-12);
  EXPECT_NEAR(s.modes.modes[0].damping, damping / (2 * std::sqrt(k * m)), 1e-13);
  // The largest coordinate is 1, and it is the one that moves.
  EXPECT_NEAR(std::abs(s.modes.modes[0].shape[2]), 1, 1e-12);
}

/// d^2 f / ds^2 or df / ds at 0 by central differences, extrapolated twice.
double derivative(const std::function<double(double)>& f, int order, double h) {
  const auto d = [&](double step) {
    return order == 1 ? (f(step) - f(-step)) / (2 * step)
                      : (f(step) - 2 * f(0) + f(-step)) / (step * step);
  };
  const double a = d(h), b = d(h / 2), c = d(h / 4);
  const double ab = b + (b - a) / 3, bc = c + (c - b) / 3;
  return bc + (bc - ab) / 15;
}

TEST(MechanicalModes, FourBarWithSpringMatchesItsClosedFormMotion) {
  auto d = testing_support::four_bar();
  const double rest = 1, stiffness = 60;
  d.forces.push_back(make_spring("Spring", rest, stiffness, 0, marker(kInertial, frame({-1, 0, 1})),
                                 marker("body_1", frame({1, 0, 0}))));
  Settled s(d);
  ASSERT_TRUE(s.report.found()) << s.report.message();
  EXPECT_EQ(s.modes.degrees_of_freedom, 1);  // in spite of 3 redundant rows
  ASSERT_EQ(s.modes.modes.size(), 1u);

  // Everything from the crank angle: B is where two circles meet.
  const double l[] = {1.0, 2.2, 1.4};
  const Eigen::Vector2d pivot(2, 0);
  const auto joints = [&](double phi) {
    const Eigen::Vector2d A(std::cos(phi), std::sin(phi));
    const double span = (pivot - A).norm();
    const double along = (l[1] * l[1] - l[2] * l[2] + span * span) / (2 * span);
    const Eigen::Vector2d u = (pivot - A) / span;
    const double across = std::sqrt(l[1] * l[1] - along * along);
    const Eigen::Vector2d B = A + along * u + across * Eigen::Vector2d(-u[1], u[0]);
    return std::array<Eigen::Vector2d, 4>{Eigen::Vector2d::Zero(), A, B, pivot};
  };
  const auto potential = [&](double phi) {
    const auto P = joints(phi);
    double V = 0.5 * stiffness * std::pow((P[1] - Eigen::Vector2d(-1, 1)).norm() - rest, 2);
    for (int k = 0; k < 3; ++k) V += l[k] * kGravity * 0.5 * (P[k] + P[k + 1])[1];
    return V;
  };
  const double phi = std::atan2(s.at("body_1.e1.z"), s.at("body_1.e1.x"));
  EXPECT_NEAR(joints(phi)[2][0], s.at("body_3.origin.x"), 1e-12);
  EXPECT_NEAR(joints(phi)[2][1], s.at("body_3.origin.z"), 1e-12);
  const auto shifted = [&](double x) { return potential(phi + x); };
  EXPECT_NEAR(derivative(shifted, 1, 0.02), 0, 1e-8);
  // 2 T = mass phi'^2: rods of mass l with the inertia of the gallery.
  double mass = 0;
  for (int k = 0; k < 3; ++k) {
    const auto component = [&](int c, bool angle) {
      return derivative(
          [&](double x) {
            const auto Q = joints(phi + x);
            const Eigen::Vector2d r = Q[k + 1] - Q[k];
            return angle ? std::atan2(r[1], r[0]) : 0.5 * (Q[k] + Q[k + 1])[c];
          },
          1, 0.02);
    };
    mass += l[k] * (std::pow(component(0, false), 2) + std::pow(component(1, false), 2));
    mass += (0.008 + l[k] * l[k] * l[k] / 12) * std::pow(component(0, true), 2);
  }
  const double omega = std::sqrt(derivative(shifted, 2, 0.02) / mass);
  EXPECT_NEAR(s.modes.modes[0].frequency, omega / kTurn, 1e-8 * omega);
}

TEST(MechanicalModes, BricardLoopSwingsAsItsEnergiesSay) {
  auto d = testing_support::bricard();
  d.forces.push_back(make_spring("Spring", 0.5, 8, 0, marker(kInertial, frame({0.3, 0.4, -0.2})),
                                 marker("rod_3", frame({0.7, 0, 0}))));
  Settled s(d);
  ASSERT_TRUE(s.report.found()) << s.report.message();
  EXPECT_EQ(s.modes.degrees_of_freedom, 1);
  ASSERT_EQ(s.modes.modes.size(), 1u);
  ASSERT_TRUE(s.modes.modes[0].swings);

  // A curve on the manifold through the equilibrium; x is the displacement along the shape. Energy
  // E = m x'^2 / 2 + k x^2 / 2, and a curve has no other parameter to get wrong.
  const int nq = s.model.sizes().nq;
  const VectorXd shape = s.modes.modes[0].shape.head(nq).real();
  const auto potential = [&](double x) {
    VectorXd y = s.y;
    y.head(nq) += x * shape;
    return observed(s.model, *s.ws, 0, projected(s.model, *s.ws, 0, y), "energy.potential");
  };
  VectorXd moving = s.y;
  moving.segment(nq, nq) = shape;
  const double mass = 2 * observed(s.model, *s.ws, 0, moving, "energy.kinetic");
  EXPECT_NEAR(derivative(potential, 1, 0.05), 0, 1e-8);
  const double omega = std::sqrt(derivative(potential, 2, 0.05) / mass);
  EXPECT_NEAR(s.modes.modes[0].frequency, omega / kTurn, 1e-7 * omega);
}

TEST(MechanicalModes, ChainFoldedUpSettlesHangingDown) {
  auto d = testing_support::revolute_chain(6);
  hang(d, {-1.2, -1.9, -0.4, -2.5, 0.3, -1.5});
  Settled s(d);
  ASSERT_TRUE(s.report.found()) << s.report.message();
  EXPECT_EQ(s.report.stability, Stability::kMarginal);  // nothing damps it
  for (int i = 1; i <= 6; ++i) {
    EXPECT_NEAR(s.at("body_" + std::to_string(i) + ".com.z"), 0.5 - i, 1e-10) << i;
  }
  EXPECT_EQ(s.modes.modes.size(), 6u);
}

TEST(MechanicalModes, StandingChainFallsFromItsUnstableEquilibrium) {
  auto d = testing_support::revolute_chain(3);
  hang(d, std::vector<double>(3, -std::numbers::pi / 2));
  Settled s(d);
  ASSERT_TRUE(s.report.found()) << s.report.message();
  EXPECT_NEAR(s.at("body_3.com.z"), -2.5, 1e-10);
}

TEST(MechanicalModes, HexapodComesToRestAndItsEnergyIsLeast) {
  Settled s(testing_support::hexapod());
  ASSERT_TRUE(s.report.found()) << s.report.message();
  EXPECT_EQ(s.modes.degrees_of_freedom, s.model.degrees_of_freedom());
  EXPECT_EQ(s.modes.modes.size() + s.modes.neutral.cols(), s.modes.degrees_of_freedom);
  const int nq = s.model.sizes().nq;
  const double least = s.at("energy.potential");
  for (const auto& mode : s.modes.modes) {
    VectorXd y = s.y;
    y.head(nq) += 0.01 * mode.shape.head(nq).real();
    const VectorXd moved = projected(s.model, *s.ws, 0, y);
    EXPECT_GT(observed(s.model, *s.ws, 0, moved, "energy.potential"), least);
  }
}

Description resting_body() {
  Description d;
  Body body;
  body.id = "Rock";
  body.mass = 3;
  body.center_of_mass = {0.1, 0.2, -0.1};
  for (int i = 0; i < 3; ++i) body.inertia[i][i] = 1.0 + 0.2 * i;
  body.o = {0.3, -0.7, 2};
  d.bodies.push_back(body);
  return d;
}

TEST(MechanicalModes, FreeBodyIsNeutralInSixDirectionsAndDrifts) {
  Settled s(resting_body());
  ASSERT_TRUE(s.report.found()) << s.report.message();
  EXPECT_EQ(s.report.iterations, 0);
  EXPECT_LE(s.report.moved, 1e-15);
  EXPECT_EQ(s.report.neutral.size(), 6u);
  EXPECT_EQ(s.modes.neutral_names.size(), 6u);
  for (const char* name : {"Rock.o.x", "Rock.o.y", "Rock.o.z"}) {
    EXPECT_THAT(s.report.neutral, Contains(name));
  }
  EXPECT_TRUE(s.modes.drifts);
  EXPECT_THAT(s.modes.modes, IsEmpty());
  EXPECT_EQ(s.report.stability, Stability::kMarginal);
}

TEST(MechanicalModes, FallingBodyHasNoEquilibriumAndIsNamed) {
  auto d = resting_body();
  d.forces.push_back(testing_support::gravitation());
  Settled s(d);
  EXPECT_EQ(s.report.outcome, EquilibriumOutcome::kNoEquilibrium);
  EXPECT_THAT(s.report.moving, ElementsAre("Rock.o.z"));
  EXPECT_THAT(s.report.message(), HasSubstr("Rock.o.z"));
  EXPECT_EQ((s.y - start_state(s.model)).norm(), 0);
}

TEST(MechanicalModes, BodyFallsUntilItRestsOnAOneSidedSpring) {
  auto d = resting_body();
  d.bodies[0].center_of_mass = {0.0, 0.0, 0.0};
  Joint rail;
  rail.key = "Prismatic";
  rail.id = "Rail";
  rail.begin = marker(kInertial, axis_frame({0.3, -0.7, 0}, {0, 0, 1}));
  rail.end = marker("Rock", axis_frame({0, 0, 0}, {0, 0, 1}));
  d.joints.push_back(rail);
  d.forces.push_back(testing_support::gravitation());
  Force floor;
  floor.key = "Z_Spring";
  floor.id = "Floor";
  floor.begin = marker("Rock", frame({0, 0, 0}));
  floor.end = marker(kInertial, frame({0, 0, 0}));
  floor.constants = {{"Constant_0", 0.25}, {"Constant_1", 1e5}};
  floor.side = Side::kPush;
  d.forces.push_back(floor);
  Settled s(d);
  ASSERT_TRUE(s.report.found()) << s.report.message();
  EXPECT_NEAR(s.at("Rock.com.z"), 0.25 - 3 * kGravity / 1e5, 1e-12);
}

TEST(MechanicalModes, NonholonomicSkateHasFewerVelocitiesThanPositions) {
  const Model model(testing_support::skate());
  const auto ws = model.make_workspace(0);
  dynamics::RestPoint point(model, *ws, 0, 1e-12);
  ASSERT_EQ(point.place(start_state(model), VectorXd()), dynamics::Status::kOk);
  EXPECT_EQ(point.n_q(), 3);
  EXPECT_EQ(point.n_v(), 2);
}

TEST(MechanicalModes, DrivenConstraintsAreHeldAndTheirSpeedTold) {
  // Pivot at 0.1 sin(3 t): at t = 0 it moves with 0.3 m/s and does not accelerate.
  const auto d = testing_support::driven_pendulum();
  Settled s(d.description);
  ASSERT_TRUE(s.report.found()) << s.report.message();
  EXPECT_NEAR(s.report.prescribed_speed, 0.3, 1e-9);
  EXPECT_NEAR(s.at("body_2.com.x"), s.at("body_1.origin.x"), 1e-9);
  EXPECT_LT(s.at("body_2.com.z"), s.at("body_1.com.z"));
}

TEST(MechanicalModes, DrivenConstraintsThatAccelerateAreHeldToo) {
  // At t = 0.5 the pivot accelerates with -0.9 sin 1.5 m/s^2; held, the pendulum does not feel it.
  const auto d = testing_support::driven_pendulum();
  Settled s(d.description, {}, 0.5);
  Settled plain(testing_support::revolute_chain(2));
  ASSERT_TRUE(s.report.found()) << s.report.message();
  ASSERT_EQ(s.modes.modes.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(s.modes.modes[i].frequency, plain.modes.modes[i].frequency, 1e-11);
  }
  EXPECT_NEAR(observed(s.model, *s.ws, 0.5, s.y, "body_1.origin.z"), 0.1 * std::sin(1.5), 1e-11);
  EXPECT_LE(s.report.residual, 1e-10);
}

TEST(MechanicalModes, ExternalStatesAreSettledAndCoupled) {
  // e' = (1 - e) / T holds the mass up with the force e: rest at e = 1, eigenvalues of both.
  auto d = testing_support::revolute_chain(1);
  State lag;
  lag.id = "lag";
  lag.initial = 0.3;
  lag.derivative.formula = "(0.5 - lag) / 0.2 + body_1.com.x";
  d.states.push_back(lag);
  Settled s(d);
  ASSERT_TRUE(s.report.found()) << s.report.message();
  EXPECT_NEAR(s.y.tail(1)[0], 0.5, 1e-12);
  ASSERT_EQ(s.modes.modes.size(), 2u);
  const double omega = std::sqrt(2 * kGravity * 0.5 / 2.5);
  EXPECT_NEAR(s.modes.modes[0].frequency, omega / kTurn, 1e-12);
  EXPECT_NEAR(s.modes.modes[1].time_constant, 0.2, 1e-12);
}

TEST(MechanicalModes, DerivativesOfTheEquilibriumMatchDifferences) {
  auto d = testing_support::four_bar();
  d.forces.push_back(make_spring("Spring", 1, 60, 0, marker(kInertial, frame({-1, 0, 1})),
                                 marker("body_1", frame({1, 0, 0}))));
  // A stiffness changes the balance only, a joint's place the manifold as well.
  const auto add_parameter = [&](const std::string& id, const std::string& target) {
    Parameter parameter;
    parameter.id = id;
    parameter.targets = {target};
    d.parameters.push_back(parameter);
  };
  add_parameter("k", "Spring.stiffness");
  add_parameter("reach", d.joints[3].id + ".end.o.x");
  const Model model(d);
  const VectorXd p = start_parameters(model);
  ASSERT_EQ(p.size(), 2);
  const auto settled = [&](const VectorXd& at) {
    const auto ws = model.make_workspace(0);
    model.bind(*ws, view(at));
    VectorXd y = start_state(model);
    EXPECT_TRUE(dynamics::find_equilibrium(model, *ws, 0, view(y), {}).found());
    return y;
  };
  const auto ws = model.make_workspace(2);
  model.bind(*ws, view(p));
  dynamics::Directions dp(2, 2), dy(model.sizes().ny(), 2);
  dp(0, 0) = dp(1, 1) = 1;
  model.bind_directions(*ws, dp);
  const VectorXd y = settled(p);
  ASSERT_EQ(dynamics::equilibrium_directions(model, *ws, 0, view(y), {}, dy),
            dynamics::Status::kOk);
  for (int i = 0; i < 2; ++i) {
    const double h = 1e-4 * std::max(1.0, std::abs(p[i]));
    VectorXd plus = p, minus = p;
    plus[i] += h;
    minus[i] -= h;
    const VectorXd difference = (settled(plus) - settled(minus)) / (2 * h);
    ASSERT_GT(difference.norm(), 1e-4);
    for (int row = 0; row < y.size(); ++row) {
      EXPECT_NEAR(dy(row, i), difference[row], 1e-6 * (1 + difference.norm())) << row;
    }
  }
}

TEST(Tangent, BasisIsOrthonormalAndHasTheRankOfTheProjector) {
  const Description models[] = {testing_support::four_bar(), testing_support::bricard(),
                                testing_support::loop(2),    testing_support::hexapod(),
                                testing_support::tree(4),    testing_support::spherical_chain(5)};
  for (const auto& description : models) {
    const Model model(description);
    const int nq = model.sizes().nq;
    const auto ws = model.make_workspace(16);
    VectorXd y = start_state(model);
    y.segment(nq, nq).setZero();
    y = projected(model, *ws, 0, y);
    dynamics::TangentBasis basis;
    ASSERT_EQ(dynamics::compute_tangent_basis(model, *ws, 16, basis), dynamics::Status::kOk);
    EXPECT_EQ(basis.Tq.cols(), model.degrees_of_freedom());
    EXPECT_EQ(basis.Tv.cols(), model.degrees_of_freedom());
    const auto n = basis.Tq.cols();
    const auto identity = Eigen::MatrixXd::Identity(n, n);
    EXPECT_LE((basis.Tq.transpose() * basis.Tq - identity).norm(), 1e-13);

    // The trace of a projector is its rank; and T is in its range.
    Eigen::MatrixXd P = Eigen::MatrixXd::Identity(nq, nq), PT = basis.Tq;
    const auto part = dynamics::StatePart::kCoordinates;
    ASSERT_EQ(project_columns(model, *ws, 16, part, P), dynamics::Status::kOk);
    ASSERT_EQ(project_columns(model, *ws, 16, part, PT), dynamics::Status::kOk);
    EXPECT_NEAR(P.trace(), static_cast<double>(n), 1e-9);
    EXPECT_LE((PT - basis.Tq).norm(), 1e-10);
  }
}

}  // namespace
}  // namespace parfait::mbs
