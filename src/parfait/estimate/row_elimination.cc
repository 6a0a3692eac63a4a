#include "parfait/estimate/row_elimination.h"

#include <Eigen/QR>

namespace parfait::estimate {

void RowElimination::factorize(MatIn A, MatIn B, double tolerance) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> qr;
  qr.setThreshold(tolerance);
  qr.compute(A);
  const Eigen::MatrixXd Q = qr.householderQ();
  Q2_ = Q.rightCols(A.rows() - qr.rank());
  left_ = Q2_.transpose() * B;
  inverse_ = qr.pseudoInverse();
  inverse_B_ = inverse_ * B;
}

}  // namespace parfait::estimate
