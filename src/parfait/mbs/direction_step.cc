#include "parfait/mbs/direction_step.h"

#include <algorithm>

#include "parfait/mbs/constraint_row.h"
#include "parfait/mbs/released.h"

namespace parfait::mbs {

DirectionState::DirectionState(const Structure& s)
    : quads(s.num_quads()),
      joints(s.joints.size()),
      A(s.num_bodies + 1),
      bodies(s.num_bodies + 1),
      lanes(s.num_bodies),
      multipliers(6 * s.joints.size()),
      axis_force(s.released.size()),
      released_Lambda(s.released.size()),
      group_axis(s.joints.size()) {}

namespace {

V4 combine(const V4* X, const double* r) {
  return X[0] * r[0] + X[1] * r[1] + X[2] * r[2];
}

/// Coefficient i of one body in a quad: numbers four apart.
struct Column {
  const double* p;
  double operator[](int i) const { return p[4 * i]; }
};

template <std::size_t N>
Column column(const V4 (&quad)[N], int lane) {
  return {reinterpret_cast<const double*>(quad) + lane};
}

/// out += a x b with numbers a.
inline __attribute__((always_inline)) void add_cross(const double* a, const Lane* b, Lane* out) {
  out[0] += a[1] * b[2] - a[2] * b[1];
  out[1] += a[2] * b[0] - a[0] * b[2];
  out[2] += a[0] * b[1] - a[1] * b[0];
}
inline __attribute__((always_inline)) void subtract_cross(const double* a, const Lane* b,
                                                          Lane* out) {
  out[0] -= a[1] * b[2] - a[2] * b[1];
  out[1] -= a[2] * b[0] - a[0] * b[2];
  out[2] -= a[0] * b[1] - a[1] * b[0];
}

/// D r with D by axes.
inline __attribute__((always_inline)) void map(const Lane* D, const double* r, Lane* out) {
  for (int k = 0; k < 3; ++k) out[k] = D[k] * r[0] + D[3 + k] * r[1] + D[6 + k] * r[2];
}

inline __attribute__((always_inline)) Lane dot(const double* a, const Lane* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

const double* raw(const V4& a) {
  return reinterpret_cast<const double*>(&a);
}

void prepare_joint(const JointShape& shape, const Geometry& g, const KernelState& k,
                   const JointRows& r, const double* multiplier, DirectionJoint& out,
                   std::array<V4, 3>* A) {
  for (int side = 0; side < 2; ++side) {
    const BodyFrame& f = k.frames[shape.body[side]];
    for (int i = 0; i < shape.num_axes[side]; ++i) {
      out.axis_d[side][i] = combine(f.Xd, g.axis[side][i]);
      out.axis_dd[side][i] = combine(f.Xdd, g.axis[side][i]);
    }
  }
  // The joint's forces on the axes: lambda rho^T at the point, lambda w u^T for u . w.
  auto& Aa = A[shape.body[0]];
  auto& Ab = A[shape.body[1]];
  const V4 lambda = load3(multiplier);
  for (int i = 0; i < 3; ++i) {
    Aa[i] += lambda * splat(g.rho[0][i]);
    Ab[i] -= lambda * splat(g.rho[1][i]);
  }
  for (int n = 0; n < shape.num_groups; ++n) {
    const AxisGroup& group = shape.groups[n];
    const int other = 1 - group.side;
    V4 partner{};
    double local[4] = {};
    for (int i = 0; i < group.num_rows; ++i) {
      const RowShape& row = shape.rows[group.rows[i]];
      const int axis = other == 0 ? row.a_axis : row.b_axis;
      const double l = multiplier[group.rows[i]];
      partner += r.axis[other][axis] * splat(l);
      for (int d = 0; d < 3; ++d) local[d] += l * g.axis[other][axis][d];
    }
    out.partner[n] = partner;
    std::copy(local, local + 4, out.partner_local[n]);
    auto& own = A[shape.body[group.side]];
    auto& others = A[shape.body[other]];
    const V4 axis_w = r.axis[group.side][group.axis];
    for (int i = 0; i < 3; ++i) {
      own[i] += partner * splat(g.axis[group.side][group.axis][i]);
      others[i] += axis_w * splat(local[i]);
    }
  }
}

void prepare_quad(const InertiaQuad& I, const BodyQuad& Q, const V4 (*A)[3],
                  const BodyFrame* frames, int count, DirectionQuad& out) {
  const V4 zero{};
  for (int i = 0; i < 3; ++i) {
    V4 t[4], a[4];
    for (int b = 0; b < 4; ++b) {
      t[b] = b < count ? frames[b].Xd[i] : zero;
      a[b] = b < count ? A[b][i] : zero;
    }
    transpose(t[0], t[1], t[2], t[3]);
    transpose(a[0], a[1], a[2], a[3]);
    for (int k = 0; k < 3; ++k) {
      out.Xd[3 * i + k] = t[k];
      out.A[3 * i + k] = a[k];
    }
  }
  constexpr int kEntry[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  for (int j = 0; j < 3; ++j) {
    for (int k = 0; k < 3; ++k) {
      out.A[3 * j + k] += Q.Xdd[k] * I.J[kEntry[0][j]] + Q.Xdd[3 + k] * I.J[kEntry[1][j]] +
                          Q.Xdd[6 + k] * I.J[kEntry[2][j]];
    }
  }
  // Theta^-1 = Z Z^T.
  const V4* Z = Q.Z;
  V4* T = out.inverse_Theta;
  T[0] = Z[0] * Z[0] + Z[1] * Z[1] + Z[3] * Z[3];
  T[1] = Z[2] * Z[2] + Z[4] * Z[4];
  T[2] = Z[5] * Z[5];
  T[3] = Z[1] * Z[2] + Z[3] * Z[4];
  T[4] = Z[3] * Z[5];
  T[5] = Z[4] * Z[5];
  // H e = -Theta^-1 of the torque that S = e needs: (X J)_j x Y_i summed over both orders.
  constexpr int kPair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int e = 0; e < 6; ++e) {
    const int a = kPair[e][0], b = kPair[e][1];
    V4 tau[3];
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3, m = (k + 2) % 3;
      tau[k] = Q.XJ[3 * b + l] * Q.Y[3 * a + m] - Q.XJ[3 * b + m] * Q.Y[3 * a + l];
      if (a != b) tau[k] += Q.XJ[3 * a + l] * Q.Y[3 * b + m] - Q.XJ[3 * a + m] * Q.Y[3 * b + l];
    }
    out.H[3 * e] = -(T[0] * tau[0] + T[3] * tau[1] + T[4] * tau[2]);
    out.H[3 * e + 1] = -(T[3] * tau[0] + T[1] * tau[1] + T[5] * tau[2]);
    out.H[3 * e + 2] = -(T[4] * tau[0] + T[5] * tau[1] + T[2] * tau[2]);
  }
}

/// The part of a fast joint's torque that follows the motion of the other body. (D2)
void partner_torques(const JointShape& shape, const Geometry& g, const JointRows& r,
                     const DirectionJoint& c, DirectionState& d, std::array<Lane, 9>& moved) {
  for (int n = 0; n < shape.num_groups; ++n) {
    const AxisGroup& group = shape.groups[n];
    const int own = shape.body[group.side], other = shape.body[1 - group.side];
    const int ground = static_cast<int>(d.lanes.size());
    if (own != ground) {
      Lane* dw = moved.data() + 3 * n;
      map(d.lanes[own].D, g.axis[group.side][group.axis], dw);
      subtract_cross(raw(c.partner[n]), dw, d.bodies[other].T);
    }
    if (other != ground) {
      Lane du[3];
      map(d.lanes[other].D, c.partner_local[n], du);
      subtract_cross(raw(r.axis[group.side][group.axis]), du, d.bodies[own].T);
    }
  }
}

/// Free body: S, Y S, alpha and a_c in the given directions. (D1-D3)
void free_body(const DirectionQuad& Q, const BodyQuad& body, double inverse_m, int lane,
               const Lane* D, const Lane* V, const InertiaLanes* inertia, const Lane* metric,
               BodyWork& w) {
  const Column X = column(body.X, lane), Xd = column(Q.Xd, lane), Xdd = column(body.Xdd, lane),
               Y = column(body.Y, lane), A = column(Q.A, lane), Ti = column(Q.inverse_Theta, lane),
               H = column(Q.H, lane);
  Lane tau[3] = {w.T[0], w.T[1], w.T[2]};
  for (int i = 0; i < 3; ++i) {
    tau[0] -= D[3 * i + 1] * A[3 * i + 2] - D[3 * i + 2] * A[3 * i + 1];
    tau[1] -= D[3 * i + 2] * A[3 * i] - D[3 * i] * A[3 * i + 2];
    tau[2] -= D[3 * i] * A[3 * i + 1] - D[3 * i + 1] * A[3 * i];
  }
  Lane S[6];
  constexpr int kPair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
#pragma GCC unroll 6
  for (int e = 0; e < 6; ++e) {
    const int a = 3 * kPair[e][0], b = 3 * kPair[e][1];
    if (a == b) {
      Lane v = Xd[a] * V[a] + Xd[a + 1] * V[a + 1] + Xd[a + 2] * V[a + 2];
      Lane x = Xdd[a] * D[a] + Xdd[a + 1] * D[a + 1] + Xdd[a + 2] * D[a + 2];
      S[e] = -2.0 * v - x;
    } else {
      Lane v = Xd[a] * V[b] + Xd[a + 1] * V[b + 1] + Xd[a + 2] * V[b + 2] + Xd[b] * V[a] +
               Xd[b + 1] * V[a + 1] + Xd[b + 2] * V[a + 2];
      Lane x = Xdd[a] * D[b] + Xdd[a + 1] * D[b + 1] + Xdd[a + 2] * D[b + 2] + Xdd[b] * D[a] +
               Xdd[b + 1] * D[a + 1] + Xdd[b + 2] * D[a + 2];
      S[e] = -v - 0.5 * x;
    }
    if (metric) S[e] += metric[e];
  }
  Lane F[3] = {w.F[0], w.F[1], w.F[2]};
  if (inertia) {
    const Column ac = column(body.ac, lane);
    const Lane* J = inertia->J;
    for (int k = 0; k < 3; ++k) F[k] -= inertia->m * ac[k];
    const int entry[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    for (int j = 0; j < 3; ++j) {
      Lane B[3];
      for (int k = 0; k < 3; ++k) {
        B[k] = Xdd[k] * J[entry[0][j]] + Xdd[3 + k] * J[entry[1][j]] + Xdd[6 + k] * J[entry[2][j]];
      }
      const double x[3] = {X[3 * j], X[3 * j + 1], X[3 * j + 2]};
      subtract_cross(x, B, tau);
    }
  }
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    w.YS[k] = Y[k] * S[0] + Y[3 + k] * S[3] + Y[6 + k] * S[4];
    w.YS[3 + k] = Y[k] * S[3] + Y[3 + k] * S[1] + Y[6 + k] * S[5];
    w.YS[6 + k] = Y[k] * S[4] + Y[3 + k] * S[5] + Y[6 + k] * S[2];
    w.ac[k] = F[k] * inverse_m;
  }
  w.alpha[0] = Ti[0] * tau[0] + Ti[3] * tau[1] + Ti[4] * tau[2];
  w.alpha[1] = Ti[3] * tau[0] + Ti[1] * tau[1] + Ti[5] * tau[2];
  w.alpha[2] = Ti[4] * tau[0] + Ti[5] * tau[1] + Ti[2] * tau[2];
#pragma GCC unroll 6
  for (int e = 0; e < 6; ++e) {
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) w.alpha[k] += H[3 * e + k] * S[e];
  }
}

/// X'' of the free body, from its parts.
void compose(const BodyQuad& body, int lane, const BodyWork& w, Lane* Xdd) {
  const Column X = column(body.X, lane);
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
    Xdd[3 * i] = w.YS[3 * i] + w.alpha[1] * X[3 * i + 2] - w.alpha[2] * X[3 * i + 1];
    Xdd[3 * i + 1] = w.YS[3 * i + 1] + w.alpha[2] * X[3 * i] - w.alpha[0] * X[3 * i + 2];
    Xdd[3 * i + 2] = w.YS[3 * i + 2] + w.alpha[0] * X[3 * i + 1] - w.alpha[1] * X[3 * i];
  }
}

