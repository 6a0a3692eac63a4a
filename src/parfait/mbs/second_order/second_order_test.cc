#include "parfait/dynamics/second_order.h"

#include <gtest/gtest.h>

#include "parfait/math/dense_solves.h"
#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "parfait/mechanism/elements/constraint_types.h"
#include "parfait/mechanism/elements/registry.h"
#include "testing/differences.h"
#include "testing/driven_models.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"

// M a + G^T lambda = f, g = 0 and e' of a model: against its own accelerations, against the dense
// witness, and every derivative against extrapolated central differences.
namespace parfait::mbs {
namespace {

using dynamics::Linearization;
using dynamics::SecondOrder;
using dynamics::Triplets;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using math::Directions;
using testing_support::differentiate;
using testing_support::Random;
using testing_support::RandomModelOptions;

MatrixXd dense(const Triplets& t, int rows, int columns) {
  MatrixXd out = MatrixXd::Zero(rows, columns);
  for (int i = 0; i < t.size(); ++i) out(t.row[i], t.column[i]) += t.value[i];
  return out;
}

/// r, g and e', stacked.
VectorXd evaluated(const Model& model, dynamics::Workspace& ws, double t, const VectorXd& y,
                   const VectorXd& lambda) {
  const auto& sizes = model.sizes();
  VectorXd r(sizes.nq), g(sizes.num_pos), edot(sizes.ne);
  dynamics::Point at;
  at.t = t;
  at.y = view(y);
  EXPECT_EQ(model.second_order()->evaluate(ws, at, view(lambda), view(r), view(g), view(edot)),
            dynamics::Status::kOk);
  VectorXd out(r.size() + g.size() + edot.size());
  out << r, g, edot;
  return out;
}

struct Sample {
  std::shared_ptr<const Model> model;
  VectorXd y, lambda;
  double t = 0.3;
};

Sample sample(const Description& description, unsigned seed, bool off = true) {
  Sample s;
  s.model = build(description);
  Random random(seed);
  s.y = start_state(*s.model);
  if (off) s.y += random.vector(static_cast<int>(s.y.size()), 0.05);
  s.lambda = random.vector(s.model->sizes().num_pos, 3.0);
  return s;
}

/// Springs, dampers and laws of every measure on a tree of every kind of joint.
RandomModelOptions everything(bool tree) {
  RandomModelOptions options;
  options.bodies = 5;
  options.tree = tree;
  options.forces = 6;
  return options;
}

/// Two bodies, a force driven by a first-order state which in turn sees the motion, and parameters
/// in everything: inertia, centre, a joint's place, an axis, the spring, the weight, the laws.
Description with_external_state() {
  Description d = testing_support::revolute_chain(2);
  const auto parameter = [&](const std::string& id, double initial,
                             const std::vector<std::string>& targets) {
    Parameter p;
    p.id = id;
    p.initial = initial;
    p.targets = targets;
    d.parameters.push_back(p);
  };
  parameter("gain", 3, {});
  for (const char* target :
       {"body_1.mass", "body_2.com.x", "body_2.inertia.zz", "joint_2.begin.o.x"}) {
    Parameter p;
    p.targets = {target};
    d.parameters.push_back(p);
  }
  State e;
  e.id = "drive";
  e.initial = 0.4;
  e.derivative.formula = "gain*sin(body_2.com.x) - 2*drive + 0.3*body_1.e1.vz + t";
  d.states.push_back(e);
  Force force;
  force.id = "muscle";
  force.key = "General_Linear";
  force.begin = testing_support::marker("body_1", testing_support::frame({0.2, 0.1, 0.3}));
  force.end = testing_support::marker("body_2", testing_support::frame({0.7, 0.4, 0.2}));
  force.law.formula = "drive*length^2 + gain*rate";
  d.forces.push_back(force);
  return d;
}

std::vector<std::pair<std::string, Description>> gallery() {
  using testing_support::random_model;
  RandomModelOptions general = everything(true);
  general.general_frames = general.mixed_coordinates = true;
  RandomModelOptions released = everything(false);
  released.release_constraints = true;
  return {{"chain", random_model(11, everything(false)).description},
          {"tree", random_model(12, everything(true)).description},
          {"general frames", random_model(13, general).description},
          {"released", random_model(14, released).description},
          {"four-bar", testing_support::four_bar()},
          {"Bricard", testing_support::bricard()},
          {"hexapod", testing_support::hexapod()},
          {"driven", testing_support::driven_pendulum().description},
          {"external", with_external_state()}};
}

TEST(SecondOrderOfModel, HoldsWithTheAccelerationsOfTheRightHandSide) {
  for (const auto& [name, description] : gallery()) {
    SCOPED_TRACE(name);
    const auto model = build(description);
    const auto& sizes = model->sizes();
    auto ws = model->make_workspace(0);
    const VectorXd y = projected(*model, *ws, 0.3, start_state(*model));
    const VectorXd rate = rates(*model, *ws, 0.3, y);
    const VectorXd a = rate.segment(sizes.nq, sizes.nq);
    Triplets triplets;
    model->second_order()->mass(*ws, triplets);
    const MatrixXd M = dense(triplets, sizes.nq, sizes.nq);
    const VectorXd free = evaluated(*model, *ws, 0.3, y, VectorXd::Zero(sizes.num_pos));
    Linearization at;
    model->second_order()->linearize(*ws, at);
    const MatrixXd G = dense(at.G, sizes.num_pos, sizes.nq);
    const VectorXd f = free.head(sizes.nq);
    const VectorXd lambda = math::solve_least_squares(G.transpose(), f - M * a);
    const double scale = std::max(f.cwiseAbs().maxCoeff(), (M * a).cwiseAbs().maxCoeff());
    EXPECT_LT((M * a + G.transpose() * lambda - f).cwiseAbs().maxCoeff(), 1e-11 * scale);
    // r is linear in lambda with that G; g and e' are those of the system.
    const VectorXd held = evaluated(*model, *ws, 0.3, y, lambda);
    EXPECT_LT((held.head(sizes.nq) - M * a).cwiseAbs().maxCoeff(), 1e-11 * scale);
    EXPECT_LT(held.segment(sizes.nq, sizes.num_pos).cwiseAbs().maxCoeff(), 1e-11);
    if (sizes.ne > 0) {
      EXPECT_LT((held.tail(sizes.ne) - rate.tail(sizes.ne)).cwiseAbs().maxCoeff(), 1e-12);
    }
  }
}

/// Every kind of constraint that this form takes (those of positions), driven.
std::vector<testing_support::TestModel> driven_positions() {
  std::vector<testing_support::TestModel> tests;
  for (const auto& type : mechanism::constraint_types()) {
    if (type.kind >= RowKind::kV0x) continue;
    for (auto& test : testing_support::driven_models(type.key)) tests.push_back(std::move(test));
  }
  return tests;
}

TEST(SecondOrderOfModel, MatchesTheDenseWitnessAwayFromTheManifold) {
  auto tests = driven_positions();
  tests.push_back(testing_support::random_model(21, everything(true)));
  tests.push_back(testing_support::driven_pendulum());
  for (const auto& test : tests) {
    SCOPED_TRACE(test.description.id);
    const testing_support::DenseModel witness(test.description, test.functions);
    const Sample s = sample(test.description, 5);
    const auto& sizes = s.model->sizes();
    auto ws = s.model->make_workspace(0);
    const VectorXd q = s.y.head(sizes.nq), v = s.y.segment(sizes.nq, sizes.nq);
    Triplets triplets;
    s.model->second_order()->mass(*ws, triplets);
    EXPECT_LT((dense(triplets, sizes.nq, sizes.nq) - witness.M()).cwiseAbs().maxCoeff(),
              1e-12 * witness.M().cwiseAbs().maxCoeff());
    const VectorXd f = evaluated(*s.model, *ws, s.t, s.y, VectorXd::Zero(sizes.num_pos));
    EXPECT_LT(relative_difference(f.head(sizes.nq), witness.f(s.t, q, v, {})), 1e-12);
    EXPECT_LT(relative_difference(f.segment(sizes.nq, sizes.num_pos), witness.g(s.t, q)), 1e-12);
    Linearization at;
    s.model->second_order()->linearize(*ws, at);
    EXPECT_LT((dense(at.G, sizes.num_pos, sizes.nq) - witness.G(s.t, q, v)).cwiseAbs().maxCoeff(),
              1e-12);
  }
}

TEST(SecondOrderOfModel, LinearizationMatchesDifferencesOnAndOffTheManifold) {
  unsigned seed = 31;
  double largest[3] = {};
  for (const auto& [name, description] : gallery()) {
    SCOPED_TRACE(name);
    const Sample s = sample(description, ++seed);
    const auto& sizes = s.model->sizes();
    const int nq = sizes.nq, ng = sizes.num_pos, ne = sizes.ne;
    auto ws = s.model->make_workspace(0);
    evaluated(*s.model, *ws, s.t, s.y, s.lambda);
    Linearization at;
    s.model->second_order()->linearize(*ws, at);
    MatrixXd jacobian = MatrixXd::Zero(nq + ng + ne, sizes.ny());
    jacobian.topRows(nq) << dense(at.dr_dq, nq, nq), dense(at.dr_dv, nq, nq),
        dense(at.dr_de, nq, ne);
    jacobian.block(nq, 0, ng, nq) = dense(at.G, ng, nq);
    jacobian.bottomRows(ne) << dense(at.dedot_dq, ne, nq), dense(at.dedot_dv, ne, nq),
        dense(at.dedot_de, ne, ne);
    Random random(seed);
    for (int part = 0; part < 3; ++part) {  // q, v, e apart, so that no entry hides another
      VectorXd dy = VectorXd::Zero(sizes.ny());
      const int first = part * nq, count = part < 2 ? nq : ne;
      if (count == 0) continue;
      dy.segment(first, count) = random.vector(count, 1.0);
      const auto reference = differentiate(
          [&](double h) -> VectorXd {
            return evaluated(*s.model, *ws, s.t, s.y + h * dy, s.lambda);
          },
          0.02);
      // Difference tables of functions with forces near 1e3 are good to about 1e-9.
      EXPECT_LT(relative_difference(jacobian * dy, reference.value), 1e-8) << "part " << part;
      largest[part] = std::max(largest[part], reference.value.cwiseAbs().maxCoeff());
    }
  }
  for (double x : largest) EXPECT_GT(x, 1e-2);
}

TEST(SecondOrderOfModel, PatternStaysAsItIs) {
  for (const auto& [name, description] : gallery()) {
    SCOPED_TRACE(name);
    Linearization first, second;
    const Sample a = sample(description, 3), b = sample(description, 4);
    auto ws = a.model->make_workspace(0);
    evaluated(*a.model, *ws, 0.1, a.y, a.lambda);
    a.model->second_order()->linearize(*ws, first);
    evaluated(*a.model, *ws, 0.2, b.y, b.lambda);
    a.model->second_order()->linearize(*ws, second);
    EXPECT_EQ(first.dr_dq.row, second.dr_dq.row);
    EXPECT_EQ(first.dr_dq.column, second.dr_dq.column);
    EXPECT_EQ(first.dr_dv.column, second.dr_dv.column);
    EXPECT_EQ(first.G.column, second.G.column);
    EXPECT_NE(first.G.value, second.G.value);
  }
}

/// Everything that moves: time, state, parameters; d(M a) beside it.
void expect_second_directions(const Description& description, unsigned seed) {
  const Sample s = sample(description, seed);
  const auto& sizes = s.model->sizes();
  ASSERT_GT(sizes.np, 0);
  Random random(seed + 100);
  const int lane = 9, count = 11;  // in the second chunk
  const VectorXd p = start_parameters(*s.model), a = random.vector(sizes.nq, 2.0);
  const VectorXd dy = random.vector(sizes.ny(), 1.0), dp = random.vector(sizes.np, 1.0);
  const double dt = 0.7;
  auto ws = s.model->make_workspace(count);
  Directions dps(sizes.np, count), dys(sizes.ny(), count), dr(sizes.nq, count),
      dg(sizes.num_pos, count), dedot(sizes.ne, count), dMa(sizes.nq, count);
  for (int i = 0; i < sizes.np; ++i) dps(i, lane) = dp[i];
  for (int i = 0; i < sizes.ny(); ++i) dys(i, lane) = dy[i];
  std::vector<double> dts(count, 0.0);
  dts[lane] = dt;
  s.model->bind(*ws, view(p));
  s.model->bind_directions(*ws, dps);
  evaluated(*s.model, *ws, s.t, s.y, s.lambda);
  s.model->second_order()->directions(*ws, {.dt = dts, .dy = &dys}, dr, dg, dedot);
  s.model->second_order()->mass_directions(*ws, view(a), dMa);
  VectorXd found(2 * sizes.nq + sizes.num_pos + sizes.ne);
  for (int i = 0; i < sizes.nq; ++i) found[i] = dr(i, lane);
  for (int i = 0; i < sizes.num_pos; ++i) found[sizes.nq + i] = dg(i, lane);
  for (int i = 0; i < sizes.ne; ++i) found[sizes.nq + sizes.num_pos + i] = dedot(i, lane);
  for (int i = 0; i < sizes.nq; ++i) found[found.size() - sizes.nq + i] = dMa(i, lane);
  const auto reference = differentiate(
      [&](double h) -> VectorXd {
        s.model->bind(*ws, view(VectorXd(p + h * dp)));
        Triplets M;
        s.model->second_order()->mass(*ws, M);
        VectorXd out(found.size());
        out << evaluated(*s.model, *ws, s.t + h * dt, s.y + h * dy, s.lambda),
            dense(M, sizes.nq, sizes.nq) * a;
        return out;
      },
      0.01);
  EXPECT_LT(relative_difference(found, reference.value), 1e-8);
  EXPECT_GT(reference.value.cwiseAbs().maxCoeff(), 1e-3);
  for (int i = 0; i < sizes.nq; ++i) EXPECT_EQ(dr(i, 2), 0.0);  // a lane without direction
}

TEST(SecondOrderOfModel, DirectionsOfStatesAndParametersMatchDifferences) {
  expect_second_directions(with_external_state(), 41);
}

TEST(SecondOrderOfModel, DirectionsOfEveryDrivenConstraintKindMatchDifferences) {
  for (const auto& test : driven_positions()) {
    SCOPED_TRACE(test.description.id);
    expect_second_directions(test.description, 42);
  }
}

TEST(SecondOrderOfModel, OneSidedForcesFollowTheMode) {
  // A mass falls onto a one-sided spring. While the mode says "apart" it is not there.
  Description d;
  Body ball;
  ball.id = "ball";
  ball.o = {0, 0, 0.1};
  for (int i = 0; i < 3; ++i) ball.inertia[i][i] = 1.0;
  d.bodies.push_back(ball);
  Force stop;
  stop.key = "Z_Spring";
  stop.id = "stop";
  stop.begin = testing_support::marker("ball", testing_support::frame({0, 0, 0}));
  stop.end = testing_support::marker(kInertial, testing_support::frame({0, 0, 0}));
  stop.constants = {{"rest_length", Value(0.2)}, {"stiffness", Value(50.0)}};
  stop.side = Side::kPush;
  d.forces.push_back(stop);
  const auto model = build(d);
  ASSERT_GT(model->sizes().num_switches, 0);
  auto ws = model->make_workspace(0);
  const VectorXd y = start_state(*model), lambda = VectorXd::Zero(model->sizes().num_pos);
  VectorXd r(12), g(model->sizes().num_pos);
  for (const int sign : {1, -1}) {
    const std::vector<std::int8_t> mode(model->sizes().num_switches,
                                        static_cast<std::int8_t>(sign));
    dynamics::Point at;
    at.y = view(y);
    at.mode = mode;
    ASSERT_EQ(model->second_order()->evaluate(*ws, at, view(lambda), view(r), view(g), {}),
              dynamics::Status::kOk);
    EXPECT_NEAR(r[2], sign > 0 ? 50 * 0.1 : 0, 1e-12);
    Linearization derivative;
    model->second_order()->linearize(*ws, derivative);
    EXPECT_NEAR(dense(derivative.dr_dq, 12, 12)(2, 2), sign > 0 ? -50 : 0, 1e-12);
  }
}

}  // namespace
}  // namespace parfait::mbs
