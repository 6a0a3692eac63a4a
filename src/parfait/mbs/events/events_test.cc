#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parfait/math/dense_solves.h"
#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "parfait/mechanism/elements/event.h"
#include "parfait/mechanism/elements/registry.h"
#include "testing/dense_model.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"
#include "testing/system_laws.h"

// Impacts, and events that formulas describe.
namespace parfait::mbs {
namespace {

using dynamics::Status;
using dynamics::SwitchInfo;
using Eigen::Vector3d;
using Eigen::VectorXd;
using ::testing::IsEmpty;
using testing_support::DenseModel;
using testing_support::Random;
using testing_support::RandomModelOptions;

Event impact(const Marker& begin, const Marker& end, double restitution) {
  Event e;
  e.key = "Impact";
  e.id = "Hit";
  e.begin = begin;
  e.end = end;
  e.constants = {{"restitution", restitution}};
  return e;
}

Body sphere(const std::string& id, double mass, const Vector3d& o, const Vector3d& v) {
  Body body;
  body.id = id;
  body.mass = mass;
  for (int i = 0; i < 3; ++i) body.inertia[i][i] = 0.1 * mass;
  body.o = {o.x(), o.y(), o.z()};
  body.v = Number3{v.x(), v.y(), v.z()};
  body.omega = Number3{0, 0, 0};
  return body;
}

struct Jumped {
  explicit Jumped(const Description& d, int which = 0) : model(d), before(start_state(model)) {
    auto ws = model.make_workspace(0);
    after.resize(before.size());
    dynamics::Point at;
    at.y = view(std::as_const(before));
    status = model.jump(*ws, which, at, view(after));
    VectorXd s(model.sizes().num_switches);
    EXPECT_EQ(model.switches(*ws, at, view(s)), Status::kOk);
    gap = s[which];
  }
  int nq() const { return model.sizes().nq; }
  VectorXd v_before() const { return before.segment(nq(), nq()); }
  VectorXd v_after() const { return after.segment(nq(), nq()); }
  Vector3d velocity(int body) const { return after.segment<3>(nq() + 12 * body); }

