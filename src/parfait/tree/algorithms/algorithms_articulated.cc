#include <algorithm>

#include "parfait/tree/algorithms/algorithms.h"
#include "parfait/tree/algorithms/levels.h"

/// Articulated bodies in world axes, each about the origin of its own node (docs/theory/tree.md,
/// T16-T22). After a ball joint only a mass matrix C of the joint's point is left of what it
/// carries, after a displacement only moments of inertia: both need one inverse of three rows.
namespace parfait::tree {
namespace {

[[gnu::always_inline]] inline Sym3<double> inverse(const Sym3<double>& A) {
  const double xx = A.yy * A.zz - A.yz * A.yz, xy = A.xz * A.yz - A.xy * A.zz,
               xz = A.xy * A.yz - A.xz * A.yy;
  const double d = 1 / (A.xx * xx + A.xy * xy + A.xz * xz);
  return {d * xx, d * (A.xx * A.zz - A.xz * A.xz), d * (A.xx * A.yy - A.xy * A.xy), d * xy,
          d * xz, d * (A.xy * A.xz - A.xx * A.yz)};
}

[[gnu::always_inline]] inline Mat3<double> times(const Sym3<double>& A, const Mat3<double>& B) {
  return {A * B.x, A * B.y, A * B.z};
}

/// C - B^T G with G = A^-1 B, symmetric.
[[gnu::always_inline]] inline Sym3<double> without(const Sym3<double>& C, const Mat3<double>& B,
                                                   const Mat3<double>& G) {
  return {C.xx - dot(B.x, G.x), C.yy - dot(B.y, G.y), C.zz - dot(B.z, G.z),
          C.xy - dot(B.x, G.y), C.xz - dot(B.x, G.z), C.yz - dot(B.y, G.z)};
}

struct Block {
  Sym3<double> A;
  Mat3<double> B;
  Sym3<double> C;
};

/// About a point from which the old one is seen at r:
///   B' = B + r^x C,   A' = A - B r^x + r^x B'^T.
[[gnu::always_inline]] inline Block shifted(const Block& I, const Vec3<double>& r) {
  const Vec3<double> c0{I.C.xx, I.C.xy, I.C.xz}, c1{I.C.xy, I.C.yy, I.C.yz},
      c2{I.C.xz, I.C.yz, I.C.zz};
  const Mat3<double>& B = I.B;
  const Mat3<double> N{B.x + cross(r, c0), B.y + cross(r, c1), B.z + cross(r, c2)};
  // Columns of B r^x:   (B.y r.z - B.z r.y,  B.z r.x - B.x r.z,  B.x r.y - B.y r.x)
  // Columns of r^x N^T: r x (row of N)
  return {{I.A.xx - (B.y.x * r.z - B.z.x * r.y) + (r.y * N.z.x - r.z * N.y.x),
           I.A.yy - (B.z.y * r.x - B.x.y * r.z) + (r.z * N.x.y - r.x * N.z.y),
           I.A.zz - (B.x.z * r.y - B.y.z * r.x) + (r.x * N.y.z - r.y * N.x.z),
           I.A.xy - (B.z.x * r.x - B.x.x * r.z) + (r.y * N.z.y - r.z * N.y.y),
           I.A.xz - (B.x.x * r.y - B.y.x * r.x) + (r.y * N.z.z - r.z * N.y.z),
           I.A.yz - (B.x.y * r.y - B.y.y * r.x) + (r.z * N.x.z - r.x * N.z.z)},
          N,
          I.C};
}

[[gnu::always_inline]] inline void add(Articulated& to, const Block& I) {
  to.A = to.A + I.A;
  to.B = to.B + I.B;
  to.C = to.C + I.C;
}

/// What the parent feels of the node: its inertia without what its own motion gives way to.
[[gnu::always_inline]] inline Block given_way(NodeKind kind, const Mat3<double>& R,
                                              Articulated& I) {
  switch (kind) {
    case NodeKind::kFixed:
      return {I.A, I.B, I.C};
    case NodeKind::kRevolute:
    case NodeKind::kPrismatic: {
      const Vec3<double>& s = R.z;
      if (kind == NodeKind::kRevolute) {
        I.U_n = I.A * s;
        I.U_f = transposed_times(I.B, s);
        I.D_inverse = 1 / dot(s, I.U_n);
      } else {
        I.U_n = I.B * s;
        I.U_f = I.C * s;
        I.D_inverse = 1 / dot(s, I.U_f);
      }
      const Vec3<double>&n = I.U_n, &f = I.U_f;
      const Vec3<double> dn = I.D_inverse * n, df = I.D_inverse * f;
      return {{I.A.xx - n.x * dn.x, I.A.yy - n.y * dn.y, I.A.zz - n.z * dn.z, I.A.xy - n.x * dn.y,
               I.A.xz - n.x * dn.z, I.A.yz - n.y * dn.z},
              {{I.B.x.x - n.x * df.x, I.B.x.y - n.y * df.x, I.B.x.z - n.z * df.x},
               {I.B.y.x - n.x * df.y, I.B.y.y - n.y * df.y, I.B.y.z - n.z * df.y},
               {I.B.z.x - n.x * df.z, I.B.z.y - n.y * df.z, I.B.z.z - n.z * df.z}},
              {I.C.xx - f.x * df.x, I.C.yy - f.y * df.y, I.C.zz - f.z * df.z, I.C.xy - f.x * df.y,
               I.C.xz - f.x * df.z, I.C.yz - f.y * df.z}};
    }
    case NodeKind::kBall:
      I.D3_inverse = inverse(I.A);
      I.G = times(I.D3_inverse, I.B);
      return {{}, {}, without(I.C, I.B, I.G)};
    default: {
      const Mat3<double> Bt = transposed(I.B);
      I.D3_inverse = inverse(I.C);
      I.G = times(I.D3_inverse, Bt);
      return {without(I.A, Bt, I.G), {}, {}};
    }
  }
}

/// r^x C (-r^x) and r^x C: the shift of a mass matrix alone.
[[gnu::always_inline]] inline Block shifted_mass(const Sym3<double>& C, const Vec3<double>& r) {
  const Vec3<double> c0{C.xx, C.xy, C.xz}, c1{C.xy, C.yy, C.yz}, c2{C.xz, C.yz, C.zz};
  const Mat3<double> N{cross(r, c0), cross(r, c1), cross(r, c2)};
  return {{r.y * N.z.x - r.z * N.y.x, r.z * N.x.y - r.x * N.z.y, r.x * N.y.z - r.y * N.x.z,
           r.y * N.z.y - r.z * N.y.y, r.y * N.z.z - r.z * N.y.z, r.z * N.x.z - r.x * N.z.z},
          N,
          C};
}

}  // namespace

void update_articulated(const Tree& tree, Workspace& ws) {
  if (ws.has(Workspace::kArticulated)) return;
  update_inertias(tree, ws);
  const int n = tree.num_nodes();
  for (int i = 0; i < n; ++i) {
    Articulated& I = ws.articulated[i];
    if (tree.nodes[i].body < 0) {
      I.A = {};
      I.B = {};
      I.C = {};
      continue;
    }
    const double m = ws.bound.nodes[i].I.m;
    const Vec3<double>& h = ws.nodes[i].h;
    I.A = ws.nodes[i].I;
    I.B = {{0, h.z, -h.y}, {-h.z, 0, h.x}, {h.y, -h.x, 0}};  // h^x
    I.C = {m, m, m, 0, 0, 0};
  }
  for (int i = n - 1; i >= 0; --i) {
    const Node& node = tree.nodes[i];
    const Block rest = given_way(node.kind, ws.nodes[i].R, ws.articulated[i]);
    if (node.parent < 0) continue;
    Articulated& parent = ws.articulated[node.parent];
    if (!node.displaced) {
      add(parent, rest);
    } else if (node.kind == NodeKind::kBall) {
      add(parent, shifted_mass(rest.C, ws.nodes[i].r));
    } else {
      add(parent, shifted(rest, ws.nodes[i].r));
    }
  }
  ws.current |= Workspace::kArticulated;
}

namespace {

inline Vec3<double> vector_of(const double* x) {
  return {x[0], x[1], x[2]};
}

inline void put(const Vec3<double>& a, double* x) {
  x[0] = a.x;
  x[1] = a.y;
  x[2] = a.z;
}

/// (n, f) of all nodes: the force that a body needs beyond I^A times its acceleration.
template <bool kWithBias>
void start_forces(const Tree& tree, Workspace& ws, const Force<double>* wrenches) {
  for (int i = 0; i < tree.num_nodes(); ++i) {
    NodeForces<double>& p = ws.forces[i];
    const int body = tree.nodes[i].body;
    if (!kWithBias || body < 0) {
      p.n = p.f = {};
      continue;
    }
    const NodeMotion<double>& at = ws.nodes[i];
    p.n = cross(at.omega, at.I * at.omega);
    p.f = cross(at.omega, cross(at.omega, at.h));
    if (wrenches) {
      const Force<double> outer = about_node(ws.bound, ws.nodes, body, i, wrenches[body]);
      p.n -= outer.n;
      p.f -= outer.f;
    }
  }
}

/// Tips to ground: what each node passes on, and in alpha (one degree of freedom: alpha.x) what is
/// left of tau for its own motion.
template <bool kWithBias>
void pass_forces(const Tree& tree, Workspace& ws, const double* tau) {
  for (int i = tree.num_nodes() - 1; i >= 0; --i) {
    const Node& node = tree.nodes[i];
    const NodeMotion<double>& at = ws.nodes[i];
    const Articulated& I = ws.articulated[i];
    NodeForces<double>& p = ws.forces[i];
    Vec3<double> pn = p.n, pf = p.f;
    if constexpr (kWithBias) {
      // The part of the acceleration that is known beforehand: p := p + I^A c.
      const Vec3<double> c_omega = at.c_omega, c_v = at.c_v;
      pn += I.A * c_omega + I.B * c_v;
      pf += transposed_times(I.B, c_omega) + I.C * c_v;
    }
    switch (node.kind) {
      case NodeKind::kFixed:
        break;
      case NodeKind::kRevolute: {
        const double s = (tau[node.w] - dot(at.R.z, pn)) * I.D_inverse;
        p.alpha.x = s;
        pn += s * I.U_n;
        pf += s * I.U_f;
        break;
      }
      case NodeKind::kPrismatic: {
        const double s = (tau[node.w] - dot(at.R.z, pf)) * I.D_inverse;
        p.alpha.x = s;
        pn += s * I.U_n;
        pf += s * I.U_f;
        break;
      }
      case NodeKind::kBall: {
        const Vec3<double> torque = at.R * vector_of(tau + node.w);
        const Vec3<double> left = torque - pn;
        p.alpha = left;
        pf += transposed_times(I.G, left);
        pn = torque;
        break;
      }
      case NodeKind::kDisplacement: {
        const Vec3<double> force = at.R * vector_of(tau + node.w);
        const Vec3<double> left = force - pf;
        p.alpha = left;
        pn += transposed_times(I.G, left);
        pf = force;
        break;
      }
    }
    if (node.parent < 0) continue;
    NodeForces<double>& parent = ws.forces[node.parent];
    if (node.displaced) pn += cross(at.r, pf);
    parent.f += pf;
    parent.n += pn;
  }
}

/// Ground to tips: accelerations of each node from those of its parent.
template <bool kWithBias>
void pass_accelerations(const Tree& tree, Workspace& ws, double* wdot) {
  for (int i = 0; i < tree.num_nodes(); ++i) {
    const Node& node = tree.nodes[i];
    const NodeMotion<double>& at = ws.nodes[i];
    const Articulated& I = ws.articulated[i];
    NodeForces<double>& p = ws.forces[i];
    Vec3<double> alpha{}, a{};
    if (node.parent >= 0) {
      alpha = ws.forces[node.parent].alpha;
      a = ws.forces[node.parent].a;
      if (node.displaced) a += cross(alpha, at.r);
    } else if constexpr (kWithBias) {
      a = -ws.bound.gravity;
    }
    switch (node.kind) {
      case NodeKind::kFixed:
        break;
      case NodeKind::kRevolute: {
        const double x = p.alpha.x - I.D_inverse * (dot(I.U_n, alpha) + dot(I.U_f, a));
        wdot[node.w] = x;
        alpha += x * at.R.z;
        break;
      }
      case NodeKind::kPrismatic: {
        const double x = p.alpha.x - I.D_inverse * (dot(I.U_n, alpha) + dot(I.U_f, a));
        wdot[node.w] = x;
        a += x * at.R.z;
        break;
      }
      case NodeKind::kBall: {
        const Vec3<double> x = I.D3_inverse * p.alpha - I.G * a - alpha;
        put(transposed_times(at.R, x), wdot + node.w);
        alpha += x;
        break;
      }
      case NodeKind::kDisplacement: {
        const Vec3<double> x = I.D3_inverse * p.alpha - I.G * alpha - a;
        put(transposed_times(at.R, x), wdot + node.w);
        a += x;
        break;
      }
    }
    if constexpr (kWithBias) {
      alpha += at.c_omega;
      a += at.c_v;
    }
    p.alpha = alpha;
    p.a = a;
  }
}

template <bool kWithBias>
void sweep(const Tree& tree, Workspace& ws, const Force<double>* wrenches, const double* tau,
           double* wdot) {
  start_forces<kWithBias>(tree, ws, wrenches);
  pass_forces<kWithBias>(tree, ws, tau);
  pass_accelerations<kWithBias>(tree, ws, wdot);
}

}  // namespace

void articulated_accelerations(const Tree& tree, Workspace& ws, bool with_bias,
                               const Force<double>* wrenches, const double* tau, double* wdot) {
  if (with_bias) {
    sweep<true>(tree, ws, wrenches, tau, wdot);
  } else {
    sweep<false>(tree, ws, nullptr, tau, wdot);
  }
}

void forward_dynamics(const Tree& tree, ConstVec q, ConstVec v, ConstVec tau, Wrenches wrenches,
                      Workspace& ws, Vec vdot) {
  if (!tree.plain) {
    forward_dynamics_by_mass_matrix(tree, q, v, tau, wrenches, ws, vdot);
    return;
  }
  update_velocities(tree, q, v, ws);
  update_articulated(tree, ws);
  articulated_accelerations(tree, ws, true, wrenches.empty() ? nullptr : wrenches.data(),
                            tau.data(), vdot.data());
}

void forward_dynamics_by_mass_matrix(const Tree& tree, ConstVec q, ConstVec v, ConstVec tau,
                                     Wrenches wrenches, Workspace& ws, Vec vdot) {
  inverse_dynamics(tree, q, v, {}, wrenches, ws, vdot);
  for (int i = 0; i < tree.nv; ++i) vdot[i] = tau[i] - vdot[i];
  solve_mass_matrix(tree, q, ws, vdot);
}

void solve_by_articulated_bodies(const Tree& tree, ConstVec q, Workspace& ws, Vec x) {
  update_positions(tree, q, ws);
  update_articulated(tree, ws);
  articulated_accelerations(tree, ws, false, nullptr, x.data(), x.data());
}

}  // namespace parfait::tree
