#include <gtest/gtest.h>

#include "motion.h"
#include "testing/allocations.h"
#include "testing/model_gallery.h"

namespace parfait::reference {
namespace {

TEST(Integration, ChainWithSixteenDirectionsAllocatesNothingAfterTheFirstStep) {
  constexpr int kDirections = 16;
  const auto model = mbs::build(testing_support::revolute_chain(10));
  const auto ws = model->make_workspace(kDirections);
  model->bind(*ws, {});
  model->bind_directions(*ws, dynamics::Directions(0, kDirections));
  integrate::State state;
  state.y = model->initial_state();
  state.W.resize(model->sizes().ny(), kDirections);
  for (int i = 0; i < state.W.rows(); ++i) {
    for (int j = 0; j < kDirections; ++j) state.W(i, j) = (i * 7 + j * 13) % 11 / 11.0;
  }
  ASSERT_EQ(model->project(*ws, 0, state.y, dynamics::Norm::kMass, 1e-12).status,
            dynamics::Status::kOk);
  ASSERT_EQ(model->project_directions(*ws, state.W), dynamics::Status::kOk);

  integrate::Integrator integrator(*model, *ws, tolerances(1e-8, 1e-10));
  long first = 0, last = 0;
  int steps = 0;
  const auto result = integrator.run(state, 1, [&](const integrate::AcceptedStep&) {
    if (steps++ == 0) first = testing_support::num_allocations();
    last = testing_support::num_allocations();
    return true;
  });
  ASSERT_TRUE(result.finished()) << result.message();
  EXPECT_GT(first, 0);  // the counter works
  EXPECT_GT(steps, 10);
  EXPECT_EQ(last, first) << "in " << steps << " steps";
}

}  // namespace
}  // namespace parfait::reference