/// d(G a - gamma) of a fast joint at the free accelerations. (D4)
void residual_fast(const JointShape& shape, const Geometry& g, const JointRows& r,
                   const DirectionJoint& c, const DirectionState& d,
                   const std::array<Lane, 9>& moved, Lane* out) {
  const BodyWork& a = d.bodies[shape.body[0]];
  const BodyWork& b = d.bodies[shape.body[1]];
  const double* rho_a = raw(r.rho[0]);
  const double* rho_b = raw(r.rho[1]);
  Lane point[3], other[3];
  map(a.YS, g.rho[0], point);
  map(b.YS, g.rho[1], other);
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) point[k] += a.ac[k] - b.ac[k] - other[k];
  subtract_cross(rho_a, a.alpha, point);
  add_cross(rho_b, b.alpha, point);
  out[0] = point[0];
  out[1] = point[1];
  out[2] = point[2];
  if (shape.num_groups == 0) return;
  const Lane turn[3] = {a.alpha[0] - b.alpha[0], a.alpha[1] - b.alpha[1], a.alpha[2] - b.alpha[2]};
  const int ground = static_cast<int>(d.lanes.size());
  for (int n = 0; n < shape.num_groups; ++n) {
    const AxisGroup& group = shape.groups[n];
    const int side = group.side, partner = 1 - side;
    const int own = shape.body[side], other_body = shape.body[partner];
    const double* w = raw(r.axis[side][group.axis]);
    const double* w_d = raw(c.axis_d[side][group.axis]);
    const double* w_dd = raw(c.axis_dd[side][group.axis]);
    Lane y[3] = {};  // the common axis is fixed, the partners move with their body
    if (other_body != ground) {
      const Lane* D = d.lanes[other_body].D;
      const Lane* V = d.lanes[other_body].V;
      const Lane* YS = d.bodies[other_body].YS;
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) {
        y[i] = dot(w_dd, D + 3 * i) + 2.0 * dot(w_d, V + 3 * i) + dot(w, YS + 3 * i);
      }
    }
    Lane dw_d[3] = {}, dw_dd[3] = {};
    const Lane* dw = moved.data() + 3 * n;
    if (own != ground) {
      const double* local = g.axis[side][group.axis];
      map(d.lanes[own].V, local, dw_d);
      map(d.bodies[own].YS, local, dw_dd);
    }
    for (int i = 0; i < group.num_rows; ++i) {
      const int row = group.rows[i];
      const int axis = partner == 0 ? shape.rows[row].a_axis : shape.rows[row].b_axis;
      Lane sum = dot(g.axis[partner][axis], y) + dot(raw(r.n[row - 3]), turn);
      if (own != ground) {
        sum += dot(raw(c.axis_dd[partner][axis]), dw) +
               2.0 * dot(raw(c.axis_d[partner][axis]), dw_d) +
               dot(raw(r.axis[partner][axis]), dw_dd);
      }
      out[row] = sum;
    }
  }
}

