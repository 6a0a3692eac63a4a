#include "parfait/estimate/shooting/tangent_directions.h"

#include <utility>

#include "parfait/math/dense_solves.h"

namespace parfait::estimate {

using dynamics::Directions;
using Eigen::MatrixXd;

TangentDirections restrict_to_tangent(const ShootingLayout& layout, PlacedNode& node) {
  const int ny = layout.ny(), nz = layout.nz(), num_theta = layout.num_theta();
  const int rest = nz + num_theta;
  Directions& W = node.start.W;
  const int ns = W.count() - rest;
  TangentDirections tangent;
  if (ns == 0) return tangent;
  MatrixXd dpi_ds(ny, ns);
  for (int c = 0; c < ns; ++c) {
    for (int j = 0; j < ny; ++j) dpi_ds(j, c) = W(j, c);
  }
  const math::PivotedQr qr(dpi_ds, 1e-8);  // singular values of a projector are 0 or at least 1
  const auto rank = static_cast<int>(qr.rank());
  tangent.basis = qr.Q(rank);
  tangent.coordinates = tangent.basis.transpose() * dpi_ds;
  tangent.by_theta.resize(ny, num_theta);
  for (int c = 0; c < num_theta; ++c) {
    for (int j = 0; j < ny; ++j) tangent.by_theta(j, c) = W(j, ns + nz + c);
  }
  Directions few(ny, rank + rest), dz(nz, rank + rest), dp(node.start.dp.rows(), rank + rest);
  for (int c = 0; c < rank; ++c) {
    for (int j = 0; j < ny; ++j) few(j, c) = tangent.basis(j, c);
  }
  for (int c = 0; c < rest; ++c) {
    for (int j = 0; j < ny; ++j) few(j, rank + c) = W(j, ns + c);
    for (int j = 0; j < nz; ++j) dz(j, rank + c) = node.start.dz(j, ns + c);
    for (int j = 0; j < dp.rows(); ++j) dp(j, rank + c) = node.start.dp(j, ns + c);
  }
  W = std::move(few);
  node.start.dz = std::move(dz);
  node.start.dp = std::move(dp);
  return tangent;
}

}  // namespace parfait::estimate
