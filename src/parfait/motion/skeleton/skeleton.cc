#include "parfait/motion/skeleton/skeleton.h"

#include <algorithm>

namespace parfait::motion {
namespace {

template <class Items>
int index_of(const Items& items, const std::string& name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  return found == items.end() ? -1 : static_cast<int>(found - items.begin());
}

}  // namespace

int Skeleton::find_marker(const std::string& name) const {
  return index_of(markers, name);
}
int Skeleton::find_body(const std::string& name) const {
  return index_of(tree.bodies, name);
}
int Skeleton::find_coordinate(const std::string& name) const {
  return index_of(coordinates, name);
}

std::vector<double> Skeleton::initial_position() const {
  std::vector<double> q = start.empty() ? tree.neutral_position() : start;
  for (const Coordinate& c : coordinates) {
    if (c.q >= 0) q[static_cast<std::size_t>(c.q)] = c.initial;
  }
  return q;
}

void find_scaled_steps(Skeleton& skeleton) {
  const tree::Tree& tree = skeleton.tree;
  skeleton.scaled_steps.assign(tree.nodes.size(), 0);
  std::vector<char> has_turned(tree.bodies.size(), 0);
  std::vector<std::size_t> body_of(tree.nodes.size());
  for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
    for (int i = tree.bodies[b].first_node; i <= tree.bodies[b].node; ++i) {
      body_of[static_cast<std::size_t>(i)] = b;
    }
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const tree::Node& node = tree.nodes[i];
    char& turned = has_turned[body_of[i]];
    if (node.kind == tree::NodeKind::kRevolute || node.kind == tree::NodeKind::kBall) turned = 1;
    if (node.kind != tree::NodeKind::kPrismatic || turned) continue;
    const int f = tree.drives[static_cast<std::size_t>(node.w)].outer;
    if (f < 0) continue;
    const tree::Function& function = tree.functions[static_cast<std::size_t>(f)];
    const bool is_identity = function.kind == tree::FunctionKind::kLinear &&
                             function.constants[0] == 1 && function.constants[1] == 0;
    skeleton.scaled_steps[i] = !is_identity && function.kind != tree::FunctionKind::kFormula;
  }
}

}  // namespace parfait::motion
