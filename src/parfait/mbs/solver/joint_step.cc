#include "parfait/mbs/solver/joint_step.h"

#include <algorithm>
#include <array>
#include <utility>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "parfait/mechanism/elements/constraint_row.h"

namespace parfait::mbs {
namespace {

using math::Vec3;
using Vec = Vec3<double>;

constexpr long long kMinus = static_cast<long long>(1ULL << 63);  ///< the sign bit

/// (a[0], a[1], a[2], x); GCC takes a shuffle for this apart.
V4 with_last(V4 a, const double& x) {
#if defined(__AVX__)
  return _mm256_blend_pd(a, _mm256_broadcast_sd(&x), 8);
#else
  a[3] = x;
  return a;
#endif
}
Vec vec(V4 a) {
  return {a[0], a[1], a[2]};
}

/// X r, X' r and X'' r at once.
struct Mapped {
  V4 value, rate, second;
};
inline Mapped map_all(const BodyFrame& f, const double* r) {
  const V4 x = splat(r[0]), y = splat(r[1]), z = splat(r[2]);
  return {f.X[0] * x + f.X[1] * y + f.X[2] * z, f.Xd[0] * x + f.Xd[1] * y + f.Xd[2] * z,
          f.Xdd[0] * x + f.Xdd[1] * y + f.Xdd[2] * z};
}

/// Numbers of rows and axes of a fast joint that the compiler knows.
template <int kRows, int kA, int kB>
struct Known {
  static constexpr int nrows(const JointShape&) { return kRows; }
  static constexpr int kAxes[2] = {kA, kB};
  static constexpr int axes(const JointShape&, int side) { return kAxes[side]; }
  static constexpr int a_axis(const JointShape&, int row) { return kA > 1 ? row - 3 : 0; }
  static constexpr int b_axis(const JointShape&, int row) { return kB > 1 ? row - 3 : 0; }
};
/// Those of any fast joint, read from its shape.
struct Any {
  static int nrows(const JointShape& s) { return s.nrows; }
  static int axes(const JointShape& s, int side) { return s.num_axes[side]; }
  static int a_axis(const JointShape& s, int row) { return s.rows[row].a_axis; }
  static int b_axis(const JointShape& s, int row) { return s.rows[row].b_axis; }
};

/// Columns E_c = sum_k Z_kc T_k of the whitened Jacobian of one side, Z upper triangular. The
/// levers T_k hold component k of e_i x rho (point rows) in the lanes x, y, z and of u x w (the
/// first DDX row) in lane 3; all is negative on side b. `n` are the levers u x w of the DDX rows.
template <class Shape>
inline __attribute__((always_inline)) void whiten_side(const JointShape& shape, int side, V4 rho,
                                                       const V4* n, const double* Z,
                                                       double (*E)[8]) {
  const int nrows = Shape::nrows(shape);
  V4 T[3] = {__builtin_shufflevector(rho, rho, 3, 2, 1, 3),
             __builtin_shufflevector(rho, rho, 2, 3, 0, 3),
             __builtin_shufflevector(rho, rho, 1, 0, 3, 3)};
  constexpr I4 kSign[3] = {{0, kMinus, 0, 0}, {0, 0, kMinus, 0}, {kMinus, 0, 0, 0}};
  const I4 all = side == 0 ? I4{} : I4{kMinus, kMinus, kMinus, kMinus};
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    if (nrows > 3) T[k] = with_last(T[k], reinterpret_cast<const double*>(n)[k]);
    T[k] = V4(I4(T[k]) ^ (kSign[k] ^ all));
  }
  store4(E[0], T[0] * splat(Z[0]));
  store4(E[1], T[0] * splat(Z[1]) + T[1] * splat(Z[2]));
  store4(E[2], T[0] * splat(Z[3]) + T[1] * splat(Z[4]) + T[2] * splat(Z[5]));
  const double sign = side == 0 ? 1 : -1;
#pragma GCC unroll 2
  for (int i = 4; i < nrows; ++i) {
    const double* t = reinterpret_cast<const double*>(n + i - 3);
    const double x = sign * t[0], y = sign * t[1], z = sign * t[2];
    E[0][i] = x * Z[0];
    E[1][i] = x * Z[1] + y * Z[2];
    E[2][i] = x * Z[3] + y * Z[4] + z * Z[5];
  }
}

/// Whitened Jacobian and residual of a joint whose rows are a common point and u . w.
template <class Shape>
inline __attribute__((always_inline)) void step_fast_joint(const JointShape& shape,
                                                           const Geometry& g,
                                                           const BodyFrame* frames, JointRows& r,
                                                           double* residual) {
  const BodyFrame& A = frames[shape.body[0]];
  const BodyFrame& B = frames[shape.body[1]];
  const int nrows = Shape::nrows(shape);
  // All is read before anything is written: the compiler cannot know that r is not part of g.
  const V4 rho[2] = {combine(A.X, g.rho[0]), combine(B.X, g.rho[1])};
  const V4 point = A.ac + combine(A.Xdd, g.rho[0]) - B.ac - combine(B.Xdd, g.rho[1]);
  Mapped axis[2][3];
#pragma GCC unroll 2
  for (int side = 0; side < 2; ++side) {
    for (int i = 0; i < Shape::axes(shape, side); ++i) {
      axis[side][i] = map_all(side == 0 ? A : B, g.axis[side][i]);
    }
  }
  V4 n[3] = {};
  double last[3];
  for (int i = 3; i < nrows; ++i) {
    const Mapped& a = axis[0][Shape::a_axis(shape, i)];
    const Mapped& b = axis[1][Shape::b_axis(shape, i)];
    n[i - 3] = cross(a.value, b.value);
    const V4 sum = a.second * b.value + a.value * b.second + 2.0 * a.rate * b.rate;
    last[i - 3] = sum[0] + sum[1] + sum[2];
  }
  store4(residual, point);
  for (int i = 3; i < nrows; ++i) {
    residual[i] = last[i - 3];
    r.n[i - 3] = n[i - 3];
  }
#pragma GCC unroll 2
  for (int side = 0; side < 2; ++side) {
    r.rho[side] = rho[side];
    for (int i = 0; i < Shape::axes(shape, side); ++i) r.axis[side][i] = axis[side][i].value;
  }
#pragma GCC unroll 2
  for (int side = 0; side < 2; ++side) {
    whiten_side<Shape>(shape, side, rho[side], r.n, side == 0 ? A.Z : B.Z, r.E[side]);
  }
}

}  // namespace

