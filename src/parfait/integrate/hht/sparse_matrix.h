#pragma once

#include <memory>
#include <span>
#include <vector>

#include "parfait/math/lanes.h"

namespace parfait::integrate {

/// A square sparse matrix, the sum of contributions whose places stay, and its LU factors by KLU:
/// block triangular form, column minimum degree, row exchanges.
class SparseMatrix {
 public:
  SparseMatrix(int n, std::span<const int> rows, std::span<const int> columns);
  ~SparseMatrix();

  /// The values of the contributions, in the order of the constructor; factors are then old.
  void set(std::span<const double> contributions);
  /// False if the matrix is singular.
  bool factor();

  /// y = A x
  void multiply(const double* x, double* y) const;
  void multiply(const math::Lane* x, math::Lane* y) const;
  /// x = A^-1 x
  void solve(double* x);
  void solve(math::Lane* x);
  /// y = A^T x, x = A^-T x
  void multiply_transposed(const double* x, double* y) const;
  void solve_transposed(double* x);

  std::vector<double> diagonal() const;

 private:
  struct Factors;

  int n_;
  std::vector<int> first_, row_;  ///< columns one after the other, rows ascending
  std::vector<double> value_;
  std::vector<int> place_;       ///< of every contribution among the values
  std::vector<double> columns_;  ///< lanes apart
  std::unique_ptr<Factors> factors_;
};

}  // namespace parfait::integrate
