#include "parfait/mechanism/quantities/beyond_joints.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "parfait/mechanism/constants/element_constants.h"

namespace parfait::mechanism {
namespace {

struct Link {
  int joint, begin, end;
};

std::vector<Link> links_of(const Description& d) {
  const int ground = static_cast<int>(d.bodies.size());
  std::unordered_map<std::string_view, int> index;
  for (int b = ground; b-- > 0;) index[d.bodies[b].id] = b;
  const auto index_of = [&](const std::string& id) {
    const auto found = index.find(id);
    return found == index.end() ? ground : found->second;
  };
  std::vector<Link> links;
  for (int j = 0; j < static_cast<int>(d.joints.size()); ++j) {
    const auto& joint = d.joints[j];
    const bool ties = !type_of(joint).rows.empty() || joint.key == kAxesJoint;
    if (ties) links.push_back({j, index_of(joint.begin.body), index_of(joint.end.body)});
  }
  return links;
}

}  // namespace

// A joint that is in no loop is a bridge of the graph of bodies and joints: a depth-first search
// goes down through it, and nothing leads from below to a body it met before (Hopcroft and Tarjan
// 1973). The search keeps its own stack, since a chain may be long.
BeyondJoints::BeyondJoints(const Description& d)
    : places_(d.bodies.size() + 1), cuts_(d.joints.size()) {
  const auto links = links_of(d);
  std::vector<std::vector<int>> links_at(places_.size());
  for (int k = 0; k < static_cast<int>(links.size()); ++k) {
    links_at[links[k].begin].push_back(k);
    links_at[links[k].end].push_back(k);
  }
  struct Visit {
    int node, came_by;
    std::size_t next = 0;
  };
  std::vector<Visit> path;
  int met = 0;
  const auto meet = [&](int node, int tree, int came_by) {
    places_[node] = {tree, met, met, met};
    ++met;
    path.push_back({node, came_by});
  };
  for (int root = 0; root < static_cast<int>(places_.size()); ++root) {
    if (places_[root].tree >= 0) continue;
    meet(root, root, -1);
    while (!path.empty()) {
      const int node = path.back().node, came_by = path.back().came_by;
      Place& here = places_[node];
      if (path.back().next < links_at[node].size()) {
        const int k = links_at[node][path.back().next++];
        const int other = links[k].begin == node ? links[k].end : links[k].begin;
        if (k == came_by || other == node) continue;
        if (places_[other].tree < 0) {
          meet(other, root, k);
        } else {
          here.lowest = std::min(here.lowest, places_[other].first);
        }
        continue;
      }
      here.last = met - 1;
      path.pop_back();
      if (path.empty()) continue;
      Place& above = places_[path.back().node];
      above.lowest = std::min(above.lowest, here.lowest);
      if (here.lowest == here.first)
        cuts_[links[came_by].joint] = {node, links[came_by].end == node};
    }
  }
}

bool BeyondJoints::is_beyond(int joint, int body) const {
  const Cut& cut = cuts_[joint];
  if (cut.root < 0) return false;
  const Place& branch = places_[cut.root];
  const Place& place = body < 0 ? places_.back() : places_[body];
  if (place.tree != branch.tree) return false;
  const bool is_in_branch = branch.first <= place.first && place.first <= branch.last;
  return is_in_branch == cut.beyond_is_branch;
}

}  // namespace parfait::mechanism
