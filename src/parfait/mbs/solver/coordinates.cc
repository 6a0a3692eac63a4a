#include "parfait/mbs/solver/coordinates.h"

#include <Eigen/Dense>

namespace parfait::mbs {
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

CoordinateMap CoordinateMap::of(const Body& body, BodyCoordinates coordinates) {
  const auto frame = mechanism::GeneralFrame::of(body);
  const bool orthonormal = frame.is_orthonormal;
  Eigen::Matrix3d S;
  for (int i = 0; i < 3; ++i) S.row(i) << frame.S[i][0], frame.S[i][1], frame.S[i][2];

  Eigen::Matrix4d points = Eigen::Matrix4d::Identity();  // u = (o e1 e2 e3) points
  if (coordinates == BodyCoordinates::kTwoPointsTwoVectors) points(0, 1) = 1;
  if (coordinates == BodyCoordinates::kFourPoints) points.row(0).setOnes();
  Eigen::Matrix4d axes = Eigen::Matrix4d::Identity();  // (o e1 e2 e3) = canonical axes
  axes.bottomRightCorner<3, 3>() = S;
  const Eigen::Matrix4d B = axes * points;
  const Eigen::Matrix4d A = B.inverse();

  const Eigen::Matrix3d S_inverse = S.inverse();
  CoordinateMap map;
  map.S = frame.S;
  map.is_orthonormal = orthonormal;
  map.is_identity = orthonormal && coordinates == BodyCoordinates::kOriginAndAxes;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      map.A[i][j] = A(i, j);
      map.B[i][j] = B(i, j);
    }
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      map.S_inverse[i][j] = S_inverse(i, j);
    }
  }
  return map;
}

}  // namespace parfait::mbs