RowMotion<double> row_motion(const JointShape& shape, const Geometry& g, const BodyFrame* frames,
                             const RowShape& row) {
  const BodyFrame& A = frames[shape.body[0]];
  const BodyFrame& B = frames[shape.body[1]];
  RowMotion<double> m;
  m.delta = vec(A.rc + combine(A.X, g.rho[0]) - B.rc - combine(B.X, g.rho[1]));
  m.delta_d = vec(A.vc + combine(A.Xd, g.rho[0]) - B.vc - combine(B.Xd, g.rho[1]));
  m.delta_dd = vec(A.ac + combine(A.Xdd, g.rho[0]) - B.ac - combine(B.Xdd, g.rho[1]));
  const double* a = g.axis[0][row.a_axis];
  const double* b = g.axis[1][row.b_axis];
  m.a = vec(combine(A.X, a));
  m.a_d = vec(combine(A.Xd, a));
  m.a_dd = vec(combine(A.Xdd, a));
  m.b = vec(combine(B.X, b));
  m.b_d = vec(combine(B.Xd, b));
  m.b_dd = vec(combine(B.Xdd, b));
  return m;
}

namespace {

void step_slow_joint(const JointShape& shape, const Geometry& g, const BodyFrame* frames,
                     JointRows& r, double* residual) {
  for (int side = 0; side < 2; ++side) {
    const BodyFrame& f = frames[shape.body[side]];
    r.rho[side] = combine(f.X, g.rho[side]);
    for (int i = 0; i < shape.num_axes[side]; ++i) r.axis[side][i] = combine(f.X, g.axis[side][i]);
  }
  for (int i = 0; i < shape.nrows; ++i) {
    const RowShape& row = shape.rows[i];
    const auto m = row_motion(shape, g, frames, row);
    const auto d = row_gradient(row.kind, m);
    residual[i] = row_acceleration(row.kind, m);
    r.N[0][i] = d.n.x;
    r.N[1][i] = d.n.y;
    r.N[2][i] = d.n.z;
    const Vec lever[2] = {cross(vec(r.rho[0]), d.n) + cross(m.a, d.e_a),
                          cross(m.b, d.e_b) - cross(vec(r.rho[1]), d.n)};
    for (int side = 0; side < 2; ++side) {
      const double* Z = frames[shape.body[side]].Z;
      const Vec& t = lever[side];
      r.E[side][0][i] = t.x * Z[0];
      r.E[side][1][i] = t.x * Z[1] + t.y * Z[2];
      r.E[side][2][i] = t.x * Z[3] + t.y * Z[4] + t.z * Z[5];
    }
  }
}

template <class Shape>
void step_fast_joints(const JointShape* shapes, const Geometry* g, const BodyFrame* frames,
                      int count, JointRows* r, double* residual) {
  for (int i = 0; i < count; ++i) {
    step_fast_joint<Shape>(shapes[i], g[i], frames, r[i], residual + 8 * i);
  }
}

void step_slow_joints(const JointShape* shapes, const Geometry* g, const BodyFrame* frames,
                      int count, JointRows* r, double* residual) {
  for (int i = 0; i < count; ++i) {
    step_slow_joint(shapes[i], g[i], frames, r[i], residual + 8 * i);
  }
}

JointRun::Kernel step_kernel(const JointShape& shape) {
  using Pattern = JointShape::Pattern;
  if (!shape.fast) return step_slow_joints;
  switch (shape.pattern) {
    case Pattern::kRevolute:
      return step_fast_joints<Known<5, 2, 1>>;
    case Pattern::kRevolute2:
      return step_fast_joints<Known<5, 1, 2>>;
    case Pattern::kSpherical:
      return step_fast_joints<Known<3, 0, 0>>;
    case Pattern::kUniversal:
      return step_fast_joints<Known<4, 1, 1>>;
    default:
      return step_fast_joints<Any>;
  }
}

void subtract_offsets(const Structure& s, KernelState& k) {
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    const JointShape& shape = s.joints[j];
    double* residual = k.multiplier.data() + 8 * j;
    for (int i = 0; i < shape.nrows; ++i) residual[i] -= k.offset_acc[shape.first_row + i];
  }
}

