#include "parfait/tree/algorithms/second_derivatives.h"

#include <algorithm>

#include "parfait/base/error.h"

namespace parfait::tree {

using math::Lane;
using Number = SecondOrderNumber;

namespace {

Vec3<Number> number(const Vec3<double>& a) {
  return {Number(a.x), Number(a.y), Number(a.z)};
}
Mat3<Number> number(const Mat3<double>& A) {
  return {number(A.x), number(A.y), number(A.z)};
}

void convert(const Tree& tree, const BoundConstants<double>& from, BoundConstants<Number>& to) {
  to.nodes.resize(from.nodes.size());
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    const auto& a = from.nodes[i];
    const Sym3<double>& I = a.I.I;
    to.nodes[i].X_PN = {number(a.X_PN.R), number(a.X_PN.p)};
    to.nodes[i].I = {
        Number(a.I.m),
        number(a.I.h),
        {Number(I.xx), Number(I.yy), Number(I.zz), Number(I.xy), Number(I.xz), Number(I.yz)}};
  }
  to.X_NB.resize(tree.bodies.size());
  to.gravity = number(from.gravity);
}

/// Entry k of x = (q, v, tau) as a direction: of coordinates, velocities and accelerations.
struct Direction {
  int k, nv;
  const DerivativeWorkspace& first;

  double of_q(int i) const { return k < nv && i == k ? 1.0 : 0.0; }
  double of_v(int i) const { return k >= nv && k < 2 * nv && i == k - nv ? 1.0 : 0.0; }
  double of_a(int i) const {
    const auto& D = k < nv ? first.dvdot_dq : k < 2 * nv ? first.dvdot_dv : first.dvdot_dtau;
    return D[static_cast<std::size_t>(i) * nv + k % nv];
  }
};

}  // namespace

SecondDerivativeWorkspace::SecondDerivativeWorkspace(const Tree& tree)
    : gradient(3 * tree.nv),
      hessian(static_cast<std::size_t>(9) * tree.nv * tree.nv),
      first(tree),
      vdot(tree.nv),
      w(tree.nv),
      nodes(tree.nodes.size()),
      forces(tree.nodes.size()),
      q(tree.nq),
      v(tree.nv),
      a(tree.nv),
      tau(tree.nv) {}

void forward_dynamics_transposed(const Tree& tree, ConstVec q, ConstVec v, ConstVec tau,
                                 ConstVec mu, Workspace& ws, SecondDerivativeWorkspace& out) {
  const int n = tree.nv;
  forward_dynamics(tree, q, v, tau, {}, ws, out.vdot);
  inverse_dynamics_derivatives(tree, q, v, out.vdot, {}, ws, out.first);
  std::copy(mu.begin(), mu.end(), out.w.begin());
  solve_mass_matrix(tree, q, ws, out.w);
  for (int k = 0; k < n; ++k) {
    double of_q = 0, of_v = 0;
    for (int i = 0; i < n; ++i) {
      of_q -= out.first.dtau_dq[static_cast<std::size_t>(i) * n + k] * out.w[i];
      of_v -= out.first.dtau_dv[static_cast<std::size_t>(i) * n + k] * out.w[i];
    }
    out.gradient[k] = of_q;
    out.gradient[n + k] = of_v;
    out.gradient[2 * n + k] = out.w[k];
  }
}

void forward_dynamics_second_derivatives(const Tree& tree, ConstVec q, ConstVec v, ConstVec tau,
                                         ConstVec mu, Workspace& ws,
                                         SecondDerivativeWorkspace& out) {
  if (!tree.plain) {
    throw base::InputError(
        "second derivatives are for trees in which every motion has a coordinate of its own.");
  }
  const int n = tree.nv, N = 3 * n;
  forward_dynamics_transposed(tree, q, v, tau, mu, ws, out);
  forward_dynamics_derivatives(tree, q, v, tau, {}, ws, out.first, out.vdot);
  convert(tree, ws.bound, out.bound);
  const Vec3<Number> a0 = -out.bound.gravity;
  for (int j = 0; j < N; ++j) {
    const Direction second{j, n, out.first};
    for (int begin = 0; begin <= j; begin += math::kLanes) {
      const auto lanes = [&](auto&& entry) {
        Lane x;
        for (int l = 0; l < math::kLanes && begin + l < N; ++l) {
          x[l] = entry(Direction{begin + l, n, out.first});
        }
        return x;
      };
      for (int i = 0; i < n; ++i) {
        out.v[i] = {v[i], lanes([i](const Direction& d) { return d.of_v(i); }), second.of_v(i),
                    Lane{}};
        out.a[i] = {out.vdot[i], lanes([i](const Direction& d) { return d.of_a(i); }),
                    second.of_a(i), Lane{}};
      }
      for (const Node& node : tree.nodes) {
        if (node.num_w == 0) continue;
        const Drive& drive = tree.drives[node.w];
        Number delta[3];
        for (int k = 0; k < node.num_w; ++k) {
          const int i = drive.v + k;
          delta[k] = {0.0, lanes([i](const Direction& d) { return d.of_q(i); }), second.of_q(i),
                      Lane{}};
        }
        if (node.kind != NodeKind::kBall) {
          for (int k = 0; k < node.num_w; ++k) out.q[drive.q + k] = q[drive.q + k] + delta[k];
          continue;
        }
        // q o exp(delta / 2) to second order: (1 - |delta|^2 / 8, delta / 2).
        const Number half(0.5), b0 = half * delta[0], b1 = half * delta[1], b2 = half * delta[2];
        const Number c = Number(1.0) - half * (b0 * b0 + b1 * b1 + b2 * b2);
        const Number a[4] = {q[drive.q], q[drive.q + 1], q[drive.q + 2], q[drive.q + 3]};
        out.q[drive.q] = a[0] * c - a[1] * b0 - a[2] * b1 - a[3] * b2;
        out.q[drive.q + 1] = a[0] * b0 + a[1] * c + a[2] * b2 - a[3] * b1;
        out.q[drive.q + 2] = a[0] * b1 + a[2] * c + a[3] * b0 - a[1] * b2;
        out.q[drive.q + 3] = a[0] * b2 + a[3] * c + a[1] * b1 - a[2] * b0;
      }
      place_nodes(tree, out.bound, out.q.data(), out.nodes);
      turn_inertias(tree, out.bound, out.nodes);
      move_nodes(tree, out.v.data(), out.nodes);
      newton_euler(tree, out.bound, out.nodes, out.a.data(), a0,
                   static_cast<const Force<Number>*>(nullptr), out.forces, out.tau.data());
      Lane sum;
      for (int k = 0; k < n; ++k) sum -= out.w[k] * out.tau[k].de;
      for (int l = 0; l < math::kLanes && begin + l <= j; ++l) {
        const std::size_t i = begin + l;
        out.hessian[i * N + j] = out.hessian[static_cast<std::size_t>(j) * N + i] = sum[l];
      }
    }
  }
}

}  // namespace parfait::tree
