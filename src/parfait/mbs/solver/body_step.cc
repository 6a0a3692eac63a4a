#include "parfait/mbs/solver/body_step.h"

#include <algorithm>
#include <cmath>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "parfait/math/symmetric.h"
#include "parfait/mbs/solver/joint_step.h"

namespace parfait::mbs {
namespace {

constexpr double kRest[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
constexpr double kStill[12] = {};

/// Twelve coordinates of four bodies, one quad per coordinate.
inline __attribute__((always_inline)) void load_quad(const double* const p[4], V4 out[12]) {
#pragma GCC unroll 3
  for (int g = 0; g < 3; ++g) {
    for (int b = 0; b < 4; ++b) out[4 * g + b] = load4(p[b] + 4 * g);
    transpose(out[4 * g], out[4 * g + 1], out[4 * g + 2], out[4 * g + 3]);
  }
}

/// (x, y, z) quads to one world vector per body; lane 3 is zero.
inline __attribute__((always_inline)) void scatter(V4 x, V4 y, V4 z, V4 out[4]) {
  out[0] = x;
  out[1] = y;
  out[2] = z;
  out[3] = V4{};
  transpose(out[0], out[1], out[2], out[3]);
}

V4 vsqrt(V4 x) {
#if defined(__AVX__)
  return _mm256_sqrt_pd(x);
#else
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) x[i] = std::sqrt(x[i]);
  return x;
#endif
}

/// J entry of the symmetric pair (i, j) in the order xx yy zz xy xz yz.

/// Z = L^-T of the world inertia Theta = tr(P) I - P, P = X J X^T; keeps X J.  (S2)
__attribute__((noinline)) void whiten(const V4* X, const V4* J, V4* XJ, V4 Z[6]) {
#pragma GCC unroll 3
  for (int j = 0; j < 3; ++j) {
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
      XJ[3 * j + k] =
          X[k] * J[kEntry[0][j]] + X[3 + k] * J[kEntry[1][j]] + X[6 + k] * J[kEntry[2][j]];
    }
  }
  const auto P = [&](int k, int l) {
    return XJ[k] * X[l] + XJ[3 + k] * X[3 + l] + XJ[6 + k] * X[6 + l];
  };
  const V4 Pxx = P(0, 0), Pyy = P(1, 1), Pzz = P(2, 2);
  const V4 xx = Pyy + Pzz, yy = Pxx + Pzz, zz = Pxx + Pyy;
  const V4 xy = -P(0, 1), xz = -P(0, 2), yz = -P(1, 2);
  // Theta = L d L^T; the first two divisions do not wait for each other (see block_solver.cc), and
  // the roots of 1/d stay out of the chain.
  const V4 i0 = 1.0 / xx;
  const V4 i1 = xx * (1.0 / (xx * yy - xy * xy));
  const V4 l10 = xy * i0, l20 = xz * i0;
  const V4 u21 = yz - l20 * xy;
  const V4 l21 = u21 * i1;
  const V4 i2 = 1.0 / (zz - l20 * xz - l21 * u21);
  const V4 s1 = vsqrt(i1), s2 = vsqrt(i2);
  Z[0] = vsqrt(i0);
  Z[1] = -l10 * s1;
  Z[2] = s1;
  Z[3] = (l10 * l21 - l20) * s2;
  Z[4] = -l21 * s2;
  Z[5] = s2;
}

/// alpha = Z Z^T tau.
inline __attribute__((always_inline)) void apply_inverse_inertia(const V4 Z[6], const V4 tau[3],
                                                                 V4 alpha[3]) {
  const V4 h0 = Z[0] * tau[0];
  const V4 h1 = Z[1] * tau[0] + Z[2] * tau[1];
  const V4 h2 = Z[3] * tau[0] + Z[4] * tau[1] + Z[5] * tau[2];
  alpha[0] = Z[0] * h0 + Z[1] * h1 + Z[3] * h2;
  alpha[1] = Z[2] * h1 + Z[4] * h2;
  alpha[2] = Z[5] * h2;
}

inline __attribute__((always_inline)) void cross_quads(const V4* a, const V4* b, V4* out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/// Y = X^-T: the cross products of the axes over the determinant.
inline __attribute__((always_inline)) void inverse_transpose(const V4* X, V4* Y) {
  cross_quads(X + 3, X + 6, Y);
  cross_quads(X + 6, X, Y + 3);
  cross_quads(X, X + 3, Y + 6);
  const V4 inverse = 1.0 / (X[0] * Y[0] + X[1] * Y[1] + X[2] * Y[2]);
#pragma GCC unroll 9
  for (int i = 0; i < 9; ++i) Y[i] *= inverse;
}

struct Metric {
  V4 S[6];
};

/// Y S and the torque sum_i e_i x (Y S J)_i = sum_j (X J)_j x (Y S)_j it needs.  (S1)
inline __attribute__((always_inline)) void set_particular(const Metric& metric, BodyQuad& Q) {
#pragma GCC unroll 3
  for (int j = 0; j < 3; ++j) {
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
      Q.Xdd[3 * j + k] = Q.Y[k] * metric.S[kEntry[0][j]] + Q.Y[3 + k] * metric.S[kEntry[1][j]] +
                         Q.Y[6 + k] * metric.S[kEntry[2][j]];
    }
  }
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    V4 sum{};
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
      sum += Q.XJ[3 * j + l] * Q.Xdd[3 * j + m] - Q.XJ[3 * j + m] * Q.Xdd[3 * j + l];
    }
    Q.tau_S[k] = sum;
  }
}

