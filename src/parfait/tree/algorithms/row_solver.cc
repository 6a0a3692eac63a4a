#include "parfait/tree/algorithms/row_solver.h"

#include <algorithm>
#include <cstring>

#include "parfait/tree/algorithms/levels.h"

namespace parfait::tree {

void RowSolver::resize(int max_rows, int nv) {
  stride_ = (max_rows + kBlock - 1) / kBlock * kBlock;
  nv_ = nv;
  // Lanes of the last rows reach beyond them.
  const std::size_t n = static_cast<std::size_t>(nv) * stride_ + math::kLanes;
  G_.assign(n, 0.0);
  bound_.assign(n, 0.0);
  Y_.assign(n, 0.0);
  of_G_.assign(nv, kNone);
  of_Y_ = of_G_;
  W_.assign(nv, 0.0);
  A_.assign(static_cast<std::size_t>(stride_) * stride_, 0.0);
  L_ = A_;
  pivot_inverse_.assign(stride_, 0.0);
  diagonal_ = most_ = scale_ = pivot_inverse_;
  order_.reserve(stride_);
}

void RowSolver::begin(int num_rows) {
  num_rows_ = num_rows;
  std::fill(G_.begin(), G_.end(), 0.0);
  std::fill(bound_.begin(), bound_.end(), 0.0);
  std::fill(of_G_.begin(), of_G_.end(), kNone);
}

void RowSolver::subtract(const Range& rows, double factor, const double* from, double* to) {
  using Block = double __attribute__((vector_size(kBlock * sizeof(double))));
  for (int i = rows.first; i < rows.last; i += kBlock) {
    Block a, b;
    std::memcpy(&a, from + i, sizeof a);
    std::memcpy(&b, to + i, sizeof b);
    b -= factor * a;
    std::memcpy(to + i, &b, sizeof b);
  }
}

void RowSolver::use_mass(const Tree& tree, Workspace& ws) {
  tree_ = &tree;
  ws_ = &ws;
  update_factors(tree, ws);
  std::copy(ws.D_inverse.begin(), ws.D_inverse.end(), W_.begin());
  std::copy(G_.begin(), G_.end(), Y_.begin());
  std::copy(of_G_.begin(), of_G_.end(), of_Y_.begin());
  const int *start = tree.row_start.data(), *columns = tree.row_columns.data();
  for (int k = nv_ - 1; k >= 0; --k) {
    const Range rows = of_Y_[k];
    if (rows.is_empty()) continue;
    const double* from = Y_.data() + static_cast<std::size_t>(k) * stride_;
    for (int e = start[k]; e < start[k + 1]; ++e) {
      const int c = columns[e];
      of_Y_[c].unite(rows);
      subtract(rows, ws.L[e], from, Y_.data() + static_cast<std::size_t>(c) * stride_);
    }
  }
}

void RowSolver::use_diagonal(const std::vector<double>& weights) {
  tree_ = nullptr;
  std::copy(weights.begin(), weights.end(), W_.begin());
  std::copy(G_.begin(), G_.end(), Y_.begin());
  std::copy(of_G_.begin(), of_G_.end(), of_Y_.begin());
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
    for (int i = of_G_[k].first; i < of_G_[k].last; ++i) most_[i] += W_[k] * b[i] * b[i];
    for (int i = of_Y_[k].first; i < of_Y_[k].last; ++i) {
      subtract(of_Y_[k], -W_[k] * y[i], y, row_of(A_, i));
    }
  }
  order_.clear();
  for (int i = 0; i < n; ++i) {
    const int row = order.empty() ? i : order[i];
    pivot_inverse_[i] = 0;
    diagonal_[i] = row_of(A_, i)[i];
    if (used.empty() || used[row]) order_.push_back(row);
    const double size = most_[i] > 0 ? most_[i] : diagonal_[i];
    scale_[i] = size > 0 ? 1 / size : 0;
  }
  const auto share = [&](int i) { return scale_[i] > 0 ? row_of(A_, i)[i] * scale_[i] : -1; };
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
      if (factor != 0) subtract({0, m}, factor, from, to);
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
    const double* g = G_.data() + static_cast<std::size_t>(k) * m;
    for (int i = of_G_[k].first; i < std::min(n, of_G_[k].last); ++i) lambda[i] += g[i] * x[k];
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
    for (int i = of_Y_[k].first; i < std::min(n, of_Y_[k].last); ++i) sum += y[i] * lambda[i];
    sum = W_[k] * sum;
    if (tree_) {
      const int *start = tree_->row_start.data(), *columns = tree_->row_columns.data();
      for (int e = start[k]; e < start[k + 1]; ++e) sum -= ws_->L[e] * force[columns[e]];
    }
    force[k] = sum;
    x[k] -= sum;
  }
}

void RowSolver::combination(int row, double* c) const {
  // G_row = c G_K:  A_row,K = c A_KK  and with A = L D L^T  l_row = c L_KK.
  std::fill_n(c, num_rows_, 0.0);
  const int place = static_cast<int>(std::find(order_.begin(), order_.end(), row) - order_.begin());
  for (int step = place - 1; step >= 0; --step) {
    const int i = order_[step];
    if (!is_kept(i)) continue;
    const double* l = L_.data() + static_cast<std::size_t>(i) * stride_;
    c[i] = l[row];
    for (int later = step + 1; later < place; ++later) c[i] -= c[order_[later]] * l[order_[later]];
  }
}

template void RowSolver::apply_metric(double*) const;
template void RowSolver::apply_metric(math::Lane*) const;
template void RowSolver::hold(const double*, double*, double*, double*) const;
template void RowSolver::hold(const math::Lane*, math::Lane*, math::Lane*, math::Lane*) const;

}  // namespace parfait::tree
