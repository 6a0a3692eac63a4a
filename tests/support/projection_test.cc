#include "testing/projection.h"

#include <gtest/gtest.h>

#include "testing/random_models.h"

namespace parfait::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double largest_entry(const VectorXd& x) {
  return x.size() ? x.lpNorm<Eigen::Infinity>() : 0.0;
}

std::vector<TestModel> models_to_project() {
  std::vector<TestModel> models;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    models.push_back(random_model(
        seed, {.bodies = 3, .general_frames = seed % 2 == 0, .mixed_coordinates = seed > 2}));
  }
  models.push_back({four_bar()});
  models.push_back({bricard()});
  models.push_back(driven_pendulum());
  models.push_back({skate()});
  models.push_back({constant_speed_pair()});
  return models;
}

TEST(Projection, TheMechanicalOneIsConsistentAndOptimal) {
  unsigned seed = 0;
  for (const auto& m : models_to_project()) {
    const DenseModel model(m.description, m.functions);
    Random random(++seed);
    const State start = disturbed(random, model.initial_state(), 0.03);
    ASSERT_GT(largest_entry(model.g(0, start.q)), 1e-3);
    const Projected p = mechanical_projection(model, start);
    EXPECT_LT(largest_entry(model.g(0, p.state.q)), 1e-13) << "model " << seed;
    EXPECT_LT(largest_entry(model.g_velocity(0, p.state.q, p.state.v)), 1e-13) << "model " << seed;
    // The gradient of the distance is in the range of G^T, with the multipliers returned.
    const MatrixXd G = model.dg_dq(0, p.state.q);
    const VectorXd gradient = model.M() * (p.state.q - start.q);
    EXPECT_GT(largest_entry(gradient), 1e-3);
    EXPECT_LT(largest_entry(gradient + G.transpose() * p.lambda_q), 1e-13) << "model " << seed;
    const MatrixXd Gv = model.G(0, p.state.q, p.state.v);
    EXPECT_LT(largest_entry(model.M() * (p.state.v - start.v) + Gv.transpose() * p.lambda_v),
              1e-13);
  }
}

TEST(Projection, TheEuclideanOneIsConsistentAndOptimal) {
  unsigned seed = 0;
  for (const auto& m : models_to_project()) {
    const DenseModel model(m.description, m.functions);
    Random random(++seed);
    const State start = disturbed(random, model.initial_state(), 0.03);
    const Projected p = euclidean_projection(model, start);
    EXPECT_LT(largest_entry(model.g(0, p.state.q)), 1e-13) << "model " << seed;
    EXPECT_LT(largest_entry(model.g_velocity(0, p.state.q, p.state.v)), 1e-13) << "model " << seed;
    VectorXd step(2 * model.nq()), lambda(p.lambda_q.size() + p.lambda_v.size());
    step << p.state.q - start.q, p.state.v - start.v;
    lambda << p.lambda_q, p.lambda_v;
    EXPECT_GT(largest_entry(step), 1e-3);
    const MatrixXd J = model.dc_dx(0, p.state.q, p.state.v);
    EXPECT_LT(largest_entry(step + J.transpose() * lambda), 1e-13) << "model " << seed;
  }
}

TEST(Projection, IsTheNearestOfTheConsistentStatesAround) {
  const DenseModel model(random_model(11, {.bodies = 2}).description);
  Random random(5);
  const State start = disturbed(random, model.initial_state(), 0.05);
  const Projected p = mechanical_projection(model, start);
  const auto distance = [&](const State& y) {
    const VectorXd d = y.q - start.q;
    return d.dot(model.M() * d);
  };
  for (int i = 0; i < 20; ++i) {
    const State neighbour = mechanical_projection(model, disturbed(random, p.state, 1e-2)).state;
    EXPECT_GT(distance(neighbour), distance(p.state));
  }
}

// One free body with orthonormal axes whose second moments are equal in all directions: the nearest
// rotation in the mass norm is the orthogonal polar factor of the disturbed axes.
TEST(Projection, IsotropicBodyGivesThePolarDecomposition) {
  mechanism::Description d;
  mechanism::Body ball;
  ball.id = "ball";
  for (int k = 0; k < 3; ++k) ball.inertia[k][k] = 0.4;
  d.bodies.push_back(ball);
  const DenseModel model(d);
  Random random(2);
  const State start = disturbed(random, model.initial_state(), 0.2);
  const State y = mechanical_projection(model, start).state;
  Eigen::Matrix3d X, Y;
  X << start.q.segment<3>(3), start.q.segment<3>(6), start.q.segment<3>(9);
  Y << y.q.segment<3>(3), y.q.segment<3>(6), y.q.segment<3>(9);
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(X, Eigen::ComputeFullU | Eigen::ComputeFullV);
  EXPECT_GT((X - Y).norm(), 0.1);
  EXPECT_LT((Y - svd.matrixU() * svd.matrixV().transpose()).norm(), 1e-14);
  EXPECT_LT((y.q.head<3>() - start.q.head<3>()).norm(), 1e-15);
}

// Projecting twice changes nothing, so the derivative at a consistent state is a projector, and it
// keeps the motions the constraints allow.
TEST(Projection, DerivativeAtAConsistentStateIsTangent) {
  for (const auto projection : {mechanical_projection, euclidean_projection}) {
    const DenseModel model(
        random_model(7, {.bodies = 2, .joints = {"Universal", "Cylindrical"}}).description);
    const State y = model.initial_state();
    Random random(1);
    const State direction = random_direction(random, y);
    const Derivative d = projection_derivative(projection, model, y, direction);
    EXPECT_LT(d.error, 1e-8);
    EXPECT_LT(largest_entry(model.dc_dx(0, y.q, y.v) * d.value), 1e-8);
    const State tangent{0, d.value.head(model.nq()), d.value.tail(model.nq()), y.e};
    const Derivative twice = projection_derivative(projection, model, y, tangent);
    EXPECT_GT(largest_entry(d.value), 0.1);
    EXPECT_LT(largest_entry(twice.value - d.value), 1e-8);
  }
}

}  // namespace
}  // namespace parfait::testing_support