/// S = -X'^T X' (+ offset).
inline __attribute__((always_inline)) Metric metric(const V4* Xd) {
  Metric out;
#pragma GCC unroll 6
  for (int e = 0; e < 6; ++e) {
    const V4* a = Xd + 3 * kPair[e][0];
    const V4* b = Xd + 3 * kPair[e][1];
    out.S[e] = -(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
  }
  return out;
}

/// Adds k.metric_offset, which is rare.
__attribute__((noinline)) void add_metric_offset(const KernelState& k, int first, int count,
                                                 Metric& out) {
  for (int b = 0; b < count; ++b) {
    for (int e = 0; e < 6; ++e) out.S[e][b] += k.metric_offset[6 * (first + b) + e];
  }
}

struct Lanes {
  int first, count;
};

Lanes lanes_of(const Structure& s, int quad) {
  return {4 * quad, std::min(4, s.num_bodies - 4 * quad)};
}

V4 masked_axis2(const double* p) {
  // The state holds o, e1, e2, e3 in a row: the last axis is read from one place before, so that
  // nothing behind the body is touched.
  const V4 x = load4(p + 8);
  return only_xyz(__builtin_shufflevector(x, x, 1, 2, 3, 0));
}

/// Positions and rates of four bodies: fills frames and the quad's X, Y, Z, Y S; kDrop: and their
/// free fall.
template <bool kDrop>
void place_quad(const Structure& s, const InertiaQuad& I, int quad, const double* q,
                const double* v, V4 gravity, bool centers, KernelState& k) {
  const auto [first, count] = lanes_of(s, quad);
  const double* pq[4];
  const double* pv[4];
  for (int b = 0; b < 4; ++b) {
    pq[b] = b < count ? q + 12 * (first + b) : kRest;
    pv[b] = b < count ? v + 12 * (first + b) : kStill;
  }
  V4 x[12], rate[12];
  load_quad(pq, x);
  load_quad(pv, rate);
  BodyQuad& Q = k.quads[quad];
#pragma GCC unroll 9
  for (int i = 0; i < 9; ++i) Q.X[i] = x[3 + i];
  inverse_transpose(Q.X, Q.Y);
  whiten(Q.X, I.J, Q.XJ, Q.Z);
  Metric S = metric(rate + 3);
  if (!k.metric_offset.empty()) add_metric_offset(k, first, count, S);
  set_particular(S, Q);

  V4 second[3][4];
  if constexpr (kDrop) {
    V4 alpha[3];
    apply_inverse_inertia(Q.Z, Q.tau_S, alpha);
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
      V4 turn[3];
      cross_quads(alpha, Q.X + 3 * i, turn);
#pragma GCC unroll 3
      for (int d = 0; d < 3; ++d) Q.Xdd[3 * i + d] -= turn[d];
      scatter(Q.Xdd[3 * i], Q.Xdd[3 * i + 1], Q.Xdd[3 * i + 2], second[i]);
      Q.ac[i] = splat(gravity[i]);
    }
  }
  V4 rc[4], vc[4];
  if (centers) {
    V4 r[3], w[3];
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
      r[i] = x[i] + Q.X[i] * I.c[0] + Q.X[3 + i] * I.c[1] + Q.X[6 + i] * I.c[2];
      w[i] = rate[i] + rate[3 + i] * I.c[0] + rate[6 + i] * I.c[1] + rate[9 + i] * I.c[2];
    }
    scatter(r[0], r[1], r[2], rc);
    scatter(w[0], w[1], w[2], vc);
  }
  V4 z0[4] = {Q.Z[0], Q.Z[1], Q.Z[2], Q.Z[3]};
  V4 z1[4] = {Q.Z[4], Q.Z[5], I.inverse_m, V4{}};
  transpose(z0[0], z0[1], z0[2], z0[3]);
  transpose(z1[0], z1[1], z1[2], z1[3]);
  for (int b = 0; b < count; ++b) {
    BodyFrame& f = k.frames[first + b];
    f.X[0] = load3(pq[b] + 3);  // the fourth number belongs to the next axis
    f.X[1] = load3(pq[b] + 6);
    f.X[2] = masked_axis2(pq[b]);
    f.Xd[0] = load3(pv[b] + 3);
    f.Xd[1] = load3(pv[b] + 6);
    f.Xd[2] = masked_axis2(pv[b]);
    if (centers) {
      f.rc = rc[b];
      f.vc = vc[b];
    }
    store4(f.Z, z0[b]);
    store4(f.Z + 4, z1[b]);
    if constexpr (kDrop) {
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) f.Xdd[i] = second[i][b];
      f.ac = gravity;
    }
  }
}

}  // namespace

