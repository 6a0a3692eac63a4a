#include "parfait/tree/algorithms/derivatives.h"

#include <algorithm>
#include <cstring>

#include "parfait/tree/algorithms/levels.h"

namespace parfait::tree {
namespace {

using NodeSums = DerivativeWorkspace::NodeSums;
using Quad = double __attribute__((vector_size(32)));

Quad quad(const double* x) {
  Quad out;
  std::memcpy(&out, x, sizeof out);
  return out;
}

/// skew(a) B, column by column.
Mat3<double> cross_times(const Vec3<double>& a, const Mat3<double>& B) {
  return {cross(a, B.x), cross(a, B.y), cross(a, B.z)};
}

Mat3<double> skew(const Vec3<double>& a) {
  return {{0, a.z, -a.y}, {-a.z, 0, a.x}, {a.y, -a.x, 0}};
}

/// All nodes about the reference points of their trees, sums over what they carry. `ws.forces` has
/// the accelerations and transmitted forces of inverse dynamics.
void sum_up(const Tree& tree, const Workspace& ws, const Force<double>* wrenches,
            std::vector<NodeSums>& nodes) {
  const int n = tree.num_nodes();
  for (int i = 0; i < n; ++i) {
    const Node& node = tree.nodes[i];
    const NodeMotion<double>& at = ws.nodes[i];
    const NodeForces<double>& rate = ws.forces[i];
    NodeSums& sum = nodes[i];
    sum.rel = node.parent < 0 ? Vec3<double>{0, 0, 0} : nodes[node.parent].rel + at.r;
    sum.v = {at.omega, at.v - cross(at.omega, sum.rel)};
    sum.a = {rate.alpha, rate.a - cross(rate.alpha, sum.rel) - cross(at.omega, at.v)};
    sum.I = {};
    sum.coriolis = {};
    sum.momentum = {};
    sum.wrench_n = {};
    sum.wrench_f = {};
    if (node.body < 0) continue;
    sum.I = moved(Inertia<double>{ws.bound.nodes[i].I.m, at.h, at.I}, sum.rel);
    // omega^x Sigma + h^x v^x with Sigma = tr(I)/2 - I, the second moment of mass.         (T26)
    const Sym3<double>& I = sum.I.I;
    const double half = 0.5 * (I.xx + I.yy + I.zz);
    const Mat3<double> Sigma{
        {half - I.xx, -I.xy, -I.xz}, {-I.xy, half - I.yy, -I.yz}, {-I.xz, -I.yz, half - I.zz}};
    sum.coriolis = cross_times(sum.v.omega, Sigma) + cross_times(sum.I.h, skew(sum.v.v));
    sum.momentum = sum.I.m * sum.v.v + cross(sum.v.omega, sum.I.h);
    if (wrenches) {
      const Force<double>& outer = wrenches[node.body];
      const Vec3<double> p = sum.rel + at.R * ws.bound.X_NB[node.body].p;
      sum.wrench_n = skew(outer.n) + cross_times(p, skew(outer.f));
      sum.wrench_f = outer.f;
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    const int parent = tree.nodes[i].parent;
    if (parent < 0) continue;
    NodeSums& to = nodes[parent];
    const NodeSums& from = nodes[i];
    to.I = to.I + from.I;
    to.coriolis = to.coriolis + from.coriolis;
    to.momentum += from.momentum;
    if (wrenches) {
      to.wrench_n = to.wrench_n + from.wrench_n;
      to.wrench_f += from.wrench_f;
    }
  }
}

/// What motion k of a node needs when it meets motions of the nodes that carry it.
struct alignas(32) Meeting {
  double forward[6][4];   ///< x1, x2, x3, y: with S_j
  double backward[6][4];  ///< z, x3, y, x3: with (S_j, Psi''_j, Psi'_j, Psi'_j + S'_j)
};

void set_rows(double (*rows)[4], int column, const Vec3<double>& a, const Vec3<double>& b) {
  rows[0][column] = a.x;
  rows[1][column] = a.y;
  rows[2][column] = a.z;
  rows[3][column] = b.x;
  rows[4][column] = b.y;
  rows[5][column] = b.z;
}

struct Entries {
  double *tau_q, *tau_v, *H;
  int n;

  /// Motion j of a node on the way to the ground from k (or of the same node).
  void meet(const Meeting& k_side, const DerivativeWorkspace::MotionVectors& j_side, int k,
            int j) const {
    Quad forward{}, backward{};
    for (int c = 0; c < 6; ++c) {
      forward += j_side.rows[c][0] * quad(k_side.forward[c]);
      backward += quad(j_side.rows[c]) * quad(k_side.backward[c]);
    }
    tau_q[j * n + k] = forward[0];
    tau_v[j * n + k] = forward[1];
    H[j * n + k] = H[k * n + j] = forward[2];
    tau_q[k * n + j] = backward[0] + backward[1] + backward[2];
    tau_v[k * n + j] = forward[3] + backward[3];
  }
};

void derive_motions(const Tree& tree, const Workspace& ws, const Vec3<double>& gravity,
                    bool with_wrenches, DerivativeWorkspace& room, const Entries& entries) {
  const Motion<double> ground_v{}, ground_a{{0, 0, 0}, -gravity};
  for (int i = 0; i < tree.num_nodes(); ++i) {
    const Node& node = tree.nodes[i];
    const NodeSums& sum = room.nodes[i];
    const Motion<double>& v = node.parent < 0 ? ground_v : room.nodes[node.parent].v;
    const Motion<double>& a = node.parent < 0 ? ground_a : room.nodes[node.parent].a;
    const Mat3<double>& R = ws.nodes[i].R;
    const Vec3<double> axes[3] = {node.num_w == 1 ? R.z : R.x, R.y, R.z};
    const bool turns = node.kind == NodeKind::kRevolute || node.kind == NodeKind::kBall;
    const NodeForces<double>& out = ws.forces[i];
    const Force<double> F{out.n + cross(sum.rel, out.f), out.f};
    Meeting meetings[3];
    Force<double> turned[3];
    for (int k = 0; k < node.num_w; ++k) {
      const Vec3<double>& s = axes[k];
      const Motion<double> S =
          turns ? Motion<double>{s, cross(sum.rel, s)} : Motion<double>{{0, 0, 0}, s};
      const Motion<double> psi1 = cross(v, S);
      const Motion<double> psi2 = cross(a, S) + cross(v, psi1);
      // One degree of freedom: S' = Psi'. Of three, each column also turns with the other two.
      const Motion<double> rate = psi1 + (node.num_w == 1 ? psi1 : cross(sum.v, S));
      auto& rows = room.motions[node.w + k].rows;
      set_rows(rows, 0, S.omega, S.v);
      set_rows(rows, 1, psi2.omega, psi2.v);
      set_rows(rows, 2, psi1.omega, psi1.v);
      set_rows(rows, 3, rate.omega, rate.v);

      // B x = -2 (coriolis x_omega, momentum x x_omega)                                     (T26)
      const auto B = [&](const Vec3<double>& x) {
        return Force<double>{-2.0 * (sum.coriolis * x), -2.0 * cross(sum.momentum, x)};
      };
      Force<double> x1 = sum.I * psi2 + B(psi1.omega);
      const Force<double> x2 = sum.I * rate + B(S.omega);
      const Force<double> x3 = sum.I * S;
      const Vec3<double> y =
          2.0 * cross(sum.momentum, S.v) - 2.0 * transposed_times(sum.coriolis, S.omega);
      Vec3<double> z{0, 0, 0};
      if (with_wrenches) {
        x1.n -= sum.wrench_n * S.omega;
        x1.f -= cross(sum.wrench_f, S.omega);
        z = cross(sum.wrench_f, S.v) - transposed_times(sum.wrench_n, S.omega);
      }
      turned[k] = cross(S, F);
      Meeting& meeting = meetings[k];
      set_rows(meeting.forward, 0, x1.n, x1.f);
      set_rows(meeting.forward, 1, x2.n, x2.f);
      set_rows(meeting.forward, 2, x3.n, x3.f);
      set_rows(meeting.forward, 3, y, {0, 0, 0});
      set_rows(meeting.backward, 0, z, {0, 0, 0});
      set_rows(meeting.backward, 1, x3.n, x3.f);
      set_rows(meeting.backward, 2, y, {0, 0, 0});
      set_rows(meeting.backward, 3, x3.n, x3.f);
    }
    // Motions of one node turn together: between them the turned force cancels.
    for (int k = 0; k < node.num_w; ++k) {
      for (int j = 0; j <= k; ++j) {
        entries.meet(meetings[k], room.motions[node.w + j], node.w + k, node.w + j);
      }
      const Force<double>& f = turned[k];
      const double extra[6] = {f.n.x, f.n.y, f.n.z, f.f.x, f.f.y, f.f.z};
      for (int c = 0; c < 6; ++c) meetings[k].forward[c][0] += extra[c];
    }
    for (int above = node.parent; above >= 0; above = tree.nodes[above].parent) {
      const Node& other = tree.nodes[above];
      for (int j = other.w; j < other.w + other.num_w; ++j) {
        for (int k = 0; k < node.num_w; ++k) {
          entries.meet(meetings[k], room.motions[j], node.w + k, j);
        }
      }
    }
  }
}

/// From elementary motions to the independent coordinates, with theta = f(q):
///   tau = f' tau_w,   w = f' v,   wdot = f' vdot + f'' v^2
void reduce(const Tree& tree, const Workspace& ws, ConstVec v, ConstVec vdot,
            DerivativeWorkspace& out) {
  const int n = tree.nv, nw = tree.nw;
  std::fill(out.dtau_dq.begin(), out.dtau_dq.end(), 0.0);
  std::fill(out.dtau_dv.begin(), out.dtau_dv.end(), 0.0);
  const auto& jets = ws.driven.jets;
  for (int k = 0; k < nw; ++k) {
    const int row = tree.drives[k].v;
    out.dtau_dq[row * n + row] += jets[k].d2 * ws.driven.tau[k];
    for (int j = 0; j < nw; ++j) {
      const double tau_q = out.w_q[k * nw + j], tau_v = out.w_v[k * nw + j],
                   H = out.w_H[k * nw + j];
      const int column = tree.drives[j].v;
      const double speed = v[column], rate = vdot.empty() ? 0 : vdot[column];
      const Jet<double>& f = jets[j];
      out.dtau_dq[row * n + column] += jets[k].d1 * (tau_q * f.d1 + tau_v * f.d2 * speed +
                                                     H * (f.d2 * rate + f.d3 * speed * speed));
      out.dtau_dv[row * n + column] += jets[k].d1 * (tau_v * f.d1 + 2 * H * f.d2 * speed);
    }
  }
}

/// Right-hand sides are solved for in blocks of columns that stay in registers.
constexpr int kBlock = 12;

void store_quad(double* x, const Quad& value) {
  std::memcpy(x, &value, sizeof value);
}

/// X := H^-1 X for n rows of kBlock numbers, by the factors of ws.
void solve_block(const Tree& tree, const Workspace& ws, double* X) {
  const int n = tree.nv;
  const double* L = ws.L.data();
  const auto minus = [&](double factor, int row, Quad& x0, Quad& x1, Quad& x2) {
    const double* other = X + row * kBlock;
    x0 -= factor * quad(other);
    x1 -= factor * quad(other + 4);
    x2 -= factor * quad(other + 8);
  };
  for (int j = n - 1; j >= 0; --j) {  // L^T y = b
    double* to = X + j * kBlock;
    Quad x0 = quad(to), x1 = quad(to + 4), x2 = quad(to + 8);
    for (int at = tree.column_start[j]; at < tree.column_start[j + 1]; ++at) {
      minus(L[tree.column_entries[at]], tree.column_rows[at], x0, x1, x2);
    }
    store_quad(to, x0);
    store_quad(to + 4, x1);
    store_quad(to + 8, x2);
  }
  for (int k = 0; k < n; ++k) {  // D L x = y
    double* to = X + k * kBlock;
    const double inverse = ws.D_inverse[k];
    Quad x0 = inverse * quad(to), x1 = inverse * quad(to + 4), x2 = inverse * quad(to + 8);
    for (int at = tree.row_start[k]; at < tree.row_start[k + 1]; ++at) {
      minus(L[at], tree.row_columns[at], x0, x1, x2);
    }
    store_quad(to, x0);
    store_quad(to + 4, x1);
    store_quad(to + 8, x2);
  }
}

/// to := factor H^-1 from (n x n; from null: the unit matrix).
void solve_matrix(const Tree& tree, const Workspace& ws, double factor, const double* from,
                  double* X, double* to) {
  const int n = tree.nv;
  for (int first = 0; first < n; first += kBlock) {
    const int count = std::min(kBlock, n - first);
    for (int i = 0; i < n; ++i) {
      double* row = X + i * kBlock;
      for (int c = 0; c < count; ++c) {
        row[c] = from ? factor * from[i * n + first + c] : (i == first + c ? factor : 0);
      }
      for (int c = count; c < kBlock; ++c) row[c] = 0;
    }
    solve_block(tree, ws, X);
    for (int i = 0; i < n; ++i) std::copy_n(X + i * kBlock, count, to + i * n + first);
  }
}

}  // namespace

DerivativeWorkspace::DerivativeWorkspace(const Tree& tree)
    : motions(tree.nw), nodes(tree.nodes.size()), tau(tree.nv) {
  const int n = tree.nv * tree.nv, nw = tree.nw * tree.nw;
  for (auto* matrix : {&dtau_dq, &dtau_dv, &dvdot_dq, &dvdot_dv, &dvdot_dtau}) {
    matrix->assign(n, 0.0);
  }
  if (!tree.plain) {
    for (auto* matrix : {&w_q, &w_v, &w_H}) matrix->assign(nw, 0.0);
  }
  columns.assign(kBlock * tree.nv, 0.0);
}

void inverse_dynamics_derivatives(const Tree& tree, ConstVec q, ConstVec v, ConstVec vdot,
                                  Wrenches wrenches, Workspace& ws, DerivativeWorkspace& out) {
  inverse_dynamics(tree, q, v, vdot, wrenches, ws, out.tau);
  const Force<double>* outer = wrenches.empty() ? nullptr : wrenches.data();
  sum_up(tree, ws, outer, out.nodes);
  if (tree.plain) {
    derive_motions(tree, ws, ws.bound.gravity, outer != nullptr, out,
                   {out.dtau_dq.data(), out.dtau_dv.data(), ws.H.data(), tree.nv});
    ws.current |= Workspace::kMassMatrix;
    return;
  }
  derive_motions(tree, ws, ws.bound.gravity, outer != nullptr, out,
                 {out.w_q.data(), out.w_v.data(), out.w_H.data(), tree.nw});
  reduce(tree, ws, v, vdot, out);
  update_mass_matrix(tree, ws);
}

void forward_dynamics_derivatives(const Tree& tree, ConstVec q, ConstVec v, ConstVec tau,
                                  Wrenches wrenches, Workspace& ws, DerivativeWorkspace& out,
                                  Vec vdot) {
  forward_dynamics(tree, q, v, tau, wrenches, ws, vdot);
  inverse_dynamics_derivatives(tree, q, v, vdot, wrenches, ws, out);
  update_factors(tree, ws);
  double* X = out.columns.data();
  solve_matrix(tree, ws, -1, out.dtau_dq.data(), X, out.dvdot_dq.data());
  solve_matrix(tree, ws, -1, out.dtau_dv.data(), X, out.dvdot_dv.data());
  solve_matrix(tree, ws, 1, nullptr, X, out.dvdot_dtau.data());
}

}  // namespace parfait::tree
