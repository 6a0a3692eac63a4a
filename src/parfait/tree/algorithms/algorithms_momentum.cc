#include <algorithm>

#include "parfait/tree/algorithms/algorithms.h"
#include "parfait/tree/algorithms/levels.h"

namespace parfait::tree {
namespace {

struct MassAndCenter {
  double mass = 0;
  Vec3<double> position{};
};

MassAndCenter whole(const Tree& tree, const Workspace& ws) {
  MassAndCenter sum;
  for (int i = 0; i < tree.num_nodes(); ++i) {
    if (tree.nodes[i].body < 0) continue;
    const double m = ws.bound.nodes[i].I.m;
    sum.mass += m;
    sum.position += m * ws.nodes[i].p + ws.nodes[i].h;
  }
  sum.position = (1 / sum.mass) * sum.position;
  return sum;
}

/// Momentum of the body of a node, about its origin.
Force<double> momentum_of(const Workspace& ws, int node) {
  const NodeMotion<double>& at = ws.nodes[node];
  return Inertia<double>{ws.bound.nodes[node].I.m, at.h, at.I} * Motion<double>{at.omega, at.v};
}

Force<double> momentum_about(const Tree& tree, const Workspace& ws, const Vec3<double>& point) {
  Force<double> sum;
  for (int i = 0; i < tree.num_nodes(); ++i) {
    if (tree.nodes[i].body < 0) continue;
    const Force<double> part = momentum_of(ws, i);
    sum = sum + Force<double>{part.n + cross(ws.nodes[i].p - point, part.f), part.f};
  }
  return sum;
}

}  // namespace

CenterOfMass center_of_mass(const Tree& tree, ConstVec q, ConstVec v, Workspace& ws) {
  update_velocities(tree, q, v, ws);
  update_inertias(tree, ws);
  const MassAndCenter center = whole(tree, ws);
  const Force<double> momentum = momentum_about(tree, ws, center.position);
  return {center.mass, center.position, (1 / center.mass) * momentum.f, momentum.n};
}

Force<double> spatial_momentum(const Tree& tree, ConstVec q, ConstVec v, Workspace& ws) {
  update_velocities(tree, q, v, ws);
  update_inertias(tree, ws);
  return momentum_about(tree, ws, {0, 0, 0});
}

void centroidal_momentum_matrix(const Tree& tree, ConstVec q, Workspace& ws, Vec A) {
  update_positions(tree, q, ws);
  update_inertias(tree, ws);
  std::fill(A.begin(), A.end(), 0.0);
  const Vec3<double> center = whole(tree, ws).position;
  // Column k: momentum of all that motion k carries when it alone moves with rate one.
  for (int i = 0; i < tree.num_nodes(); ++i) {
    ws.composite[i] = {};
    if (tree.nodes[i].body < 0) continue;
    ws.composite[i] = {ws.bound.nodes[i].I.m, ws.nodes[i].h, ws.nodes[i].I};
  }
  for (int i = tree.num_nodes() - 1; i >= 0; --i) {
    const Node& node = tree.nodes[i];
    const NodeMotion<double>& at = ws.nodes[i];
    if (node.parent >= 0) {
      ws.composite[node.parent] = ws.composite[node.parent] + moved(ws.composite[i], at.r);
    }
    const Vec3<double> axes[3] = {node.num_w == 1 ? at.R.z : at.R.x, at.R.y, at.R.z};
    const bool turns = node.kind == NodeKind::kRevolute || node.kind == NodeKind::kBall;
    for (int k = 0; k < node.num_w; ++k) {
      const Motion<double> s = turns ? Motion<double>{axes[k], {}} : Motion<double>{{}, axes[k]};
      const Force<double> part = ws.composite[i] * s;
      const Vec3<double> n = part.n + cross(at.p - center, part.f);
      const double entries[6] = {n.x, n.y, n.z, part.f.x, part.f.y, part.f.z};
      const double factor = tree.plain ? 1 : ws.driven.jets[node.w + k].d1;
      const int column = tree.drives[node.w + k].v;
      for (int row = 0; row < 6; ++row) A[row * tree.nv + column] += factor * entries[row];
    }
  }
}

Energies energies(const Tree& tree, ConstVec q, ConstVec v, Workspace& ws) {
  update_velocities(tree, q, v, ws);
  update_inertias(tree, ws);
  Energies sum;
  for (int i = 0; i < tree.num_nodes(); ++i) {
    if (tree.nodes[i].body < 0) continue;
    const NodeMotion<double>& at = ws.nodes[i];
    sum.kinetic += 0.5 * dot(momentum_of(ws, i), Motion<double>{at.omega, at.v});
    sum.potential -= dot(ws.bound.gravity, ws.bound.nodes[i].I.m * at.p + at.h);
  }
  return sum;
}

}  // namespace parfait::tree
