#pragma once

#include <cmath>

#include "parfait/math/lanes.h"
#include "parfait/tree/algorithms/workspace.h"

namespace parfait::tree {

inline double length(const Vec3<double>& a) {
  return std::sqrt(dot(a, a));
}

/// A wrench and how large its parts are (T: double, or math::Lane for wrenches side by side).
template <class T>
struct SizedForce {
  Force<T> F;
  T moment{}, force{};
};
inline SizedForce<double> sized(const Force<double>& F) {
  return {F, length(F.n), length(F.f)};
}

/// What wrenches about the origin of a node do along every velocity that moves it:
/// `add(k, value, most)`, with |value| <= most whatever the directions of axes and the arms of
/// moments. The place of the node is one of these arms: of an arm that is zero (a point held at the
/// centre of a ball joint) the rounding of places is left, which must look small beside `most`.
template <class T, class Add>
void add_generalized_force(const Tree& tree, const Workspace& ws, int node,
                           const SizedForce<T>& given, const Add& add) {
  const auto along = [&](int k, const T& value, const T& most) {
    if (tree.plain) {
      add(k, value, most);
    } else {
      const double slope = ws.driven.jets[k].d1;
      add(tree.drives[k].v, slope * value, std::abs(slope) * most);
    }
  };
  const auto component = [](const Vec3<double>& axis, const Vec3<T>& f) {
    return axis.x * f.x + axis.y * f.y + axis.z * f.z;
  };
  const auto moment_of = [](const Vec3<double>& r, const Vec3<T>& f) {
    return Vec3<T>{r.y * f.z - r.z * f.y, r.z * f.x - r.x * f.z, r.x * f.y - r.y * f.x};
  };
  Force<T> F = given.F;
  T moment = given.moment + length(ws.nodes[node].p) * given.force;
  for (int i = node; i >= 0; i = tree.nodes[i].parent) {
    const Node& at = tree.nodes[i];
    const Mat3<double>& R = ws.nodes[i].R;
    const bool turns = at.kind == NodeKind::kRevolute || at.kind == NodeKind::kBall;
    const Vec3<T>& f = turns ? F.n : F.f;
    const T& most = turns ? moment : given.force;
    if (at.num_w == 1) {
      along(at.w, component(R.z, f), most);
    } else if (at.num_w > 1) {
      along(at.w, component(R.x, f), most);
      along(at.w + 1, component(R.y, f), most);
      along(at.w + 2, component(R.z, f), most);
    }
    if (at.displaced) {
      F.n += moment_of(ws.nodes[i].r, F.f);
      moment += length(ws.nodes[i].r) * given.force;
    }
  }
}

}  // namespace parfait::tree
