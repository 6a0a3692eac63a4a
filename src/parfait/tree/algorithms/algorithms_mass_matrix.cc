#include <algorithm>

#include "parfait/tree/algorithms/algorithms.h"
#include "parfait/tree/algorithms/levels.h"

namespace parfait::tree {
namespace {

/// H_w[k][j] for all pairs of elementary motions on one way to the ground, by `add(k, j, value)`.
///
///   I^C: inertia of all that a node carries.  F = I^C s_k, shifted from node to node;  H_kj = s_j
///   . F
template <class Add>
void composite_bodies(const Tree& tree, Workspace& ws, const Add& add) {
  std::vector<Inertia<double>>& composite = ws.composite;
  const int n = tree.num_nodes();
  for (int i = 0; i < n; ++i) {
    const bool has_mass = tree.nodes[i].body >= 0;
    composite[i] = has_mass ? Inertia<double>{ws.bound.nodes[i].I.m, ws.nodes[i].h, ws.nodes[i].I}
                            : Inertia<double>{};
  }
  for (int i = n - 1; i >= 0; --i) {
    const Node& node = tree.nodes[i];
    const NodeMotion<double>& at = ws.nodes[i];
    const Inertia<double> I = composite[i];
    if (node.parent >= 0) {
      composite[node.parent] = composite[node.parent] + (node.displaced ? moved(I, at.r) : I);
    }
    const Vec3<double> axes[3] = {node.num_w == 1 ? at.R.z : at.R.x, at.R.y, at.R.z};
    const bool turns = node.kind == NodeKind::kRevolute || node.kind == NodeKind::kBall;
    for (int k = 0; k < node.num_w; ++k) {
      const Vec3<double>& s = axes[k];
      Force<double> F =
          turns ? Force<double>{I.I * s, cross(s, I.h)} : Force<double>{cross(I.h, s), I.m * s};
      for (int j = 0; j <= k; ++j) add(node.w + k, node.w + j, dot(axes[j], turns ? F.n : F.f));
      for (int below = i, j = node.parent; j >= 0; below = j, j = tree.nodes[j].parent) {
        if (tree.nodes[below].displaced) F.n += cross(ws.nodes[below].r, F.f);
        const Node& other = tree.nodes[j];
        const Mat3<double>& R = ws.nodes[j].R;
        switch (other.kind) {
          case NodeKind::kFixed:
            break;
          case NodeKind::kRevolute:
            add(node.w + k, other.w, dot(R.z, F.n));
            break;
          case NodeKind::kPrismatic:
            add(node.w + k, other.w, dot(R.z, F.f));
            break;
          default: {
            const Vec3<double> local =
                transposed_times(R, other.kind == NodeKind::kBall ? F.n : F.f);
            add(node.w + k, other.w, local.x);
            add(node.w + k, other.w + 1, local.y);
            add(node.w + k, other.w + 2, local.z);
          }
        }
      }
    }
  }
}

}  // namespace

void update_mass_matrix(const Tree& tree, Workspace& ws) {
  if (ws.has(Workspace::kMassMatrix)) return;
  update_inertias(tree, ws);
  const int n = tree.nv;
  if (tree.plain) {
    composite_bodies(
        tree, ws, [&](int k, int j, double value) { ws.H[k * n + j] = ws.H[j * n + k] = value; });
  } else {
    std::fill(ws.H.begin(), ws.H.end(), 0.0);
    composite_bodies(tree, ws, [&](int k, int j, double value) {
      const int row = tree.drives[k].v, column = tree.drives[j].v;
      const double term = ws.driven.jets[k].d1 * ws.driven.jets[j].d1 * value;
      ws.H[row * n + column] += term;
      if (k != j) ws.H[column * n + row] += term;  // two motions of one coordinate: twice
    });
  }
  ws.current |= Workspace::kMassMatrix;
}

void compute_mass_matrix(const Tree& tree, ConstVec q, Workspace& ws) {
  update_positions(tree, q, ws);
  update_mass_matrix(tree, ws);
}

void update_factors(const Tree& tree, Workspace& ws) {
  if (ws.has(Workspace::kFactors)) return;
  update_mass_matrix(tree, ws);
  const int n = tree.nv;
  const int *start = tree.row_start.data(), *columns = tree.row_columns.data();
  double *L = ws.L.data(), *D = ws.D_inverse.data();
  for (int k = 0; k < n; ++k) {
    for (int at = start[k]; at < start[k + 1]; ++at) L[at] = ws.H[k * n + columns[at]];
    D[k] = ws.H[k * n + k];
  }
  // From the last row up: the rows of its columns lose what row k explains.
  for (int k = n - 1; k >= 0; --k) {
    double* row = L + start[k];
    const int count = start[k + 1] - start[k];
    const double inverse = 1 / D[k];
    D[k] = inverse;
    for (int t = 0; t < count; ++t) {
      const int i = columns[start[k] + t];
      const double factor = row[t] * inverse;
      double* __restrict other = L + start[i];  // begins with the same columns
      for (int j = 0; j < t; ++j) other[j] -= factor * row[j];
      D[i] -= factor * row[t];
    }
    for (int t = 0; t < count; ++t) row[t] *= inverse;
  }
  ws.current |= Workspace::kFactors;
}

void factor_mass_matrix(const Tree& tree, ConstVec q, Workspace& ws) {
  update_positions(tree, q, ws);
  update_factors(tree, ws);
}

void solve_mass_matrix(const Tree& tree, ConstVec q, Workspace& ws, Vec x) {
  factor_mass_matrix(tree, q, ws);
  const int n = tree.nv;
  const int *start = tree.row_start.data(), *columns = tree.row_columns.data();
  const double* L = ws.L.data();
  for (int k = n - 1; k >= 0; --k) {
    for (int at = start[k]; at < start[k + 1]; ++at) x[columns[at]] -= L[at] * x[k];
  }
  for (int k = 0; k < n; ++k) {
    double sum = x[k] * ws.D_inverse[k];
    for (int at = start[k]; at < start[k + 1]; ++at) sum -= L[at] * x[columns[at]];
    x[k] = sum;
  }
}

}  // namespace parfait::tree
