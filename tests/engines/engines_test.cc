#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "models.h"
#include "parfait/mbs/model.h"
#include "parfait/tree/algorithms/algorithms.h"
#include "parfait/tree/build/mechanism_tree.h"
#include "testing/random_models.h"

/// Accelerations of the same mechanisms in natural and in joint coordinates.
namespace parfait {
namespace {

using Eigen::Vector3d;

Vector3d vec(const math::Vec3<double>& a) {
  return {a.x, a.y, a.z};
}

struct Comparison {
  double largest = 0;     ///< of the accelerations of origins and axes of all bodies
  double difference = 0;  ///< between the engines
  double position = 0;    ///< likewise between positions
  double velocity = 0;
};

Comparison compare(const mechanism::Description& description) {
  const mbs::Model model(description);
  const auto room = model.make_workspace(0);
  std::vector<double> p;
  for (const auto& parameter : model.parameters()) p.push_back(parameter.initial);
  model.bind(*room, p);
  const std::vector<double> y = model.initial_state();
  std::vector<double> dydt(y.size());
  dynamics::Point point;
  point.y = y;
  EXPECT_EQ(model.evaluate(*room, point, dydt, {}), dynamics::Status::kOk);

  const tree::MechanismTree joints(description);
  const tree::Tree& tree = joints.tree();
  EXPECT_TRUE(joints.closures().empty());
  tree::Workspace ws(tree);
  std::vector<double> vdot(tree.nv), tau(tree.nv, 0.0);
  tree::forward_dynamics(tree, joints.q(), joints.v(), tau, {}, ws, vdot);

  Comparison out;
  const std::size_t nq = y.size() / 2;
  const auto look = [](double& worst, const Vector3d& a, const Eigen::Map<const Vector3d>& b) {
    worst = std::max(worst, (a - b).cwiseAbs().maxCoeff());
  };
  using Map = Eigen::Map<const Vector3d>;
  for (int b = 0; b < tree.num_bodies(); ++b) {
    const std::size_t first = 12 * static_cast<std::size_t>(joints.described(b));
    const auto at = tree::body_frame(tree, joints.q(), b, ws);
    const auto velocity = tree::body_velocity(tree, joints.q(), joints.v(), b, ws);
    const auto acceleration =
        tree::point_acceleration(tree, joints.q(), joints.v(), vdot, b, {0, 0, 0}, ws);
    const Vector3d omega = vec(velocity.omega), alpha = vec(acceleration.omega);
    look(out.position, vec(at.p), Map(&y[first]));
    look(out.velocity, vec(velocity.v), Map(&y[nq + first]));
    look(out.difference, vec(acceleration.v), Map(&dydt[nq + first]));
    out.largest = std::max(out.largest, Map(&dydt[nq + first]).cwiseAbs().maxCoeff());
    for (std::size_t axis = first + 3; axis < first + 12; axis += 3) {
      // An axis (of any length) turns with its body.
      const Vector3d e = Map(&y[axis]);
      look(out.velocity, omega.cross(e), Map(&y[nq + axis]));
      look(out.difference, alpha.cross(e) + omega.cross(omega.cross(e)), Map(&dydt[nq + axis]));
      out.largest = std::max(out.largest, Map(&dydt[nq + axis]).cwiseAbs().maxCoeff());
    }
  }
  return out;
}

void expect_same(const mechanism::Description& description) {
  const Comparison c = compare(description);
  EXPECT_LT(c.position, 1e-10) << description.id;  // the assembly of one engine projects
  EXPECT_LT(c.velocity, 1e-10) << description.id;
  EXPECT_GT(c.largest, 0.1);
  EXPECT_LT(c.difference, 1e-11 * c.largest) << description.id;
}

TEST(TwoEngines, AcceleratePublishedChainsAlike) {
  for (const double phase : {0.0, 0.7, 1.9}) {
    for (const int n : {1, 3, 10, 30}) {
      expect_same(bench::revolute_chain(n, phase));
      expect_same(bench::spherical_chain(n, phase));
    }
    expect_same(bench::tree(5, phase));
    expect_same(bench::human(phase));
  }
}

TEST(TwoEngines, AccelerateRandomTreesAlike) {
  testing_support::RandomModelOptions options;
  options.joints = {"Spherical",   "Revolute",  "Revolute_2", "Universal",
                    "Cylindrical", "Prismatic", "Fixed",      "Free"};
  for (unsigned seed = 1; seed <= 60; ++seed) {
    options.bodies = 2 + static_cast<int>(seed % 9);
    options.tree = seed % 2 == 0;
    options.free_root = seed % 3 == 0;
    options.general_frames = seed % 5 == 0;
    options.mass_ratio = seed % 4 == 0 ? 100 : 1;
    SCOPED_TRACE(seed);
    expect_same(testing_support::random_model(seed, options).description);
  }
}

TEST(TwoEngines, AJointThatClosesALoopIsFound) {
  const tree::MechanismTree joints(bench::loop(1));
  ASSERT_EQ(joints.closures().size(), 1u);
  EXPECT_EQ(joints.tree().nv, 5);
}

}  // namespace
}  // namespace parfait
