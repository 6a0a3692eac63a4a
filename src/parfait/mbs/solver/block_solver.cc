#include "parfait/mbs/solver/block_solver.h"

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "parfait/mbs/solver/simd.h"

namespace parfait::mbs {

BlockFactors::BlockFactors(const EliminationPlan& plan, int num_joints)
    : K(plan.size, 0.0),
      S(plan.size, 0.0),
      L(36 * num_joints, 0.0),
      inverse(8 * num_joints, 0.0),
      diagonal0(8 * num_joints, 0.0) {}

namespace {

/// The lower half of the diagonal block of a joint with N rows, a[column][row].
template <int N>
inline __attribute__((always_inline)) void load_diagonal(const double* K, double (&a)[N][N]) {
#pragma GCC unroll 6
  for (int c = 0; c < N; ++c) {
#pragma GCC unroll 6
    for (int r = c; r < N; ++r) a[c][r] = K[diagonal_entry(N, r, c)];
  }
}

/// LDL^T of the diagonal block of a joint that closes a loop, where a pivot may vanish; returns the
/// number of dropped rows.
template <int N>
inline int factor_tested(double tolerance, const double* K, const double* d0, double* L,
                         double* inverse) {
  double a[N][N];
  load_diagonal(K, a);
  int dropped = 0;
#pragma GCC unroll 6
  for (int c = 0; c < N; ++c) {
    const bool keep = a[c][c] > tolerance * d0[c];
    const double inv = keep ? 1 / a[c][c] : 0.0;
    inverse[c] = inv;
    dropped += !keep;
#pragma GCC unroll 6
    for (int k = c + 1; k < N; ++k) {
      const double l = a[c][k] * inv;
      L[c * 6 + k] = l;
#pragma GCC unroll 6
      for (int r = k; r < N; ++r) a[k][r] -= a[c][r] * l;
    }
  }
  return dropped;
}

/// The same where no loop is closed: the rows are independent, however light a body is.
///
/// Scalar, and two pivots at a time: the chain of divisions is what takes time. The second pivot of
/// two is d1 = det / d0, det = a00 a11 - a10^2, which cancels as a11 - a10^2 / a00 does and no
/// more, so that 1/d0 and 1/det are found side by side.
template <int N>
inline void factor_diagonal(const double* K, double* L, double* inverse) {
  double a[N][N];
  load_diagonal(K, a);
#pragma GCC unroll 3
  for (int c = 0; c < N; c += 2) {
    const double inv = 1 / a[c][c];
    inverse[c] = inv;
    if (c + 1 == N) break;
    const double det = a[c][c] * a[c + 1][c + 1] - a[c][c + 1] * a[c][c + 1];
    const double next_inv = a[c][c] * (1 / det);
    inverse[c + 1] = next_inv;
    const double l_next = a[c][c + 1] * inv;
    L[c * 6 + c + 1] = l_next;
    double next[N];
#pragma GCC unroll 6
    for (int r = c + 2; r < N; ++r) next[r] = a[c + 1][r] - a[c][r] * l_next;
#pragma GCC unroll 6
    for (int k = c + 2; k < N; ++k) {
      const double l0 = a[c][k] * inv, l1 = next[k] * next_inv;
      L[c * 6 + k] = l0;
      L[c * 6 + 6 + k] = l1;
#pragma GCC unroll 6
      for (int r = k; r < N; ++r) a[k][r] = a[k][r] - a[c][r] * l0 - next[r] * l1;
    }
  }
}

/// W = K L^-T and S = W d^-1 for a block of NP rows and N columns: V4 for the first four rows,
/// double for each further one.
template <int N, int kStride, class T>
inline void factor_rows(const double* L, const double* inverse, double* W, double* S) {
  T column[N];
#pragma GCC unroll 6
  for (int c = 0; c < N; ++c) std::memcpy(&column[c], W + kStride * c, sizeof(T));
#pragma GCC unroll 6
  for (int c = 0; c < N; ++c) {
#pragma GCC unroll 6
    for (int k = c + 1; k < N; ++k) column[k] -= column[c] * L[c * 6 + k];
    const T scaled = column[c] * inverse[c];
    std::memcpy(W + kStride * c, &column[c], sizeof(T));
    std::memcpy(S + kStride * c, &scaled, sizeof(T));
  }
}

template <int N, int NP>
inline void factor_panel(const double* L, const double* inverse, double* W, double* S) {
  factor_rows<N, 4, V4>(L, inverse, W, S);
#pragma GCC unroll 2
  for (int r = 4; r < NP; ++r) {
    const int at = entry(N, r, 0);
    factor_rows<N, 1, double>(L, inverse, W + at, S + at);
  }
}

/// sum_c S(row, c) W(s, c) for a row beyond the first four.
template <int N>
inline double row_product(const double* S, const double* W, int row, int s) {
  double sum = S[entry(N, row, 0)] * W[entry(N, s, 0)];
#pragma GCC unroll 6
  for (int c = 1; c < N; ++c) sum += S[entry(N, row, c)] * W[entry(N, s, c)];
  return sum;
}

/// Columns of four rows: K(:, s) -= sum_c S_p(:, c) W_q(s, c), s < NQ.
template <int NQ, int N>
inline void update_columns(const double* S, const double* W, double* K) {
  V4 column[N];
#pragma GCC unroll 6
  for (int c = 0; c < N; ++c) column[c] = load4(S + 4 * c);
#pragma GCC unroll 6
  for (int s = 0; s < NQ; ++s) {
    V4 rest = load4(K + 4 * s);
#pragma GCC unroll 6
    for (int c = 0; c < N; ++c) rest -= column[c] * splat(W[entry(N, s, c)]);
    store4(K + 4 * s, rest);
  }
}

/// The diagonal block of a neighbour with NP rows: K(p, p) -= S_p W_p^T.
template <int NP, int N>
inline void update_diagonal(const double* S, const double* W, double* K) {
  update_columns<NP, N>(S, W, K);
#pragma GCC unroll 2
  for (int r = 4; r < NP; ++r) {
#pragma GCC unroll 2
    for (int s = 4; s <= r; ++s) K[diagonal_entry(NP, r, s)] -= row_product<N>(S, W, r, s);
  }
}

/// K(p, q) -= S_p W_q^T for two different neighbours.
template <int NP, int NQ, int N>
inline void update_block(const double* S, const double* W, double* K) {
  update_columns<NQ, N>(S, W, K);
#pragma GCC unroll 2
  for (int r = 4; r < NP; ++r) {
#pragma GCC unroll 6
    for (int s = 0; s < NQ; ++s) K[entry(NQ, r, s)] -= row_product<N>(S, W, r, s);
  }
}

/// Elimination of one or, side by side, two joints with N rows that have one neighbour of NP rows.
template <int N, int NP>
int eliminate_links(const EliminationPlan::Step* step, double tolerance, BlockFactors& f) {
  const int count = step->pairs_with_next ? 2 : 1;
  int dropped = 0;
  double* K = f.K.data();
  double* S = f.S.data();
  for (int i = 0; i < count; ++i) {
    const int j = step[i].joint;
    const double* d0 = f.diagonal0.data() + 8 * j;
    double* L = f.L.data() + 36 * j;
    double* inverse = f.inverse.data() + 8 * j;
    if (step[i].tested) {
      dropped += factor_tested<N>(tolerance, K + step[i].offset, d0, L, inverse);
    } else {
      factor_diagonal<N>(K + step[i].offset, L, inverse);
    }
  }
  for (int i = 0; i < count; ++i) {
    const int j = step[i].joint;
    const int at = step[i].link_offset;
    factor_panel<N, NP>(f.L.data() + 36 * j, f.inverse.data() + 8 * j, K + at, S + at);
    update_diagonal<NP, N>(S + at, K + at, K + step[i].link_target);
  }
  return dropped;
}

/// y = L^-1 r of a joint with N rows, in place and in v.
template <int N, class T>
inline void forward_joint(const double* L, T* y, T* v) {
#pragma GCC unroll 6
  for (int c = 0; c < N; ++c) v[c] = y[c];
#pragma GCC unroll 6
  for (int c = 0; c < N; ++c) {
#pragma GCC unroll 6
    for (int k = c + 1; k < N; ++k) v[k] -= L[c * 6 + k] * v[c];
  }
#pragma GCC unroll 6
  for (int c = 0; c < N; ++c) y[c] = v[c];
}

/// r_p -= S_p y.
template <int N, int NP, class T>
inline void forward_neighbour(const double* S, const T* v, T* r) {
  constexpr bool kVector = std::is_same_v<T, double>;
  if constexpr (kVector) {
    V4 even = load4(S) * v[0], odd{};
#pragma GCC unroll 6
    for (int c = 1; c < N; ++c) (c % 2 ? odd : even) += load4(S + 4 * c) * v[c];
    store4(r, load4(r) - (even + odd));
  }
#pragma GCC unroll 6
  for (int s = kVector ? 4 : 0; s < NP; ++s) {
    T sum = S[entry(N, s, 0)] * v[0];
#pragma GCC unroll 6
    for (int c = 1; c < N; ++c) sum += S[entry(N, s, c)] * v[c];
    r[s] -= sum;
  }
}

/// v -= S_p^T lambda_p.
template <int N, int NP, class T>
inline void backward_neighbour(const double* S, const T* lambda, T* v) {
#pragma GCC unroll 6
  for (int s = 0; s < NP; ++s) {
    const T l = lambda[s];
#pragma GCC unroll 6
    for (int c = 0; c < N; ++c) v[c] -= S[entry(N, s, c)] * l;
  }
}

/// x = L^-T v.
template <int N, class T>
inline void backward_joint(const double* L, T* v, T* x) {
#pragma GCC unroll 6
  for (int c = N - 2; c >= 0; --c) {
#pragma GCC unroll 6
    for (int k = c + 1; k < N; ++k) v[c] -= L[c * 6 + k] * v[k];
  }
#pragma GCC unroll 6
  for (int c = 0; c < N; ++c) x[c] = v[c];
}

template <int N, int NP, int kStride, class T>
void forward_link(const EliminationPlan::Step& step, const BlockFactors& f, T* r) {
  T v[N];
  forward_joint<N>(f.L.data() + 36 * step.joint, r + kStride * step.joint, v);
  forward_neighbour<N, NP>(f.S.data() + step.link_offset, v, r + kStride * step.link_joint);
}

template <int N, int NP, int kStride, class T>
void backward_link(const EliminationPlan::Step& step, const BlockFactors& f, T* r) {
  const double* inverse = f.inverse.data() + 8 * step.joint;
  T* x = r + kStride * step.joint;
  T v[N];
#pragma GCC unroll 6
  for (int c = 0; c < N; ++c) v[c] = x[c] * inverse[c];
  backward_neighbour<N, NP>(f.S.data() + step.link_offset, r + kStride * step.link_joint, v);
  backward_joint<N>(f.L.data() + 36 * step.joint, v, x);
}

using EliminateLinks = int (*)(const EliminationPlan::Step*, double, BlockFactors&);
template <class T>
using SweepLink = void (*)(const EliminationPlan::Step&, const BlockFactors&, T*);

template <std::size_t... I>
constexpr std::array<EliminateLinks, 36> eliminate_table(std::index_sequence<I...>) {
  return {&eliminate_links<I / 6 + 1, I % 6 + 1>...};
}
template <int kStride, class T, std::size_t... I>
constexpr std::array<SweepLink<T>, 36> forward_table(std::index_sequence<I...>) {
  return {&forward_link<I / 6 + 1, I % 6 + 1, kStride, T>...};
}
template <int kStride, class T, std::size_t... I>
constexpr std::array<SweepLink<T>, 36> backward_table(std::index_sequence<I...>) {
  return {&backward_link<I / 6 + 1, I % 6 + 1, kStride, T>...};
}
using Links = std::make_index_sequence<36>;

// The sweeps serve one right-hand side (T = double) or kLanes of them (T = Lane); the entries of
// joint j start at r[kStride * j].

/// y_j = L^-1 r_j, r_p -= S_p y_j.
template <int kStride, class T>
void forward_any(const EliminationPlan& plan, const BlockFactors& f, T* r) {
  static constexpr auto kForward = forward_table<kStride, T>(Links{});
  for (const auto& step : plan.steps) {
    if (step.link >= 0) {
      kForward[step.link](step, f, r);
      continue;
    }
    with_size(step.nrows, [&]<int N>() {
      T v[N];
      forward_joint<N>(f.L.data() + 36 * step.joint, r + kStride * step.joint, v);
      for (int i = 0; i < step.num_neighbours; ++i) {
        const auto& p = plan.neighbours[step.first_neighbour + i];
        with_size(p.nrows, [&]<int NP>() {
          forward_neighbour<N, NP>(f.S.data() + p.offset, v, r + kStride * p.joint);
        });
      }
    });
  }
}

/// lambda_j = L^-T (d^-1 y_j - sum_p S_p^T lambda_p).
template <int kStride, class T>
inline void backward_any(const EliminationPlan& plan, const EliminationPlan::Step& step,
                         const BlockFactors& f, T* r) {
  static constexpr auto kBackward = backward_table<kStride, T>(Links{});
  if (step.link >= 0) {
    kBackward[step.link](step, f, r);
    return;
  }
  const double* inverse = f.inverse.data() + 8 * step.joint;
  T* x = r + kStride * step.joint;
  with_size(step.nrows, [&]<int N>() {
    T v[N];
#pragma GCC unroll 6
    for (int c = 0; c < N; ++c) v[c] = x[c] * inverse[c];
    for (int i = 0; i < step.num_neighbours; ++i) {
      const auto& p = plan.neighbours[step.first_neighbour + i];
      with_size(p.nrows, [&]<int NP>() {
        backward_neighbour<N, NP>(f.S.data() + p.offset, r + kStride * p.joint, v);
      });
    }
    backward_joint<N>(f.L.data() + 36 * step.joint, v, x);
  });
}

/// A joint with several neighbours (hubs, loops) or none (the last one).
void eliminate_joint(const EliminationPlan& plan, const EliminationPlan::Step& step,
                     double tolerance, BlockFactors& f) {
  double* K = f.K.data();
  double* S = f.S.data();
  double* L = f.L.data() + 36 * step.joint;
  double* inverse = f.inverse.data() + 8 * step.joint;
  const auto* neighbours = plan.neighbours.data();
  with_size(step.nrows, [&]<int N>() {
    const double* d0 = f.diagonal0.data() + 8 * step.joint;
    if (step.tested) {
      f.num_dropped += factor_tested<N>(tolerance, K + step.offset, d0, L, inverse);
    } else {
      factor_diagonal<N>(K + step.offset, L, inverse);
    }
    for (int i = 0; i < step.num_neighbours; ++i) {
      const auto& p = neighbours[step.first_neighbour + i];
      with_size(p.nrows,
                [&]<int NP>() { factor_panel<N, NP>(L, inverse, K + p.offset, S + p.offset); });
    }
    for (int u = step.first_update; u < step.first_update + step.num_updates; ++u) {
      const auto& up = plan.updates[u];
      const auto& p = neighbours[up.p];
      const auto& q = neighbours[up.q];
      const double* Sp = S + p.offset;
      const double* Wq = K + q.offset;
      with_size(p.nrows, [&]<int NP>() {
        if (up.p == up.q) {
          update_diagonal<NP, N>(Sp, Wq, K + up.target);
        } else {
          with_size(q.nrows, [&]<int NQ>() { update_block<NP, NQ, N>(Sp, Wq, K + up.target); });
        }
      });
    }
  });
}

}  // namespace

void factor(const EliminationPlan& plan, double tolerance, BlockFactors& f) {
  static constexpr auto kEliminate = eliminate_table(Links{});
  f.num_dropped = 0;
  for (std::size_t k = 0; k < plan.steps.size(); ++k) {
    const auto& step = plan.steps[k];
    if (step.link < 0) {
      eliminate_joint(plan, step, tolerance, f);
    } else {
      f.num_dropped += kEliminate[step.link](&step, tolerance, f);
      k += step.pairs_with_next;
    }
  }
}

void forward(const EliminationPlan& plan, const BlockFactors& f, double* r) {
  forward_any<8>(plan, f, r);
}

void backward(const EliminationPlan& plan, const EliminationPlan::Step& step, const BlockFactors& f,
              double* r) {
  backward_any<8>(plan, step, f, r);
}

void solve_lanes(const EliminationPlan& plan, const BlockFactors& f, math::Lane* r) {
  forward_any<6>(plan, f, r);
  for (auto step = plan.steps.rbegin(); step != plan.steps.rend(); ++step) {
    backward_any<6>(plan, *step, f, r);
  }
}

}  // namespace parfait::mbs
