#include "parfait/motion/skeleton/marker_kinematics.h"

#include <algorithm>

namespace parfait::motion {

using tree::Motion;
using tree::NodeKind;

MarkerPlan::MarkerPlan(const Skeleton& skeleton) {
  const tree::Tree& tree = skeleton.tree;
  for (int b = 0; b < tree.num_bodies(); ++b) {
    const tree::BodyInfo& info = tree.bodies[b];
    Body body;
    if (info.parent >= 0) body.columns = bodies[info.parent].columns;
    for (int i = info.first_node; i <= info.node; ++i) {
      const tree::Node& node = tree.nodes[i];
      const bool turns = node.kind == NodeKind::kRevolute || node.kind == NodeKind::kBall;
      for (int k = 0; k < node.num_w; ++k) {
        const tree::Drive& drive = tree.drives[node.w + k];
        // A constant displacement moves nothing.
        const bool constant = drive.outer >= 0 &&
                              tree.functions[drive.outer].kind == tree::FunctionKind::kLinear &&
                              tree.functions[drive.outer].constants[0] == 0;
        if (constant) continue;
        body.motions.push_back({i, node.w + k, drive.v, node.num_w == 3 ? k : 2, turns});
        body.columns.push_back(drive.v);
      }
    }
    std::sort(body.columns.begin(), body.columns.end());
    body.columns.erase(std::unique(body.columns.begin(), body.columns.end()), body.columns.end());
    const auto place_of = [&](int v) {
      return static_cast<int>(std::lower_bound(body.columns.begin(), body.columns.end(), v) -
                              body.columns.begin());
    };
    for (auto& motion : body.motions) motion.column = place_of(motion.column);
    if (info.parent >= 0) {
      for (const int v : bodies[info.parent].columns) body.from_parent.push_back(place_of(v));
    }
    body.first = num_twists;
    num_twists += static_cast<int>(body.columns.size());
    bodies.push_back(body);
  }
  for (int m = 0; m < skeleton.num_markers(); ++m) {
    Body& body = bodies[skeleton.markers[m].body];
    body.markers.push_back(m);
    first_column.push_back(num_columns);
    num_columns += static_cast<int>(body.columns.size());
  }
}

MarkerKinematics::MarkerKinematics(const Skeleton& skeleton, const MarkerPlan& plan)
    : skeleton_(skeleton),
      plan_(plan),
      ws_(skeleton.tree),
      positions_(skeleton.markers.size()),
      twists_(static_cast<std::size_t>(plan.num_twists)),
      jacobian_(3 * static_cast<std::size_t>(plan.num_columns)) {}

void MarkerKinematics::bind(const BoundGeometry& geometry) {
  geometry_ = &geometry;
  ws_.bind(skeleton_.tree, geometry.constants);
}

tree::Transform<double> MarkerKinematics::frame(int body) const {
  const auto& at = ws_.nodes[skeleton_.tree.bodies[body].node];
  return tree::Transform<double>{at.R, at.p} * ws_.bound.X_NB[body];
}

void MarkerKinematics::place(std::span<const double> q) {
  const tree::Tree& tree = skeleton_.tree;
  tree::update_positions(tree, q, ws_);
  for (int b = 0; b < tree.num_bodies(); ++b) {
    const auto& markers = plan_.bodies[b].markers;
    if (markers.empty()) continue;
    const tree::Transform<double> X = frame(b);
    for (const int m : markers) positions_[m] = point_in_parent(X, geometry_->places[m]);
  }
}

void MarkerKinematics::differentiate() {
  const tree::Tree& tree = skeleton_.tree;
  for (int b = 0; b < tree.num_bodies(); ++b) {
    const MarkerPlan::Body& body = plan_.bodies[b];
    Motion<double>* own = &twists_[static_cast<std::size_t>(body.first)];
    std::fill_n(own, body.columns.size(), Motion<double>{});
    const int parent = tree.bodies[b].parent;
    if (parent >= 0) {
      const Motion<double>* other = &twists_[static_cast<std::size_t>(plan_.bodies[parent].first)];
      for (std::size_t c = 0; c < body.from_parent.size(); ++c) own[body.from_parent[c]] = other[c];
    }
    for (const auto& motion : body.motions) {
      const auto& at = ws_.nodes[motion.node];
      const double rate = tree.plain ? 1 : ws_.driven.jets[motion.w].d1;
      const Vec3<double> s = rate * column(at.R, motion.axis);
      Motion<double>& twist = own[motion.column];
      if (motion.turns) {
        twist.omega += s;
        twist.v -= cross(s, at.p);
      } else {
        twist.v += s;
      }
    }
    const auto n = static_cast<std::size_t>(body.columns.size());
    for (const int m : body.markers) {
      double* row = &jacobian_[3 * static_cast<std::size_t>(plan_.first_column[m])];
      const Vec3<double>& x = positions_[m];
      for (std::size_t c = 0; c < n; ++c) {
        const Vec3<double> d = own[c].v + cross(own[c].omega, x);
        row[c] = d.x;
        row[n + c] = d.y;
        row[2 * n + c] = d.z;
      }
    }
  }
}

}  // namespace parfait::motion