void KernelConstants::set_inertia(int body, double m, const double* c, const double* J) {
  auto& quad = inertia[body / 4];
  const int lane = body % 4;
  quad.m[lane] = m;
  quad.inverse_m[lane] = 1 / m;
  for (int i = 0; i < 3; ++i) quad.c[i][lane] = c[i];
  for (int i = 0; i < 6; ++i) quad.J[i][lane] = J[i];
}

KernelState::KernelState(const Structure& s)
    : frames(s.num_bodies + 1),
      quads(s.num_quads()),
      force(s.num_bodies + 1),
      torque(s.num_bodies + 1),
      axis_force(s.released.size()),
      released(s.released.size()),
      rows(s.joints.size()),
      multiplier(8 * s.joints.size()),
      released_columns(s.released.empty() ? 0 : s.joints.size()),
      offset_acc(s.num_rows, 0.0),
      factors(s.plan, static_cast<int>(s.joints.size())) {
  BodyFrame ground{};
  for (int i = 0; i < 3; ++i) ground.X[i][i] = 1;
  frames.back() = ground;
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    if (!s.joints[j].ball) continue;
    for (int i = 0; i < 3; ++i) rows[j].N[i][i] = 1;
  }
  plan_joints(s, *this);
}

void place_bodies(const Structure& s, const KernelConstants& c, const double* q, const double* v,
                  KernelState& k) {
  for (int quad = 0; quad < s.num_quads(); ++quad) {
    place_quad<false>(s, c.inertia[quad], quad, q, v, V4{}, true, k);
  }
}

void drop_bodies(const Structure& s, const KernelConstants& c, const double* q, const double* v,
                 V4 gravity, bool centers, KernelState& k) {
  for (int quad = 0; quad < s.num_quads(); ++quad) {
    place_quad<true>(s, c.inertia[quad], quad, q, v, gravity, centers, k);
  }
}

void push_body(const KernelConstants& c, int body, KernelState& k) {
  BodyFrame& f = k.frames[body];
  BodyQuad& quad = k.quads[body / 4];
  const int lane = body % 4;
  const double* Z = f.Z;
  const V4 t = k.torque[body];
  const double h0 = Z[0] * t[0], h1 = Z[1] * t[0] + Z[2] * t[1],
               h2 = Z[3] * t[0] + Z[4] * t[1] + Z[5] * t[2];
  const V4 alpha{Z[0] * h0 + Z[1] * h1 + Z[3] * h2, Z[2] * h1 + Z[4] * h2, Z[5] * h2, 0};
  for (int i = 0; i < 3; ++i) {
    f.Xdd[i] += cross(alpha, f.X[i]);
    for (int d = 0; d < 3; ++d) quad.Xdd[3 * i + d][lane] = f.Xdd[i][d];
  }
  f.ac += k.force[body] * splat(c.inverse_mass(body));
  for (int d = 0; d < 3; ++d) quad.ac[d][lane] = f.ac[d];
}