  Model model;
  VectorXd before, after;
  Status status = Status::kOk;
  double gap = 0;
};

TEST(Impact, TwoSpheresMatchTheTextbookCollision) {
  const double m1 = 2, m2 = 3, u1 = 1.5, u2 = -0.4, e = 0.6;
  Description d;
  d.bodies = {sphere("A", m1, {0, 0, 0}, {0, 0.2, u1}), sphere("B", m2, {0, 0, 0.7}, {0.1, 0, u2})};
  d.events = {impact(testing_support::marker("A", {}), testing_support::marker("B", {}), e)};
  d.events[0].constants.push_back({"radius", 0.7});
  const Jumped jumped(d);
  EXPECT_EQ(jumped.status, Status::kOk);
  EXPECT_NEAR(jumped.gap, 0, 1e-15);
  const double common = (m1 * u1 + m2 * u2) / (m1 + m2);
  EXPECT_LT((jumped.velocity(0) - Vector3d(0, 0.2, common - m2 * e * (u1 - u2) / (m1 + m2))).norm(),
            1e-14);
  EXPECT_LT((jumped.velocity(1) - Vector3d(0.1, 0, common + m1 * e * (u1 - u2) / (m1 + m2))).norm(),
            1e-14);
}

TEST(Impact, LeavesBodiesThatSeparateAsTheyAre) {
  Description d;
  d.bodies = {sphere("A", 2, {0, 0, 0}, {0, 0, -1}), sphere("B", 3, {0, 0, 0.7}, {0, 0, 1})};
  d.events = {impact(testing_support::marker("A", {}), testing_support::marker("B", {}), 0.5)};
  const Jumped jumped(d);
  EXPECT_EQ(jumped.after, jumped.before);
}

TEST(Impact, BallOnAHingedRodKeepsMomentumAboutThePivot) {
  // Rod along x, hinged about y at the origin; the ball falls on it at x = L. About the pivot:
  //   I w + m L v = I w' + m L v',   v' - L w' = -e (v - L w),   v, L w: downward speeds.
  const double L = 0.8, m = 0.5, e = 0.7, v = 2, w = 0.3, m_rod = 3, c = 0.5, theta = 0.4;
  const double I = theta + m_rod * c * c;
  Description d;
  Body rod;
  rod.id = "Rod";
  rod.mass = m_rod;
  rod.center_of_mass[0] = c;
  rod.inertia[0][0] = 0.05;
  rod.inertia[1][1] = theta;
  rod.inertia[2][2] = theta;
  rod.v = Number3{0, 0, 0};
  rod.omega = Number3{0, w, 0};
  d.bodies = {rod, sphere("Ball", m, {L, 0, 0}, {0, 0, -v})};
  Joint hinge;
  hinge.key = "Revolute";
  hinge.id = "Hinge";
  hinge.begin =
      testing_support::marker(kInertial, testing_support::axis_frame({0, 0, 0}, {0, 1, 0}));
  hinge.end = testing_support::marker("Rod", testing_support::axis_frame({0, 0, 0}, {0, 1, 0}));
  d.joints = {hinge};
  d.events = {impact(testing_support::marker("Rod", {}), testing_support::marker("Ball", {}), e)};
  const Jumped jumped(d);
  const double momentum = I * w + m * L * v, bounce = -e * (v - L * w);
  const double w_after = (momentum - m * L * bounce) / (I + m * L * L);
  const double v_after = bounce + L * w_after;
  auto ws = jumped.model.make_workspace(0);
  EXPECT_NEAR(observed(jumped.model, *ws, 0, jumped.after, "Rod.wy"), w_after, 1e-13);
  EXPECT_NEAR(jumped.velocity(1).z(), -v_after, 1e-13);
  EXPECT_GT(std::abs(w_after - w), 0.5);
}

TEST(Impact, PendulumAtAWallReversesItsRate) {
  for (const double e : {1.0, 0.4, 0.0}) {
    auto d = testing_support::revolute_chain(1);
    d.bodies[0].v = Number3{0, 0, 0};
    d.bodies[0].omega = Number3{0, 1.2, 0};  // the tip at (1, 0, 0) moves down
    d.events = {impact(testing_support::marker(kInertial, {}),
                       testing_support::marker("body_1", testing_support::frame({1, 0, 0})), e)};
    const Jumped jumped(d);
    auto ws = jumped.model.make_workspace(0);
    EXPECT_NEAR(observed(jumped.model, *ws, 0, jumped.after, "body_1.wy"), -e * 1.2, 1e-13) << e;
  }
}

/// A moving tree whose bodies 1 and 3 meet, or (ground) whose body 3 meets the world.
Description colliding(unsigned seed, bool ground, double restitution, bool general = true) {
  RandomModelOptions options;
  options.bodies = 4;
  options.tree = true;
  options.general_frames = options.mixed_coordinates = general;
  options.release_constraints = general && seed % 2 == 0;
  options.free_root = !ground;
  options.joints = {"Spherical", "Universal", "FixedDistance"};
  auto d = testing_support::random_model(seed, options).description;
  Random random(seed + 90);
  const auto end = testing_support::marker("body_3", testing_support::frame(random.vector(0.5)));
  const Eigen::Matrix3d R = random.rotation();
  const auto begin = testing_support::marker(ground ? kInertial : "body_1",
                                             testing_support::axes_frame({0, 0, 0}, R));
  auto hit = impact(begin, end, restitution);
  if (general && !ground) hit.begin->frame.has_x = hit.begin->frame.has_y = false;
  d.events = {hit};
  // The normal looks to where the body comes from.
  const Model model(d);
  auto ws = model.make_workspace(0);
  VectorXd s(1), moved(1);
  const VectorXd y = start_state(model);
  const int nq = model.sizes().nq;
  VectorXd later = y;
  later.head(nq) += 1e-6 * y.segment(nq, nq);
  dynamics::Point at;
  at.y = view(std::as_const(y));
  model.switches(*ws, at, view(s));
  at.y = view(std::as_const(later));
  model.switches(*ws, at, view(moved));
  if (moved[0] > s[0]) {
    for (auto* axis : {&d.events[0].begin->frame.z, &d.events[0].begin->frame.x}) {
      for (auto& value : *axis) value.number = -value.number;
    }
  }
  return d;
}

/// Gradient of the gap by differences: the gap is a polynomial of degree two in q where the normal
/// is not normalized, and smooth in any case.
VectorXd gap_gradient(const Model& model, const VectorXd& y) {
  auto ws = model.make_workspace(0);
  const int nq = model.sizes().nq;
  VectorXd n(nq);
  const auto gap = [&](const VectorXd& at_y) {
    VectorXd s(1);
    dynamics::Point at;
    at.y = view(at_y);
    model.switches(*ws, at, view(s));
    return s[0];
  };
  for (int i = 0; i < nq; ++i) {
    VectorXd a = y, b = y;
    a[i] += 1e-4;
    b[i] -= 1e-4;
    n[i] = (gap(a) - gap(b)) / 2e-4;
  }
  return n;
}

TEST(Impact, SolvesTheAugmentedSystemOfTheDenseWitness) {
  for (unsigned seed : {1u, 2u, 3u, 4u}) {
    for (const bool ground : {true, false}) {
      const double e = 0.35;
      const auto d = colliding(seed, ground, e);
      const Jumped jumped(d);
      ASSERT_EQ(jumped.status, Status::kOk);
      const DenseModel dense(d);
      const int nq = jumped.nq();
      const VectorXd q = jumped.before.head(nq), v = jumped.v_before();
      const VectorXd n = gap_gradient(jumped.model, jumped.before);
      const auto G = dense.G(0, q, v);
      Eigen::MatrixXd K = Eigen::MatrixXd::Zero(nq + G.rows(), nq + G.rows());
      K.topLeftCorner(nq, nq) = dense.M();
      K.topRightCorner(nq, G.rows()) = G.transpose();
      K.bottomLeftCorner(G.rows(), nq) = G;
      VectorXd r = VectorXd::Zero(nq + G.rows());
      r.head(nq) = n;
      const VectorXd w = math::solve_least_squares(K, r).topRows(nq);
      const double Lambda = -(1 + e) * n.dot(v) / n.dot(w);
      ASSERT_LT(n.dot(v), -1e-3);
      EXPECT_LT(relative_difference(jumped.v_after(), v + Lambda * w), 1e-8)  // n by differences
          << seed << (ground ? " ground" : " bodies");
      EXPECT_NEAR(n.dot(jumped.v_after()), -e * n.dot(v), 1e-8);
      EXPECT_LT(dense.g_velocity(0, q, jumped.v_after()).cwiseAbs().maxCoeff(), 1e-11);
      EXPECT_GT((jumped.v_after() - v).cwiseAbs().maxCoeff(), 1e-2);
    }
  }
}

TEST(Impact, LosesTheEnergyThatTheRestitutionSays) {
  for (unsigned seed : {1u, 2u, 3u}) {
    for (const bool ground : {true, false}) {
      for (const double e : {1.0, 0.5, 0.0}) {
        const auto d = colliding(seed, ground, e);
        const Jumped jumped(d);
        const DenseModel dense(d);
        const double before = dense.kinetic_energy(jumped.v_before());
        const double after = dense.kinetic_energy(jumped.v_after());
        // Lambda n.w = -(1 + e) s', and the loss is (1 - e^2) s'^2 / (2 n.w).
        const VectorXd n = gap_gradient(jumped.model, jumped.before);
        const VectorXd dv = jumped.v_after() - jumped.v_before();
        const double rate = n.dot(jumped.v_before());
        const double impulse = n.dot(dv);
        const double Lambda = dv.dot(dense.M() * dv) / impulse;  // dv = w Lambda, w M w = n.w
        const double nw = impulse / Lambda;
        EXPECT_NEAR(before - after, (1 - e * e) * rate * rate / (2 * nw), 1e-8 * before)
            << seed << " " << e;
        if (e == 1) {
          EXPECT_NEAR(after, before, 1e-12 * before);
        } else {
          EXPECT_GT(before - after, 1e-5 * before);  // measured from 5.7e-5
        }
        if (e == 0) {
          EXPECT_NEAR(before - after, 0.5 * Lambda * Lambda * nw, 1e-8 * before);
        }
      }
    }
  }
}

TEST(Impact, FreeMechanismsKeepMomentumAndAngularMomentum) {
  for (unsigned seed : {1u, 2u, 3u}) {
    const auto d = colliding(seed, false, 0.5);
    const Jumped jumped(d);
    const DenseModel dense(d);
    const VectorXd q = jumped.before.head(jumped.nq());
    const VectorXd dv = jumped.v_after() - jumped.v_before();
    ASSERT_GT(dv.cwiseAbs().maxCoeff(), 1e-2);
    EXPECT_LT(dense.momentum(dv).norm(), 1e-12 * (1 + dv.cwiseAbs().maxCoeff()));
    EXPECT_LT(dense.angular_momentum(q, dv).norm(), 1e-12 * (1 + dv.cwiseAbs().maxCoeff()));
  }
}

TEST(Impact, LoopWithRedundantRowsKeepsTheConstraints) {
  auto d = testing_support::four_bar();
  d.events = {
      impact(testing_support::marker(kInertial, testing_support::axis_frame({0, 0, 0}, {1, 0, 1})),
             testing_support::marker(d.bodies[1].id, testing_support::frame({1, 0, 0})), 0.5)};
  Jumped jumped(d);
  if (jumped.after == jumped.before) {  // it moved away from this side
    d.events[0].begin->frame.z = {-1.0, 0.0, -1.0};
    Jumped other(d);
    jumped.after = other.after;
  }
  ASSERT_GT((jumped.v_after() - jumped.v_before()).cwiseAbs().maxCoeff(), 0.1);
  EXPECT_LT(DenseModel(d)
                .g_velocity(0, jumped.before.head(jumped.nq()), jumped.v_after())
                .cwiseAbs()
                .maxCoeff(),
            1e-11);
}

/// Everything an event can do, with parameters in all of it.
Description eventful(unsigned seed, bool ground) {
  auto d = colliding(seed, ground, 0.6);
  State x;
  x.id = "x";
  x.initial = 0.4;
  x.derivative.formula = "-x + gain*Cord.length";
  d.states.push_back(x);
  Force cord;
  cord.key = "Spring";
  cord.id = "Cord";
  cord.constants = {{"rest_length", 0.3}, {"stiffness", 20.0}};
  cord.begin = testing_support::marker("body_1", {});
  cord.end = testing_support::marker("body_4", testing_support::frame({0.1, 0.2, 0.3}));
  d.forces.push_back(cord);
  Event full;
  full.id = "Full";
  full.when = "x - 0.1*body_2.com.z - limit + 0.01*abs(body_1.com.vx)";
  full.direction = Passage::kRising;
  full.set("x", "x/2 + body_2.com.vx^2 + gain*limit");
  full.set("gain", "2*gain + sin(t) + 0.01*Cord.force");
  Event clock;
  clock.id = "Clock";
  clock.at = "2*limit + 0.5";
  clock.terminal = true;
  d.events.push_back(full);
  d.events.push_back(clock);
  d.events[0].set("x", "x + 1");
  const auto parameter = [](const std::string& id, double initial,
                            std::vector<std::string> targets) {
    Parameter p;
    p.id = id;
    p.initial = initial;
    p.targets = std::move(targets);
    return p;
  };
  d.parameters = {parameter("m1", 1.3, {"body_1.mass"}),
                  parameter("c3", 0.2, {"body_3.com.y"}),
                  parameter("e", 0.6, {"Hit.restitution"}),
                  parameter("r", 0.05, {"Hit.radius"}),
                  parameter("reach", 0.3, {"Hit.end.o.x"}),
                  parameter("tilt", 0.25, {"Hit.begin.z.y"}),
                  parameter("limit", 0.7, {}),
                  parameter("gain", 0.9, {}),
                  parameter("g", -9.0, {})};
  for (auto& p : d.parameters) {
    if (p.targets.empty()) continue;
    if (p.id == "tilt" || p.id == "reach" || p.id == "c3") p.initial.reset();
  }
  return d;
}

TEST(Events, HaveExactDirections) {
  int hits = 0;
  for (unsigned seed : {1u, 2u, 4u}) {
    for (const bool ground : {true, false}) {
      const Model model(eventful(seed, ground));
      testing_support::LawPoint point;
      point.t = 0.3;
      const VectorXd y = start_state(model) + Random(seed).vector(model.sizes().ny(), 0.01);
      const VectorXd p = start_parameters(model);
      point.y.assign(y.begin(), y.end());
      point.p.assign(p.begin(), p.end());
      testing_support::LawOptions options;
      options.step = 2e-3;
      const auto report = check_system_laws(model, point, options);
      EXPECT_THAT(report.violations, IsEmpty()) << seed << (ground ? " ground" : " bodies");
      EXPECT_GT(report.num_nonzero, 1000);
      hits += (Jumped(eventful(seed, ground)).v_after() - Jumped(eventful(seed, ground)).v_before())
                  .cwiseAbs()
                  .maxCoeff() > 1e-2;
    }
  }
  EXPECT_EQ(hits, 6);
}

TEST(Events, SayWhatTheyAre) {
  const Model model(eventful(1, true));
  const auto infos = model.switch_infos();
  ASSERT_EQ(infos.size(), 4U);
  EXPECT_EQ(infos[0].name, "Hit");
  EXPECT_EQ(infos[0].jump, SwitchInfo::Jump::kFalling);
  EXPECT_FALSE(infos[0].terminal || infos[0].time_only);
  EXPECT_EQ(infos[1].name, "Full");
  EXPECT_EQ(infos[1].jump, SwitchInfo::Jump::kRising);
  EXPECT_EQ(infos[2].jump, SwitchInfo::Jump::kNever);  // the abs in "when"
  EXPECT_EQ(infos[3].name, "Clock");
  EXPECT_EQ(infos[3].jump, SwitchInfo::Jump::kRising);
  EXPECT_TRUE(infos[3].terminal && infos[3].time_only);
  auto ws = model.make_workspace(0);
  VectorXd s(4);
  const VectorXd y = start_state(model);
  dynamics::Point at;
  at.y = view(y);
  model.switches(*ws, at, view(s));
  EXPECT_EQ(s[3], -(2 * 0.7 + 0.5));
}

TEST(Events, SetStatesAndParametersToWhatTheFormulasSayBefore) {
  const Jumped jumped(eventful(1, true), 1);
  const Model& model = jumped.model;
  auto ws = model.make_workspace(0);
  const int nq = jumped.nq();
  ASSERT_EQ(model.sizes().ne, 2);  // x, and gain, which an event sets
  EXPECT_EQ(model.state_names().back(), "gain");
  EXPECT_EQ(jumped.before[2 * nq + 1], 0.9);
  const double vx = observed(model, *ws, 0, jumped.before, "body_2.com.vx");
  const double force = observed(model, *ws, 0, jumped.before, "Cord.force");
  EXPECT_NEAR(jumped.after[2 * nq], 0.4 / 2 + vx * vx + 0.9 * 0.7, 1e-14);
  EXPECT_NEAR(jumped.after[2 * nq + 1], 2 * 0.9 + 0.01 * force, 1e-14);
  EXPECT_EQ(jumped.after.head(2 * nq), jumped.before.head(2 * nq));
  // The formulas follow the new value, and so does the quantity of that name.
  const double length = observed(model, *ws, 0, jumped.after, "Cord.length");
  EXPECT_EQ(observed(model, *ws, 0, jumped.after, "gain"), jumped.after[2 * nq + 1]);
  EXPECT_NEAR(rates(model, *ws, 0, jumped.after)[2 * nq],
              -jumped.after[2 * nq] + jumped.after[2 * nq + 1] * length, 1e-13);
}

TEST(Events, ParameterThatOneSetsStartsWithItsValue) {
  const Model model(eventful(1, true));
  auto ws = model.make_workspace(1);
  VectorXd p = start_parameters(model), y(model.sizes().ny());
  p[7] = 1.75;
  model.bind(*ws, view(p));
  model.start(*ws, view(y), {});
  EXPECT_EQ(y[y.size() - 1], 1.75);
  model.project(*ws, 0, view(y), dynamics::Norm::kMass, 1e-11);
  const VectorXd difference = y - start_state(model);
  EXPECT_LT(difference.head(y.size() - 1).cwiseAbs().maxCoeff(), 1e-12);
}

/// A plug-in's event: the distance of two points falls through a length, and they stick.
struct Distance {
  static constexpr unsigned kUse[2] = {
      mechanism::kPoint | mechanism::kVelocity | mechanism::kForce,
      mechanism::kPoint | mechanism::kVelocity | mechanism::kForce};
  template <class S>
  mechanism::Measured<S> operator()(const mechanism::EndFrame<S>* end) const {
    using math::sqrt;
    using std::sqrt;
    const math::Vec3<S> delta = end[0].point - end[1].point;
    mechanism::Measured<S> m;
    m.s = sqrt(dot(delta, delta));
    m.n = (S(1.0) / m.s) * delta;
    m.rate = dot(m.n, end[0].velocity - end[1].velocity);
    return m;
  }
};
struct Sticking {
  template <class S>
  static S gap(const mechanism::LawInput<S>& in) {
    return in.s - in.constants[0];
  }
  template <class S>
  static S rate_after(const mechanism::LawInput<S>&) {
    return S(0.0);
  }
};

TEST(Events, MayComeFromAPlugIn) {
  registry().add(
      EventType{"Catch", "test", {{"length", "m", "of the cord", {}}}, true, [] {
                  return std::make_unique<mechanism::MeasuredEvent<Distance, Sticking>>();
                }});
  Description d;
  d.bodies = {sphere("A", 2, {0, 0, 0}, {0, 0, 1}), sphere("B", 3, {0, 0, 0.7}, {0, 0, -1})};
  Event hit = impact(testing_support::marker("A", {}), testing_support::marker("B", {}), 0);
  hit.key = "Catch";
  hit.constants = {{"length", 0.5}};
  d.events = {hit};
  const Jumped jumped(d);
  EXPECT_NEAR(jumped.gap, 0.2, 1e-15);
  EXPECT_NEAR(jumped.velocity(0).z(), (2.0 - 3.0) / 5, 1e-14);
  EXPECT_NEAR(jumped.velocity(1).z(), (2.0 - 3.0) / 5, 1e-14);
}

}  // namespace
}  // namespace parfait::mbs
