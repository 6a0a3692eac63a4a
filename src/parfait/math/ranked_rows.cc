#include "parfait/math/ranked_rows.h"

#include <Eigen/QR>

#include "parfait/math/dense_products.h"
#include "parfait/math/dense_solves.h"

namespace parfait::math {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

RankedRows::RankedRows(MatIn J, double tolerance)
    : RankedRows(J, VectorXd(J.rowwise().norm()), tolerance) {}

RankedRows::RankedRows(MatIn J, VecIn size, double tolerance) : size_(size), order_(J.rows()) {
  const Index m = J.rows(), n = J.cols();
  for (Index i = 0; i < m; ++i) {
    if (size_[i] == 0) size_[i] = 1;  // a row of zeros is dependent, whatever its size
    order_[i] = i;
  }
  MatrixXd Q = MatrixXd::Identity(n, n);
  Index rank = 0;
  if (m > 0 && n > 0) {
    const MatrixXd scaled = J.transpose() * size_.cwiseInverse().asDiagonal();
    const Eigen::ColPivHouseholderQR<MatrixXd> qr(scaled);
    const auto pivots = qr.matrixQR().diagonal();
    while (rank < pivots.size() && std::abs(pivots[rank]) > tolerance) ++rank;
    Q.applyOnTheLeft(qr.householderQ());
    for (Index i = 0; i < m; ++i) order_[i] = qr.colsPermutation().indices()[i];
    R1_ = qr.matrixR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
    R2_ = qr.matrixR().topRightCorner(rank, m - rank);
  } else {
    R1_.resize(0, 0);
    R2_.resize(0, m);
  }
  Y_ = Q.leftCols(rank);
  Z_ = Q.rightCols(n - rank);
}

MatrixXd RankedRows::sorted(MatIn r) const {
  MatrixXd result(r.rows(), r.cols());
  for (Index i = 0; i < r.rows(); ++i) result.row(i) = r.row(order_[i]) / size_[order_[i]];
  return result;
}

MatrixXd RankedRows::solve(MatIn r) const {
  const MatrixXd independent = sorted(r).topRows(rank());
  return -solve_upper_transpose(R1_, independent);
}

MatrixXd RankedRows::left_over(MatIn r, MatIn x_Y) const {
  MatrixXd result = sorted(r).bottomRows(num_rows() - rank());
  if (rank() > 0) result.noalias() += R2_.transpose() * x_Y;
  return result;
}

VectorXd RankedRows::left_over_scale(MatIn r) const {
  const Index dependent = num_rows() - rank();
  const VectorXd norms = sorted(r).rowwise().norm();
  VectorXd result = norms.tail(dependent);
  if (rank() == 0 || dependent == 0) return result;
  const MatrixXd combination = solve_upper(R1_, R2_).cwiseAbs();  // row_2 = combination^T rows_1
  result += combination.transpose() * norms.head(rank());
  return result;
}

VectorXd RankedRows::multipliers(VecIn gradient, VecIn dependent) const {
  VectorXd lambda(num_rows());
  if (rank() > 0) {
    VectorXd independent = Y_.transpose() * gradient;
    independent -= R2_ * dependent;
    lambda.head(rank()) = solve_upper(R1_, independent);
  }
  lambda.tail(dependent.size()) = dependent;
  VectorXd result(num_rows());
  for (Index i = 0; i < num_rows(); ++i) result[order_[i]] = lambda[i] / size_[order_[i]];
  return result;
}

}  // namespace parfait::math
