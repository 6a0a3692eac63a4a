#include "parfait/mbs/coordinates.h"

#include <Eigen/Dense>

namespace parfait::mbs {
namespace {

/// S of X = R S, R with orthonormal columns, S upper triangular with a positive diagonal.
Eigen::Matrix3d gram_schmidt_factor(const Eigen::Matrix3d& X) {
  Eigen::Matrix3d R = X, S = Eigen::Matrix3d::Zero();
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < j; ++i) {
      S(i, j) = R.col(i).dot(R.col(j));
      R.col(j) -= S(i, j) * R.col(i);
    }
    S(j, j) = R.col(j).norm();
    R.col(j) /= S(j, j);
  }
  return S;
}

}  // namespace

void CoordinateMap::apply(const std::array<std::array<double, 4>, 4>& M, const double* in,
                          double* out) {
  for (int j = 0; j < 4; ++j) {
    for (int k = 0; k < 3; ++k) {
      double sum = 0;
      for (int i = 0; i < 4; ++i) sum += in[3 * i + k] * M[i][j];
      out[3 * j + k] = sum;
    }
  }
}

CoordinateMap CoordinateMap::of(const Body& body) {
  Eigen::Matrix3d X;
  for (int k = 0; k < 3; ++k) X.row(k) << body.x[k], body.y[k], body.z[k];
  const Eigen::Matrix3d metric = X.transpose() * X;
  // Axes typed with a few digits mean an orthonormal frame, and the assembly makes it one.
  const bool orthonormal =
      (metric - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() < kOrthonormalTolerance;
  const Eigen::Matrix3d S =
      orthonormal ? Eigen::Matrix3d(Eigen::Matrix3d::Identity()) : gram_schmidt_factor(X);

  Eigen::Matrix4d points = Eigen::Matrix4d::Identity();  // u = (o e1 e2 e3) points
  if (body.coordinates == Coordinates::kTwoPointsTwoVectors) points(0, 1) = 1;
  if (body.coordinates == Coordinates::kFourPoints) points.row(0).setOnes();
  Eigen::Matrix4d axes = Eigen::Matrix4d::Identity();  // (o e1 e2 e3) = canonical axes
  axes.bottomRightCorner<3, 3>() = S;
  const Eigen::Matrix4d B = axes * points;
  const Eigen::Matrix4d A = B.inverse();

  const Eigen::Matrix3d S_inverse = S.inverse();
  CoordinateMap map;
  map.is_orthonormal = orthonormal;
  map.is_identity = orthonormal && body.coordinates == Coordinates::kOriginAndAxes;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      map.A[i][j] = A(i, j);
      map.B[i][j] = B(i, j);
    }
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      map.S[i][j] = S(i, j);
      map.S_inverse[i][j] = S_inverse(i, j);
    }
  }
  return map;
}

}  // namespace parfait::mbs
