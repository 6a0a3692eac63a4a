#include <gtest/gtest.h>

#include <cmath>

#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "testing/dense_model.h"
#include "testing/model_gallery.h"
#include "testing/projection.h"
#include "testing/random_models.h"

// Initial states as people type them: nearly right.
namespace parfait::mbs {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using testing_support::DenseModel;
using testing_support::Random;
using testing_support::RandomModelOptions;

double rounded(double x, int digits) {
  const double unit = std::pow(10.0, digits);
  return std::round(x * unit) / unit;
}

void round_numbers(Number3& a, int digits) {
  for (double& x : a) x = rounded(x, digits);
}

/// Largest violation, of positions then velocities.
std::pair<double, double> violation(const Model& model) {
  auto ws = model.make_workspace(0);
  const auto& sizes = model.sizes();
  VectorXd g(sizes.num_pos + sizes.num_vel);
  model.invariants(*ws, 0, view(start_state(model)), view(g));
  return {g.head(sizes.num_pos).cwiseAbs().maxCoeff(), g.tail(sizes.num_vel).cwiseAbs().maxCoeff()};
}

std::string message_of(const Description& d) {
  try {
    const Model model(d);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Assembly, LeavesAConsistentStateAlone) {
  const auto test = testing_support::random_model(51);
  const Model model(test.description);
  EXPECT_LT(model.assembly().moved, 1e-10);
  EXPECT_LT(model.assembly().velocity_change, 1e-10);
  EXPECT_LE(model.assembly().iterations, 1);
  const DenseModel dense(test.description, test.functions);
  EXPECT_LT((start_state(model) - stacked(dense.initial_state())).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(Assembly, RoundedOriginsMoveToTheNearestConsistentPosition) {
  for (unsigned seed = 51; seed <= 54; ++seed) {
    RandomModelOptions options;
    options.bodies = 4;
    auto test = testing_support::random_model(seed, options);
    for (auto& body : test.description.bodies) round_numbers(body.o, 3);
    const Model model(test.description);
    EXPECT_LT(violation(model).first, 1e-11);
    EXPECT_LT(violation(model).second, 1e-11);
    const DenseModel dense(test.description, test.functions);
    const auto described = dense.initial_state();
    const auto nearest = mechanical_projection(dense, described).state;
    const VectorXd y = start_state(model), moved = y - stacked(described);
    EXPECT_LT((y - stacked(nearest)).cwiseAbs().maxCoeff(), 1e-9) << seed;
    // What the report says: the longest displacement of an origin or axis.
    const int nq = model.sizes().nq;
    double longest = 0, fastest = 0;
    for (int i = 0; i < nq; i += 3) {
      longest = std::max(longest, moved.segment(i, 3).norm());
      fastest = std::max(fastest, moved.segment(nq + i, 3).norm());
    }
    EXPECT_NEAR(model.assembly().moved, longest, 1e-12);
    EXPECT_NEAR(model.assembly().velocity_change, fastest, 1e-12);
    EXPECT_GT(longest, 1e-5);
    EXPECT_LT(longest, 5e-3);
    EXPECT_GE(model.assembly().iterations, 1);
  }
}

TEST(Assembly, ClosesALoopTypedWithFourDigits) {
  for (const auto& exact : {testing_support::four_bar(), testing_support::loop(1)}) {
    auto d = exact;
    for (auto& body : d.bodies) {
      for (Number3* a : {&body.o, &body.x, &body.y, &body.z}) round_numbers(*a, 4);
      if (body.v) round_numbers(*body.v, 4);
      if (body.omega) round_numbers(*body.omega, 4);
    }
    const Model model(d), truth(exact);
    EXPECT_LT(violation(model).first, 1e-11);
    EXPECT_LT(violation(model).second, 1e-11);
    EXPECT_GT(model.assembly().moved, 1e-6);
    EXPECT_LT((start_state(model) - start_state(truth)).cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_EQ(model.degrees_of_freedom(), truth.degrees_of_freedom());
  }
}

TEST(Assembly, MakesVelocitiesFitTheJointsAndSaysByHowMuch) {
  auto d = testing_support::revolute_chain(2);
  d.bodies[0].omega =
      Number3{0, 1, 0};  // the second body would have to move along: it stands still
  const Model model(d);
  EXPECT_LT(model.assembly().moved, 1e-14);
  EXPECT_GT(model.assembly().velocity_change, 0.1);
  EXPECT_LT(violation(model).second, 1e-12);
  // Nearest in the mass norm: one rate theta' of each body about y, by hand. Body of Kraus: Theta =
  // 2 about its centre, m = 2. Wanted rates 1 and 0, centres' velocities -0.5 and 0 (along z).
  //   min (a - 1)^2 2 + 2 (-a/2 + 1/2)^2 + 2 b^2 + 2 (-a - b/2)^2
  Eigen::Matrix2d H;
  H << 2 * 2 + 2 * 0.25 * 2 + 2 * 2, 2, 2, 2 * 2 + 2 * 0.25 * 2;
  const Eigen::Vector2d rate = H.inverse() * Eigen::Vector2d(4 + 1, 0);
  auto ws = model.make_workspace(0);
  EXPECT_NEAR(observed(model, *ws, 0, start_state(model), "body_1.wy"), rate[0], 1e-12);
  EXPECT_NEAR(observed(model, *ws, 0, start_state(model), "body_2.wy"), rate[1], 1e-12);
}

TEST(Assembly, StartsOnADrivenConstraint) {
  auto test = testing_support::driven_pendulum();
  for (auto& c : test.description.constraints) {
    if (c.id == "pivot_z") c.offset.formula = "0.05*cos(3*t)";
  }
  const Model model(test.description);
  EXPECT_LT(violation(model).first, 1e-11);
  EXPECT_GT(model.assembly().moved, 0.02);
  auto ws = model.make_workspace(0);
  EXPECT_NEAR(observed(model, *ws, 0, start_state(model), "body_1.origin.z"), 0.05, 1e-10);
}

TEST(Assembly, FindsAPositionFromFarAwayWhereTheNearestIsOutOfReach) {
  Random random(56);
  int found = 0;
  for (int i = 0; i < 20; ++i) {
    auto d = testing_support::revolute_chain(3);
    for (auto& body : d.bodies) {
      const Eigen::Matrix3d X = random.rotation();
      for (int k = 0; k < 3; ++k) {
        body.o[k] = random.uniform(-4, 4);
        body.x[k] = X(k, 0);
        body.y[k] = X(k, 1);
        body.z[k] = X(k, 2);
      }
    }
    try {
      const Model model(d);
      EXPECT_LT(violation(model).first, 1e-11);
      EXPECT_GT(model.assembly().moved, 1);
      ++found;
    } catch (const base::InputError& error) {
      // Which of both ways an axis is turned is left to chance here.
      EXPECT_NE(std::string(error.what()).find("opposite directions"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_GE(found, 3);  // of 20: three joints with two ways each
}

TEST(Assembly, TurnsAnAxisThatIsAtARightAngleToWhereItBelongs) {
  auto d = testing_support::revolute_chain(1);
  auto& frame = d.joints[0].end.frame;
  frame.x = {0.0, 1.0, 0.0};
  frame.y = {0.0, 0.0, 1.0};
  frame.z = {1.0, 0.0, 0.0};
  const Model model(d);
  EXPECT_LT(violation(model).first, 1e-11);
}

TEST(Assembly, ImpossibleLoopFailsAndNamesTheConstraints) {
  auto d = testing_support::four_bar();
  d.joints[3].end.frame.o = {12.0, 0.0, 0.0};
  d.joints[3].place = {"linkage.xml", 14, 3};
  const std::string message = message_of(d);
  EXPECT_NE(message.find("cannot be assembled"), std::string::npos) << message;
  EXPECT_NE(message.find("position"), std::string::npos) << message;
  EXPECT_NE(message.find("joint_"), std::string::npos) << message;
}

TEST(Assembly, InconsistentVelocitiesFailAndNameTheConstraint) {
  // Two points of one rod are to have the same speed against each other that its length forbids.
  auto d = testing_support::revolute_chain(1);
  d.bodies[0].omega = Number3{0, 1, 0};
  Constraint c;
  c.key = "V0_x";
  c.id = "slide";
  c.begin = testing_support::marker("body_1", testing_support::frame({0, 0, 0}));  // the pivot
  c.end = testing_support::marker(kInertial, testing_support::frame({0, 0, 0}));
  c.offset = 0.4;
  d.constraints.push_back(c);
  const std::string message = message_of(d);
  EXPECT_NE(message.find("velocity"), std::string::npos) << message;
  EXPECT_NE(message.find("slide"), std::string::npos) << message;
}

TEST(Assembly, OppositeAxesAreAnError) {
  for (const char* key : {"Revolute", "Revolute_2", "Cylindrical", "Prismatic", "Fixed"}) {
    auto d = testing_support::revolute_chain(1);
    d.joints[0].key = key;
    d.joints[0].place = {"arm.xml", 7, 5};
    auto& frame = d.joints[0].end.frame;
    frame.y = {-1.0, 0.0, 0.0};
    frame.z = {0.0, -1.0, 0.0};
    const std::string message = message_of(d);
    EXPECT_NE(message.find("opposite directions"), std::string::npos) << key << ": " << message;
    EXPECT_NE(message.find("arm.xml:7:5"), std::string::npos) << message;
    EXPECT_NE(message.find("joint_1"), std::string::npos) << message;
  }
}

/// A free body with the axes given.
Description free_body(const Eigen::Matrix3d& X) {
  Description d;
  Body body;
  body.id = "body";
  for (int k = 0; k < 3; ++k) {
    body.x[k] = X(k, 0);
    body.y[k] = X(k, 1);
    body.z[k] = X(k, 2);
  }
  for (int i = 0; i < 3; ++i) body.inertia[i][i] = 1.0;
  d.bodies = {body};
  return d;
}

Eigen::Matrix3d start_axes(const Model& model) {
  const VectorXd y = start_state(model);
  return Eigen::Matrix3d::Map(y.data() + 3);
}

TEST(Assembly, TakesAxesOfFourDigitsForOrthonormal) {
  Random random(55);
  Eigen::Matrix3d X = random.rotation();
  for (double& x : X.reshaped()) x = rounded(x, 4);
  EXPECT_GT((X.transpose() * X - Eigen::Matrix3d::Identity()).norm(), 1e-6);
  const Model model(free_body(X));
  const Eigen::Matrix3d result = start_axes(model);
  EXPECT_LT((result.transpose() * result - Eigen::Matrix3d::Identity()).norm(), 1e-11);
  EXPECT_LT((result - X).norm(), 2e-4);
  EXPECT_GT(model.assembly().moved, 1e-6);
}

TEST(Assembly, KeepsLengthsAndAnglesOfAGeneralFrame) {
  Random random(56);
  Eigen::Matrix3d U;
  U << 1.2, 0.1, -0.2, 0, 0.9, 0.05, 0, 0, 1.05;
  const Eigen::Matrix3d X = random.rotation() * U;
  const Model model(free_body(X));
  EXPECT_LT((start_axes(model) - X).norm(), 1e-13);
  EXPECT_LT(model.assembly().moved, 1e-13);
}

}  // namespace
}  // namespace parfait::mbs
