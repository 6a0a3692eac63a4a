#pragma once

#include <cmath>

#include "parfait/tree/algorithms/workspace.h"

namespace parfait::tree {

/// What a wrench F about the origin of a node does along every velocity that moves it:
/// `add(k, value, most)`, with |value| <= most whatever the directions of axes and the arms of
/// moments. The place of the node is one of these arms: of an arm that is zero (a point held at the
/// centre of a ball joint) the rounding of places is left, which must look small beside `most`.
template <class Add>
void add_generalized_force(const Tree& tree, const Workspace& ws, int node, Force<double> F,
                           const Add& add) {
  const auto along = [&](int k, double value, double most) {
    if (tree.plain) {
      add(k, value, most);
    } else {
      const double slope = ws.driven.jets[k].d1;
      add(tree.drives[k].v, slope * value, std::abs(slope) * most);
    }
  };
  const auto length = [](const Vec3<double>& a) { return std::sqrt(dot(a, a)); };
  const double force = length(F.f);
  double moment = length(F.n) + length(ws.nodes[node].p) * force;
  for (int i = node; i >= 0; i = tree.nodes[i].parent) {
    const Node& at = tree.nodes[i];
    const Mat3<double>& R = ws.nodes[i].R;
    const bool turns = at.kind == NodeKind::kRevolute || at.kind == NodeKind::kBall;
    const Vec3<double>& f = turns ? F.n : F.f;
    if (at.num_w > 0) {
      const double most = turns ? moment : force;
      if (at.num_w == 1) {
        along(at.w, dot(R.z, f), most);
      } else {
        along(at.w, dot(R.x, f), most);
        along(at.w + 1, dot(R.y, f), most);
        along(at.w + 2, dot(R.z, f), most);
      }
    }
    if (at.displaced) {
      F.n += cross(ws.nodes[i].r, F.f);
      moment += length(ws.nodes[i].r) * force;
    }
  }
}

}  // namespace parfait::tree
