#include "parfait/motion/skeleton/geometry.h"

#include <cmath>

namespace parfait::motion {

using tree::Mat3;

Geometry::Geometry(const Skeleton& skeleton) {
  const std::size_t n = skeleton.tree.bodies.size();
  scale.assign(n, {1, 1, 1});
  parent_turn.assign(n, {0, 0, 0});
  child_turn.assign(n, {0, 0, 0});
  for (const auto& body : skeleton.tree.constants.bodies) {
    parent_place.push_back(body.X_PJ.p);
    child_place.push_back(body.X_BJ.p);
  }
  place.reserve(skeleton.markers.size());
  for (const SkinMarker& marker : skeleton.markers) place.push_back(marker.place);
}

Mat3<double> cardan(const Vec3<double>& a) {
  const double cx = std::cos(a.x), sx = std::sin(a.x), cy = std::cos(a.y), sy = std::sin(a.y),
               cz = std::cos(a.z), sz = std::sin(a.z);
  const Mat3<double> X{{1, 0, 0}, {0, cx, sx}, {0, -sx, cx}};
  const Mat3<double> Y{{cy, 0, -sy}, {0, 1, 0}, {sy, 0, cy}};
  const Mat3<double> Z{{cz, sz, 0}, {-sz, cz, 0}, {0, 0, 1}};
  return X * (Y * Z);
}

void bind(const Skeleton& skeleton, const Geometry& geometry, BoundGeometry& out) {
  const tree::Tree& tree = skeleton.tree;
  out.constants = tree.constants;
  out.step_factor.assign(tree.nodes.size(), 1.0);
  for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
    const tree::BodyInfo& info = tree.bodies[b];
    tree::BodyConstants<double>& c = out.constants.bodies[b];
    const Vec3<double> S_parent = info.parent < 0
                                      ? Vec3<double>{1, 1, 1}
                                      : geometry.scale[static_cast<std::size_t>(info.parent)];
    c.X_PJ.p = times(S_parent, geometry.parent_place[b]);
    c.X_BJ.p = times(geometry.scale[b], geometry.child_place[b]);
    c.X_PJ.R = c.X_PJ.R * cardan(geometry.parent_turn[b]);
    c.X_BJ.R = c.X_BJ.R * cardan(geometry.child_turn[b]);
    // S R a = R (R^T S R a): the step goes along another axis, by a multiple of its function.
    for (int i = info.first_node; i <= info.node; ++i) {
      const auto node = static_cast<std::size_t>(i);
      if (!skeleton.scaled_steps[node]) continue;
      Vec3<double>& axis = c.axes[static_cast<std::size_t>(i - info.first_node)];
      const Vec3<double> a = (1 / std::sqrt(dot(axis, axis))) * axis;
      axis = transposed_times(c.X_PJ.R, times(S_parent, c.X_PJ.R * a));
      const double factor = std::sqrt(dot(axis, axis));
      out.step_factor[node] = factor;
      const int f = tree.drives[static_cast<std::size_t>(tree.nodes[node].w)].outer;
      for (double& number : out.constants.functions[static_cast<std::size_t>(f)]) number *= factor;
    }
  }
  out.places.resize(skeleton.markers.size());
  for (std::size_t m = 0; m < skeleton.markers.size(); ++m) {
    const auto body = static_cast<std::size_t>(skeleton.markers[m].body);
    out.places[m] = times(geometry.scale[body], geometry.place[m]);
  }
}

}  // namespace parfait::motion
