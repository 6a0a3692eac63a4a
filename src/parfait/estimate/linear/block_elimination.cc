#include "parfait/estimate/linear/block_elimination.h"
#include "parfait/math/dense_solves.h"

#include <algorithm>
#include <utility>

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

double longest_column(const MatrixXd& A) {
  return A.size() > 0 ? A.colwise().norm().maxCoeff() : 0;
}

VectorXd row_lengths(MatIn C, MatIn D) {
  return (C.rowwise().squaredNorm() + D.rowwise().squaredNorm()).cwiseSqrt();
}

}  // namespace

BlockElimination::BlockElimination(MatrixXd A, MatrixXd B, MatIn C, MatIn D,
                                   const Tolerances& tolerances)
    : A_(std::move(A)), B_(std::move(B)), rows_(C, row_lengths(C, D), tolerances.constraint) {
  // Equations: xi_Y = -R1^-T (c + D p), and what dependent rows say about p.
  const MatrixXd xi_Y = rows_.solve(D);
  J2_ = rows_.left_over(D, xi_Y);
  const VectorXd scale = rows_.left_over_scale(D);
  for (Index i = 0; i < J2_.rows(); ++i) {
    if (J2_.row(i).norm() <= tolerances.constraint * scale[i]) J2_.row(i).setZero();
  }
  S_ = rows_.Y() * xi_Y;

  // Data: z = -(A Z)+ (b + (B + A S) p), and what no z can change.
  columns_ = math::RankedColumns(A_ * rows_.Z(), tolerances.rank * longest_column(A_));
  const MatrixXd B_S = B_ + A_ * S_;
  shared_scale_ = std::max(longest_column(B_), longest_column(B_S));
  const MatrixXd rotated = columns_.rotate(B_S);
  own_ = rows_.Z() * (columns_.seen() * columns_.solve(MatrixXd::Identity(rank(), rank())));
  S_ -= own_ * rotated.topRows(rank());
  J1_ = rotated.bottomRows(rotated.rows() - rank());
  if (J1_.rows() > J1_.cols()) {
    compressed_ = true;
    const Index s = J1_.cols();
    if (s > 0) compression_ = math::Reflections(J1_);
    J1_ = s > 0 ? compression_.R() : MatrixXd(0, 0);
  }
}

BlockElimination::Reduced BlockElimination::reduce(VecIn b, VecIn c) const {
  Reduced result;
  const VectorXd xi_Y = rows_.solve(c);
  result.r2 = rows_.left_over(c, xi_Y);
  result.xi_0 = rows_.Y() * xi_Y;
  const VectorXd rotated = columns_.rotate(b + A_ * result.xi_0);
  result.xi_0 -= own_ * rotated.head(rank());
  result.r1 = rotated.tail(rotated.size() - rank());
  if (compressed_) {
    const Index s = J1_.cols();
    if (s > 0) compression_.apply_transpose(result.r1);
    result.r1.conservativeResize(s);
  }
  return result;
}

VectorXd BlockElimination::gradient(VecIn residuals) const {
  VectorXd result(A_.cols() + B_.cols());
  result << A_.transpose() * residuals, B_.transpose() * residuals;
  return result;
}

VectorXd BlockElimination::multipliers(VecIn residuals, VecIn lambda_2) const {
  return rows_.multipliers(A_.transpose() * residuals, lambda_2);
}

}  // namespace parfait::estimate
