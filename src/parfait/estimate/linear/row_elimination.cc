#include "parfait/estimate/linear/row_elimination.h"

#include <Eigen/QR>

#include "parfait/math/dense_solves.h"

namespace parfait::estimate {

void RowElimination::factorize(MatIn A, MatIn B, double tolerance) {
  const math::OrthogonalDecomposition qr(A, tolerance);
  Q2_ = qr.left_null_space();
  left_ = Q2_.transpose() * B;
  inverse_ = qr.pseudo_inverse();
  inverse_B_ = inverse_ * B;
}

}  // namespace parfait::estimate
