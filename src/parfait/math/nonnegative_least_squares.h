#pragma once

#include <Eigen/Core>

namespace parfait::math {

/// min |A x - b| s.t. x >= 0 (Lawson and Hanson 1974, ch. 23): finite, no start needed.
Eigen::VectorXd nonnegative_least_squares(const Eigen::Ref<const Eigen::MatrixXd>& A,
                                          const Eigen::Ref<const Eigen::VectorXd>& b);

/// min |x| s.t. G x >= h, by the problem above (Lawson and Hanson, ch. 23.4). False if no x obeys.
[[nodiscard]] bool least_distance(const Eigen::Ref<const Eigen::MatrixXd>& G,
                                  const Eigen::Ref<const Eigen::VectorXd>& h, Eigen::VectorXd& x);

}  // namespace parfait::math
