#include "parfait/mechanism/quantities/beyond_joints.h"

#include <gtest/gtest.h>

#include <random>

namespace parfait::mechanism {
namespace {

/// Bodies 0 to n - 1, joints between the two of each pair; n is the ground.
Description model_of(int n, const std::vector<std::pair<int, int>>& pairs) {
  Description out;
  const auto name = [n](int b) { return b == n ? "Inertial" : "B" + std::to_string(b); };
  for (int b = 0; b < n; ++b) out.bodies.emplace_back().id = name(b);
  for (const auto& [begin, end] : pairs) {
    auto& joint = out.joints.emplace_back();
    joint.key = "Revolute";
    joint.begin.body = name(begin);
    joint.end.body = name(end);
  }
  return out;
}

/// The same by its definition: without the joint, walk from its end to whatever can be reached.
std::vector<bool> reached_from(int start, std::size_t without, int n,
                               const std::vector<std::pair<int, int>>& pairs) {
  std::vector<bool> reached(static_cast<std::size_t>(n) + 1, false);
  reached[start] = true;
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const auto [begin, end] = pairs[k];
      if (k == without || reached[begin] == reached[end]) continue;
      reached[begin] = reached[end] = true;
      grows = true;
    }
  }
  return reached;
}

TEST(BeyondJoints, AgreeWithAWalkThroughRandomMechanisms) {
  std::mt19937 random(7);
  int loops = 0, cuts = 0;
  for (int round = 0; round < 200; ++round) {
    const int n = 1 + static_cast<int>(random() % 12);
    std::vector<std::pair<int, int>> pairs(random() % 16);
    for (auto& [begin, end] : pairs) {
      begin = static_cast<int>(random() % (n + 1));
      end = static_cast<int>(random() % (n + 1));
    }
    const BeyondJoints beyond(model_of(n, pairs));
    for (std::size_t j = 0; j < pairs.size(); ++j) {
      const auto reached = reached_from(pairs[j].second, j, n, pairs);
      const bool is_loop = reached[pairs[j].first];
      ++(is_loop ? loops : cuts);
      ASSERT_EQ(beyond.is_in_loop(static_cast<int>(j)), is_loop) << "round " << round;
      for (int b = 0; b <= n; ++b) {
        ASSERT_EQ(beyond.is_beyond(static_cast<int>(j), b), !is_loop && reached[b]);
      }
      EXPECT_EQ(beyond.is_beyond(static_cast<int>(j), -1),
                beyond.is_beyond(static_cast<int>(j), n));
    }
  }
  EXPECT_GT(loops, 200);
  EXPECT_GT(cuts, 200);
}

}  // namespace
}  // namespace parfait::mechanism
