#include "parfait/mbs/solver/direction_step.h"

#include <algorithm>

#include "parfait/math/symmetric.h"
#include "parfait/mbs/solver/released.h"
#include "parfait/mbs/solver/row_directions.h"

namespace parfait::mbs {

DirectionState::DirectionState(const Structure& s)
    : quads(s.num_quads()),
      joints(s.joints.size()),
      bodies(s.num_bodies + 1),
      lanes(s.num_bodies),
      multipliers(6 * s.joints.size()),
      axis_force(s.released.size()),
      released_Lambda(s.released.size()),
      group_axis(s.joints.size()) {}

namespace {

const double* raw(const V4& a) {
  return reinterpret_cast<const double*>(&a);
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

/// out -= a x b with numbers a.
inline __attribute__((always_inline)) void subtract_cross(const double* a, const Lane* b,
                                                          Lane* out) {
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    out[k] -= a[l] * b[m];
    out[k] += a[m] * b[l];
  }
}

/// D r with D by axes.
inline __attribute__((always_inline)) void map(const Lane* D, const double* r, Lane* out) {
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) out[k] = D[k] * r[0] + D[3 + k] * r[1] + D[6 + k] * r[2];
}

/// out += a . b with numbers a.
inline __attribute__((always_inline)) void add_dot(const double* a, const Lane* b, Lane& out) {
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) out += a[k] * b[k];
}

/// Rates of the axes, and per group the partners weighted by the multipliers.
void prepare_joint(const JointShape& shape, const Geometry& g, const KernelState& k,
                   const JointRows& r, const double* multiplier, DirectionJoint& out) {
  for (int side = 0; side < 2; ++side) {
    const BodyFrame& f = k.frames[shape.body[side]];
    for (int i = 0; i < shape.num_axes[side]; ++i) {
      const V4 d = combine(f.Xd, g.axis[side][i]), dd = combine(f.Xdd, g.axis[side][i]);
      out.axis_2d[side][i] = d + d;
      out.axis_dd[side][i] = dd;
    }
  }
  for (int n = 0; n < shape.num_groups; ++n) {
    const AxisGroup& group = shape.groups[n];
    const int other = 1 - group.side;
    V4 partner{}, local{};
    for (int i = 0; i < group.num_rows; ++i) {
      const RowShape& row = shape.rows[group.rows[i]];
      const int axis = other == 0 ? row.a_axis : row.b_axis;
      const V4 l = splat(multiplier[group.rows[i]]);
      partner += r.axis[other][axis] * l;
      local += load4(g.axis[other][axis]) * l;
    }
    out.partner[n] = partner;
    out.partner_local[n] = local;
  }
}

/// Forces of the fast joints of a body on its axes: lambda rho^T at the point, lambda w u^T for u .
/// w.
void joint_axis_forces(const Structure& s, const KernelConstants& c, const KernelState& k,
                       const std::vector<char>& general, const DirectionState& d, int body,
                       V4 A[3]) {
  V4 sum[3] = {};
  for (const auto [j, side] : s.joints_of(body)) {
    if (general[j]) continue;
    const JointShape& shape = s.joints[j];
    const Geometry& g = c.geometry[j];
    const V4 point = load3(k.multiplier.data() + 8 * j);
    const V4 force = side == 0 ? point : -point;
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) sum[i] += force * splat(g.rho[side][i]);
    for (int n = 0; n < shape.num_groups; ++n) {
      const AxisGroup& group = shape.groups[n];
      const bool is_own = side == group.side;
      const V4 pull = is_own ? d.joints[j].partner[n] : k.rows[j].axis[group.side][group.axis];
      const double* arm = is_own ? g.axis[side][group.axis] : raw(d.joints[j].partner_local[n]);
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) sum[i] += pull * splat(arm[i]);
    }
  }
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) A[i] = sum[i];
}

void prepare_quad(const InertiaQuad& I, const BodyQuad& Q, const V4 (*A)[3],
                  const BodyFrame* frames, int count, DirectionQuad& out) {
  const V4 zero{};
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
    V4 t[4], a[4];
#pragma GCC unroll 4
    for (int b = 0; b < 4; ++b) {
      t[b] = b < count ? frames[b].Xd[i] : zero;
      a[b] = b < count ? A[b][i] : zero;
    }
    transpose(t[0], t[1], t[2], t[3]);
    transpose(a[0], a[1], a[2], a[3]);
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
      out.minus_Xd[3 * i + k] = -t[k];
      out.minus_half_Xdd[3 * i + k] = -0.5 * Q.Xdd[3 * i + k];
      out.A[3 * i + k] = a[k];
    }
  }
