#include <gtest/gtest.h>

#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "parfait/mechanism/elements/constraint_types.h"
#include "parfait/mechanism/elements/registry.h"
#include "testing/dense_model.h"
#include "testing/driven_models.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"

// The O(n) solver against a dense solve of the whole augmented system.
namespace parfait::mbs {
namespace {

using Eigen::VectorXd;
using testing_support::DenseModel;
using testing_support::Random;
using testing_support::RandomModelOptions;
using testing_support::TestModel;

VectorXd accelerations(const Model& model, const testing_support::State& s) {
  auto ws = model.make_workspace(0);
  return rates(model, *ws, s.t, stacked(s)).segment(s.q.size(), s.v.size());
}

/// Relative difference of the accelerations at the initial state disturbed by `off`.
double difference(const TestModel& test, double off, unsigned seed) {
  const Model model(test.description);
  const DenseModel dense(test.description, test.functions);
  testing_support::State s = dense.initial_state();
  s.t = 0.3;
  if (off > 0) {
    Random random(seed);
    s = testing_support::disturbed(random, s, off);
  }
  const VectorXd expected = dense.solve(s).a;
  EXPECT_GT(expected.cwiseAbs().maxCoeff(), 0.02);
  return relative_difference(accelerations(model, s), expected);
}

TEST(Accelerations, EveryJointTypeAgreesWithTheDenseSolveOnAndOffTheManifold) {
  for (const auto& key : testing_support::all_joint_keys()) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
      RandomModelOptions options;
      options.bodies = 3;
      options.joints = {key};
      options.free_root = key == "Fixed";  // otherwise nothing would move
      const auto test = testing_support::random_model(seed, options);
      EXPECT_LT(difference(test, 0, seed), 1e-11) << key << " seed " << seed;
      EXPECT_LT(difference(test, 0.1, seed), 1e-11) << key << " off the manifold, seed " << seed;
    }
  }
}

TEST(Accelerations, MixedTreesWithForcesAgreeWithTheDenseSolve) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    RandomModelOptions options;
    options.bodies = 8;
    options.tree = true;
    options.free_root = seed % 2 == 0;
    options.forces = 6;
    options.general_laws = true;
    const auto test = testing_support::random_model(seed, options);
    EXPECT_LT(difference(test, 0, seed), 1e-11) << "seed " << seed;
    EXPECT_LT(difference(test, 0.05, seed), 1e-11) << "off the manifold, seed " << seed;
  }
}

TEST(Accelerations, GeneralFramesAndOtherCoordinatesAgreeWithTheDenseSolve) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    RandomModelOptions options;
    options.bodies = 5;
    options.general_frames = true;
    options.mixed_coordinates = true;
    options.forces = 3;
    const auto test = testing_support::random_model(seed, options);
    EXPECT_LT(difference(test, 0, seed), 1e-11) << "seed " << seed;
    EXPECT_LT(difference(test, 0.05, seed), 1e-11) << "off the manifold, seed " << seed;
  }
}

TEST(Accelerations, BodiesWithReleasedConstraintsAgreeWithTheDenseSolve) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    RandomModelOptions options;
    options.bodies = 4;
    options.release_constraints = true;
    options.general_frames = seed % 2 == 0;
    options.forces = 4;
    const auto test = testing_support::random_model(seed, options);
    EXPECT_LT(difference(test, 0, seed), 1e-11) << "seed " << seed;
    EXPECT_LT(difference(test, 0.05, seed), 1e-11) << "off the manifold, seed " << seed;
  }
}

TEST(Accelerations, MassRatiosOfAThousandKeepElevenDigits) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    RandomModelOptions options;
    options.bodies = 10;
    options.mass_ratio = 1e3;
    const auto test = testing_support::random_model(seed, options);
    EXPECT_LT(difference(test, 0, seed), 1e-11) << "seed " << seed;
  }
}

TEST(Accelerations, TreesOfFiftyBodiesAgreeWithTheDenseSolve) {
  RandomModelOptions options;
  options.bodies = 50;
  options.tree = true;
  EXPECT_LT(difference(testing_support::random_model(3, options), 0, 3), 1e-11);
}

TEST(Accelerations, LoopsWithRedundantConstraintsAgreeWithTheDenseSolve) {
  EXPECT_LT(difference({testing_support::four_bar()}, 0, 1), 1e-11);
  EXPECT_LT(difference({testing_support::bricard()}, 0, 1), 1e-11);
  EXPECT_LT(difference({testing_support::loop(1)}, 0, 1), 1e-11);
  EXPECT_LT(difference({testing_support::loop(2)}, 0, 1), 1e-11);
  EXPECT_LT(difference({testing_support::hexapod()}, 0, 1), 1e-11);
}

TEST(Accelerations, DrivenAndVelocityConstraintsAgreeWithTheDenseSolve) {
  EXPECT_LT(difference(testing_support::driven_pendulum(), 0, 1), 1e-11);
  EXPECT_LT(difference(testing_support::driven_pendulum(), 0.05, 1), 1e-11);
  EXPECT_LT(difference({testing_support::skate()}, 0, 1), 1e-11);
  EXPECT_LT(difference({testing_support::skate()}, 0.05, 1), 1e-11);
  EXPECT_LT(difference({testing_support::constant_speed_pair()}, 0, 1), 1e-11);
  EXPECT_LT(difference({testing_support::constant_speed_pair()}, 0.05, 1), 1e-11);
}

TEST(Accelerations, EveryDrivenConstraintKindAgreesWithTheDenseSolveOnAndOffTheManifold) {
  constexpr double kTime = 0.7;
  for (const auto& type : mechanism::constraint_types()) {
    for (const auto& test : testing_support::driven_models(type.key)) {
      const Model model(test.description);
      const DenseModel dense(test.description, test.functions);
      auto ws = model.make_workspace(0);
      const auto on = unstacked(kTime, projected(model, *ws, kTime, start_state(model)));
      Random random(1);
      for (const auto& s : {on, testing_support::disturbed(random, on, 0.1)}) {
        const VectorXd expected = dense.solve(s).a;
        EXPECT_GT(expected.cwiseAbs().maxCoeff(), 1);
        const double difference = relative_difference(accelerations(model, s), expected);
        EXPECT_LT(difference, 1e-11) << test.description.id;  // measured 1.1e-14
      }
    }
  }
}

}  // namespace
}  // namespace parfait::mbs
