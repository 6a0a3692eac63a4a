#include "parfait/tree/algorithms/row_solver.h"

#include <algorithm>

#include "parfait/tree/algorithms/levels.h"

namespace parfait::tree {

void RowSolver::resize(int max_rows, int nv) {
  stride_ = (max_rows + 3) / 4 * 4;
  nv_ = nv;
  const std::size_t n = static_cast<std::size_t>(nv) * stride_;
  G.assign(n, 0.0);
  bound_.assign(n, 0.0);
  Y_.assign(n, 0.0);
  W_.assign(nv, 0.0);
  A_.assign(static_cast<std::size_t>(stride_) * stride_, 0.0);
  L_ = A_;
  pivot_inverse_.assign(stride_, 0.0);
  diagonal_ = most_ = pivot_inverse_;
  order_.reserve(stride_);
}

void RowSolver::begin(int num_rows) {
  num_rows_ = num_rows;
  std::fill(G.begin(), G.end(), 0.0);
  std::fill(bound_.begin(), bound_.end(), 0.0);
}

void RowSolver::use_mass(const Tree& tree, Workspace& ws) {
  tree_ = &tree;
  ws_ = &ws;
  update_factors(tree, ws);
  std::copy(ws.D_inverse.begin(), ws.D_inverse.end(), W_.begin());
  std::copy(G.begin(), G.end(), Y_.begin());
  const int *start = tree.row_start.data(), *columns = tree.row_columns.data();
  const int m = stride_;
  for (int k = nv_ - 1; k >= 0; --k) {
    const double* from = Y_.data() + static_cast<std::size_t>(k) * m;
    if (std::all_of(from, from + m, [](double y) { return y == 0; })) continue;
    for (int e = start[k]; e < start[k + 1]; ++e) {
      double* __restrict to = Y_.data() + static_cast<std::size_t>(columns[e]) * m;
      const double factor = ws.L[e];
      for (int i = 0; i < m; ++i) to[i] -= factor * from[i];
    }
  }
}

void RowSolver::use_diagonal(const std::vector<double>& weights) {
  tree_ = nullptr;
  std::copy(weights.begin(), weights.end(), W_.begin());
  std::copy(G.begin(), G.end(), Y_.begin());
}

void RowSolver::factor(const std::vector<int>& order, const std::vector<char>& used,
                       double tolerance) {
  const int m = stride_, n = num_rows_;
  const auto row_of = [m](std::vector<double>& M, int i) {
    return M.data() + static_cast<std::size_t>(i) * m;
  };
  std::fill(A_.begin(), A_.end(), 0.0);
  std::fill(most_.begin(), most_.end(), 0.0);
  for (int k = 0; k < nv_; ++k) {
    const double* y = row_of(Y_, k);
    const double* b = row_of(bound_, k);
    for (int i = 0; i < m; ++i) most_[i] += W_[k] * b[i] * b[i];
    for (int i = 0; i < n; ++i) {
      if (y[i] == 0) continue;
      const double factor = W_[k] * y[i];
      double* __restrict a = row_of(A_, i);
      for (int j = 0; j < m; ++j) a[j] += factor * y[j];
    }
  }
  order_.clear();
  for (int i = 0; i < n; ++i) {
    const int row = order.empty() ? i : order[i];
    pivot_inverse_[i] = 0;
    diagonal_[i] = row_of(A_, i)[i];
    if (used.empty() || used[row]) order_.push_back(row);
  }
  const auto share = [&](int i) {
    const double size = most_[i] > 0 ? most_[i] : diagonal_[i];
    return size > 0 ? row_of(A_, i)[i] / size : -1;
  };
  rank_ = 0;
  smallest_kept_ = quality_ = 1;
  const int steps = static_cast<int>(order_.size());
  for (int step = 0; step < steps; ++step) {
    int best = step;
    double largest = -1;
    for (int later = step; later < steps; ++later) {
      const double left = share(order_[later]);
      if (left > largest * (1 + 1e-6)) {
        largest = left;
        best = later;
      }
    }
    if (order.empty()) {
      std::rotate(order_.begin() + step, order_.begin() + best, order_.begin() + best + 1);
    }
    const int i = order_[step];
    const double* from = row_of(A_, i);
    const double pivot = from[i];
    // A row that cannot act at all is rounding, however large it is beside itself.
    if (!(pivot > tolerance * diagonal_[i] && pivot > 1e-20 * most_[i])) continue;
    ++rank_;
    quality_ = std::min(quality_, share(i) / largest);
    smallest_kept_ = std::min(smallest_kept_, pivot / diagonal_[i]);
    pivot_inverse_[i] = 1 / pivot;
    for (int later = step + 1; later < steps; ++later) {
      const int j = order_[later];
      double* __restrict to = row_of(A_, j);
      const double factor = to[i] * pivot_inverse_[i];
      row_of(L_, i)[j] = factor;
      if (factor == 0) continue;
      for (int k = 0; k < m; ++k) to[k] -= factor * from[k];
    }
  }
}

template <class T>
void RowSolver::apply_metric(T* x) const {
  if (!tree_) {
    for (int k = 0; k < nv_; ++k) x[k] = W_[k] * x[k];
    return;
  }
  const int *start = tree_->row_start.data(), *columns = tree_->row_columns.data();
  const double* L = ws_->L.data();
  for (int k = nv_ - 1; k >= 0; --k) {
    for (int e = start[k]; e < start[k + 1]; ++e) x[columns[e]] -= L[e] * x[k];
  }
  for (int k = 0; k < nv_; ++k) {
    T sum = W_[k] * x[k];
    for (int e = start[k]; e < start[k + 1]; ++e) sum -= L[e] * x[columns[e]];
    x[k] = sum;
  }
}

template <class T>
void RowSolver::hold(const T* gamma, T* lambda, T* x, T* force) const {
  const int m = stride_, n = num_rows_, steps = static_cast<int>(order_.size());
  for (int i = 0; i < n; ++i) lambda[i] = -gamma[i];
  for (int k = 0; k < nv_; ++k) {
    const double* g = G.data() + static_cast<std::size_t>(k) * m;
    for (int i = 0; i < n; ++i) lambda[i] += g[i] * x[k];
  }
  for (int i = 0; i < n; ++i) {
    if (!is_kept(i)) lambda[i] = T{};
  }
  for (int step = 0; step < steps; ++step) {
    const int i = order_[step];
    if (!is_kept(i)) continue;
    const double* l = L_.data() + static_cast<std::size_t>(i) * m;
    for (int later = step + 1; later < steps; ++later) {
      const int j = order_[later];
      if (is_kept(j)) lambda[j] -= l[j] * lambda[i];
    }
  }
  for (int step = steps - 1; step >= 0; --step) {
    const int i = order_[step];
    if (!is_kept(i)) continue;
    const double* l = L_.data() + static_cast<std::size_t>(i) * m;
    T sum = pivot_inverse_[i] * lambda[i];
    for (int later = step + 1; later < steps; ++later) {
      const int j = order_[later];
      if (is_kept(j)) sum -= l[j] * lambda[j];
    }
    lambda[i] = sum;
  }
  // Y^T lambda, of which L^-1 W is left.
  for (int k = 0; k < nv_; ++k) {
    const double* y = Y_.data() + static_cast<std::size_t>(k) * m;
    T sum{};
    for (int i = 0; i < n; ++i) sum += y[i] * lambda[i];
    sum = W_[k] * sum;
    if (tree_) {
      const int *start = tree_->row_start.data(), *columns = tree_->row_columns.data();
      for (int e = start[k]; e < start[k + 1]; ++e) sum -= ws_->L[e] * force[columns[e]];
    }
    force[k] = sum;
    x[k] -= sum;
  }
}

template void RowSolver::apply_metric(double*) const;
template void RowSolver::apply_metric(math::Lane*) const;
template void RowSolver::hold(const double*, double*, double*, double*) const;
template void RowSolver::hold(const math::Lane*, math::Lane*, math::Lane*, math::Lane*) const;

}  // namespace parfait::tree
