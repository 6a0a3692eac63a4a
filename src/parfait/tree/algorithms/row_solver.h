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
///         runs over rows without sums across a register; and over no more of them than the blocks
///         of rows that move this velocity: those of a foot do not move the other leg.
namespace parfait::tree {

class RowSolver {
 public:
  void resize(int max_rows, int nv);

  /// Rows from here on; clears G.
  void begin(int num_rows);
  /// Adds to entry k of `count` rows from `first`, lane by lane; `most` is what the entries could
  /// be at most (0: not known). Lanes beyond `count` must be zero.
  void add(int first, int count, int k, const math::Lane& value, const math::Lane& most) {
    double* g = G_.data() + static_cast<std::size_t>(k) * stride_ + first;
    double* b = bound_.data() + static_cast<std::size_t>(k) * stride_ + first;
    math::store(g, math::load(g) + value);
    math::store(b, math::load(b) + most);
    of_G_[k].unite({first / kBlock * kBlock, (first + count + kBlock - 1) / kBlock * kBlock});
  }
  double entry(int row, int k) const { return G_[static_cast<std::size_t>(k) * stride_ + row]; }

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

  /// The rows that are kept, times c, are `row`, which was left out; c (of all rows) is zero where
  /// rows are not kept.
  void combination(int row, double* c) const;

  bool is_kept(int row) const { return pivot_inverse_[row] != 0; }
  const std::vector<int>& order() const { return order_; }
  int num_rows() const { return num_rows_; }
  int rank() const { return rank_; }
  double smallest_kept() const { return smallest_kept_; }  ///< relative pivot
  /// Smallest share of a pivot, relative to the largest among those that were left: 1 for pivots by
  /// size. Small where rows come too early in a given order.
  double quality() const { return quality_; }

 private:
  static constexpr int kBlock = 4;
  /// Rows [first, last), whole blocks.
  struct Range {
    int first, last;
    bool is_empty() const { return first >= last; }
    void unite(const Range& b) {
      first = b.first < first ? b.first : first;
      last = b.last > last ? b.last : last;
    }
  };
  static constexpr Range kNone{1 << 30, 0};
  static void subtract(const Range& rows, double factor, const double* from, double* to);

  int stride_ = 0, nv_ = 0, num_rows_ = 0, rank_ = 0;
  const Tree* tree_ = nullptr;  ///< null: the metric is diagonal
  const Workspace* ws_ = nullptr;
  std::vector<double> G_, bound_, Y_, W_, A_, L_, pivot_inverse_, diagonal_, most_, scale_;
  std::vector<Range> of_G_, of_Y_;  ///< rows that are not zero, per velocity
  std::vector<int> order_;
  double smallest_kept_ = 1, quality_ = 1;
};

}  // namespace parfait::tree
