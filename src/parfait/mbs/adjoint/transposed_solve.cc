#include "parfait/mbs/adjoint/transposed_solve.h"

#include <algorithm>

#include "parfait/math/symmetric.h"
#include "parfait/mbs/solver/joint_step.h"
#include "parfait/mechanism/elements/constraint_row.h"

namespace parfait::mbs {
namespace {

/// Z Z^T t, and h = Z^T t on the way.
V4 inverse_inertia(const double* Z, V4 t, double* h) {
  h[0] = Z[0] * t[0];
  h[1] = Z[1] * t[0] + Z[2] * t[1];
  h[2] = Z[3] * t[0] + Z[4] * t[1] + Z[5] * t[2];
  return V4{Z[0] * h[0] + Z[1] * h[1] + Z[3] * h[2], Z[2] * h[1] + Z[4] * h[2], Z[5] * h[2], 0};
}

}  // namespace

void solve_transposed(const Structure& s, const double* row, KernelState& k, AdjointWork& a) {
  // (V1) What the seeds do to bodies that no joint holds; alpha keeps h = Z^T tau for the rows.
  for (int b = 0; b < s.num_bodies; ++b) {
    BodyAdjoint& body = a.bodies[b];
    const BodyFrame& f = k.frames[b];
    body.w = body.seed_c * splat(f.Z[6]);
    V4 tau{};
    for (int i = 0; i < 3; ++i) tau += cross(f.X[i], body.seed_X[i]);
    double h[3];
    body.alpha = inverse_inertia(f.Z, tau, h);
    k.torque[b] = V4{h[0], h[1], h[2], 0};
  }
  k.torque[s.num_bodies] = V4{};
  a.bodies[s.num_bodies].w = a.bodies[s.num_bodies].alpha = V4{};
  // (V2) r = G w, from the whitened rows.
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    const JointShape& shape = s.joints[j];
    const JointRows& rows = k.rows[j];
    const int A = shape.body[0], B = shape.body[1];
    const V4 h0 = k.torque[A], h1 = k.torque[B], d = a.bodies[A].w - a.bodies[B].w;
    double* r = k.multiplier.data() + 8 * j;
    V4 sum[2] = {};
    for (int c = 0; c < 3; ++c) {
      for (int half = 0; half < 2; ++half) {
        sum[half] += load4(rows.E[0][c] + 4 * half) * splat(h0[c]) +
                     load4(rows.E[1][c] + 4 * half) * splat(h1[c]) +
                     load4(rows.N[c] + 4 * half) * splat(d[c]);
      }
    }
    store4(r, sum[0]);
    store4(r + 4, sum[1]);
    for (int i = 0; row && i < shape.nrows; ++i) r[i] -= row[8 * j + i];
  }
  // (V3), (V4)
  solve_joints(s, k);
  for (int b = 0; b < s.num_bodies; ++b) {
    BodyAdjoint& body = a.bodies[b];
    double h[3];
    body.w -= k.force[b] * splat(k.frames[b].Z[6]);
    body.alpha -= inverse_inertia(k.frames[b].Z, k.torque[b], h);
  }
}

namespace {

/// A vector of a row, value, rate and acceleration, and its adjoints.
struct RowVector {
  V4 x[3];    ///< by level
  V4 w;       ///< how it moves along w, alpha
  V4 bar[2];  ///< adjoints of x and its rate, without those that the solve has
  V4 own;     ///< and those: of x[level]
  V4 bar_w;   ///< of w