void impose_metric(const Structure& s, const double* S, KernelState& k) {
  for (int quad = 0; quad < s.num_quads(); ++quad) {
    const auto [first, count] = lanes_of(s, quad);
    Metric metric{};
    for (int b = 0; b < count; ++b) {
      for (int e = 0; e < 6; ++e) metric.S[e][b] = S[6 * (first + b) + e];
    }
    set_particular(metric, k.quads[quad]);
  }
}

void free_bodies(const Structure& s, const KernelConstants& c, KernelState& k) {
  for (int quad = 0; quad < s.num_quads(); ++quad) {
    const auto [first, count] = lanes_of(s, quad);
    BodyQuad& Q = k.quads[quad];
    V4 f[4], tau[4];
    for (int b = 0; b < 4; ++b) {
      f[b] = b < count ? k.force[first + b] : V4{};
      tau[b] = b < count ? k.torque[first + b] : V4{};
    }
    transpose(f[0], f[1], f[2], f[3]);
    transpose(tau[0], tau[1], tau[2], tau[3]);
    for (int i = 0; i < 3; ++i) tau[i] -= Q.tau_S[i];
    V4 alpha[3];
    apply_inverse_inertia(Q.Z, tau, alpha);
    V4 w[4][4];
    for (int i = 0; i < 3; ++i) {
      V4 turn[3];
      cross_quads(alpha, Q.X + 3 * i, turn);
      for (int d = 0; d < 3; ++d) Q.Xdd[3 * i + d] += turn[d];
      scatter(Q.Xdd[3 * i], Q.Xdd[3 * i + 1], Q.Xdd[3 * i + 2], w[i]);
      Q.ac[i] = f[i] * c.inertia[quad].inverse_m;
    }
    scatter(Q.ac[0], Q.ac[1], Q.ac[2], w[3]);
    for (int b = 0; b < count; ++b) {
      BodyFrame& frame = k.frames[first + b];
      for (int i = 0; i < 3; ++i) frame.Xdd[i] = w[i][b];
      frame.ac = w[3][b];
    }
  }
}

void finish_bodies(const Structure& s, const KernelConstants& c, KernelState& k, double* a) {
  for (int quad = 0; quad < s.num_quads(); ++quad) {
    const auto [first, count] = lanes_of(s, quad);
    const InertiaQuad& I = c.inertia[quad];
    BodyQuad& Q = k.quads[quad];
    V4 f[4], tau[4];
    for (int b = 0; b < 4; ++b) {
      f[b] = b < count ? k.force[first + b] : V4{};
      tau[b] = b < count ? k.torque[first + b] : V4{};
    }
    transpose(f[0], f[1], f[2], f[3]);
    transpose(tau[0], tau[1], tau[2], tau[3]);
    V4 alpha[3];
    apply_inverse_inertia(Q.Z, tau, alpha);
    V4 out[12];
    for (int i = 0; i < 3; ++i) {
      V4 turn[3];
      cross_quads(alpha, Q.X + 3 * i, turn);
      for (int d = 0; d < 3; ++d) out[3 + 3 * i + d] = Q.Xdd[3 * i + d] - turn[d];
    }
    for (int d = 0; d < 3; ++d) {
      Q.ac[d] -= f[d] * I.inverse_m;
      out[d] = Q.ac[d] - out[3 + d] * I.c[0] - out[6 + d] * I.c[1] - out[9 + d] * I.c[2];
    }
    for (int i = 0; i < 9; ++i) Q.Xdd[i] = out[3 + i];
    for (int g = 0; g < 3; ++g) {
      V4* o = out + 4 * g;
      transpose(o[0], o[1], o[2], o[3]);
      for (int b = 0; b < count; ++b) store4(a + 12 * (first + b) + 4 * g, o[b]);
    }
  }
}

}  // namespace parfait::mbs
