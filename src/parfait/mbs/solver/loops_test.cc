#include "parfait/mbs/solver/loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parfait::mbs {
namespace {

using testing::ElementsAre;
using Ends = std::vector<std::array<int, 2>>;

std::vector<int> loops(const Ends& ends, int num_bodies) {
  return loops_of_joints(ends, num_bodies);
}

TEST(Loops, ATreeHasNone) {
  EXPECT_THAT(loops({{0, 1}, {1, 2}, {1, 3}, {4, 5}}, 6), ElementsAre(-1, -1, -1, -1));
}

TEST(Loops, BranchesOfALoopAreOutside) {
  // A four-bar 0 1 2 3, a branch at 2, and a stem that carries it.
  EXPECT_THAT(loops({{0, 1}, {1, 2}, {2, 3}, {3, 0}, {2, 4}, {5, 0}}, 6),
              ElementsAre(0, 0, 0, 0, -1, -1));
}

TEST(Loops, TwoThatShareOnlyABodyAreTwo) {
  const auto loop = loops({{0, 1}, {1, 2}, {2, 0}, {0, 3}, {3, 4}, {4, 0}}, 5);
  EXPECT_EQ(loop[0], loop[1]);
  EXPECT_EQ(loop[0], loop[2]);
  EXPECT_EQ(loop[3], loop[4]);
  EXPECT_EQ(loop[3], loop[5]);
  EXPECT_NE(loop[0], loop[3]);
  EXPECT_GE(std::min(loop[0], loop[3]), 0);
}

TEST(Loops, TwoThatShareAJointAreOne) {
  EXPECT_THAT(loops({{0, 1}, {1, 2}, {2, 3}, {3, 0}, {1, 3}}, 4), ElementsAre(0, 0, 0, 0, 0));
}

TEST(Loops, TwoJointsBetweenTheSameBodiesAreOne) {
  EXPECT_THAT(loops({{0, 1}, {1, 2}, {2, 1}}, 3), ElementsAre(-1, 0, 0));
}

TEST(Loops, LongChainsAreSearchedWithoutRecursion) {
  Ends ends;
  constexpr int kBodies = 200000;
  for (int i = 0; i + 1 < kBodies; ++i) ends.push_back({i, i + 1});
  ends.push_back({kBodies - 1, 0});
  for (int loop : loops(ends, kBodies)) ASSERT_EQ(loop, 0);
}

}  // namespace
}  // namespace parfait::mbs
