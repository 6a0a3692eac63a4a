#include "parfait/motion/skeleton/mechanism_skeleton.h"

#include <algorithm>

#include "parfait/base/error.h"
#include "parfait/tree/build/mechanism_tree.h"

namespace parfait::motion {
namespace {

using tree::MechanismTree;

/// Names of the velocities that no joint by axes names.
void name_coordinates(const mechanism::Description& description, const MechanismTree& built,
                      Skeleton& out) {
  const tree::Tree& tree = out.tree;
  out.coordinates.resize(static_cast<std::size_t>(tree.nv));
  for (int b = 0; b < tree.num_bodies(); ++b) {
    const tree::BodyInfo& info = tree.bodies[static_cast<std::size_t>(b)];
    const int joint = built.joint(b);
    const std::string base =
        joint < 0 ? info.name : description.joints[static_cast<std::size_t>(joint)].id;
    int number = 0;
    for (int i = info.first_node; i <= info.node; ++i) {
      const tree::Node& node = tree.nodes[static_cast<std::size_t>(i)];
      const bool turns =
          node.kind == tree::NodeKind::kRevolute || node.kind == tree::NodeKind::kBall;
      for (int k = 0; k < node.num_w; ++k) {
        const tree::Drive& drive = tree.drives[node.w + k];
        if (drive.inner >= 0) continue;
        Coordinate& c = out.coordinates[static_cast<std::size_t>(drive.v)];
        if (!c.name.empty()) continue;
        const char* axes = "xyz";
        c.is_angle = turns;
        if (node.num_w == 3) {
          c.name = base + (turns ? ".r" : ".t") + axes[k];
        } else {
          c.name = info.nv == 1 ? base : base + "." + std::to_string(++number);
        }
        c.q = node.kind == tree::NodeKind::kBall ? -1 : drive.is_scalar ? drive.q : drive.q + k;
        if (c.q >= 0) c.initial = built.q()[static_cast<std::size_t>(c.q)];
      }
    }
  }
  for (const auto& named : built.coordinates()) {
    const bool is_angle = named.kind == mechanism::Coordinate::Kind::kRotation;
    if (named.v < 0) {
      if (named.follows < 0) continue;
      const auto& other = built.coordinates()[static_cast<std::size_t>(named.follows)];
      out.followers.push_back({named.id, other.q, named.function, is_angle});
      continue;
    }
    Coordinate& c = out.coordinates[static_cast<std::size_t>(named.v)];
    c.name = named.id;
    c.q = named.q;
    c.is_angle = is_angle;
    c.locked = named.locked;
    c.initial = built.q()[static_cast<std::size_t>(named.q)];
    if (named.clamped) {
      c.lower = named.lower;
      c.upper = named.upper;
    }
  }
}

}  // namespace

Skeleton make_skeleton(const mechanism::Description& description) {
  const MechanismTree built(description, MechanismTree::Locked::kFree);
  if (!built.closures().empty()) {
    const auto& joint = description.joints[static_cast<std::size_t>(built.closures()[0])];
    throw base::InputError(
        joint.place, "joint \"" + joint.id + "\" closes a loop: poses from markers are for trees.");
  }
  Skeleton out;
  out.tree = built.tree();
  out.start = built.q();
  name_coordinates(description, built, out);
  const auto body_of = [&](const std::string& id) {
    const auto found = std::find_if(description.bodies.begin(), description.bodies.end(),
                                    [&](const auto& body) { return body.id == id; });
    return found == description.bodies.end() ? -1
                                             : static_cast<int>(found - description.bodies.begin());
  };
  for (const auto& marker : description.skin_markers) {
    const int described = body_of(marker.body);
    if (described < 0) continue;  // it stands in the laboratory
    const auto* S = built.general_frame(described);
    const auto& o = marker.o;
    Vec3<double> place;
    for (int i = 0; i < 3; ++i) {
      double& x = i == 0 ? place.x : i == 1 ? place.y : place.z;
      x = S[i][0] * o[0] + S[i][1] * o[1] + S[i][2] * o[2];
    }
    out.markers.push_back({marker.name, built.tree_body(described), place, marker.fixed});
  }
  if (out.markers.empty()) {
    throw base::InputError({description.file, 0, 0}, "has no skin markers: poses need them.");
  }
  find_scaled_steps(out);
  return out;
}

}  // namespace parfait::motion
