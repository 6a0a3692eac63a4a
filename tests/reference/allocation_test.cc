#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "motion.h"
#include "testing/model_gallery.h"

namespace {

std::atomic<long> num_allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++num_allocations;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  if (void* p = std::aligned_alloc(alignment, rounded)) return p;
  throw std::bad_alloc();
}

}  // namespace

// Every allocation of this test program passes through here and is counted.
void* operator new(std::size_t size) {
  return counted(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}

namespace parfait::reference {
namespace {

TEST(Integration, OfAChainWithSixteenDirectionsAllocatesNothingAfterTheFirstStep) {
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
    if (steps++ == 0) first = num_allocations;
    last = num_allocations;
    return true;
  });
  ASSERT_TRUE(result.finished()) << result.message();
  EXPECT_GT(first, 0);  // the counter works
  EXPECT_GT(steps, 10);
  EXPECT_EQ(last, first) << "in " << steps << " steps";
}

}  // namespace
}  // namespace parfait::reference
