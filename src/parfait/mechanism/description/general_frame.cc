#include "parfait/mechanism/description/general_frame.h"

#include <Eigen/Dense>

namespace parfait::mechanism {
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

GeneralFrame GeneralFrame::of(const Body& body) {
  Eigen::Matrix3d X;
  for (int k = 0; k < 3; ++k) X.row(k) << body.x[k], body.y[k], body.z[k];
  const Eigen::Matrix3d metric = X.transpose() * X;
  // Axes typed with a few digits mean an orthonormal frame, and the assembly makes it one.
  const bool orthonormal =
      (metric - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() < kOrthonormalTolerance;
  const Eigen::Matrix3d S =
      orthonormal ? Eigen::Matrix3d(Eigen::Matrix3d::Identity()) : gram_schmidt_factor(X);
  GeneralFrame frame;
  frame.is_orthonormal = orthonormal;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) frame.S[i][j] = S(i, j);
  }
  return frame;
}

}  // namespace parfait::mechanism
