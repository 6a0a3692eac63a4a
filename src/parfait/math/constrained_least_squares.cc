#include "parfait/math/constrained_least_squares.h"

#include <algorithm>

namespace parfait::math {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

ConstrainedLeastSquares::ConstrainedLeastSquares(MatIn J1, MatIn J2, const Options& options)
    : J1_(J1), rows_(J2, options.constraint_tolerance) {
  const double longest = J1.size() > 0 ? J1.colwise().norm().maxCoeff() : 0;
  columns_ = RankedColumns(J1_ * rows_.Z(), options.tolerance * std::max(longest, options.scale));
}

VectorXd ConstrainedLeastSquares::solve(VecIn r1, VecIn r2) const {
  VectorXd x = rows_.Y() * rows_.solve(r2);
  if (rank() > 0) {
    const MatrixXd g = columns_.rotate(r1 + J1_ * x).topRows(rank());
    x -= rows_.Z() * (columns_.seen() * columns_.solve(g));
  }
  return x;
}

double ConstrainedLeastSquares::contradiction(VecIn r2) const {
  const MatrixXd left_over = rows_.left_over(r2, rows_.solve(r2));
  return left_over.size() > 0 ? left_over.cwiseAbs().maxCoeff() : 0;
}

double ConstrainedLeastSquares::condition() const {
  return rank() > 0 ? strongest() / weakest() : 1;
}

MatrixXd ConstrainedLeastSquares::covariance() const {
  const Index n = num_variables();
  if (rank() == 0) return MatrixXd::Zero(n, n);
  const MatrixXd A =
      rows_.Z() * (columns_.seen() * columns_.solve(MatrixXd::Identity(rank(), rank())));
  return A * A.transpose();
}

MatrixXd ConstrainedLeastSquares::undetermined() const {
  return rows_.Z() * columns_.unseen();
}

VectorXd ConstrainedLeastSquares::multipliers(VecIn gradient) const {
  return rows_.multipliers(gradient, VectorXd::Zero(rows_.num_rows() - rows_.rank()));
}

}  // namespace parfait::math
