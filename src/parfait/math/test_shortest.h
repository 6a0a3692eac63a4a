#pragma once

#include "parfait/math/dense_solves.h"

namespace parfait::math {

/// From the eigenvalues of A^T A: another way than that of the library, to half as many digits
/// where A is badly conditioned.
inline Eigen::MatrixXd pseudo_inverse_by_eigenvalues(const Eigen::MatrixXd& A) {
  const auto [values, V] = symmetric_eigen_pairs(gram(A));
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(A.cols(), A.cols());
  for (Eigen::Index i = 0; i < A.cols(); ++i) {
    if (values[i] < 1e-13 * values[A.cols() - 1]) continue;
    sum += V.col(i) * V.col(i).transpose() / values[i];
  }
  return sum * A.transpose();
}

/// The shortest x with the smallest |A x - b|.
inline Eigen::VectorXd shortest_by_eigenvalues(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return pseudo_inverse_by_eigenvalues(A) * b;
}

}  // namespace parfait::math
