#include "parfait/mbs/solver/elimination.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace parfait::mbs {
namespace {

/// Joints that connect two bodies already connected (union-find over bodies and ground), or may
/// vanish.
std::vector<char> joints_to_test(std::span<const JointEnds> joints, int num_bodies) {
  std::vector<int> root(num_bodies + 1);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  std::vector<char> test(joints.size());
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const int a = find(joints[k].a < 0 ? num_bodies : joints[k].a);
    const int b = find(joints[k].b < 0 ? num_bodies : joints[k].b);
    test[k] = a == b || joints[k].may_vanish;
    root[a] = b;
  }
  return test;
}

}  // namespace

EliminationPlan make_elimination_plan(std::span<const JointEnds> joints, int num_bodies) {
  EliminationPlan plan;
  const int n = static_cast<int>(joints.size());
  plan.tested = joints_to_test(joints, num_bodies);

  std::vector<std::vector<std::pair<int, int>>> sides_of_body(num_bodies);  // (joint, side)
  for (int k = 0; k < n; ++k) {
    if (joints[k].a >= 0) sides_of_body[joints[k].a].emplace_back(k, 0);
    if (joints[k].b >= 0) sides_of_body[joints[k].b].emplace_back(k, 1);
  }
  std::vector<std::set<int>> adjacent(n);
  for (const auto& sides : sides_of_body) {
    for (auto [j, sj] : sides) {
      for (auto [k, sk] : sides) {
        if (j != k) adjacent[j].insert(k);
      }
    }
  }

  for (int k = 0; k < n; ++k) {
    plan.blocks.push_back({k, k, plan.size});
    plan.size += diagonal_size(joints[k].nrows);
  }
  std::map<std::pair<int, int>, int> block_of;  // (p, j), j eliminated first
  const auto block = [&](int p, int j) {
    const auto [it, is_new] = block_of.try_emplace({p, j}, static_cast<int>(plan.blocks.size()));
    if (is_new) {
      plan.blocks.push_back({p, j, plan.size});
      plan.size += block_size(joints[p].nrows, joints[j].nrows);
    }
    return it->second;
  };

  // Simulated elimination on the graph.
  auto graph = adjacent;
  std::vector<int> touched(n, -1), position(n, -1);
  const auto rank = [&](int k) {
    return std::tuple(plan.tested[k], graph[k].size(), touched[k], k);
  };
  std::set<std::tuple<char, std::size_t, int, int>> waiting;  // the first is eliminated next
  for (int k = 0; k < n; ++k) waiting.insert(rank(k));
  for (int step = 0; step < n; ++step) {
    const int best = std::get<3>(*waiting.begin());
    waiting.erase(waiting.begin());
    position[best] = step;
    EliminationPlan::Step now;
    now.joint = best;
    now.nrows = joints[best].nrows;
    now.offset = plan.blocks[best].offset;
    now.first_neighbour = static_cast<int>(plan.neighbours.size());
    now.num_neighbours = static_cast<int>(graph[best].size());
    now.tested = plan.tested[best];
    plan.steps.push_back(now);
    for (int p : graph[best]) {
      plan.neighbours.push_back({p, joints[p].nrows, plan.blocks[block(p, best)].offset});
      waiting.erase(rank(p));
      touched[p] = step;
      graph[p].erase(best);
      for (int q : graph[best]) {
        if (q != p) graph[p].insert(q);
      }
      waiting.insert(rank(p));
    }
  }

  // Which neighbour's block receives an update is known once all positions are.
  for (auto& step : plan.steps) {
    step.first_update = static_cast<int>(plan.updates.size());
    for (int i = 0; i < step.num_neighbours; ++i) {
      for (int k = i; k < step.num_neighbours; ++k) {
        int p = step.first_neighbour + i, q = step.first_neighbour + k;
        const int jp = plan.neighbours[p].joint, jq = plan.neighbours[q].joint;
        if (jp == jq) {
          plan.updates.push_back({p, q, plan.blocks[jp].offset});
        } else if (position[jp] > position[jq]) {
          plan.updates.push_back({p, q, plan.blocks[block(jp, jq)].offset});
        } else {
          plan.updates.push_back({q, p, plan.blocks[block(jq, jp)].offset});
        }
      }
    }
    step.num_updates = static_cast<int>(plan.updates.size()) - step.first_update;
  }

  for (auto& step : plan.steps) {
    if (step.num_neighbours != 1) continue;
    const auto& p = plan.neighbours[step.first_neighbour];
    step.link = 6 * (step.nrows - 1) + p.nrows - 1;
    step.link_joint = p.joint;
    step.link_offset = p.offset;
    step.link_target = plan.updates[step.first_update].target;
  }
  for (std::size_t k = 0; k + 1 < plan.steps.size(); ++k) {
    auto& step = plan.steps[k];
    const auto* first = plan.neighbours.data() + step.first_neighbour;
    const bool waits = std::any_of(first, first + step.num_neighbours, [&](const auto& p) {
      return p.joint == plan.steps[k + 1].joint;
    });
    const bool is_second = k > 0 && plan.steps[k - 1].pairs_with_next;
    step.pairs_with_next =
        !is_second && !waits && step.link >= 0 && step.link == plan.steps[k + 1].link;
  }

  std::set<int> assembled;
  for (int body = 0; body < num_bodies; ++body) {
    const auto& sides = sides_of_body[body];
    for (std::size_t i = 0; i < sides.size(); ++i) {
      for (std::size_t k = i + 1; k < sides.size(); ++k) {
        auto [p, sp] = sides[i];
        auto [j, sj] = sides[k];
        if (position[p] < position[j]) {
          std::swap(p, j);
          std::swap(sp, sj);
        }
        const int target = block(p, j);
        plan.couplings.push_back(
            {plan.blocks[target].offset, body, p, sp, j, sj, !assembled.insert(target).second});
      }
    }
  }
  for (int b = n; b < static_cast<int>(plan.blocks.size()); ++b) {
    if (!assembled.contains(b)) plan.fill.push_back(b);
  }
  return plan;
}

}  // namespace parfait::mbs