  void clear() { bar[0] = bar[1] = own = bar_w = V4{}; }
};

template <int kLevel>
void set_axis(const BodyFrame& f, V4 alpha, const double* u, RowVector& v) {
  v.x[0] = combine(f.X, u);
  if constexpr (kLevel > 0) v.x[1] = combine(f.Xd, u);
  if constexpr (kLevel > 1) v.x[2] = combine(f.Xdd, u);
  v.w = cross(alpha, v.x[0]);
  v.clear();
}

/// Adjoints of x and y in the row x . y with multipliers lambda and mu. (V5)
template <int kLevel>
void pull_back_product(RowVector& x, RowVector& y, double lambda, double mu) {
  const V4 l = splat(lambda), m = splat(mu);
  x.bar[0] -= l * y.w;
  y.bar[0] -= l * x.w;
  if constexpr (kLevel > 0) {
    x.bar[0] -= m * y.x[kLevel];
    y.bar[0] -= m * x.x[kLevel];
  }
  if constexpr (kLevel == 2) {
    x.bar[1] -= 2.0 * m * y.x[1];
    y.bar[1] -= 2.0 * m * x.x[1];
  }
  x.own -= m * y.x[0];
  y.own -= m * x.x[0];
  x.bar_w -= l * y.x[0];
  y.bar_w -= l * x.x[0];
}

/// The same of delta' . a, a velocity row.
template <int kLevel>
void pull_back_rate_product(RowVector& delta, RowVector& a, double lambda, double mu) {
  const V4 l = splat(lambda), m = splat(mu);
  a.bar[0] -= l * delta.w + m * delta.x[kLevel];
  if constexpr (kLevel == 2) {
    a.bar[1] -= m * delta.x[1];
    delta.bar[1] -= m * a.x[1];
  }
  delta.own -= m * a.x[0];
  delta.bar_w -= l * a.x[0];
}

/// And of |delta'|^2 / 2.
template <int kLevel>
void pull_back_rate_square(RowVector& delta, double lambda, double mu) {
  const V4 l = splat(lambda), m = splat(mu);
  delta.bar[1] -= l * delta.w;
  if constexpr (kLevel == 2) delta.bar[1] -= m * delta.x[2];
  delta.own -= m * delta.x[1];
  delta.bar_w -= l * delta.x[1];
}

/// From the adjoints of a vector X r (and its rates) to those of X and r. (V6)
template <int kLevel>
void pull_back_vector(const BodyFrame& f, const RowVector& v, const double* r, BodyAdjoint& body,
                      double* bar_r) {
  const V4 value = v.bar[0] + cross(v.bar_w, body.alpha);
  const V4* const moved = kLevel == 0 ? f.X : kLevel == 1 ? f.Xd : f.Xdd;
  for (int i = 0; i < 3; ++i) {
    const V4 part = splat(r[i]);
    body.X[i] += value * part;
    body.Xd[i] += v.bar[1] * part;
    body.rows_X[i] -= v.own * part;
    if (bar_r) bar_r[i] += dot3(f.X[i], value) + dot3(f.Xd[i], v.bar[1]) + dot3(moved[i], v.own);
  }
}

/// The difference of two points: one end adds what the other subtracts.
template <int kLevel>
void pull_back_delta(const BodyFrame& f, const RowVector& delta, double sign, bool is_linear,
                     const double* r, BodyAdjoint& body, double* bar_r) {
  const V4 own = splat(sign) * delta.own;
  if (is_linear) {  // components of delta alone: bar = 0
    const V4 value = splat(sign) * cross(delta.bar_w, body.alpha);
    const V4* const moved = kLevel == 0 ? f.X : kLevel == 1 ? f.Xd : f.Xdd;
    for (int i = 0; i < 3; ++i) {
      const V4 part = splat(r[i]);
      body.X[i] += value * part;
      body.rows_X[i] -= own * part;
      if (bar_r) bar_r[i] += dot3(f.X[i], value) + dot3(moved[i], own);
    }
  } else {
    RowVector signed_delta = delta;
    const V4 s = splat(sign);
    for (V4* x :
         {&signed_delta.bar[0], &signed_delta.bar[1], &signed_delta.own, &signed_delta.bar_w}) {
      *x *= s;
    }
    pull_back_vector<kLevel>(f, signed_delta, r, body, bar_r);
    body.rc += signed_delta.bar[0];
    body.vc += signed_delta.bar[1];
  }
  if constexpr (kLevel == 0) body.rows_c -= own;
}

template <int kLevel>
void pull_back_joints_on(const ModelData& m, ModelWorkspace& w, const double* lambda,
                         bool with_geometry) {
  const Structure& s = m.kernel.structure;
  auto& a = w.adjoint;
  RowVector axis[2][3], delta;
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    const JointShape& shape = s.joints[j];
    const Geometry& g = w.bound.kernel.geometry[j];
    const BodyFrame* const f[2] = {&w.k.frames[shape.body[0]], &w.k.frames[shape.body[1]]};
    BodyAdjoint* const body[2] = {&a.bodies[shape.body[0]], &a.bodies[shape.body[1]]};
    for (int side = 0; side < 2; ++side) {
      for (int i = 0; i < shape.num_axes[side]; ++i) {
        set_axis<kLevel>(*f[side], body[side]->alpha, g.axis[side][i], axis[side][i]);
      }
    }
    delta.clear();
    if (!shape.fast) {
      const V4 rho[2] = {combine(f[0]->X, g.rho[0]), combine(f[1]->X, g.rho[1])};
      delta.x[0] = f[0]->rc + rho[0] - f[1]->rc - rho[1];
      delta.x[1] = f[0]->vc + combine(f[0]->Xd, g.rho[0]) - f[1]->vc - combine(f[1]->Xd, g.rho[1]);
      delta.x[2] =
          f[0]->ac + combine(f[0]->Xdd, g.rho[0]) - f[1]->ac - combine(f[1]->Xdd, g.rho[1]);
      delta.w =
          body[0]->w + cross(body[0]->alpha, rho[0]) - body[1]->w - cross(body[1]->alpha, rho[1]);
    }
    for (int i = 0; i < shape.nrows; ++i) {
      const RowShape& row = shape.rows[i];
      if (kLevel == 0 && row.is_velocity()) continue;
      const double l = lambda[8 * j + i], mu = w.k.multiplier[8 * j + i];
      RowVector& begin = axis[0][row.a_axis];
      switch (row.kind) {
        case RowKind::kDDX:
          pull_back_product<kLevel>(begin, axis[1][row.b_axis], l, mu);
          break;
        case RowKind::kBBDX:
          pull_back_product<kLevel>(delta, begin, l, mu);
          break;
        case RowKind::kBBX: {  // half of delta . delta
          RowVector other = delta;
          other.clear();
          pull_back_product<kLevel>(delta, other, l, mu);
          break;
        }
        case RowKind::kVVDX:
          pull_back_rate_product<kLevel>(delta, begin, l, mu);
          break;
        case RowKind::kVVX:
          pull_back_rate_square<kLevel>(delta, l, mu);
          break;
        default: {
          const auto first = row.is_velocity() ? RowKind::kV0x : RowKind::kB0x;
          const int k = static_cast<int>(row.kind) - static_cast<int>(first);
          delta.own[k] -= mu;
          delta.bar_w[k] -= l;
        }
      }
    }
    GeometryAdjoint* const out = with_geometry && a.geometry_driven[j] ? &a.geometry[j] : nullptr;
    for (int side = 0; side < 2; ++side) {
      pull_back_delta<kLevel>(*f[side], delta, side == 0 ? 1 : -1, shape.fast, g.rho[side],
                              *body[side], out ? out->rho[side] : nullptr);
      for (int i = 0; i < shape.num_axes[side]; ++i) {
        pull_back_vector<kLevel>(*f[side], axis[side][i], g.axis[side][i], *body[side],
                                 out ? out->axis[side][i] : nullptr);
      }
    }
  }
}

}  // namespace