void add_accelerations(const Site<Dual>& site, const RowShape& row, RowMotion<Dual>& m) {
  m.delta_dd = site.end[0].acceleration() - site.end[1].acceleration();
  m.a_dd = site.end[0].axis_acceleration(row.a_axis);
  m.b_dd = site.end[1].axis_acceleration(row.b_axis);
}

void subtract(const Vec3<Dual>& a, Lane* out) {
  out[0] -= a.x.d;
  out[1] -= a.y.d;
  out[2] -= a.z.d;
}

/// F_X -= f r^T with directions.
void subtract_axis_force(const Vec3<Dual>& f, const double* r, const Lane* dr, Lane* F) {
  const double value[3] = {f.x.v, f.y.v, f.z.v};
  const Lane d[3] = {f.x.d, f.y.d, f.z.d};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      F[3 * i + k] -= d[k] * r[i];
      if (dr) F[3 * i + k] -= value[k] * dr[i];
    }
  }
}

/// Accelerations with the joints' correction. (D6)
void finish_body(const DirectionQuad& Q, const BodyQuad& body, const InertiaQuad& I, int lane,
                 const InertiaLanes* inertia, BodyWork& w, BodyLanes& out) {
  const Column Ti = column(Q.inverse_Theta, lane), X = column(body.X, lane);
  const Lane* T = w.T;
  const Lane alpha[3] = {w.alpha[0] - (Ti[0] * T[0] + Ti[3] * T[1] + Ti[4] * T[2]),
                         w.alpha[1] - (Ti[3] * T[0] + Ti[1] * T[1] + Ti[5] * T[2]),
                         w.alpha[2] - (Ti[4] * T[0] + Ti[5] * T[1] + Ti[2] * T[2])};
  const double inverse_m = I.inverse_m[lane];
  const double c[3] = {I.c[0][lane], I.c[1][lane], I.c[2][lane]};
  Lane* Xdd = out.Xdd;
  Lane* origin = Xdd - 3;
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    Lane sum = w.ac[k] - w.F[k] * inverse_m;
    out.ac[k] = sum;
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
      const Lane x = w.YS[3 * i + k] + alpha[l] * X[3 * i + m] - alpha[m] * X[3 * i + l];
      Xdd[3 * i + k] = x;
      sum -= x * c[i];
    }
    if (inertia) {
      for (int i = 0; i < 3; ++i) sum -= body.Xdd[3 * i + k][lane] * inertia->c[i];
    }
    origin[k] = sum;
  }
}

}  // namespace

