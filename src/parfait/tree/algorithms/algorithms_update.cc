#include <algorithm>
#include <cmath>
#include <cstring>

#include "parfait/tree/algorithms/algorithms.h"
#include "parfait/tree/algorithms/levels.h"

namespace parfait::tree {
namespace {

/// Bit by bit: a NaN is never taken for another input, and -0 is computed again.
bool same(ConstVec a, const std::vector<double>& b) {
  return b.empty() || std::memcmp(a.data(), b.data(), b.size() * sizeof(double)) == 0;
}

}  // namespace

void update_positions(const Tree& tree, ConstVec q, Workspace& ws) {
  if (ws.has(Workspace::kPositions) && same(q, ws.q)) return;
  std::copy(q.begin(), q.end(), ws.q.begin());
  if (!tree.plain) drive_positions(tree, ws.bound, ws.q.data(), ws.driven, ws.scratch.data());
  place_nodes(tree, ws.bound, ws.theta(tree), ws.nodes);
  ws.current = Workspace::kPositions;
}

void update_velocities(const Tree& tree, ConstVec q, ConstVec v, Workspace& ws) {
  update_positions(tree, q, ws);
  if (ws.has(Workspace::kVelocities) && same(v, ws.v)) return;
  std::copy(v.begin(), v.end(), ws.v.begin());
  if (!tree.plain) drive_velocities(tree, ws.v.data(), ws.driven);
  move_nodes(tree, ws.w(tree), ws.nodes);
  ws.current |= Workspace::kVelocities;
}

void update_inertias(const Tree& tree, Workspace& ws) {
  if (ws.has(Workspace::kInertias)) return;
  turn_inertias(tree, ws.bound, ws.nodes);
  ws.current |= Workspace::kInertias;
}

void position_rates(const Tree& tree, ConstVec q, ConstVec v, Vec qdot) {
  rates_of_positions(tree, q.data(), v.data(), qdot.data());
}

void displace(const Tree& tree, ConstVec q, ConstVec delta, Vec out) {
  // The displacement of the elementary coordinates is their rate, unless it is a quaternion's.
  for (const Node& node : tree.nodes) {
    if (node.num_w == 0) continue;
    const Drive& drive = tree.drives[node.w];
    if (node.kind == NodeKind::kBall) {
      const double *a = &q[drive.q], *d = &delta[drive.v];
      const double angle = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
      const double c = std::cos(angle / 2), s = angle > 0 ? std::sin(angle / 2) / angle : 0.5;
      const double b[3] = {s * d[0], s * d[1], s * d[2]};
      const double result[4] = {a[0] * c - a[1] * b[0] - a[2] * b[1] - a[3] * b[2],
                                a[0] * b[0] + a[1] * c + a[2] * b[2] - a[3] * b[1],
                                a[0] * b[1] + a[2] * c + a[3] * b[0] - a[1] * b[2],
                                a[0] * b[2] + a[3] * c + a[1] * b[1] - a[2] * b[0]};
      std::copy_n(result, 4, &out[drive.q]);
    } else {
      for (int k = 0; k < node.num_w; ++k) {
        out[drive.q + k] = q[drive.q + k] + delta[drive.v + k];
      }
    }
  }
}

void normalize(const Tree& tree, Vec q) {
  for (const int first : tree.quaternions) {
    double* a = &q[first];
    const double length = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
    for (int k = 0; k < 4; ++k) a[k] /= length;
  }
}

}  // namespace parfait::tree
