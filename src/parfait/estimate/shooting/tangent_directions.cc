#include "parfait/estimate/shooting/tangent_directions.h"

#include "parfait/math/dense_solves.h"
#include "parfait/math/directions_matrix.h"

namespace parfait::estimate {

using Eigen::MatrixXd;

namespace tangent_directions {
namespace {

/// The last columns of `directions`, `kept` of them, behind `first` in the place of all others.
void replace_first(const MatrixXd& first, Eigen::Index kept, dynamics::Directions& directions) {
  MatrixXd columns(first.rows(), first.cols() + kept);
  columns << first, math::to_matrix(directions).rightCols(kept);
  math::copy(columns, directions);
}

}  // namespace
}  // namespace tangent_directions

TangentDirections restrict_to_tangent(const ShootingLayout& layout, PlacedNode& node) {
  const int nz = layout.nz(), num_theta = layout.num_theta();
  const int rest = nz + num_theta;
  ShootingInterval::Start& start = node.start;
  const MatrixXd W = math::to_matrix(start.W);
  const Eigen::Index ns = W.cols() - rest;
  TangentDirections tangent;
  if (ns == 0) return tangent;
  const MatrixXd dpi_ds = W.leftCols(ns);
  const math::PivotedQr qr(dpi_ds, 1e-8);  // singular values of a projector are 0 or at least 1
  const Eigen::Index rank = qr.rank();
  tangent.basis = qr.Q(rank);
  tangent.coordinates = tangent.basis.transpose() * dpi_ds;
  tangent.by_theta = W.rightCols(num_theta);
  tangent_directions::replace_first(tangent.basis, rest, start.W);
  tangent_directions::replace_first(MatrixXd::Zero(nz, rank), rest, start.dz);
  tangent_directions::replace_first(MatrixXd::Zero(start.dp.rows(), rank), rest, start.dp);
  return tangent;
}

}  // namespace parfait::estimate
