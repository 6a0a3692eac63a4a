#include "parfait/motion/quality/label_check.h"

#include <gtest/gtest.h>

#include "parfait/motion/poses/test_skeletons.h"

namespace parfait::motion::label_check_test {
namespace {

MarkerData smooth_walk() {
  const Skeleton skeleton = make_walker();
  BoundGeometry bound;
  bind(skeleton, Geometry(skeleton), bound);
  return walking_data(skeleton, bound, 120, 0.0002, 2);
}

void exchange(MarkerData& data, int frame, int a, int b) {
  repair(data, {{frame, a, b, false, 0, 0, 0}});
}

TEST(LabelCheck, ASmoothWalkHasNoSwaps) {
  EXPECT_TRUE(find_swaps(smooth_walk()).empty());
}

TEST(LabelCheck, SwapsAreFoundWhereTheyWerePutAlsoClusteredAndAtTheEnds) {
  const MarkerData clean = smooth_walk();
  MarkerData data = clean;
  const std::vector<std::array<int, 3>> put{{0, 1, 9},  {30, 2, 3},   {32, 2, 3},
                                            {34, 2, 3}, {77, 12, 20}, {119, 4, 8}};
  for (const auto& [frame, a, b] : put) exchange(data, frame, a, b);
  const auto swaps = find_swaps(data);
  ASSERT_EQ(swaps.size(), put.size());
  for (std::size_t i = 0; i < put.size(); ++i) {
    EXPECT_EQ(swaps[i].frame, put[i][0]);
    EXPECT_EQ(std::min(swaps[i].a, swaps[i].b), put[i][1]);
    EXPECT_EQ(std::max(swaps[i].a, swaps[i].b), put[i][2]);
    EXPECT_FALSE(swaps[i].b_missing);
  }
  repair(data, swaps);
  EXPECT_EQ(data.xyz, clean.xyz);
}

TEST(LabelCheck, AMarkerUnderTheNameOfAMissingOneIsFound) {
  MarkerData data = smooth_walk();
  for (int k = 0; k < 3; ++k) {
    data.xyz[3 * (50 * data.labels.size() + 6) + static_cast<std::size_t>(k)] = std::nan("");
  }
  exchange(data, 50, 5, 6);  // what is called 6 is 5, and 5 is missing
  const auto swaps = find_swaps(data);
  ASSERT_EQ(swaps.size(), 1U);
  EXPECT_TRUE(swaps[0].b_missing);
  EXPECT_EQ(swaps[0].a, 6);
  EXPECT_EQ(swaps[0].b, 5);
}

TEST(LabelCheck, GapsAndFastMarkersAreNoSwaps) {
  MarkerData data = smooth_walk();
  for (int f = 40; f < 60; ++f) {
    for (std::size_t k = 0; k < 9; ++k)
      data.xyz[3 * (static_cast<std::size_t>(f) * data.labels.size()) + k] = std::nan("");
  }
  // One marker jumps by 5 cm and back: an outlier, but nobody else's place.
  data.xyz[3 * (80 * data.labels.size() + 10)] += 0.05;
  EXPECT_TRUE(find_swaps(data).empty());
}

}  // namespace
}  // namespace parfait::motion::label_check_test
