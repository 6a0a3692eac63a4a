#include <algorithm>

#include "parfait/tree/algorithms/algorithms.h"
#include "parfait/tree/algorithms/levels.h"

namespace parfait::tree {
namespace {

struct PlacedPoint {
  int node = 0;
  Vec3<double> r, p;  ///< from the origin of the node; in the world
};

PlacedPoint placed(const Tree& tree, int body, const Vec3<double>& point_B, const Workspace& ws) {
  const int node = tree.bodies[body].node;
  const Vec3<double> r = ws.nodes[node].R * point_in_parent(ws.bound.X_NB[body], point_B);
  return {node, r, ws.nodes[node].p + r};
}

/// Calls visit(k, axis, node, turns) for every elementary motion k that moves the node.
template <class Visit>
void for_carrying_motions(const Tree& tree, const Workspace& ws, int node, const Visit& visit) {
  for (int i = node; i >= 0; i = tree.nodes[i].parent) {
    const Node& other = tree.nodes[i];
    const Mat3<double>& R = ws.nodes[i].R;
    const bool turns = other.kind == NodeKind::kRevolute || other.kind == NodeKind::kBall;
    if (other.num_w == 1) {
      visit(other.w, R.z, i, turns);
    } else if (other.num_w == 3) {
      visit(other.w, R.x, i, turns);
      visit(other.w + 1, R.y, i, turns);
      visit(other.w + 2, R.z, i, turns);
    }
  }
}

void add_column(Vec J, int nv, int column, double factor, const Motion<double>& s) {
  const double entries[6] = {s.omega.x, s.omega.y, s.omega.z, s.v.x, s.v.y, s.v.z};
  for (int row = 0; row < 6; ++row) J[row * nv + column] += factor * entries[row];
}

}  // namespace

Transform<double> body_frame(const Tree& tree, ConstVec q, int body, Workspace& ws) {
  update_positions(tree, q, ws);
  const NodeMotion<double>& at = ws.nodes[tree.bodies[body].node];
  return Transform<double>{at.R, at.p} * ws.bound.X_NB[body];
}

Motion<double> body_velocity(const Tree& tree, ConstVec q, ConstVec v, int body, Workspace& ws) {
  const Vec3<double> velocity = point_velocity(tree, q, v, body, {0, 0, 0}, ws);
  return {ws.nodes[tree.bodies[body].node].omega, velocity};
}

Vec3<double> point_position(const Tree& tree, ConstVec q, int body, const Vec3<double>& point_B,
                            Workspace& ws) {
  update_positions(tree, q, ws);
  return placed(tree, body, point_B, ws).p;
}

Vec3<double> point_velocity(const Tree& tree, ConstVec q, ConstVec v, int body,
                            const Vec3<double>& point_B, Workspace& ws) {
  update_velocities(tree, q, v, ws);
  const PlacedPoint point = placed(tree, body, point_B, ws);
  const NodeMotion<double>& at = ws.nodes[point.node];
  return at.v + cross(at.omega, point.r);
}

Motion<double> point_acceleration(const Tree& tree, ConstVec q, ConstVec v, ConstVec vdot, int body,
                                  const Vec3<double>& point_B, Workspace& ws) {
  update_velocities(tree, q, v, ws);
  update_inertias(tree, ws);
  const double* wdot = vdot.empty() ? nullptr : vdot.data();
  if (!tree.plain) {
    drive_accelerations(tree, ws.v.data(), wdot, ws.driven);
    wdot = ws.driven.wdot.data();
  }
  newton_euler(tree, ws.bound, ws.nodes, wdot, Vec3<double>{0, 0, 0},
               static_cast<const Force<double>*>(nullptr), ws.forces, ws.tau.data());
  const PlacedPoint point = placed(tree, body, point_B, ws);
  const NodeMotion<double>& at = ws.nodes[point.node];
  const NodeForces<double>& rate = ws.forces[point.node];
  return {rate.alpha,
          rate.a + cross(rate.alpha, point.r) + cross(at.omega, cross(at.omega, point.r))};
}

void point_jacobian(const Tree& tree, ConstVec q, int body, const Vec3<double>& point_B,
                    Workspace& ws, Vec J) {
  update_positions(tree, q, ws);
  std::fill(J.begin(), J.end(), 0.0);
  const PlacedPoint point = placed(tree, body, point_B, ws);
  for_carrying_motions(
      tree, ws, point.node, [&](int k, const Vec3<double>& s, int node, bool turns) {
        const double factor = tree.plain ? 1 : ws.driven.jets[k].d1;
        const Motion<double> column =
            turns ? Motion<double>{s, cross(s, point.p - ws.nodes[node].p)} : Motion<double>{{}, s};
        add_column(J, tree.nv, tree.drives[k].v, factor, column);
      });
}

void point_jacobian_rate(const Tree& tree, ConstVec q, ConstVec v, int body,
                         const Vec3<double>& point_B, Workspace& ws, Vec Jdot) {
  update_velocities(tree, q, v, ws);
  std::fill(Jdot.begin(), Jdot.end(), 0.0);
  const PlacedPoint point = placed(tree, body, point_B, ws);
  const NodeMotion<double>& end = ws.nodes[point.node];
  const Vec3<double> velocity = end.v + cross(end.omega, point.r);
  for_carrying_motions(tree, ws, point.node,
                       [&](int k, const Vec3<double>& s, int node, bool turns) {
                         const NodeMotion<double>& at = ws.nodes[node];
                         // Axes move with their node (a slide turns with what carries it, which is
                         // the same).
                         const Vec3<double> sd = cross(at.omega, s);
                         Motion<double> column{{}, s}, rate{{}, sd};
                         if (turns) {
                           column = {s, cross(s, point.p - at.p)};
                           rate = {sd, cross(sd, point.p - at.p) + cross(s, velocity - at.v)};
                         }
                         const int j = tree.drives[k].v;
                         if (tree.plain) {
                           add_column(Jdot, tree.nv, j, 1, rate);
                         } else {
                           add_column(Jdot, tree.nv, j, ws.driven.jets[k].d1, rate);
                           add_column(Jdot, tree.nv, j, ws.driven.jets[k].d2 * v[j], column);
                         }
                       });
}

}  // namespace parfait::tree
