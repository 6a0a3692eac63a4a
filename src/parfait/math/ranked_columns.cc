#include "parfait/math/ranked_columns.h"

#include "parfait/math/dense_products.h"
#include "parfait/math/dense_solves.h"

namespace parfait::math {

using Eigen::Index;
using Eigen::MatrixXd;

RankedColumns::RankedColumns(MatIn A, double threshold) {
  const Index k = A.cols();
  const double largest = A.size() > 0 ? A.colwise().norm().maxCoeff() : 0;
  if (!(largest > threshold)) {
    V1_.resize(k, 0);
    V2_.setIdentity(k, k);
    return;
  }
  decomposition_.setThreshold(threshold / largest);  // Eigen's is relative to the first pivot
  decomposition_.compute(MatrixXd(A));
  rank_ = decomposition_.rank();
  const auto pivots = decomposition_.matrixQTZ().diagonal().head(rank_).cwiseAbs();
  strongest_ = pivots.maxCoeff();
  weakest_ = pivots.minCoeff();
  MatrixXd V = MatrixXd::Identity(k, k);
  if (rank_ < k) V = decomposition_.matrixZ().transpose();  // Eigen has none at full rank
  V = decomposition_.colsPermutation() * V;
  V1_ = V.leftCols(rank_);
  V2_ = V.rightCols(k - rank_);
}

MatrixXd RankedColumns::rotate(MatIn M) const {
  MatrixXd result = M;
  if (rank_ > 0) result.applyOnTheLeft(decomposition_.householderQ().transpose());
  return result;
}

MatrixXd RankedColumns::solve(MatIn M) const {
  if (rank_ == 0) return MatrixXd(0, M.cols());
  return solve_upper(decomposition_.matrixT().topLeftCorner(rank_, rank_), M);
}

}  // namespace parfait::math
