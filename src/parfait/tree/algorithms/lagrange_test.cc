#include <gtest/gtest.h>

#include "parfait/tree/algorithms/test_lagrange.h"

namespace parfait::tree {
namespace {

void expect_lagrange(const TestTree& description, unsigned seed) {
  const LagrangeTree lagrange(description);
  const Tree& tree = lagrange.tree();
  const TestState state = test_state(tree, seed);
  Workspace ws(tree);
  std::vector<double> tau(tree.nv);
  inverse_dynamics(tree, state.q, state.v, state.vdot, {}, ws, tau);
  const std::vector<double> expected = lagrange.forces(state);
  for (int k = 0; k < tree.nv; ++k) {
    EXPECT_NEAR(tau[k], expected[k], 2e-12 * (1 + std::abs(expected[k]))) << "force " << k;
  }
}

TEST(EulerLagrange, GivesTheForcesOfEveryPlainJoint) {
  expect_lagrange(tree_of_plain_joints(), 3);
}

TEST(EulerLagrange, GivesTheForcesOfFunctionJointsAndCoupledCoordinates) {
  expect_lagrange(tree_of_driven_joints(), 3);
  expect_lagrange(tree_of_driven_joints(), 4);
}

}  // namespace
}  // namespace parfait::tree