Site<Dual> joint_site(const JointShape& shape, const Geometry& g, const KernelState& k,
                      const DirectionState& d, const GeometryLanes* seeds) {
  Site<Dual> site;
  for (int side = 0; side < 2; ++side) {
    const int body = shape.body[side];
    site.end[side].base = {&k.frames[body], g.rho[side], g.axis[side]};
    site.end[side].lanes = body < static_cast<int>(d.lanes.size()) ? &d.lanes[body] : nullptr;
    if (seeds) {
      site.end[side].drho = seeds->rho[side];
      site.end[side].daxes = seeds->axis[side];
    }
  }
  return site;
}

RowMotion<Dual> row_motion(const Site<Dual>& site, const RowShape& row) {
  RowMotion<Dual> m;
  const auto& a = site.end[0];
  const auto& b = site.end[1];
  m.delta = a.point() - b.point();
  m.delta_d = a.velocity() - b.velocity();
  m.a = a.axis(row.a_axis);
  m.a_d = a.axis_rate(row.a_axis);
  m.b = b.axis(row.b_axis);
  m.b_d = b.axis_rate(row.b_axis);
  return m;
}

void subtract_wrenches(const Structure& s, const JointShape& shape, const Site<Dual>& site,
                       const double* lambda, DirectionState& d) {
  const int released[2] = {s.released_index[shape.body[0]], s.released_index[shape.body[1]]};
  for (int i = 0; i < shape.nrows; ++i) {
    const auto m = row_motion(site, shape.rows[i]);
    const auto grad = row_gradient(shape.rows[i].kind, m);
    const Dual l(lambda[i]);
    const Vec3<Dual> n = l * grad.n;
    BodyWork& a = d.bodies[shape.body[0]];
    BodyWork& b = d.bodies[shape.body[1]];
    subtract(n, a.F);
    subtract(-n, b.F);
    subtract(cross(site.end[0].rho(), n) + cross(m.a, l * grad.e_a), a.T);
    subtract(cross(m.b, l * grad.e_b) - cross(site.end[1].rho(), n), b.T);
    for (int side = 0; side < 2; ++side) {
      if (released[side] < 0) continue;
      const auto& end = site.end[side];
      const int axis = side == 0 ? shape.rows[i].a_axis : shape.rows[i].b_axis;
      Lane* F = d.axis_force[released[side]].data();
      subtract_axis_force(side == 0 ? n : -n, end.base.rho_local, end.drho, F);
      subtract_axis_force(l * (side == 0 ? grad.e_a : grad.e_b), end.base.axes[axis], end.da(axis),
                          F);
    }
  }
}

