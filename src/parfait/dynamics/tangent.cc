#include "parfait/dynamics/tangent.h"

#include <algorithm>
#include <random>

#include "parfait/math/dense_solves.h"
#include "parfait/math/finite.h"

namespace parfait::dynamics {
namespace {

using Eigen::MatrixXd;

constexpr double kRankTolerance = 1e-7;
constexpr int kBlock = 32;

bool has_invariants(const System& system) {
  return system.sizes().num_pos + system.sizes().num_vel > 0;
}

/// Uniform in [-1, 1], the same on every machine.
MatrixXd random_columns(int rows, int columns, std::mt19937_64& generator) {
  MatrixXd X(rows, columns);
  for (auto& x : X.reshaped()) x = std::ldexp(static_cast<double>(generator() >> 11), -52) - 1;
  return X;
}

Status compute_range(const System& system, Workspace& ws, int max_directions, StatePart part,
                     MatrixXd& T) {
  const int n = part == StatePart::kCoordinates ? system.sizes().nq : system.sizes().nv;
  std::mt19937_64 generator(20);
  T.resize(n, 0);
  double largest = 0;
  while (T.cols() < n) {
    MatrixXd X = random_columns(n, kBlock, generator);
    const auto status = project_columns(system, ws, max_directions, part, X);
    if (status != Status::kOk) return status;
    largest = std::max(largest, X.colwise().norm().maxCoeff());
    // Twice: what is left after the first time may be rounding along T.
    for (int pass = 0; pass < 2; ++pass) X = math::beside(T, X);
    const math::PivotedQr qr(X);
    Eigen::Index rank = 0;
    while (rank < kBlock && rank < n - T.cols() && qr.pivot(rank) > kRankTolerance * largest) {
      ++rank;
    }
    if (rank == 0) break;
    const MatrixXd fresh = math::beside(T, qr.Q(rank));
    const auto known = T.cols();
    T.conservativeResize(Eigen::NoChange, known + rank);
    T.rightCols(rank) = fresh.colwise().normalized();
    if (rank < kBlock) break;
  }
  return Status::kOk;
}

/// The orthonormal matrix next to X: X (X^T X)^(-1/2).
Status orthonormalize(MatrixXd& X) {
  if (X.cols() == 0) return Status::kOk;
  if (!math::all_finite(X)) return Status::kNotFinite;
  const auto [values, V] = math::symmetric_eigen_pairs(math::gram(X));
  if (!(values[0] > kRankTolerance * values.tail(1)[0])) return Status::kSingular;
  const MatrixXd turned = X * V * values.cwiseSqrt().cwiseInverse().asDiagonal();
  X = turned * V.transpose();
  return Status::kOk;
}

}  // namespace

Status project_columns(const System& system, Workspace& ws, int max_directions, StatePart part,
                       MatrixXd& X) {
  if (!has_invariants(system)) return Status::kOk;
  const int first = part == StatePart::kCoordinates ? 0 : system.sizes().nq;
  const int rows = static_cast<int>(X.rows()), columns = static_cast<int>(X.cols());
  Directions dy;
  for (int begin = 0; begin < columns; begin += max_directions) {
    const int count = std::min(max_directions, columns - begin);
    dy.resize(system.sizes().ny(), count);
    for (int j = 0; j < count; ++j) {
      for (int i = 0; i < rows; ++i) dy(first + i, j) = X(i, begin + j);
    }
    const auto status = system.project_directions(ws, dy);
    if (status != Status::kOk) return status;
    for (int j = 0; j < count; ++j) {
      for (int i = 0; i < rows; ++i) X(i, begin + j) = dy(first + i, j);
    }
  }
  return Status::kOk;
}

Status compute_tangent_basis(const System& system, Workspace& ws, int max_directions,
                             TangentBasis& basis) {
  const auto& sizes = system.sizes();
  if (!has_invariants(system)) {
    basis.Tq.setIdentity(sizes.nq, sizes.nq);
    basis.Tv.setIdentity(sizes.nv, sizes.nv);
    return Status::kOk;
  }
  const auto status = compute_range(system, ws, max_directions, StatePart::kCoordinates, basis.Tq);
  if (status != Status::kOk) return status;
  return compute_range(system, ws, max_directions, StatePart::kVelocities, basis.Tv);
}

Status transport_tangent_basis(const System& system, Workspace& ws, int max_directions,
                               TangentBasis& basis) {
  if (!has_invariants(system)) return Status::kOk;
  auto status = project_columns(system, ws, max_directions, StatePart::kCoordinates, basis.Tq);
  if (status == Status::kOk) status = orthonormalize(basis.Tq);
  if (status != Status::kOk) return status;
  status = project_columns(system, ws, max_directions, StatePart::kVelocities, basis.Tv);
  return status == Status::kOk ? orthonormalize(basis.Tv) : status;
}

}  // namespace parfait::dynamics
