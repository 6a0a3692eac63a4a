#include "parfait/mbs/block_solver.h"

#include <cstring>
#include <type_traits>

#include "parfait/mbs/simd.h"

namespace parfait::mbs {

BlockFactors::BlockFactors(const EliminationPlan& plan, int num_joints)
    : K(plan.size, 0.0),
      S(plan.size, 0.0),
      L(36 * num_joints, 0.0),
      inverse(8 * num_joints, 0.0),
      diagonal0(8 * num_joints, 0.0) {}

namespace {

/// LDL^T of the diagonal block of a joint with N rows; returns the number of dropped rows. Scalar:
/// the chain of pivots is what takes time, and lanes would lengthen it.
template <int N>
inline int factor_diagonal(double tolerance, const double* K, const double* d0, double* L,
                           double* inverse) {
  double a[N][N];
#pragma GCC unroll 6
  for (int c = 0; c < N; ++c) {
#pragma GCC unroll 6
    for (int r = c; r < N; ++r) a[c][r] = K[diagonal_entry(N, r, c)];
  }
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
    V4 sum = column[0] * splat(W[entry(N, s, 0)]);
#pragma GCC unroll 6
    for (int c = 1; c < N; ++c) sum += column[c] * splat(W[entry(N, s, c)]);
    store4(K + 4 * s, load4(K + 4 * s) - sum);
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

/// Both sweeps for one right-hand side (T = double) or kLanes of them (T = Lane); the entries of
/// joint j start at r[stride * j].
template <int kStride, class T>
void solve_any(const EliminationPlan& plan, const BlockFactors& f, T* r) {
  // Forward: y = L^-1 r, r_p -= S_p y.
  for (const auto& step : plan.steps) {
    const double* L = f.L.data() + 36 * step.joint;
    T* y = r + kStride * step.joint;
    with_size(step.nrows, [&]<int N>() {
      T v[N];
#pragma GCC unroll 6
      for (int c = 0; c < N; ++c) v[c] = y[c];
#pragma GCC unroll 6
      for (int c = 0; c < N; ++c) {
#pragma GCC unroll 6
        for (int k = c + 1; k < N; ++k) v[k] -= L[c * 6 + k] * v[c];
      }
#pragma GCC unroll 6
      for (int c = 0; c < N; ++c) y[c] = v[c];
      const auto* p = plan.neighbours.data() + step.first_neighbour;
      for (int i = 0; i < step.num_neighbours; ++i, ++p) {
        const double* S = f.S.data() + p->offset;
        T* rp = r + kStride * p->joint;
        with_size(p->nrows, [&]<int NP>() {
          constexpr bool kVector = std::is_same_v<T, double>;
          if constexpr (kVector) {
            V4 even = load4(S) * v[0], odd{};
#pragma GCC unroll 6
            for (int c = 1; c < N; ++c) (c % 2 ? odd : even) += load4(S + 4 * c) * v[c];
            store4(rp, load4(rp) - (even + odd));
          }
#pragma GCC unroll 6
          for (int s = kVector ? 4 : 0; s < NP; ++s) {
            T sum = S[entry(N, s, 0)] * v[0];
#pragma GCC unroll 6
            for (int c = 1; c < N; ++c) sum += S[entry(N, s, c)] * v[c];
            rp[s] -= sum;
          }
        });
      }
    });
  }
  // Backward: lambda_j = L^-T (d^-1 y - sum_p S_p^T lambda_p).
  for (auto step = plan.steps.rbegin(); step != plan.steps.rend(); ++step) {
    const double* L = f.L.data() + 36 * step->joint;
    const double* inverse = f.inverse.data() + 8 * step->joint;
    T* x = r + kStride * step->joint;
    with_size(step->nrows, [&]<int N>() {
      T v[N];
#pragma GCC unroll 6
      for (int c = 0; c < N; ++c) v[c] = x[c] * inverse[c];
      const auto* p = plan.neighbours.data() + step->first_neighbour;
      for (int i = 0; i < step->num_neighbours; ++i, ++p) {
        const double* S = f.S.data() + p->offset;
        const T* lambda = r + kStride * p->joint;
        with_size(p->nrows, [&]<int NP>() {
#pragma GCC unroll 6
          for (int s = 0; s < NP; ++s) {
            const T l = lambda[s];
#pragma GCC unroll 6
            for (int c = 0; c < N; ++c) v[c] -= S[entry(N, s, c)] * l;
          }
        });
      }
#pragma GCC unroll 6
      for (int c = N - 2; c >= 0; --c) {
#pragma GCC unroll 6
        for (int k = c + 1; k < N; ++k) v[c] -= L[c * 6 + k] * v[k];
      }
#pragma GCC unroll 6
      for (int c = 0; c < N; ++c) x[c] = v[c];
    });
  }
}

}  // namespace

void factor(const EliminationPlan& plan, double tolerance, BlockFactors& f) {
  f.num_dropped = 0;
  double* K = f.K.data();
  double* S = f.S.data();
  const auto* neighbours = plan.neighbours.data();
  const auto diagonal = [&]<int N>(const EliminationPlan::Step& step) {
    // Without loops the rows are independent however light a body is; only closers are tested.
    f.num_dropped += factor_diagonal<N>(plan.closes_loop[step.joint] ? tolerance : 0.0,
                                        K + step.offset, f.diagonal0.data() + 8 * step.joint,
                                        f.L.data() + 36 * step.joint,
                                        f.inverse.data() + 8 * step.joint);
  };
  const auto eliminate = [&]<int N>(const EliminationPlan::Step& step) {
    const double* L = f.L.data() + 36 * step.joint;
    const double* inverse = f.inverse.data() + 8 * step.joint;
    for (int i = 0; i < step.num_neighbours; ++i) {
      const auto& p = neighbours[step.first_neighbour + i];
      with_size(p.nrows, [&]<int NP>() {
        factor_panel<N, NP>(L, inverse, K + p.offset, S + p.offset);
      });
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
  };
  for (std::size_t k = 0; k < plan.steps.size(); ++k) {
    const auto& step = plan.steps[k];
    with_size(step.nrows, [&]<int N>() {
      diagonal.template operator()<N>(step);
      if (step.pairs_with_next) diagonal.template operator()<N>(plan.steps[k + 1]);
      eliminate.template operator()<N>(step);
      if (step.pairs_with_next) eliminate.template operator()<N>(plan.steps[++k]);
    });
  }
}

void solve(const EliminationPlan& plan, const BlockFactors& f, double* r) { solve_any<8>(plan, f, r); }

void solve_lanes(const EliminationPlan& plan, const BlockFactors& f, math::Lane* r) {
  solve_any<6>(plan, f, r);
}

}  // namespace parfait::mbs
