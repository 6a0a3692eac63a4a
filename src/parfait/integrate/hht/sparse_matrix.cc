#include "parfait/integrate/hht/sparse_matrix.h"

#include <klu.h>

#include <algorithm>
#include <cassert>
#include <numeric>

namespace parfait::integrate {

struct SparseMatrix::Factors {
  Factors() {
    klu_defaults(&common);
    common.ordering = 1;  // COLAMD: pivots of constraints are off the diagonal
  }
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;
  ~Factors() {
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
  }

  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
};

SparseMatrix::SparseMatrix(int n, std::span<const int> rows, std::span<const int> columns)
    : n_(n), first_(n + 1), place_(rows.size()), factors_(std::make_unique<Factors>()) {
  assert(rows.size() == columns.size());
  std::vector<int> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return columns[a] != columns[b] ? columns[a] < columns[b] : rows[a] < rows[b];
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int at = order[i];
    const bool is_new =
        i == 0 || rows[at] != rows[order[i - 1]] || columns[at] != columns[order[i - 1]];
    if (is_new) {
      row_.push_back(rows[at]);
      ++first_[columns[at] + 1];
    }
    place_[at] = static_cast<int>(row_.size()) - 1;
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  value_.resize(row_.size());
}

SparseMatrix::~SparseMatrix() = default;

void SparseMatrix::set(std::span<const double> contributions) {
  assert(contributions.size() == place_.size());
  std::fill(value_.begin(), value_.end(), 0.0);
  for (std::size_t i = 0; i < place_.size(); ++i) value_[place_[i]] += contributions[i];
}

bool SparseMatrix::factor() {
  Factors& f = *factors_;
  if (n_ == 0) return true;
  if (!f.symbolic) f.symbolic = klu_analyze(n_, first_.data(), row_.data(), &f.common);
  if (!f.symbolic) return false;  // no assignment of rows to columns: singular for any values
  klu_free_numeric(&f.numeric, &f.common);
  f.numeric = klu_factor(first_.data(), row_.data(), value_.data(), f.symbolic, &f.common);
  return f.numeric != nullptr;
}

void SparseMatrix::multiply(const double* x, double* y) const {
  std::fill_n(y, n_, 0.0);
  for (int j = 0; j < n_; ++j) {
    for (int i = first_[j]; i < first_[j + 1]; ++i) y[row_[i]] += value_[i] * x[j];
  }
}

void SparseMatrix::multiply(const math::Lane* x, math::Lane* y) const {
  std::fill_n(y, n_, math::Lane{});
  for (int j = 0; j < n_; ++j) {
    for (int i = first_[j]; i < first_[j + 1]; ++i) y[row_[i]] += value_[i] * x[j];
  }
}

void SparseMatrix::solve(double* x) {
  Factors& f = *factors_;
  if (n_ > 0) klu_solve(f.symbolic, f.numeric, n_, 1, x, &f.common);
}

void SparseMatrix::solve(math::Lane* x) {
  Factors& f = *factors_;
  if (n_ == 0) return;
  columns_.resize(static_cast<std::size_t>(n_) * math::kLanes);
  for (int i = 0; i < n_; ++i) {
    for (int k = 0; k < math::kLanes; ++k) columns_[k * n_ + i] = x[i][k];
  }
  klu_solve(f.symbolic, f.numeric, n_, math::kLanes, columns_.data(), &f.common);
  for (int i = 0; i < n_; ++i) {
    for (int k = 0; k < math::kLanes; ++k) x[i][k] = columns_[k * n_ + i];
  }
}

void SparseMatrix::multiply_transposed(const double* x, double* y) const {
  for (int j = 0; j < n_; ++j) {
    y[j] = 0;
    for (int i = first_[j]; i < first_[j + 1]; ++i) y[j] += value_[i] * x[row_[i]];
  }
}

void SparseMatrix::solve_transposed(double* x) {
  Factors& f = *factors_;
  if (n_ > 0) klu_tsolve(f.symbolic, f.numeric, n_, 1, x, &f.common);
}

std::vector<double> SparseMatrix::diagonal() const {
  std::vector<double> result(n_);
  for (int j = 0; j < n_; ++j) {
    for (int i = first_[j]; i < first_[j + 1]; ++i) {
      if (row_[i] == j) result[j] = value_[i];
    }
  }
  return result;
}

}  // namespace parfait::integrate
