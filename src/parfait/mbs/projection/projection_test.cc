#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "parfait/math/dense_solves.h"
#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "parfait/mechanism/checks/check_description.h"
#include "parfait/mechanism/constants/element_constants.h"
#include "testing/differences.h"
#include "testing/model_gallery.h"
#include "testing/projection.h"
#include "testing/random_models.h"

// Projections against the exact solution of the minimum problem, and their directions against
// extrapolated differences of the projection itself.
namespace parfait::mbs {
namespace {

using dynamics::Norm;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using math::Directions;
using testing_support::DenseModel;
using testing_support::differentiate;
using testing_support::Random;
using testing_support::RandomModelOptions;
using testing_support::TestModel;

constexpr double kProjectionTime = 0.3;
constexpr Norm kNorms[] = {Norm::kMass, Norm::kEuclidean, Norm::kPartition};

const char* name(Norm norm) {
  return norm == Norm::kMass ? "mass" : norm == Norm::kEuclidean ? "Euclidean" : "partition";
}

struct Case {
  std::string name;
  TestModel model;
};

/// Trees of every joint type, other coordinates, released bodies.
std::vector<Case> trees() {
  std::vector<Case> out;
  for (const auto& key : testing_support::all_joint_keys()) {
    RandomModelOptions options;
    options.bodies = 3;
    options.joints = {key};
    options.free_root = key == "Fixed";
    out.push_back({key, testing_support::random_model(21, options)});
  }
  RandomModelOptions mixed;
  mixed.bodies = 5;
  mixed.tree = true;
  out.push_back({"mixed tree", testing_support::random_model(22, mixed)});
  RandomModelOptions general;
  general.bodies = 4;
  general.general_frames = general.mixed_coordinates = true;
  out.push_back({"general frames", testing_support::random_model(23, general)});
  for (unsigned seed : {24u, 25u}) {
    RandomModelOptions released;
    released.bodies = 3;
    released.release_constraints = true;
    released.general_frames = seed == 25;
    out.push_back({"released", testing_support::random_model(seed, released)});
  }
  return out;
}

std::vector<Case> loops() {
  return {{"four-bar", {testing_support::four_bar()}},
          {"Bricard", {testing_support::bricard()}},
          {"loop", {testing_support::loop(1)}}};
}

std::vector<Case> driven() {
  return {{"driven", testing_support::driven_pendulum()},
          {"skate", {testing_support::skate()}},
          {"constant speed", {testing_support::constant_speed_pair()}}};
}

std::vector<Case> all_cases() {
  auto out = trees();
  for (auto& c : loops()) out.push_back(c);
  for (auto& c : driven()) out.push_back(c);
  return out;
}

/// The dense minimum against the model's, from a start up to `off` away in every coordinate.
void expect_nearest(const Case& c, Norm norm, double off, double bound) {
  const Model model(c.model.description);
  const DenseModel dense(c.model.description, c.model.functions);
  Random random(31);
  testing_support::State s = dense.initial_state();
  s.t = kProjectionTime;
  s = testing_support::disturbed(random, s, off);
  const auto expected =
      norm == Norm::kMass ? mechanical_projection(dense, s) : euclidean_projection(dense, s);
  auto ws = model.make_workspace(0);
  VectorXd y = stacked(s);
  const auto report = model.project(*ws, s.t, view(y), norm, 1e-12);
  ASSERT_EQ(report.status, dynamics::Status::kOk) << c.name << " " << name(norm);
  const auto nq = s.q.size();
  const VectorXd dq = expected.state.q - s.q, dv = expected.state.v - s.v;
  EXPECT_GT(dq.cwiseAbs().maxCoeff(), 0.1 * off) << c.name;  // the start is really away
  EXPECT_LT((y.head(nq) - expected.state.q).cwiseAbs().maxCoeff(), bound)
      << c.name << " " << name(norm) << ", positions from " << off;
  EXPECT_LT((y.segment(nq, nq) - expected.state.v).cwiseAbs().maxCoeff(), bound)
      << c.name << " " << name(norm) << ", velocities from " << off;
  const bool mass = norm == Norm::kMass;
  const double distance_q = mass ? std::sqrt(dq.dot(dense.M() * dq)) : dq.norm();
  const double distance_v = mass ? std::sqrt(dv.dot(dense.M() * dv)) : dv.norm();
  EXPECT_NEAR(report.distance_q, distance_q, 1e-9) << c.name << " " << name(norm);
  EXPECT_NEAR(report.distance_v, distance_v, 1e-9) << c.name << " " << name(norm);
}

TEST(Projection, MassNormGivesTheNearestStateForTreesAndReleasedBodies) {
  for (const auto& c : trees()) {
    for (double off : {0.05, 0.1}) expect_nearest(c, Norm::kMass, off, 1e-10);
  }
}

TEST(Projection, MassNormGivesTheNearestStateForLoopsWithRedundantRows) {
  for (const auto& c : loops()) {
    for (double off : {0.05, 0.1}) expect_nearest(c, Norm::kMass, off, 1e-10);
  }
}

TEST(Projection, MassNormGivesTheNearestStateForDrivenAndVelocityConstraints) {
  for (const auto& c : driven()) {
    for (double off : {0.05, 0.1}) expect_nearest(c, Norm::kMass, off, 1e-10);
  }
}

TEST(Projection, EuclideanNormGivesTheNearestState) {
  for (const auto& c : all_cases()) expect_nearest(c, Norm::kEuclidean, 0.05, 1e-10);
}

TEST(Projection, IsIdempotentInEveryNorm) {
  for (const auto& c : all_cases()) {
    const Model model(c.model.description);
    Random random(32);
    auto ws = model.make_workspace(0);
    const VectorXd off = start_state(model) + random.vector(model.sizes().ny(), 0.05);
    for (Norm norm : kNorms) {
      const VectorXd once = projected(model, *ws, kProjectionTime, off, norm);
      const VectorXd twice = projected(model, *ws, kProjectionTime, once, norm);
      EXPECT_GT((once - off).cwiseAbs().maxCoeff(), 0.01) << c.name << " " << name(norm);
      EXPECT_LT((twice - once).cwiseAbs().maxCoeff(), 1e-11) << c.name << " " << name(norm);
    }
  }
}

TEST(Projection, PartitionMovesNoMoreCoordinatesThanIndependentRows) {
  for (const auto& c : all_cases()) {
    const Model model(c.model.description);
    const DenseModel dense(c.model.description, c.model.functions);
    Random random(33);
    auto ws = model.make_workspace(0);
    const VectorXd off = start_state(model) + random.vector(model.sizes().ny(), 0.03);
    const VectorXd y = projected(model, *ws, kProjectionTime, off, Norm::kPartition);
    const auto nq = dense.nq();
    const VectorXd q = y.head(nq), v = y.segment(nq, nq);
    EXPECT_LT(dense.g(kProjectionTime, q).cwiseAbs().maxCoeff(), 1e-11) << c.name;
    EXPECT_LT(dense.g_velocity(kProjectionTime, q, v).cwiseAbs().maxCoeff(), 1e-11) << c.name;
    const MatrixXd jacobian = dense.dc_dx(kProjectionTime, q, v);
    const auto rank = testing_support::independent_rows(jacobian, 1e-8).size();
    const auto moved = static_cast<std::size_t>((y - off).cwiseAbs().head(2 * nq).count());
    EXPECT_LE(moved, rank) << c.name;
    EXPECT_GT(moved, rank / 2) << c.name;
  }
}

/// The directions of the projection of y, one for each column of (dy, dp).
MatrixXd projected_directions(const Model& model, Norm norm, const VectorXd& y, const VectorXd& p,
                              const MatrixXd& dy, const MatrixXd& dp) {
  const int count = static_cast<int>(dy.cols());
  auto ws = model.make_workspace(count);
  model.bind(*ws, view(p));
  Directions dp_lanes(model.sizes().np, count), dy_lanes(model.sizes().ny(), count);
  for (int k = 0; k < count; ++k) {
    for (int i = 0; i < dp_lanes.rows(); ++i) dp_lanes(i, k) = dp(i, k);
    for (int i = 0; i < dy_lanes.rows(); ++i) dy_lanes(i, k) = dy(i, k);
  }
  model.bind_directions(*ws, dp_lanes);
  projected(model, *ws, kProjectionTime, y, norm);
  EXPECT_EQ(model.project_directions(*ws, dy_lanes), dynamics::Status::kOk);
  MatrixXd out(dy.rows(), dy.cols());
  for (int k = 0; k < count; ++k) {
    for (int i = 0; i < out.rows(); ++i) out(i, k) = dy_lanes(i, k);
  }
  return out;
}

VectorXd differences(const Model& model, Norm norm, const VectorXd& y, const VectorXd& p,
                     const VectorXd& dy, const VectorXd& dp, double h0) {
  auto ws = model.make_workspace(0);
  return differentiate(
             [&](double h) -> VectorXd {
               model.bind(*ws, view(VectorXd(p + h * dp)));
               return projected(model, *ws, kProjectionTime, y + h * dy, norm);
             },
             h0)
      .value;
}

/// Consistent, and up to 0.05 away from it.
std::vector<VectorXd> start_points(const Model& model, unsigned seed) {
  auto ws = model.make_workspace(0);
  Random random(seed);
  const VectorXd y = projected(model, *ws, kProjectionTime, start_state(model));
  return {y, y + random.vector(model.sizes().ny(), 0.05)};
}

TEST(ProjectionDirections, StateMatchesDifferencesOnAndOffTheManifold) {
  for (const auto& c : all_cases()) {
    const Model model(c.model.description);
    Random random(41);
    const VectorXd dy = random.vector(model.sizes().ny(), 1.0);
    const VectorXd dp = VectorXd::Zero(model.sizes().np), p = start_parameters(model);
    for (const VectorXd& y : start_points(model, 42)) {
      for (Norm norm : {Norm::kMass, Norm::kEuclidean}) {
        const VectorXd expected = differences(model, norm, y, p, dy, dp, 0.01);
        const VectorXd result = projected_directions(model, norm, y, p, dy, dp);
        EXPECT_LT(relative_difference(result, expected), 1e-7) << c.name << " " << name(norm);
      }
    }
  }
}

/// With a partition, differences jump where two pivots are equal (all are, at orthonormal axes).
/// So: what was independent keeps its direction, and g stays zero along the rest, which determines
/// it.
void expect_partition_directions(const Model& model, const VectorXd& y, const VectorXd& p,
                                 const VectorXd& dy, const VectorXd& dp, const std::string& what) {
  const int nx = 2 * model.sizes().nq, ng = model.sizes().num_pos + model.sizes().num_vel;
  auto ws = model.make_workspace(0);
  model.bind(*ws, view(p));
  const VectorXd at = projected(model, *ws, kProjectionTime, y, Norm::kPartition);
  const VectorXd result = projected_directions(model, Norm::kPartition, y, p, dy, dp);
  EXPECT_GE(((result - dy).head(nx).array() == 0.0).count(), nx - ng) << what;
  const auto along = differentiate(
      [&](double h) -> VectorXd {
        VectorXd g(ng);
        model.bind(*ws, view(VectorXd(p + h * dp)));
        model.invariants(*ws, kProjectionTime, view(VectorXd(at + h * result)), view(g));
        return g;
      },
      0.01);
  EXPECT_LT(along.value.cwiseAbs().maxCoeff(), 1e-8 * std::max(1.0, result.cwiseAbs().maxCoeff()))
      << what;
}

TEST(ProjectionDirections, PartitionKeepsIndependentCoordinatesAndConstraints) {
  for (const auto& c : all_cases()) {
    const Model model(c.model.description);
    Random random(41);
    const VectorXd dy = random.vector(model.sizes().ny(), 1.0);
    const VectorXd dp = VectorXd::Zero(model.sizes().np), p = start_parameters(model);
    for (const VectorXd& y : start_points(model, 42)) {
      expect_partition_directions(model, y, p, dy, dp, c.name);
    }
  }
}

TEST(ProjectionDirections, PartitionMatchesDifferencesWhileTheChoiceIsTheSame) {
  int compared = 0;
  for (const auto& c : all_cases()) {
    const Model model(c.model.description);
    Random random(41);
    const VectorXd dy = random.vector(model.sizes().ny(), 1.0), p = start_parameters(model);
    const VectorXd y = start_points(model, 42)[1];
    auto ws = model.make_workspace(0);
    const auto moved = [&](double h) {
      const VectorXd x = y + h * dy;
      return ((projected(model, *ws, kProjectionTime, x, Norm::kPartition) - x).array() != 0.0)
          .eval();
    };
    constexpr double kStep = 5e-4;
    bool same = true;
    for (int halvings = 0; halvings < 10; ++halvings) {
      const double h = std::ldexp(kStep, -halvings);
      same = same && (moved(h) == moved(0)).all() && (moved(-h) == moved(0)).all();
    }
    if (!same) continue;
    ++compared;
    const VectorXd dp = VectorXd::Zero(p.size());
    const VectorXd expected = differences(model, Norm::kPartition, y, p, dy, dp, kStep);
    const VectorXd result = projected_directions(model, Norm::kPartition, y, p, dy, dp);
    EXPECT_LT(relative_difference(result, expected), 1e-7) << c.name;
  }
  EXPECT_GE(compared, 9);
}

TEST(ProjectionDirections, AwayFromTheManifoldContainItsCurvature) {
  // The linear projector I - M^-1 G^T (G M^-1 G^T)^-1 G at the projected point is not enough there.
  for (const auto& c : all_cases()) {
    if (c.name == "Prismatic") continue;  // what it leaves free is straight
    const Model model(c.model.description);
    const DenseModel dense(c.model.description, c.model.functions);
    Random random(43);
    const VectorXd off = start_points(model, 44)[1];
    const MatrixXd dy = random.vector(model.sizes().ny(), 1.0);
    auto ws = model.make_workspace(0);
    const VectorXd q = projected(model, *ws, kProjectionTime, off).head(dense.nq());
    const VectorXd result = projected_directions(model, Norm::kMass, off, start_parameters(model),
                                                 dy, MatrixXd::Zero(model.sizes().np, 1))
                                .col(0)
                                .head(dense.nq());
    const MatrixXd G = dense.dg_dq(kProjectionTime, q);
    const VectorXd dq = dy.col(0).head(dense.nq());
    const MatrixXd W = math::solve_lu(dense.M(), G.transpose());
    const VectorXd linear = dq - W * math::solve_least_squares(G * W, G * dq);
    EXPECT_GT(relative_difference(result, linear), 1e-3) << c.name;
    EXPECT_LT((G * result).cwiseAbs().maxCoeff(), 1e-9) << c.name;  // but tangent it is
  }
}

/// The description with one parameter for each constant of the element that can be driven; those
/// that are held by a Cholesky factor are alternatives to it.
Description parametrized(const Description& description, const std::string& element, bool cholesky,
                         int& count) {
  Description d = description;
  count = 0;
  for (const auto& constant : constant_names(description, element)) {
    const bool inertial =
        constant == "mass" || constant.starts_with("com.") || constant.starts_with("inertia.");
    if (cholesky ? inertial : constant.starts_with("cholesky.")) continue;
    Description more = d;
    Parameter p;
    p.id = "theta_" + std::to_string(count);
    p.targets = {fmt::format("{}.{}", element, constant)};
    more.parameters.push_back(p);
    try {
      check(more);
    } catch (const base::InputError&) {
      continue;  // an axis that is not given
    }
    d = more;
    ++count;
  }
  return d;
}

void expect_parameter_directions(const Description& d, std::initializer_list<Norm> norms,
                                 const std::string& what) {
  const Model model(d);
  const int np = model.sizes().np;
  const VectorXd p = start_parameters(model);
  for (const VectorXd& y : start_points(model, 45)) {
    for (Norm norm : norms) {
      const MatrixXd dy = MatrixXd::Zero(model.sizes().ny(), np), dp = MatrixXd::Identity(np, np);
      const MatrixXd result = projected_directions(model, norm, y, p, dy, dp);
      for (int i = 0; i < np; ++i) {
        const std::string& target = d.parameters[i].targets[0];
        if (norm == Norm::kPartition) {
          expect_partition_directions(model, y, p, dy.col(0), dp.col(i),
                                      fmt::format("{} {}", what, target));
          continue;
        }
        const VectorXd expected = differences(model, norm, y, p, dy.col(0), dp.col(i), 0.01);
        EXPECT_LT(relative_difference(result.col(i), expected), 1e-7)
            << what << " " << name(norm) << " " << target;
      }
    }
  }
}

/// Two bodies, the second on the first, all axes of both markers given.
Description two_bodies(const std::string& key) {
  RandomModelOptions options;
  options.bodies = 2;
  options.joints = {key};
  options.free_root = true;
  for (unsigned seed = 1;; ++seed) {  // until the builder gives all axes
    auto d = testing_support::random_model(seed, options).description;
    const Joint& joint = d.joints.back();
    const auto all = [](const Frame& f) { return f.has_x && f.has_y && f.has_z; };
    if (all(joint.begin.frame) && all(joint.end.frame)) return d;
  }
}

TEST(ProjectionDirections, EveryJointConstantMatchesDifferencesInTheMassNorm) {
  for (const auto& key : testing_support::all_joint_keys()) {
    const auto plain = two_bodies(key);
    int count = 0;
    const auto d = parametrized(plain, plain.joints.back().id, false, count);
    EXPECT_EQ(count, key == "FixedDistance" ? 25 : 24) << key;
    expect_parameter_directions(d, {Norm::kMass}, key);
  }
}

TEST(ProjectionDirections, JointConstantsMatchDifferencesInTheOtherNorms) {
  for (const char* key : {"Revolute", "Prismatic", "FixedDistance"}) {
    const auto plain = two_bodies(key);
    int count = 0;
    const auto d = parametrized(plain, plain.joints.back().id, false, count);
    expect_parameter_directions(d, {Norm::kEuclidean, Norm::kPartition}, key);
  }
}

TEST(ProjectionDirections, MassCentreInertiaAndCholeskyFactorMatchDifferences) {
  const auto plain = two_bodies("Revolute");
  int count = 0;
  const auto direct = parametrized(plain, "body_2", false, count);
  EXPECT_EQ(count, 10);  // mass, centre, inertia
  expect_parameter_directions(direct, {Norm::kMass, Norm::kEuclidean, Norm::kPartition}, "inertia");
  const auto factor = parametrized(plain, "body_2", true, count);
  EXPECT_EQ(count, 10);
  expect_parameter_directions(factor, {Norm::kMass}, "Cholesky");
}

TEST(ProjectionDirections, InertiaOfReleasedAndGeneralBodiesMatchesDifferences) {
  for (unsigned seed : {24u, 25u, 26u}) {
    RandomModelOptions options;
    options.bodies = 2;
    options.release_constraints = true;
    options.general_frames = seed != 24;
    options.mixed_coordinates = seed == 26;
    const auto plain = testing_support::random_model(seed, options).description;
    for (const char* body : {"body_1", "body_2"}) {
      int count = 0;
      expect_parameter_directions(parametrized(plain, body, false, count), {Norm::kMass},
                                  "seed " + std::to_string(seed));
      EXPECT_GE(count, 10);  // and the frames of its markers
    }
  }
}

TEST(ProjectionDirections, AmplitudeOfADriveMatchesDifferences) {
  auto d = testing_support::driven_pendulum().description;
  Parameter amplitude;
  amplitude.id = "amplitude";
  amplitude.initial = 0.1;
  d.parameters.push_back(amplitude);
  for (auto& c : d.constraints) {
    if (c.id == "pivot_z") c.offset.formula = "amplitude*sin(3*t)";
  }
  const Model model(d);
  const VectorXd p = start_parameters(model), zero = VectorXd::Zero(model.sizes().ny());
  for (const VectorXd& y : start_points(model, 46)) {
    for (Norm norm : {Norm::kMass, Norm::kEuclidean}) {
      const VectorXd expected = differences(model, norm, y, p, zero, VectorXd::Ones(1), 0.01);
      EXPECT_GT(expected.cwiseAbs().maxCoeff(), 0.1);
      const VectorXd result = projected_directions(model, norm, y, p, zero, MatrixXd::Ones(1, 1));
      EXPECT_LT(relative_difference(result, expected), 1e-7) << name(norm);
    }
    expect_partition_directions(model, y, p, zero, VectorXd::Ones(1), "amplitude");
  }
}

TEST(Projection, ThatCannotSucceedSaysSoAndLeavesTheStateAlone) {
  // Two balls 3 m apart cannot both hold a rod of 1 m.
  auto d = testing_support::spherical_chain(1);
  Joint second = d.joints[0];
  second.id = "far";
  second.begin = testing_support::marker(kInertial, testing_support::frame({1, 0, 0}));
  second.end.frame.o = {1.0, 0.0, 0.0};
  d.joints.push_back(second);
  Parameter p;
  p.id = "place";
  p.targets = {"far.begin.o.x"};
  d.parameters.push_back(p);
  const Model model(d);
  auto ws = model.make_workspace(0);
  model.bind(*ws, view(VectorXd(VectorXd::Constant(1, 3.0))));
  for (Norm norm : kNorms) {
    VectorXd y = start_state(model);
    EXPECT_EQ(model.project(*ws, 0, view(y), norm, 1e-10).status,
              dynamics::Status::kProjectionFailed)
        << name(norm);
    EXPECT_EQ(y, start_state(model)) << name(norm);
    Directions dy(model.sizes().ny(), 1);
    EXPECT_NE(model.project_directions(*ws, dy), dynamics::Status::kOk) << name(norm);
  }
}

}  // namespace
}  // namespace parfait::mbs