constexpr V4 kUnit[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};

/// Columns of four rows: out(:, s) (+)= sum_c E_p(:, c) E_j(s, c) over `kSides` sides, with `ball`
/// on the diagonal of the point rows.
template <int kSides, int N, bool kAdd>
inline __attribute__((always_inline)) void product_columns(const double (*Ep)[8],
                                                           const double (*Ej)[8], double ball,
                                                           double* out) {
  V4 e[3 * kSides];
#pragma GCC unroll 6
  for (int c = 0; c < 3 * kSides; ++c) e[c] = load4(Ep[c]);
  const V4 w = splat(ball);
#pragma GCC unroll 6
  for (int s = 0; s < N; ++s) {
    V4 acc = e[0] * splat(Ej[0][s]);
#pragma GCC unroll 6
    for (int c = 1; c < 3 * kSides; ++c) acc += e[c] * splat(Ej[c][s]);
    if (s < 3) acc += kUnit[s] * w;
    if (kAdd) acc += load4(out + 4 * s);
    store4(out + 4 * s, acc);
  }
}

/// Diagonal block of a joint with N rows, over both sides; and its diagonal.
template <int N>
inline __attribute__((always_inline)) void diagonal_product(const AssemblyOp& op) {
  const auto* E = op.Ep;
  double* out = op.out;
  product_columns<2, N, false>(E, E, op.ball(), out);
  if constexpr (N > 4) {
#pragma GCC unroll 2
    for (int r = 4; r < N; ++r) {
#pragma GCC unroll 2
      for (int s = 4; s <= r; ++s) {
        double sum = E[0][r] * E[0][s];
#pragma GCC unroll 6
        for (int c = 1; c < 6; ++c) sum += E[c][r] * E[c][s];
        out[diagonal_entry(N, r, s)] = sum;
      }
    }
  }
#pragma GCC unroll 6
  for (int s = 0; s < N; ++s) op.diagonal[s] = out[diagonal_entry(N, s, s)];
}

template <int N>
void diagonal_products(const AssemblyOp* ops, int count) {
  for (int i = 0; i < count; ++i) diagonal_product<N>(ops[i]);
}

/// Block of two joints that share a body, NP rows and N columns.
template <int NP, int N, bool kAdd>
inline __attribute__((always_inline)) void product(const AssemblyOp& op) {
  const auto* Ep = op.Ep;
  const auto* Ej = op.Ej;
  double* out = op.out;
  product_columns<1, N, kAdd>(Ep, Ej, op.ball(), out);
  if constexpr (NP > 4) {
#pragma GCC unroll 2
    for (int r = 4; r < NP; ++r) {
      double* row = out + entry(N, r, 0);
      const double e0 = Ep[0][r], e1 = Ep[1][r], e2 = Ep[2][r];
#pragma GCC unroll 6
      for (int s = 0; s < N; ++s) {
        const double sum = e0 * Ej[0][s] + e1 * Ej[1][s] + e2 * Ej[2][s];
        row[s] = kAdd ? row[s] + sum : sum;
      }
    }
  }
}