void pull_back_joints(const ModelData& m, ModelWorkspace& w, RowLevel level, const double* lambda,
                      bool with_geometry) {
  switch (level) {
    case RowLevel::kPosition:
      return pull_back_joints_on<0>(m, w, lambda, with_geometry);
    case RowLevel::kVelocity:
      return pull_back_joints_on<1>(m, w, lambda, with_geometry);
    case RowLevel::kAcceleration:
      return pull_back_joints_on<2>(m, w, lambda, with_geometry);
  }
}

void pull_back_offsets(const ModelData& m, ModelWorkspace& w, RowLevel level) {
  const auto& joints = m.kernel.structure.joints;
  std::size_t j = 0;
  for (const auto& offset : m.offset.specs) {
    if (offset.row < joints[j].first_row) j = 0;
    while (offset.row >= joints[j].first_row + joints[j].nrows) ++j;
    const double mu = w.k.multiplier[8 * j + static_cast<std::size_t>(offset.row) -
                                     static_cast<std::size_t>(joints[j].first_row)];
    // The derivative of the offset that enters on this level.
    const int order = static_cast<int>(level) - (offset.kind >= RowKind::kV0x ? 1 : 0);
    if (order < 0 || mu == 0) continue;
    const bool square = offset.kind == RowKind::kBBX || offset.kind == RowKind::kVVX;
    expr::Taylor r;
    auto& gradient = w.offset.gradient;
    const expr::Formula* const formula =
        offset.formula >= 0 ? &m.offset.formulas[offset.formula] : nullptr;
    if (formula) {
      auto& s = w.formula.slots;
      s[0] = w.state.t;
      std::copy(w.bound.p.begin(), w.bound.p.end(), s.begin() + 1);
      r = formula->taylor2_gradient(s.data(), w.offset.rates.data(),
                                    w.offset.rates.data() + m.sizes.np + 1,
                                    w.formula.scratch.data(), gradient.data(),
                                    w.state.mode_from(m.offset.formula_switch[offset.formula]));
    } else {
      r.f = w.bound.constants[offset.constant];
    }
    double bar[3] = {};  // of r, r', r''
    if (!square) {
      bar[order] = mu;
    } else if (order == 0) {
      bar[0] = mu * r.f;
    } else if (order == 1) {
      bar[0] = mu * r.df;
      bar[1] = mu * r.f;
    } else {
      bar[0] = mu * r.ddf;
      bar[1] = 2 * mu * r.df;
      bar[2] = mu * r.f;
    }
    if (!formula) {
      w.adjoint.constants[offset.constant] += bar[0];
      continue;
    }
    const auto used = formula->used_slots();
    const std::size_t n = used.size();
    for (std::size_t i = 0; i < n; ++i) {
      const double sum =
          bar[0] * gradient[i] + bar[1] * gradient[n + i] + bar[2] * gradient[2 * n + i];
      (used[i] == 0 ? w.adjoint.t : w.adjoint.parameters[used[i] - 1]) += sum;
    }
  }
}