void joint_wrench_directions(const JointShape& shape, const KernelState& k, int j,
                             DirectionState& d) {
  const JointRows& r = k.rows[j];
  const Lane* l = d.multipliers.data() + 6 * j;
  BodyWork& a = d.bodies[shape.body[0]];
  BodyWork& b = d.bodies[shape.body[1]];
  if (shape.fast) {
    Lane T[3] = {};
    for (int i = 3; i < shape.nrows; ++i) {
      const double* n = raw(r.n[i - 3]);
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) T[c] += n[c] * l[i];
    }
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      a.F[c] += l[c];
      b.F[c] -= l[c];
      a.T[c] += T[c];
      b.T[c] -= T[c];
    }
    add_cross(raw(r.rho[0]), l, a.T);
    subtract_cross(raw(r.rho[1]), l, b.T);
    return;
  }
  for (int side = 0; side < 2; ++side) {
    const double* Z = k.frames[shape.body[side]].Z;
    if (Z[0] == 0) continue;  // the ground
    BodyWork& w = side == 0 ? a : b;
    Lane h[3] = {};
    for (int i = 0; i < shape.nrows; ++i) {
      for (int c = 0; c < 3; ++c) {
        h[c] += r.E[side][c][i] * l[i];
        const double n = side == 0 ? r.N[c][i] : -r.N[c][i];
        w.F[c] += n * l[i];
      }
    }
    const Lane tx = h[0] / Z[0];
    const Lane ty = (h[1] - Z[1] * tx) / Z[2];
    w.T[0] += tx;
    w.T[1] += ty;
    w.T[2] += (h[2] - Z[3] * tx - Z[4] * ty) / Z[5];
  }
}