template <int NP, int N, bool kAdd>
void products(const AssemblyOp* ops, int count) {
  for (int i = 0; i < count; ++i) product<NP, N, kAdd>(ops[i]);
}

template <bool kAdd, std::size_t... I>
constexpr std::array<AssemblyRun::Kernel, 36> product_table(std::index_sequence<I...>) {
  return {&products<I / 6 + 1, I % 6 + 1, kAdd>...};
}
template <std::size_t... I>
constexpr std::array<AssemblyRun::Kernel, 6> diagonal_table(std::index_sequence<I...>) {
  return {&diagonal_products<I + 1>...};
}
constexpr auto kDiagonal = diagonal_table(std::make_index_sequence<6>{});
constexpr auto kProduct = product_table<false>(std::make_index_sequence<36>{});
constexpr auto kAddProduct = product_table<true>(std::make_index_sequence<36>{});
constexpr double kNothing = 0;

/// w N_p N_j^T for joints that are not both fast. `at` gives the position of an entry; for a
/// diagonal block only the lower half counts.
template <class At>
void add_translation(const JointShape& p, const JointShape& j, double w, const JointRows& rp,
                     const JointRows& rj, const At& at, double* out) {
  for (int s = 0; s < j.nrows; ++s) {
    for (int i = &p == &j ? s : 0; i < p.nrows; ++i) {
      out[at(i, s)] +=
          w * (rp.N[0][i] * rj.N[0][s] + rp.N[1][i] * rj.N[1][s] + rp.N[2][i] * rj.N[2][s]);
    }
  }
}

/// Columns of a released body that joints p and j share.
template <class At>
void add_released(const Structure& s, int body, int p, int side_p, int j, int side_j,
                  const KernelState& k, const At& at, double* out) {
  const int index = s.released_index[body];
  if (index < 0) return;
  const double* Ep = k.released_columns[p].data() + 48 * side_p;
  const double* Ej = k.released_columns[j].data() + 48 * side_j;
  for (int c = 0; c < s.released[index].count; ++c) {
    for (int col = 0; col < s.nrows[j]; ++col) {
      for (int i = p == j ? col : 0; i < s.nrows[p]; ++i) {
        out[at(i, col)] += Ep[8 * c + i] * Ej[8 * c + col];
      }
    }
  }
}

}  // namespace

void step_joints(const Structure& s, const KernelConstants& c, KernelState& k) {
  for (const auto& run : k.joint_runs) {
    run.kernel(s.joints.data() + run.first, c.geometry.data() + run.first, k.frames.data(),
               run.count, k.rows.data() + run.first, k.multiplier.data() + 8 * run.first);
  }
  if (k.has_offset) subtract_offsets(s, k);
}

void plan_joints(const Structure& s, KernelState& k) {
  const auto add = [&k](AssemblyRun::Kernel kernel, const AssemblyOp& op) {
    auto& runs = k.assembly_runs;
    if (runs.empty() || runs.back().kernel != kernel) {
      runs.push_back({kernel, static_cast<int>(k.assembly.size()), 0});
    }
    ++runs.back().count;
    k.assembly.push_back(op);
  };
  double* K = k.factors.K.data();
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    const JointShape& shape = s.joints[j];
    const auto step = step_kernel(shape);
    if (k.joint_runs.empty() || k.joint_runs.back().kernel != step) {
      k.joint_runs.push_back({step, static_cast<int>(j), 0});
    }
    ++k.joint_runs.back().count;
    const auto* E = k.rows[j].E[0];
    add(kDiagonal[shape.nrows - 1], {E,
                                     E,
                                     {&k.frames[shape.body[0]].Z[6], &k.frames[shape.body[1]].Z[6]},
                                     shape.fast ? 1.0 : 0.0,
                                     K + s.plan.blocks[j].offset,
                                     k.factors.diagonal0.data() + 8 * j});
  }
  for (const auto& c : s.plan.couplings) {
    const int kind = 6 * (s.nrows[c.p] - 1) + s.nrows[c.j] - 1;
    const double sign = c.side_p == c.side_j ? 1 : -1;
    add((c.adds ? kAddProduct : kProduct)[kind],
        {k.rows[c.p].E[c.side_p],
         k.rows[c.j].E[c.side_j],
         {&k.frames[c.body].Z[6], &kNothing},
         s.joints[c.p].fast && s.joints[c.j].fast ? sign : 0.0,
         K + c.offset,
         nullptr});
  }
}

