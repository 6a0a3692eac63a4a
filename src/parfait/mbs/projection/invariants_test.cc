#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "parfait/mechanism/elements/constraint_types.h"
#include "parfait/mechanism/elements/registry.h"
#include "testing/driven_models.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"
#include "testing/system_laws.h"

// Directions of the invariants, off the manifold. Models with events and switches: their own tests.
namespace parfait::mbs {
namespace {

using ::testing::IsEmpty;

/// Rows that move with time and parameters, rows of velocities alone. No loops: off the manifold
/// their redundant rows contradict each other, and accelerations are not smooth (Kraus 2006,
/// section 8.3).
std::vector<Description> models_with_invariants() {
  auto driven = testing_support::driven_pendulum().description;
  Parameter amplitude;
  amplitude.id = "amplitude";
  amplitude.initial = 0.1;
  driven.parameters.push_back(amplitude);
  for (auto& c : driven.constraints) {
    if (c.id == "pivot_z") c.offset.formula = "amplitude*sin(3*t)";
  }
  return {driven, testing_support::skate(), testing_support::constant_speed_pair(),
          testing_support::spherical_chain(2)};
}

/// The laws of a System off the manifold, with the invariants, the projection and the start.
testing_support::LawReport laws_near_the_start(const Description& description) {
  const Model model(description);
  const Eigen::VectorXd y =
      start_state(model) + testing_support::Random(5).vector(model.sizes().ny(), 0.01);
  const auto p = start_parameters(model);
  testing_support::LawPoint point;
  point.t = 0.3;
  point.y.assign(y.begin(), y.end());
  point.p.assign(p.begin(), p.end());
  return check_system_laws(model, point, {.step = 2e-3});
}

TEST(Invariants, HaveExactDirections) {
  for (const Description& description : models_with_invariants()) {
    const auto report = laws_near_the_start(description);
    EXPECT_THAT(report.violations, IsEmpty());
    EXPECT_GT(report.num_nonzero, 500);
  }
}

TEST(Invariants, EveryDrivenConstraintKindHasExactDirections) {
  for (const auto& type : mechanism::constraint_types()) {
    const auto tests = testing_support::driven_models(type.key);
    for (const auto* test : {&tests.front(), &tests.back()}) {
      const auto report = laws_near_the_start(test->description);
      EXPECT_THAT(report.violations, IsEmpty()) << test->description.id;
      EXPECT_GT(report.num_nonzero, 2000) << test->description.id;  // measured 2854 and more
    }
  }
}

TEST(Invariants, VelocityConstraintsAreRatesOfNoPositionConstraint) {
  const Model model(testing_support::skate());
  const auto& sizes = model.sizes();
  const auto rows = model.position_rows();
  ASSERT_EQ(static_cast<int>(rows.size()), sizes.num_vel);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), -1), sizes.num_vel - sizes.num_pos);
  EXPECT_GT(sizes.num_vel, sizes.num_pos);
}

}  // namespace
}  // namespace parfait::mbs
