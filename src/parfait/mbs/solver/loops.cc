#include "parfait/mbs/solver/loops.h"

#include <algorithm>

namespace parfait::mbs {
namespace {

/// Biconnected components of the graph whose edges are the joints (Hopcroft and Tarjan 1973), by a
/// depth-first search without recursion, since chains may be long.
class LoopSearch {
 public:
  LoopSearch(std::span<const std::array<int, 2>> ends, int num_bodies)
      : ends_(ends), joints_(num_bodies), order_(num_bodies, -1), low_(num_bodies) {
    for (std::size_t j = 0; j < ends.size(); ++j) {
      for (int body : ends[j]) joints_[body].push_back(static_cast<int>(j));
    }
    loop_.assign(ends.size(), -1);
    for (int body = 0; body < num_bodies; ++body) {
      if (order_[body] < 0) search(body);
    }
  }

  const std::vector<int>& loop() const { return loop_; }

 private:
  struct Visit {
    int body, above;  ///< the joint we came by, -1 at the root
    std::size_t next = 0;
  };

  void search(int root) {
    std::vector<Visit> path{{root, -1}};
    order_[root] = low_[root] = num_seen_++;
    while (!path.empty()) {
      auto& [body, above, next] = path.back();
      if (next < joints_[body].size()) {
        const int joint = joints_[body][next++];
        const int other = ends_[joint][0] == body ? ends_[joint][1] : ends_[joint][0];
        if (joint == above) continue;
        if (order_[other] < 0) {
          order_[other] = low_[other] = num_seen_++;
          open_.push_back(joint);
          path.push_back({other, joint});
        } else if (order_[other] < order_[body]) {
          low_[body] = std::min(low_[body], order_[other]);
          open_.push_back(joint);
        }
        continue;
      }
      const Visit done = path.back();
      path.pop_back();
      if (path.empty()) break;
      const int parent = path.back().body;
      low_[parent] = std::min(low_[parent], low_[done.body]);
      if (low_[done.body] >= order_[parent]) close(done.above);
    }
  }

  /// All joints opened since `first` are one component; alone it is no loop.
  void close(int first) {
    const bool is_loop = open_.back() != first;
    int joint = -1;
    do {
      joint = open_.back();
      open_.pop_back();
      if (is_loop) loop_[joint] = num_loops_;
    } while (joint != first);
    num_loops_ += is_loop;
  }

  std::span<const std::array<int, 2>> ends_;
  std::vector<std::vector<int>> joints_;  ///< of each body
  std::vector<int> order_, low_;          ///< when a body was seen; the earliest seen from below it
  std::vector<int> open_;
  std::vector<int> loop_;
  int num_seen_ = 0, num_loops_ = 0;
};

}  // namespace

std::vector<int> loops_of_joints(std::span<const std::array<int, 2>> ends, int num_bodies) {
  return LoopSearch(ends, num_bodies).loop();
}

}  // namespace parfait::mbs