#pragma GCC unroll 3
  for (int j = 0; j < 3; ++j) {
#pragma GCC unroll 3
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
#pragma GCC unroll 6
  for (int e = 0; e < 6; ++e) {
    const int a = kPair[e][0], b = kPair[e][1];
    V4 tau[3];
#pragma GCC unroll 3
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

/// The one group of a revolute joint, whose numbers the compiler then knows.
struct RevoluteGroup {
  static constexpr int kSide = 1, kAxis = 0, kNumRows = 2;
  static constexpr int side() { return kSide; }
  static constexpr int axis() { return kAxis; }
  static constexpr int num_rows() { return kNumRows; }
  static constexpr int row(int i) { return 3 + i; }
  static constexpr int partner_axis(int i) { return i; }
};
/// That of any fast joint.
struct AnyGroup {
  const JointShape& shape;
  const AxisGroup& group;
  int side() const { return group.side; }
  int axis() const { return group.axis; }
  int num_rows() const { return group.num_rows; }
  int row(int i) const { return group.rows[i]; }
  int partner_axis(int i) const {
    const RowShape& r = shape.rows[group.rows[i]];
    return group.side == 1 ? r.a_axis : r.b_axis;
  }
};

/// Calls visit(n, group) for all groups of a fast joint.
template <class Visit>
inline __attribute__((always_inline)) void for_groups(const JointShape& shape, Visit&& visit) {
  if (shape.pattern == JointShape::Pattern::kRevolute) {
    visit(0, RevoluteGroup{});
    return;
  }
  for (int n = 0; n < shape.num_groups; ++n) visit(n, AnyGroup{shape, shape.groups[n]});
}

/// The part of a fast joint's torque that follows the motion of the other body. (D2)
void partner_torques(const JointShape& shape, const Geometry& g, const JointRows& r,
                     const DirectionJoint& c, DirectionState& d, std::array<Lane, 9>& moved) {
  const int ground = static_cast<int>(d.lanes.size());
  for_groups(shape, [&](int n, const auto& group) {
    const int own = shape.body[group.side()], other = shape.body[1 - group.side()];
    if (own != ground) {
      Lane dw[3];
      map(d.lanes[own].D, g.axis[group.side()][group.axis()], dw);
      subtract_cross(raw(c.partner[n]), dw, d.bodies[other].T);
      for (int k = 0; k < 3; ++k) moved[3 * n + k] = dw[k];
    }
    if (other != ground) {
      Lane du[3];
      map(d.lanes[other].D, raw(c.partner_local[n]), du);
      subtract_cross(raw(r.axis[group.side()][group.axis()]), du, d.bodies[own].T);
    }
  });
}

/// What directions of its inertia add to the wrench on a body. (D1)
void add_inertia_directions(const BodyQuad& body, int lane, const InertiaLanes& inertia,
                            BodyWork& w) {
  const Column X = column(body.X, lane), Xdd = column(body.Xdd, lane), ac = column(body.ac, lane);
  const Lane* J = inertia.J;
  for (int k = 0; k < 3; ++k) w.F[k] -= inertia.m * ac[k];
  for (int j = 0; j < 3; ++j) {
    Lane B[3];
    for (int k = 0; k < 3; ++k) {
      B[k] = Xdd[k] * J[kEntry[0][j]] + Xdd[3 + k] * J[kEntry[1][j]] + Xdd[6 + k] * J[kEntry[2][j]];
    }
    const double x[3] = {X[3 * j], X[3 * j + 1], X[3 * j + 2]};
    subtract_cross(x, B, w.T);
  }
}

/// X'' = Y S + alpha x X and a_c of the free body. (D1-D3)
///
/// The order of the sums is that of registers: a lane of D or V is fetched once for all it adds to,
/// and S stays where it is for alpha and Y S.
void free_body(const DirectionQuad& Q, const BodyQuad& body, double inverse_m, int lane,
               const Lane* metric, const BodyWork& w, BodyLanes& out) {
  const Column X = column(body.X, lane), Y = column(body.Y, lane), A = column(Q.A, lane),
               N = column(Q.minus_Xd, lane), M = column(Q.minus_half_Xdd, lane),
               Ti = column(Q.inverse_Theta, lane), H = column(Q.H, lane);
  const Lane* D = out.D;
  const Lane* V = out.V;
  Lane tau[3] = {w.T[0], w.T[1], w.T[2]};
  Lane S[6] = {};
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3, m = (k + 2) % 3;
      const Lane d = D[3 * i + k];
      tau[m] -= d * A[3 * i + l];
      tau[l] += d * A[3 * i + m];
#pragma GCC unroll 3
      for (int j = 0; j < 3; ++j) S[kEntry[i][j]] += d * M[3 * j + k];
    }
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
      const Lane v = V[3 * i + k];
#pragma GCC unroll 3
      for (int j = 0; j < 3; ++j) S[kEntry[i][j]] += v * N[3 * j + k];
    }
  }
