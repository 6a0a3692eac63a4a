#include "parfait/mechanism/quantities/beyond_joints.h"

#include "parfait/mechanism/constants/element_constants.h"

namespace parfait::mechanism {

BeyondJoints::BeyondJoints(const Description& d) {
  const auto index_of = [&](const std::string& id) {
    std::size_t b = 0;
    while (b < d.bodies.size() && d.bodies[b].id != id) ++b;
    return b;
  };
  struct Link {
    std::size_t begin, end;
  };
  std::vector<Link> links;
  links.reserve(d.joints.size());
  for (const auto& joint : d.joints) {
    const bool ties = !type_of(joint).rows.empty() || joint.key == kAxesJoint;
    links.push_back(ties ? Link{index_of(joint.begin.body), index_of(joint.end.body)} : Link{0, 0});
  }
  beyond_.reserve(d.joints.size());
  for (std::size_t j = 0; j < d.joints.size(); ++j) {
    std::vector<char> reached(d.bodies.size() + 1, 0);
    reached[links[j].end] = 1;
    for (bool grows = true; grows;) {
      grows = false;
      for (std::size_t k = 0; k < links.size(); ++k) {
        const auto& [begin, end] = links[k];
        if (k == j || reached[begin] == reached[end]) continue;
        reached[begin] = reached[end] = 1;
        grows = true;
      }
    }
    const bool is_loop = reached[links[j].begin] != 0;
    beyond_.push_back(is_loop ? std::vector<char>{} : reached);
  }
}

}  // namespace parfait::mechanism