void metric_multipliers(const ModelWorkspace& w, int b, double* Lambda) {
  const BodyAdjoint& body = w.adjoint.bodies[b];
  const BodyFrame& f = w.k.frames[b];
  const BodyQuad& quad = w.k.quads[b / 4];
  const int lane = b % 4;
  V4 turned[3], R[3];
  for (int i = 0; i < 3; ++i) turned[i] = cross(body.alpha, f.X[i]);
  for (int j = 0; j < 3; ++j) {
    R[j] = body.seed_X[j] - inertia_column(turned, w.bound.kernel, b, j) - body.rows_X[j];
  }
  for (int e = 0; e < 6; ++e) {
    const auto [i, j] = kPair[e];
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += quad.Y[3 * i + k][lane] * R[j][k];
    Lambda[e] = sum;
  }
}

void subtract_inertia(const V4* X, V4 alpha, const V4* x, double* J) {
  V4 turned[3];
  for (int i = 0; i < 3; ++i) turned[i] = cross(alpha, X[i]);
  for (int e = 0; e < 6; ++e) {
    const auto [i, j] = kPair[e];
    J[e] -= dot3(turned[j], x[i]);
    if (i != j) J[e] -= dot3(turned[i], x[j]);
  }
}

}  // namespace parfait::mbs