#pragma GCC unroll 3
  for (int e = 0; e < 3; ++e) S[e] += S[e];
  if (metric) {
    for (int e = 0; e < 6; ++e) S[e] += metric[e];
  }
  Lane alpha[3];
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    Lane sum = tau[0] * Ti[kEntry[k][0]];
    sum += tau[1] * Ti[kEntry[k][1]];
    sum += tau[2] * Ti[kEntry[k][2]];
#pragma GCC unroll 6
    for (int e = 0; e < 6; ++e) sum += S[e] * H[3 * e + k];
    alpha[k] = sum;
    out.ac[k] = w.F[k] * inverse_m;
  }
#pragma GCC unroll 3
  for (int j = 0; j < 3; ++j) {
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3, m = (k + 2) % 3;
      Lane sum = S[kEntry[0][j]] * Y[k];
      sum += S[kEntry[1][j]] * Y[3 + k];
      sum += S[kEntry[2][j]] * Y[6 + k];
      sum += alpha[l] * X[3 * j + m];
      sum -= alpha[m] * X[3 * j + l];
      out.Xdd[3 * j + k] = sum;
    }
  }
}

/// d(G a - gamma) of a fast joint at the free accelerations. (D4)
void residual_fast(const JointShape& shape, const Geometry& g, const JointRows& r,
                   const DirectionJoint& c, const DirectionState& d,
                   const std::array<Lane, 9>& moved, Lane* out) {
  const int ground = static_cast<int>(d.lanes.size());
  Lane point[3] = {};
#pragma GCC unroll 2
  for (int side = 0; side < 2; ++side) {
    if (shape.body[side] == ground) continue;
    const BodyLanes& body = d.lanes[shape.body[side]];
    const double* rho = g.rho[side];
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
      Lane sum = body.ac[k];
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) sum += body.Xdd[3 * i + k] * rho[i];
      if (side == 0) {
        point[k] = sum;
      } else {
        point[k] -= sum;
      }
    }
  }
  for (int k = 0; k < 3; ++k) out[k] = point[k];
  for_groups(shape, [&](int n, const auto& group) {
    const int side = group.side(), partner = 1 - side;
    const int own = shape.body[side], other = shape.body[partner];
    Lane y[3];  // the common axis is fixed, the partners move with their body
    if (other != ground) {
      const BodyLanes& body = d.lanes[other];
      const double* w = raw(r.axis[side][group.axis()]);
      const double* w_2d = raw(c.axis_2d[side][group.axis()]);
      const double* w_dd = raw(c.axis_dd[side][group.axis()]);
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) {
        add_dot(w_dd, body.D + 3 * i, y[i]);
        add_dot(w_2d, body.V + 3 * i, y[i]);
        add_dot(w, body.Xdd + 3 * i, y[i]);
      }
    }
    Lane with_partner[3], with_own[3];
    for (int i = 0; i < group.num_rows(); ++i) {
      add_dot(g.axis[partner][group.partner_axis(i)], y, with_partner[i]);
    }
    if (own != ground) {
      const double* local = g.axis[side][group.axis()];
      const Lane* dw = moved.data() + 3 * n;
      Lane dw_d[3], dw_dd[3];
      map(d.lanes[own].V, local, dw_d);
      map(d.lanes[own].Xdd, local, dw_dd);
      for (int i = 0; i < group.num_rows(); ++i) {
        const int axis = group.partner_axis(i);
        add_dot(raw(c.axis_dd[partner][axis]), dw, with_own[i]);
        add_dot(raw(c.axis_2d[partner][axis]), dw_d, with_own[i]);
        add_dot(raw(r.axis[partner][axis]), dw_dd, with_partner[i]);
      }
    }
    for (int i = 0; i < group.num_rows(); ++i) out[group.row(i)] = with_partner[i] + with_own[i];
  });
}

