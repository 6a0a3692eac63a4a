#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "parfait/math/finite.h"
#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "testing/dense_model.h"
#include "testing/differences.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"

// Quantities by name against closed forms, the dense witness and the balances of Newton and Euler;
// their directions against differences.
namespace parfait::mbs {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using math::Directions;
using testing_support::DenseModel;
using testing_support::differentiate;
using testing_support::Random;
using testing_support::RandomModelOptions;
using testing_support::TestModel;

Number3 number3(const Vector3d& a) {
  return {a[0], a[1], a[2]};
}

Matrix3d turn(int axis, double angle) {
  return Eigen::AngleAxisd(angle, Vector3d::Unit(axis)).toRotationMatrix();
}

Vector3d observed3(const Model& model, const testing_support::State& s, const std::string& name,
                   const std::string& prefix = "") {
  auto ws = model.make_workspace(0);
  std::vector<std::string> names;
  for (const char* c : {"x", "y", "z"}) names.push_back(fmt::format("{}.{}{}", name, prefix, c));
  return observed(model, *ws, s.t, stacked(s), names);
}

/// A tree with a named marker "tip" on every body.
TestModel model_with_markers(unsigned seed, bool general) {
  RandomModelOptions options;
  options.bodies = 5;
  options.tree = true;
  options.general_frames = options.mixed_coordinates = general;
  options.forces = 3;
  auto test = testing_support::random_model(seed, options);
  Random random(seed + 1);
  for (auto& body : test.description.bodies) {
    auto tip = testing_support::marker(body.id, testing_support::frame(random.vector(0.7)));
    tip.id = "tip";
    body.markers.push_back(tip);
  }
  return test;
}

Vector3d point_of(const Marker& marker) {
  return {marker.frame.o[0].number, marker.frame.o[1].number, marker.frame.o[2].number};
}

TEST(Quantities, PointsAndAxesMatchTheDenseModel) {
  for (bool general : {false, true}) {
    const auto test = model_with_markers(61, general);
    const Model model(test.description);
    const DenseModel dense(test.description, test.functions);
    const testing_support::State s = dense.initial_state();
    const VectorXd a = dense.solve(s).a;
    for (int b = 0; b < dense.num_bodies(); ++b) {
      const Body& body = test.description.bodies[b];
      const Vector3d tip = point_of(body.markers.back());
      const auto expect_motion = [&](const std::string& name, auto&& at) {
        EXPECT_LT((observed3(model, s, name) - at(s.q)).norm(), 1e-12) << name;
        EXPECT_LT((observed3(model, s, name, "v") - at(s.v)).norm(), 1e-12) << name;
        EXPECT_LT((observed3(model, s, name, "a") - at(a)).norm(), 1e-9) << name;
      };
      expect_motion(body.id + ".com", [&](const VectorXd& x) { return dense.center(b, x); });
      expect_motion(body.id + ".origin",
                    [&](const VectorXd& x) { return dense.point(b, Vector3d::Zero(), x); });
      expect_motion(body.id + ".tip", [&](const VectorXd& x) { return dense.point(b, tip, x); });
      for (int i = 0; i < 3; ++i) {
        const std::string axis = body.id + ".e" + std::to_string(i + 1);
        const Vector3d unit = Vector3d::Unit(i);
        EXPECT_LT((observed3(model, s, axis) - dense.direction(b, unit, s.q)).norm(), 1e-12);
        EXPECT_LT((observed3(model, s, axis, "v") - dense.direction(b, unit, s.v)).norm(), 1e-12);
      }
    }
  }
}

TEST(Quantities, EnergyMatchesTheDenseModel) {
  for (bool general : {false, true}) {
    for (unsigned seed = 61; seed <= 64; ++seed) {
      const auto test = model_with_markers(seed, general);
      const Model model(test.description);
      const DenseModel dense(test.description, test.functions);
      const testing_support::State s = dense.initial_state();
      auto ws = model.make_workspace(0);
      const VectorXd E = observed(model, *ws, 0, stacked(s),
                                  {"energy.kinetic", "energy.potential", "energy.total"});
      EXPECT_GT(E[0], 0.1);
      EXPECT_NEAR(E[0], dense.kinetic_energy(s.v), 1e-11 * std::max(1.0, E[0]));
      EXPECT_NEAR(E[1], dense.potential_energy(s.q), 1e-11 * std::max(1.0, std::abs(E[1])));
      EXPECT_NEAR(E[2], E[0] + E[1], 1e-12 * std::max(1.0, std::abs(E[2])));
    }
  }
}

const Vector3d kNone = Vector3d::Zero();

/// A body on the ground by a joint, turned by R and shifted by d from begin to end, moving so that
/// its markers do with the angular velocity omega and the velocity u, all in axes of begin.
struct Placed {
  Matrix3d R;
  Vector3d d, omega, u;
};

Description one_joint(const std::string& key, const Placed& at, unsigned seed = 71) {
  Random random(seed);
  const Matrix3d A = random.rotation(), B = random.rotation();
  const Vector3d a = random.vector(0.7), b = random.vector(0.7);
  Description description;
  Body body;
  body.id = "body";
  const Matrix3d X = A * at.R * B.transpose();
  const Vector3d omega = A * at.omega;
  const Vector3d o = a + A * at.d - X * b;
  body.o = number3(o);
  body.x = number3(X.col(0));
  body.y = number3(X.col(1));
  body.z = number3(X.col(2));
  body.omega = number3(omega);
  // d is fixed in begin, which does not move.
  body.v = number3(A * at.u - omega.cross(X * b));
  for (int i = 0; i < 3; ++i) body.inertia[i][i] = 1.0 + 0.1 * i;
  description.bodies = {body};
  Joint joint;
  joint.key = key;
  joint.id = "joint";
  joint.begin = testing_support::marker(kInertial, testing_support::axes_frame(a, A));
  joint.end = testing_support::marker("body", testing_support::axes_frame(b, B));
  if (key == "FixedDistance") joint.constants = {{"distance", at.d.norm()}};
  description.joints = {joint};
  return description;
}

double observed_at_start(const Model& model, const std::string& name) {
  auto ws = model.make_workspace(0);
  return observed(model, *ws, 0, start_state(model), name);
}

TEST(Quantities, RevoluteJointGivesTheAngleItWasBuiltWith) {
  for (const char* key : {"Revolute", "Revolute_2", "Cylindrical"}) {
    for (double angle : {-3.0, -1.2, 0.0, 0.7, 2.9}) {
      const Model model(one_joint(key, {turn(2, angle), kNone, {0, 0, 1.7}, kNone}));
      EXPECT_LT(model.assembly().moved, 1e-13);
      EXPECT_LT(model.assembly().velocity_change, 1e-13);
      EXPECT_NEAR(observed_at_start(model, "joint.angle"), angle, 1e-13) << key;
      EXPECT_NEAR(observed_at_start(model, "joint.rate"), 1.7, 1e-13) << key;
    }
  }
}

TEST(Quantities, SlidingJointGivesTheDisplacementItWasBuiltWith) {
  const Model cylindrical(
      one_joint("Cylindrical", {turn(2, 0.4), {0, 0, -0.8}, {0, 0, 1.1}, {0, 0, 0.6}}));
  const Model prismatic(
      one_joint("Prismatic", {Matrix3d::Identity(), {0, 0, -0.8}, kNone, {0, 0, 0.6}}));
  for (const Model* model : {&cylindrical, &prismatic}) {
    EXPECT_LT(model->assembly().velocity_change, 1e-13);
    EXPECT_NEAR(observed_at_start(*model, "joint.displacement"), -0.8, 1e-13);
    EXPECT_NEAR(observed_at_start(*model, "joint.displacement_rate"), 0.6, 1e-13);
  }
}

TEST(Quantities, UniversalAndSphericalJointsGiveTheirCardanAngles) {
  for (const char* key : {"Spherical", "Universal", "FixedDistance", "Free"}) {
    const bool universal = std::string(key) == "Universal";
    const Vector3d angle(0.5, -0.9, universal ? 0.0 : 1.3);
    const Vector3d rate(0.8, 1.4, universal ? 0.0 : -0.6);
    const Matrix3d Rx = turn(0, angle[0]), Ry = turn(1, angle[1]), Rz = turn(2, angle[2]);
    const Vector3d omega =
        rate[0] * Vector3d::UnitX() + rate[1] * Rx.col(1) + rate[2] * (Rx * Ry).col(2);
    const bool apart = std::string(key) == "FixedDistance" || std::string(key) == "Free";
    const Vector3d d = apart ? Vector3d(0.3, 0.5, -0.2) : Vector3d::Zero();
    const Model model(one_joint(key, {Rx * Ry * Rz, d, omega, kNone}));
    EXPECT_LT(model.assembly().velocity_change, 1e-13) << key;
    for (int i = 0; i < 3; ++i) {
      const std::string number = std::to_string(i + 1);
      EXPECT_NEAR(observed_at_start(model, "joint.angle." + number), angle[i], 1e-13) << key;
      EXPECT_NEAR(observed_at_start(model, "joint.rate." + number), rate[i], 1e-13) << key;
    }
  }
}

TEST(Quantities, AngularVelocityMatchesDescriptionInGeneralFrames) {
  Random random(72);
  const Matrix3d R = random.rotation();
  Matrix3d U;
  U << 1.3, 0.2, -0.3, 0, 0.8, 0.1, 0, 0, 1.1;
  const Matrix3d frames[] = {R, R * U};
  for (const Matrix3d& X : frames) {
    Description d;
    Body body;
    body.id = "body";
    body.x = number3(X.col(0));
    body.y = number3(X.col(1));
    body.z = number3(X.col(2));
    body.omega = Number3{0.3, -1.2, 0.7};
    for (int i = 0; i < 3; ++i) body.inertia[i][i] = 1.0;
    d.bodies = {body};
    const Model model(d);
    EXPECT_NEAR(observed_at_start(model, "body.wx"), 0.3, 1e-13);
    EXPECT_NEAR(observed_at_start(model, "body.wy"), -1.2, 1e-13);
    EXPECT_NEAR(observed_at_start(model, "body.wz"), 0.7, 1e-13);
  }
}

/// m a - m g - reactions, and its moment about the centre of mass, of every body.
void expect_balance(const TestModel& test, const std::string& what) {
  const Model model(test.description);
  const DenseModel dense(test.description, test.functions);
  auto ws = model.make_workspace(0);
  testing_support::State s = dense.initial_state();
  const VectorXd y = projected(model, *ws, s.t, stacked(s));
  s.q = y.head(dense.nq());
  s.v = y.segment(dense.nq(), dense.nq());
  const VectorXd a = rates(model, *ws, s.t, y).segment(dense.nq(), dense.nq());
  const auto& parts = dense.parts();
  const int nb = dense.num_bodies();
  std::vector<Vector3d> force(nb), moment(nb);
  double size = 1;
  for (int b = 0; b < nb; ++b) {
    const auto& body = parts.bodies[b];
    force[b] = body.mass * (dense.center(b, a) - parts.gravity);
    moment[b].setZero();
    for (const auto& m : body.masses) {
      moment[b] += m.mass * (dense.point(b, m.r, s.q) - dense.center(b, s.q))
                                .cross(dense.point(b, m.r, a) - dense.center(b, a));
    }
    size = std::max(size, force[b].norm());
  }
  double reactions = 0;
  std::vector<std::string> ids;
  for (const auto& joint : test.description.joints) ids.push_back(joint.id);
  for (const auto& constraint : test.description.constraints) ids.push_back(constraint.id);
  for (std::size_t j = 0; j < ids.size(); ++j) {
    const auto& c = parts.constraints[nb + j];
    if (c.position_rows.empty() && c.velocity_rows.empty()) continue;
    const Vector3d R = observed3(model, s, ids[j] + ".reaction");
    const Vector3d T = observed3(model, s, ids[j] + ".reaction", "t");
    reactions = std::max({reactions, R.norm(), T.norm()});
    const Vector3d at = c.b.body >= 0 ? dense.point(c.b.body, c.b.point, s.q) : c.b.point;
    for (int side = 0; side < 2; ++side) {
      const int b = side == 0 ? c.b.body : c.a.body;
      if (b < 0) continue;
      const double sign = side == 0 ? 1 : -1;
      force[b] -= sign * R;
      moment[b] -= sign * (T + (at - dense.center(b, s.q)).cross(R));
    }
  }
  EXPECT_GT(reactions, 0.1) << what;
  for (int b = 0; b < nb; ++b) {
    EXPECT_LT(force[b].norm(), 1e-10 * size) << what << " body " << b + 1;
    EXPECT_LT(moment[b].norm(), 1e-10 * size) << what << " body " << b + 1;
  }
}

TEST(Quantities, ReactionsBalanceEveryBodyByNewtonAndEuler) {
  for (const auto& key : testing_support::all_joint_keys()) {
    if (key == "Free") continue;
    for (unsigned seed : {81u, 82u}) {
      RandomModelOptions options;
      options.bodies = 3;
      options.joints = {key};
      options.free_root = key == "Fixed";
      expect_balance(testing_support::random_model(seed, options), key);
    }
  }
  RandomModelOptions tree;
  tree.bodies = 8;
  tree.tree = true;
  expect_balance(testing_support::random_model(83, tree), "tree");
  expect_balance(testing_support::driven_pendulum(), "driven");
  expect_balance({testing_support::four_bar()}, "four-bar");
  expect_balance({testing_support::bricard()}, "Bricard");
}

TEST(Quantities, ReactionOfAHangingPendulumIsItsWeight) {
  auto d = testing_support::revolute_chain(1);
  auto& body = d.bodies[0];
  body.x = {0, 0, -1};
  body.y = {0, 1, 0};
  body.z = {1, 0, 0};
  const Model model(d);
  EXPECT_NEAR(observed_at_start(model, "joint_1.reaction.x"), 0, 1e-12);
  EXPECT_NEAR(observed_at_start(model, "joint_1.reaction.y"), 0, 1e-12);
  EXPECT_NEAR(observed_at_start(model, "joint_1.reaction.z"), 2 * 9.81, 1e-12);
  for (const char* c : {"tx", "ty", "tz"}) {
    EXPECT_NEAR(observed_at_start(model, std::string("joint_1.reaction.") + c), 0, 1e-12);
  }
}

TEST(Quantities, ForceGivesItsMeasureRateAndLaw) {
  const double rest = 0.4, stiffness = 30, damping = 3;
  for (const char* prefix : {"", "Z_", "Direction_"}) {
    RandomModelOptions options;
    options.bodies = 2;
    options.joints = {"Free"};
    options.free_root = true;
    auto d = testing_support::random_model(91, options).description;
    Random random(92);
    const Vector3d a = random.vector(0.5), b = random.vector(0.5);
    const Matrix3d A = random.rotation();
    Force f;
    f.key = std::string(prefix) + "Spring_Damper";
    f.id = "f";
    f.begin = testing_support::marker("body_1", testing_support::axes_frame(a, A));
    f.end = testing_support::marker("body_2", testing_support::frame(b));
    f.constants = {{"rest_length", rest}, {"stiffness", stiffness}, {"damping", damping}};
    d.forces.push_back(f);
    const Model model(d);
    const DenseModel dense(d);
    const testing_support::State s = dense.initial_state();
    const Vector3d delta = dense.point(0, a, s.q) - dense.point(1, b, s.q);
    const Vector3d delta_d = dense.point(0, a, s.v) - dense.point(1, b, s.v);
    const Vector3d z = dense.direction(0, A.col(2), s.q), z_d = dense.direction(0, A.col(2), s.v);
    double length = delta.norm(), rate = delta.dot(delta_d) / delta.norm();
    if (std::string(prefix) == "Z_") {
      length = delta.z();
      rate = delta_d.z();
    } else if (std::string(prefix) == "Direction_") {
      length = delta.dot(z);
      rate = delta_d.dot(z) + delta.dot(z_d);
    }
    EXPECT_NEAR(observed_at_start(model, "f.length"), length, 1e-12) << prefix;
    EXPECT_NEAR(observed_at_start(model, "f.rate"), rate, 1e-12) << prefix;
    EXPECT_NEAR(observed_at_start(model, "f.force"), stiffness * (length - rest) + damping * rate,
                1e-11)
        << prefix;
  }
}

TEST(Quantities, RotationalSpringGivesTheAngleOfTheJointBesideIt) {
  auto d = one_joint("Revolute", {turn(2, 0.7), kNone, {0, 0, 1.7}, kNone});
  Force f;
  f.key = "Rotational_Spring_Damper";
  f.id = "f";
  f.begin = d.joints[0].begin;
  f.end = d.joints[0].end;
  f.constants = {{"rest_angle", 0.2}, {"stiffness", 5.0}, {"damping", 0.5}};
  d.forces = {f};
  const Model model(d);
  EXPECT_NEAR(observed_at_start(model, "f.angle"), 0.7, 1e-13);
  EXPECT_NEAR(observed_at_start(model, "f.rate"), 1.7, 1e-13);
  EXPECT_NEAR(observed_at_start(model, "f.force"), 5.0 * 0.5 + 0.5 * 1.7, 1e-12);
}

/// Every kind of quantity in one model: all joint types, all measures, states, parameters.
Description full_model() {
  RandomModelOptions options;
  options.bodies = 7;
  options.forces = 0;
  Description d;
  for (unsigned seed = 1;; ++seed) {  // one that has most joint types
    d = testing_support::random_model(seed, options).description;
    std::vector<std::string> keys;
    for (const auto& joint : d.joints) keys.push_back(joint.key);
    const auto has = [&](const char* key) {
      return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    if (has("Revolute") && has("Cylindrical") && has("Universal") && has("FixedDistance") &&
        has("Spherical")) {
      break;
    }
  }
  Random random(93);
  auto tip = testing_support::marker("body_2", testing_support::frame(random.vector(0.7)));
  tip.id = "tip";
  d.bodies[1].markers.push_back(tip);
  for (const char* prefix : {"", "Z_", "Direction_", "Rotational_"}) {
    Force f;
    f.key = std::string(prefix) + "Spring_Damper";
    f.id = std::string("f_") + prefix + "sd";
    f.begin = testing_support::marker(
        "body_1", testing_support::axes_frame(random.vector(0.5), random.rotation()));
    f.end = testing_support::marker(
        "body_3", testing_support::axes_frame(random.vector(0.5), random.rotation()));
    f.constants = {{"Constant_0", 0.3}, {"Constant_1", 4.0}, {"Constant_2", 0.4}};
    d.forces.push_back(f);
  }
  Force law = d.forces.back();
  law.key = "General_Linear";
  law.id = "f_law";
  law.constants.clear();
  law.law.formula = "k*length^2 + 0.3*rate + e*cos(t)";
  d.forces.push_back(law);
  mechanism::State e;
  e.id = "e";
  e.initial = 0.4;
  e.derivative.formula = "-k*e + f_sd.length";
  d.states.push_back(e);
  const auto parameter = [&](const std::string& id, const std::string& target) {
    Parameter p;
    p.id = id;
    if (target.empty()) {
      p.initial = 1.5;
    } else {
      p.targets = {target};
    }
    d.parameters.push_back(p);
  };
  parameter("k", "");
  parameter("p_mass", "body_2.mass");
  parameter("p_com", "body_2.com.y");
  parameter("p_inertia", "body_3.inertia.xz");
  parameter("p_tip", "body_2.tip.o.x");
  parameter("p_stiffness", "f_sd.stiffness");
  parameter("p_rest", "f_Rotational_sd.Constant_0");
  parameter("p_anchor", "f_Direction_sd.begin.o.z");
  parameter("p_axis", "f_Rotational_sd.end.x.y");
  for (const auto& joint : d.joints) {
    if (!joint.begin.reference.empty()) continue;
    parameter("p_" + joint.id, joint.id + ".begin.o.y");
    if (joint.begin.frame.has_z) parameter("pz_" + joint.id, joint.id + ".begin.z.x");
    if (joint.key == "FixedDistance") parameter("pd_" + joint.id, joint.id + ".distance");
  }
  for (const auto& force : d.forces) {
    if (force.key == "Gravitation") parameter("p_gravity", force.id + ".Constant_0");
  }
  return d;
}

TEST(Quantities, CalledRatesAreTheTimeDerivativesOfTheirValues) {
  const Model model(full_model());
  const auto names = model.quantity_names();
  const auto exists = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  auto ws = model.make_workspace(0);
  const VectorXd y = start_state(model);
  VectorXd along = VectorXd::Zero(y.size());
  along.head(model.sizes().nq) = y.segment(model.sizes().nq, model.sizes().nq);
  int pairs = 0;
  for (const auto& name : names) {
    std::string rate;
    const auto dot = name.rfind('.');
    if (dot == std::string::npos) continue;
    const std::string head = name.substr(0, dot + 1), tail = name.substr(dot + 1);
    if (tail == "angle" || tail == "length") rate = head + "rate";
    if (tail == "displacement") rate = head + "displacement_rate";
    if (tail == "x" || tail == "y" || tail == "z") rate = fmt::format("{}v{}", head, tail);
    if (head.ends_with(".angle."))
      rate = fmt::format("{}rate.{}", head.substr(0, head.size() - 6), tail);
    if (rate.empty() || !exists(rate)) continue;
    ++pairs;
    const auto expected = differentiate([&](double h) -> VectorXd {
      return VectorXd::Constant(1, observed(model, *ws, 0, y + h * along, name));
    });
    EXPECT_NEAR(observed(model, *ws, 0, y, rate), expected.value[0],
                1e-8 * std::max(1.0, std::abs(expected.value[0])))
        << rate;
  }
  EXPECT_GT(pairs, 7 * 15 + 10);
}

struct Along {
  double dt;
  VectorXd dy, dp;
};

/// Directions of all quantities of the model, and of formulas of them, against differences.
void expect_directions(const Model& model, const VectorXd& y, const Along& d,
                       const std::string& what) {
  auto names = model.quantity_names();
  names.push_back("2*body_1.com.x^2 - k*energy.kinetic + sin(t)*body_2.com.az");
  names.push_back("f_sd.force*f_sd.rate/(1 + e^2)");
  const auto observer = model.make_observer(names);
  auto plain = model.make_workspace(0);
  const VectorXd p = start_parameters(model);
  const auto values = [&](dynamics::Workspace& ws, double h) {
    model.bind(ws, view(VectorXd(p + h * d.dp)));
    VectorXd out(observer->size());
    const VectorXd at_y = y + h * d.dy;
    dynamics::Point at;
    at.t = 0.3 + h * d.dt;
    at.y = view(at_y);
    EXPECT_EQ(model.observe(ws, *observer, at, view(out)), dynamics::Status::kOk);
    return out;
  };
  const auto expected = differentiate([&](double h) { return values(*plain, h); }, 0.01);

  constexpr int kCount = 11, kLane = 9;  // in the second chunk
  auto ws = model.make_workspace(kCount);
  Directions dp(model.sizes().np, kCount), dy(model.sizes().ny(), kCount),
      out(observer->size(), kCount);
  std::vector<double> dt(kCount, 0.0);
  for (int i = 0; i < dp.rows(); ++i) dp(i, kLane) = d.dp[i];
  for (int i = 0; i < dy.rows(); ++i) dy(i, kLane) = d.dy[i];
  dt[kLane] = d.dt;
  model.bind_directions(*ws, dp);
  values(*ws, 0);
  model.bind_directions(*ws, dp);
  dynamics::PointDirections at;
  at.dt = dt;
  at.dy = &dy;
  model.observe_directions(*ws, *observer, at, out);
  int moving = 0;
  for (int i = 0; i < observer->size(); ++i) {
    const double reference = expected.value[i];
    moving += std::abs(reference) > 1e-6;
    EXPECT_NEAR(out(i, kLane), reference, 1e-7 * std::max(1.0, std::abs(reference)))
        << what << ": " << names[i];
    EXPECT_EQ(out(i, 0), 0.0) << names[i];
  }
  EXPECT_GT(moving, 0) << what;
}

TEST(QuantityDirections, StateAndTimeMatchDifferencesForEveryQuantity) {
  const Model model(full_model());
  Random random(94);
  const int ny = model.sizes().ny();
  const VectorXd dy = random.vector(ny, 1.0), none = VectorXd::Zero(model.sizes().np);
  const VectorXd y = start_state(model);
  expect_directions(model, y, {1, dy, none}, "consistent");
  expect_directions(model, y + random.vector(ny, 0.03), {1, dy, none}, "off the manifold");
}

TEST(QuantityDirections, ParametersMatchDifferencesForEveryQuantity) {
  const Model model(full_model());
  Random random(95);
  const int ny = model.sizes().ny(), np = model.sizes().np;
  EXPECT_GE(np, 16);
  const VectorXd y = start_state(model) + random.vector(ny, 0.03);
  for (int i = 0; i < np; ++i) {
    expect_directions(model, y, {0, VectorXd::Zero(ny), VectorXd::Unit(np, i)},
                      model.parameters()[i].id);
  }
}

TEST(QuantityDirections, NeedNoRatesWhereTheValuesNeedNone) {
  // The other road through observe_directions(): no solve.
  const Model model(full_model());
  Random random(96);
  const int ny = model.sizes().ny(), np = model.sizes().np;
  std::vector<std::string> names;
  for (const auto& name : model.quantity_names()) {
    if (!model.make_observer(std::vector<std::string>{name})->needs_rates()) names.push_back(name);
  }
  const auto observer = model.make_observer(names);
  EXPECT_FALSE(observer->needs_rates());
  const VectorXd y = start_state(model) + random.vector(ny, 0.03), p = start_parameters(model);
  const VectorXd dy = random.vector(ny, 1.0), dp = 0.2 * random.vector(np, 1.0);
  auto plain = model.make_workspace(0), ws = model.make_workspace(1);
  const auto values = [&](dynamics::Workspace& w, double h) {
    model.bind(w, view(VectorXd(p + h * dp)));
    VectorXd out(observer->size());
    const VectorXd at_y = y + h * dy;
    dynamics::Point at;
    at.t = 0.3 + h;
    at.y = view(at_y);
    EXPECT_EQ(model.observe(w, *observer, at, view(out)), dynamics::Status::kOk);
    return out;
  };
  const auto expected = differentiate([&](double h) { return values(*plain, h); }, 0.01);
  Directions dp_lanes(np, 1), dy_lanes(ny, 1), out(observer->size(), 1);
  for (int i = 0; i < np; ++i) dp_lanes(i, 0) = dp[i];
  for (int i = 0; i < ny; ++i) dy_lanes(i, 0) = dy[i];
  const double dt[] = {1.0};
  values(*ws, 0);
  model.bind_directions(*ws, dp_lanes);
  dynamics::PointDirections at;
  at.dt = dt;
  at.dy = &dy_lanes;
  model.observe_directions(*ws, *observer, at, out);
  for (int i = 0; i < observer->size(); ++i) {
    EXPECT_NEAR(out(i, 0), expected.value[i], 1e-7 * std::max(1.0, std::abs(expected.value[i])))
        << names[i];
  }
}

TEST(Quantities, StatesParametersAndTimeAreTheGivenNumbers) {
  const Model model(full_model());
  auto ws = model.make_workspace(0);
  VectorXd y = start_state(model), p = start_parameters(model);
  y[y.size() - 1] = 0.77;
  p[0] = 2.5;
  model.bind(*ws, view(p));
  const VectorXd values = observed(model, *ws, 1.25, y, {"e", "k", "t", "k*e + t^2"});
  EXPECT_EQ(values[0], 0.77);
  EXPECT_EQ(values[1], 2.5);
  EXPECT_EQ(values[2], 1.25);
  EXPECT_NEAR(values[3], 2.5 * 0.77 + 1.25 * 1.25, 1e-14);
}

TEST(Quantities, NeedRatesOnlyForAccelerationsAndReactions) {
  const Model model(full_model());
  const auto needs = [&](const std::string& name) {
    return model.make_observer(std::vector<std::string>{name})->needs_rates();
  };
  int needing = 0;
  for (const auto& name : model.quantity_names()) {
    const bool acceleration =
        name.ends_with(".ax") || name.ends_with(".ay") || name.ends_with(".az");
    const bool expected =
        acceleration || name.find(".reaction.") != std::string::npos || name == "power.supplied";
    EXPECT_EQ(needs(name), expected) << name;
    needing += expected;
  }
  EXPECT_GT(needing, 7 * 6);
  EXPECT_TRUE(needs("2*body_1.com.ax"));
  EXPECT_FALSE(needs("2*body_1.com.vx"));
}

std::string message_for(const Model& model, const std::string& quantity) {
  try {
    model.make_observer(std::vector<std::string>{quantity});
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Quantities, UnknownNamesAreErrorsThatSuggestTheNearest) {
  const Model model(full_model());
  const auto suggests = [&](const std::string& wrong, const std::string& right) {
    const std::string message = message_for(model, wrong);
    EXPECT_NE(message.find("Did you mean \"" + right + "\"?"), std::string::npos) << message;
  };
  suggests("body_1.con.x", "body_1.com.x");
  suggests("enery.total", "energy.total");
  suggests("2*enery.total + 1", "energy.total");
  EXPECT_NE(message_for(model, "completely_different_thing").find("unknown quantity"),
            std::string::npos);
  EXPECT_NE(message_for(model, "body_1.com.x +"), "");
}

TEST(Quantities, ShownByDefaultAreThereAndFinite) {
  const Model model(full_model());
  auto ws = model.make_workspace(0);
  const auto names = model.default_quantities();
  EXPECT_EQ(names.size(), 3 * 7 + 1 + 3u);
  EXPECT_TRUE(math::all_finite(observed(model, *ws, 0, start_state(model), names)));
}

}  // namespace
}  // namespace parfait::mbs
