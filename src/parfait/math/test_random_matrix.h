#pragma once

#include <Eigen/Core>
#include <random>

namespace parfait::math {

/// Entries from the standard normal distribution, the same for the same seed.
inline Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index cols, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd A(rows, cols);
  for (Eigen::Index i = 0; i < A.size(); ++i) A.data()[i] = normal(random);
  return A;
}

}  // namespace parfait::math
