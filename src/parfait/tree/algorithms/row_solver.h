#pragma once

#include <vector>

#include "parfait/math/lanes.h"
#include "parfait/tree/algorithms/workspace.h"

/// Motion under rows G of constraints, by A = G W G^T with an inverse metric W:
///
///   x := x - W G^T lambda  so that  G x = gamma,      A lambda = G x - gamma                   (T31)
///
/// W is H^-1, of which only the sparse factors H = L^T D L are used (A = Y D^-1 Y^T with Y = G
/// L^-1), or a diagonal. Rows that others imply are vanishing pivots of A and are left out, with
/// lambda = 0.
///
/// Layout  Matrices of rows are stored velocity by velocity, rows side by side, so that every loop
///         runs over rows without sums across a register.
namespace parfait::tree {

class RowSolver {
 public:
  void resize(int max_rows, int nv);

  /// Rows from here on; clears G.
  void begin(int num_rows);
  /// Adds to entry k of row i; `most` is what the entry could be at most (0: not known).
  void add(int row, int k, double value, double most = 0) {
    G[static_cast<std::size_t>(k) * stride_ + row] += value;
    bound_[static_cast<std::size_t>(k) * stride_ + row] += most;
  }
  double entry(int row, int k) const { return G[static_cast<std::size_t>(k) * stride_ + row]; }

  /// W = H^-1; the factors of H are those of `ws` for as long as this is used.
  void use_mass(const Tree& tree, Workspace& ws);
  /// W diagonal.
  void use_diagonal(const std::vector<double>& weights);

  /// Pivots in `order`, or (empty) by their share of what a row could be at most (of its own size
  /// where that is not known); `used` (empty: all) says which rows take part. Of a row that is kept
  /// more than `tolerance` of its own size is left.
  void factor(const std::vector<int>& order, const std::vector<char>& used, double tolerance);

  /// x := W x (T: double or math::Lane).
  template <class T>
  void apply_metric(T* x) const;
  /// x and lambda as above; `force` is room for nv numbers.
  template <class T>
  void hold(const T* gamma, T* lambda, T* x, T* force) const;

  bool is_kept(int row) const { return pivot_inverse_[row] != 0; }
  const std::vector<int>& order() const { return order_; }
  int num_rows() const { return num_rows_; }
  int rank() const { return rank_; }
  double smallest_kept() const { return smallest_kept_; }  ///< relative pivot
  /// Smallest share of a pivot, relative to the largest among those that were left: 1 for pivots by
  /// size. Small where rows come too early in a given order.
  double quality() const { return quality_; }

  std::vector<double> G;

 private:
  int stride_ = 0, nv_ = 0, num_rows_ = 0, rank_ = 0;
  const Tree* tree_ = nullptr;  ///< null: the metric is diagonal
  const Workspace* ws_ = nullptr;
  std::vector<double> bound_, Y_, W_, A_, L_, pivot_inverse_, diagonal_, most_;
  std::vector<int> order_;
  double smallest_kept_ = 1, quality_ = 1;
};

}  // namespace parfait::tree