/// Accelerations with the joints' correction. (D6)
void finish_body(const DirectionQuad& Q, const BodyQuad& body, const InertiaQuad& I, int lane,
                 const InertiaLanes* inertia, const BodyWork& w, BodyLanes& out) {
  const Column Ti = column(Q.inverse_Theta, lane), X = column(body.X, lane);
  Lane alpha[3];
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    alpha[k] = w.T[0] * Ti[kEntry[k][0]] + w.T[1] * Ti[kEntry[k][1]] + w.T[2] * Ti[kEntry[k][2]];
  }
  const double inverse_m = I.inverse_m[lane];
  const double c[3] = {I.c[0][lane], I.c[1][lane], I.c[2][lane]};
  Lane* Xdd = out.Xdd;
  Lane* origin = Xdd - 3;
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    Lane sum = out.ac[k];
    sum -= w.F[k] * inverse_m;
    out.ac[k] = sum;
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
      Lane x = Xdd[3 * i + k];
      x -= alpha[l] * X[3 * i + m];
      x += alpha[m] * X[3 * i + l];
      Xdd[3 * i + k] = x;
      sum -= x * c[i];
    }
    if (inertia) {
      for (int i = 0; i < 3; ++i) sum -= body.Xdd[3 * i + k][lane] * inertia->c[i];
    }
    origin[k] = sum;
  }
}

/// out += or, on side b, -= a d.
template <int kSide>
inline __attribute__((always_inline)) void add_to_side(double a, const Lane& d, Lane& out) {
  if constexpr (kSide == 0) {
    out += a * d;
  } else {
    out -= a * d;
  }
}

/// F, T += the wrench of the multipliers l of a fast joint on one of its bodies.
template <int kSide>
inline __attribute__((always_inline)) void add_fast_wrench(const JointShape& shape,
                                                           const JointRows& r, const Lane* l,
                                                           Lane* F, Lane* T) {
  const double* rho = raw(r.rho[kSide]);
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3, last = (k + 2) % 3;
    const Lane f = l[k];
    if constexpr (kSide == 0) {
      F[k] += f;
    } else {
      F[k] -= f;
    }
    add_to_side<kSide>(rho[last], f, T[next]);
    add_to_side<1 - kSide>(rho[next], f, T[last]);
  }
  for (int i = 3; i < shape.nrows; ++i) {
    const double* n = raw(r.n[i - 3]);
    const Lane d = l[i];
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) add_to_side<kSide>(n[k], d, T[k]);
  }
}

/// The same for any joint: its levers are kept only whitened, Z^T T = E^T l.
void add_slow_wrench(const JointShape& shape, const JointRows& r, int side, const double* Z,
                     const Lane* l, BodyWork& out) {
  Lane h[3] = {};
  for (int i = 0; i < shape.nrows; ++i) {
    for (int c = 0; c < 3; ++c) {
      h[c] += r.E[side][c][i] * l[i];
      const double n = side == 0 ? r.N[c][i] : -r.N[c][i];
      out.F[c] += n * l[i];
    }
  }
  const Lane tx = h[0] / Z[0];
  const Lane ty = (h[1] - Z[1] * tx) / Z[2];
  out.T[0] += tx;
  out.T[1] += ty;
  out.T[2] += (h[2] - Z[3] * tx - Z[4] * ty) / Z[5];
}

inline __attribute__((always_inline)) void sum_joint_wrenches(const Structure& s,
                                                              const KernelState& k, int body,
                                                              const DirectionState& d,
                                                              BodyWork& out) {
  Lane F[3], T[3];
  bool all_fast = true;
  for (const auto [j, side] : s.joints_of(body)) {
    const JointShape& shape = s.joints[j];
    const Lane* l = d.multipliers.data() + 6 * j;
    if (!shape.fast) {
      all_fast = false;
    } else if (side == 0) {
      add_fast_wrench<0>(shape, k.rows[j], l, F, T);
    } else {
      add_fast_wrench<1>(shape, k.rows[j], l, F, T);
    }
  }
  for (int c = 0; c < 3; ++c) {
    out.F[c] = F[c];
    out.T[c] = T[c];
  }
  if (all_fast) return;
  for (const auto [j, side] : s.joints_of(body)) {
    if (s.joints[j].fast) continue;
    add_slow_wrench(s.joints[j], k.rows[j], side, k.frames[body].Z, d.multipliers.data() + 6 * j,
                    out);
  }
}

}  // namespace

