#include <algorithm>

#include "parfait/tree/algorithms.h"
#include "parfait/tree/levels.h"

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
  for (int k = 0; k < n; ++k) {
    for (int at = tree.row_start[k]; at < tree.row_start[k + 1]; ++at) {
      const int j = tree.row_columns[at];
      ws.L[k * n + j] = ws.H[k * n + j];
    }
    ws.L[k * n + k] = ws.H[k * n + k];
  }
  // H = L^T D L from the last row up: the rows of the ancestors lose what row k explains.
  for (int k = n - 1; k >= 0; --k) {
    double* row = &ws.L[k * n];
    const double inverse = 1 / row[k];
    row[k] = inverse;
    const int *begin = tree.row_columns.data() + tree.row_start[k],
              *end = begin + (tree.row_start[k + 1] - tree.row_start[k]);
    for (const int* i = begin; i != end; ++i) {
      const double factor = row[*i] * inverse;
      double* other = &ws.L[*i * n];
      for (const int* j = begin; j <= i; ++j) other[*j] -= factor * row[*j];
    }
    for (const int* i = begin; i != end; ++i) row[*i] *= inverse;
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
  for (int k = n - 1; k >= 0; --k) {
    const double* row = &ws.L[k * n];
    for (int at = tree.row_start[k]; at < tree.row_start[k + 1]; ++at) {
      x[tree.row_columns[at]] -= row[tree.row_columns[at]] * x[k];
    }
  }
  for (int k = 0; k < n; ++k) {
    const double* row = &ws.L[k * n];
    double sum = x[k] * row[k];
    for (int at = tree.row_start[k]; at < tree.row_start[k + 1]; ++at) {
      sum -= row[tree.row_columns[at]] * x[tree.row_columns[at]];
    }
    x[k] = sum;
  }
}

}  // namespace parfait::tree