namespace {

/// What the kernels leave out: translations of rows that are not a common point, released bodies.
void assemble_rest(const Structure& s, KernelState& k) {
  double* K = k.factors.K.data();
  for (int j = 0; j < static_cast<int>(s.joints.size()); ++j) {
    const JointShape& shape = s.joints[j];
    double* out = K + s.plan.blocks[j].offset;
    const auto at = [n = shape.nrows](int row, int column) {
      return diagonal_entry(n, row, column);
    };
    const double w = k.frames[shape.body[0]].Z[6] + k.frames[shape.body[1]].Z[6];
    if (!shape.fast) add_translation(shape, shape, w, k.rows[j], k.rows[j], at, out);
    for (int side = 0; side < 2; ++side) {
      add_released(s, shape.body[side], j, side, j, side, k, at, out);
    }
    for (int i = 0; i < shape.nrows; ++i) k.factors.diagonal0[8 * j + i] = out[at(i, i)];
  }
  for (const auto& c : s.plan.couplings) {
    const JointShape& p = s.joints[c.p];
    const JointShape& j = s.joints[c.j];
    const auto at = [n = j.nrows](int row, int column) { return entry(n, row, column); };
    const double inverse_m = k.frames[c.body].Z[6];
    const double w = c.side_p == c.side_j ? inverse_m : -inverse_m;
    if (!p.fast || !j.fast) add_translation(p, j, w, k.rows[c.p], k.rows[c.j], at, K + c.offset);
    add_released(s, c.body, c.p, c.side_p, c.j, c.side_j, k, at, K + c.offset);
  }
}

}  // namespace

void assemble_joints(const Structure& s, KernelState& k) {
  for (int b : s.plan.fill) {
    const auto& block = s.plan.blocks[b];
    std::fill_n(k.factors.K.data() + block.offset, block_size(s.nrows[block.p], s.nrows[block.j]),
                0.0);
  }
  for (const auto& run : k.assembly_runs) run.kernel(k.assembly.data() + run.first, run.count);
  if (s.has_slow_joints || !s.released.empty()) assemble_rest(s, k);
}

namespace {

/// Adds the wrench of a joint's multipliers to those on its bodies.
inline void add_wrench(const JointShape& shape, const JointRows& r, const double* lambda,
                       KernelState& k) {
  const int a = shape.body[0], b = shape.body[1];
  if (shape.fast) {
    const V4 F{lambda[0], lambda[1], lambda[2], 0};  // stored one by one just now
    V4 T{};
    for (int i = 3; i < shape.nrows; ++i) T += r.n[i - 3] * splat(lambda[i]);
    k.force[a] += F;
    k.force[b] -= F;
    k.torque[a] += T + cross(r.rho[0], F);
    k.torque[b] -= T + cross(r.rho[1], F);
    return;
  }
  // The levers of these rows are kept only whitened: Z^T T = E^T lambda.
  for (int side = 0; side < 2; ++side) {
    const double* Z = k.frames[shape.body[side]].Z;
    double h[3] = {}, F[3] = {};
    for (int i = 0; i < shape.nrows; ++i) {
      for (int c = 0; c < 3; ++c) {
        h[c] += r.E[side][c][i] * lambda[i];
        F[c] += r.N[c][i] * lambda[i];
      }
    }
    if (Z[0] == 0) continue;  // the ground
    // Z^T T = h, Z^T lower triangular.
    const double tx = h[0] / Z[0];
    const double ty = (h[1] - Z[1] * tx) / Z[2];
    const double tz = (h[2] - Z[3] * tx - Z[4] * ty) / Z[5];
    const double sign = side == 0 ? 1 : -1;
    k.force[shape.body[side]] += V4{sign * F[0], sign * F[1], sign * F[2], 0};
    k.torque[shape.body[side]] += V4{tx, ty, tz, 0};
  }
}

}  // namespace

void solve_joints(const Structure& s, KernelState& k) {
  double* lambda = k.multiplier.data();
  std::fill(k.force.begin(), k.force.end(), V4{});
  std::fill(k.torque.begin(), k.torque.end(), V4{});
  forward(s.plan, k.factors, lambda);
  for (auto step = s.plan.steps.rbegin(); step != s.plan.steps.rend(); ++step) {
    backward(s.plan, *step, k.factors, lambda);
    add_wrench(s.joints[step->joint], k.rows[step->joint], lambda + 8 * step->joint, k);
  }
}

}  // namespace parfait::mbs