void prepare_directions(const Structure& s, const KernelConstants& c, const KernelState& k,
                        const std::vector<char>& general, DirectionState& d) {
  std::fill(d.A.begin(), d.A.end(), std::array<V4, 3>{});
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    if (general[j]) continue;
    prepare_joint(s.joints[j], c.geometry[j], k, k.rows[j], k.multiplier.data() + 8 * j,
                  d.joints[j], d.A.data());
  }
  for (int quad = 0; quad < s.num_quads(); ++quad) {
    const int first = 4 * quad, count = std::min(4, s.num_bodies - first);
    V4 A[4][3];
    for (int b = 0; b < count; ++b) std::copy(d.A[first + b].begin(), d.A[first + b].end(), A[b]);
    prepare_quad(c.inertia[quad], k.quads[quad], A, k.frames.data() + first, count, d.quads[quad]);
  }
}

void solve_directions(const Structure& s, const KernelConstants& c, const KernelState& k,
                      const std::vector<char>& general, const ChunkSeeds& seeds,
                      DirectionState& d) {
  const int nj = static_cast<int>(s.joints.size());
  const auto geometry = [&](int j) { return seeds.geometry ? seeds.geometry[j] : nullptr; };
  const auto inertia = [&](int b) { return seeds.inertia ? seeds.inertia[b] : nullptr; };
  for (int j = 0; j < nj; ++j) {
    const JointShape& shape = s.joints[j];
    if (general[j]) {
      subtract_wrenches(s, shape, joint_site(shape, c.geometry[j], k, d, geometry(j)),
                        k.multiplier.data() + 8 * j, d);
    } else {
      partner_torques(shape, c.geometry[j], k.rows[j], d.joints[j], d, d.group_axis[j]);
    }
  }
  for (int b = 0; b < s.num_bodies; ++b) {
    BodyWork& w = d.bodies[b];
    free_body(d.quads[b / 4], k.quads[b / 4], k.frames[b].Z[6], b % 4, d.lanes[b].D, d.lanes[b].V,
              inertia(b), seeds.metric ? seeds.metric + 6 * b : nullptr, w);
    for (int i = 0; i < 3; ++i) w.F[i] = w.T[i] = Lane{};
  }
  d.bodies.back() = BodyWork{};  // the ground
  if (!s.released.empty()) free_released_directions(s, c, k, seeds, d);
  if (std::find(general.begin(), general.end(), 1) != general.end()) {
    // General rows read X'' of the free bodies.
    for (int b = 0; b < s.num_bodies; ++b) {
      compose(k.quads[b / 4], b % 4, d.bodies[b], d.lanes[b].Xdd);
      std::copy(d.bodies[b].ac, d.bodies[b].ac + 3, d.lanes[b].ac);
    }
  }
  for (int j = 0; j < nj; ++j) {
    const JointShape& shape = s.joints[j];
    Lane* out = d.multipliers.data() + 6 * j;
    if (general[j]) {
      const auto site = joint_site(shape, c.geometry[j], k, d, geometry(j));
      for (int i = 0; i < shape.nrows; ++i) {
        auto m = row_motion(site, shape.rows[i]);
        add_accelerations(site, shape.rows[i], m);
        out[i] = row_acceleration(shape.rows[i].kind, m).d;
      }
    } else {
      residual_fast(shape, c.geometry[j], k.rows[j], d.joints[j], d, d.group_axis[j], out);
    }
    if (seeds.offset) {
      for (int i = 0; i < shape.nrows; ++i) out[i] -= seeds.offset[shape.first_row + i];
    }
  }
  solve_lanes(s.plan, k.factors, d.multipliers.data());
  for (int j = 0; j < nj; ++j) joint_wrench_directions(s.joints[j], k, j, d);
  if (!s.released.empty()) finish_released_directions(s, k, d);
  for (int b = 0; b < s.num_bodies; ++b) {
    finish_body(d.quads[b / 4], k.quads[b / 4], c.inertia[b / 4], b % 4, inertia(b), d.bodies[b],
                d.lanes[b]);
  }
}

}  // namespace parfait::mbs