void joint_wrench_directions(const Structure& s, const KernelState& k, int body,
                             const DirectionState& d, BodyWork& out) {
  sum_joint_wrenches(s, k, body, d, out);
}

void prepare_directions(const Structure& s, const KernelConstants& c, const KernelState& k,
                        const std::vector<char>& general, DirectionState& d) {
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    if (general[j]) continue;
    prepare_joint(s.joints[j], c.geometry[j], k, k.rows[j], k.multiplier.data() + 8 * j,
                  d.joints[j]);
  }
  for (int quad = 0; quad < s.num_quads(); ++quad) {
    const int first = 4 * quad, count = std::min(4, s.num_bodies - first);
    V4 A[4][3];
    for (int b = 0; b < count; ++b) joint_axis_forces(s, c, k, general, d, first + b, A[b]);
    prepare_quad(c.inertia[quad], k.quads[quad], A, k.frames.data() + first, count, d.quads[quad]);
  }
}

namespace {

/// The joint's wrenches as they turn with its bodies; the multipliers stay. (D2)
void open_joint(const Structure& s, const KernelConstants& c, const KernelState& k, int j,
                bool general, const GeometryLanes* seeds, DirectionState& d) {
  const JointShape& shape = s.joints[j];
  if (general) {
    subtract_wrenches(s, shape, joint_site(shape, c.geometry[j], k, d, seeds),
                      k.multiplier.data() + 8 * j, d);
  } else if (shape.num_groups > 0) {
    partner_torques(shape, c.geometry[j], k.rows[j], d.joints[j], d, d.group_axis[j]);
  }
}

/// Residual of the joint's rows at the free accelerations of its bodies. (D4)
void close_joint(const Structure& s, const KernelConstants& c, const KernelState& k, int j,
                 bool general, const GeometryLanes* seeds, const Lane* offset, DirectionState& d) {
  const JointShape& shape = s.joints[j];
  Lane* out = d.multipliers.data() + 6 * j;
  if (general) {
    const auto site = joint_site(shape, c.geometry[j], k, d, seeds);
    for (int i = 0; i < shape.nrows; ++i) {
      out[i] = row_acceleration_directions(site, shape.rows[i]);
    }
  } else {
    residual_fast(shape, c.geometry[j], k.rows[j], d.joints[j], d, d.group_axis[j], out);
  }
  if (offset) {
    for (int i = 0; i < shape.nrows; ++i) out[i] -= offset[shape.first_row + i];
  }
}

}  // namespace

void solve_directions(const Structure& s, const KernelConstants& c, const KernelState& k,
                      const std::vector<char>& general, const ChunkSeeds& seeds,
                      DirectionState& d) {
  using Kind = DirectionVisit::Kind;
  const auto geometry = [&](int j) { return seeds.geometry ? seeds.geometry[j] : nullptr; };
  const auto inertia = [&](int b) { return seeds.inertia ? seeds.inertia[b] : nullptr; };
  for (const auto [kind, i] : s.visits) {
    switch (kind) {
      case Kind::kOpenJoint:
        open_joint(s, c, k, i, general[i], geometry(i), d);
        break;
      case Kind::kFreeBody:
        if (inertia(i)) add_inertia_directions(k.quads[i / 4], i % 4, *inertia(i), d.bodies[i]);
        free_body(d.quads[i / 4], k.quads[i / 4], k.frames[i].Z[6], i % 4,
                  seeds.metric ? seeds.metric + 6 * i : nullptr, d.bodies[i], d.lanes[i]);
        break;
      case Kind::kFreeReleased:
        free_released_directions(s, c, k, i, inertia(s.released[i].body), d);
        break;
      case Kind::kCloseJoint:
        close_joint(s, c, k, i, general[i], geometry(i), seeds.offset, d);
        break;
    }
  }
  for (int i = 0; i < 3; ++i) {  // nobody asks what holds the ground
    d.bodies.back().F[i] = d.bodies.back().T[i] = Lane{};
  }
  solve_lanes(s.plan, k.factors, d.multipliers.data());
  if (!s.released.empty()) finish_released_directions(s, k, d);
  for (int b = 0; b < s.num_bodies; ++b) {
    BodyWork joints;
    sum_joint_wrenches(s, k, b, d, joints);
    finish_body(d.quads[b / 4], k.quads[b / 4], c.inertia[b / 4], b % 4, inertia(b), joints,
                d.lanes[b]);
  }
}

}  // namespace parfait::mbs
