#include "parfait/motion/joints/functional_joint.h"

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/base/stop.h"
#include "parfait/math/dense_solves.h"

namespace parfait::motion {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace functional_joint {
namespace {

constexpr double kChiSquare3 = 7.814728;  ///< 95 % of three degrees of freedom

/// The markers that a frame sees: their places, and those of the shape.
bool visible(const MarkerData& data, int frame, const std::vector<int>& labels,
             const Matrix3Xd& shape, Matrix3Xd& x, Matrix3Xd& y) {
  std::vector<Index> seen;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double* at = data.at(frame, labels[i]);
    if (!std::isnan(at[0] + at[1] + at[2])) seen.push_back(static_cast<Index>(i));
  }
  x.resize(3, static_cast<Index>(seen.size()));
  y.resize(3, static_cast<Index>(seen.size()));
  for (std::size_t k = 0; k < seen.size(); ++k) {
    x.col(static_cast<Index>(k)) = shape.col(seen[k]);
    const double* at = data.at(frame, labels[static_cast<std::size_t>(seen[k])]);
    y.col(static_cast<Index>(k)) = Vector3d(at[0], at[1], at[2]);
  }
  return seen.size() >= 3;
}

}  // namespace
}  // namespace functional_joint

Placement lay(const Matrix3Xd& x, const Matrix3Xd& y) {
  const Vector3d a = x.rowwise().mean(), b = y.rowwise().mean();
  const Matrix3d C = (y.colwise() - b) * (x.colwise() - a).transpose();
  const Eigen::JacobiSVD<Matrix3d> svd(C, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vector3d signs(1, 1, (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1);
  const Matrix3d R = svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
  return {R, b - R * a};
}

Placement pelvis_axes(const std::array<Vector3d, 4>& at) {
  Placement out;
  out.p = 0.5 * (at[0] + at[1]);
  const Vector3d left = (at[1] - at[0]).normalized();
  Vector3d forward = out.p - 0.5 * (at[2] + at[3]);
  forward = (forward - forward.dot(left) * left).normalized();
  out.R << forward, left, forward.cross(left);
  return out;
}

MarkerCluster make_cluster(const MarkerData& data, const std::vector<int>& labels) {
  using namespace functional_joint;  // NOLINT(google-build-using-namespace): its own helpers
  MarkerCluster out;
  out.labels = labels;
  if (labels.size() < 3) throw base::InputError("a segment needs at least three markers.");
  const auto n = static_cast<Index>(labels.size());
  out.shape.setZero(3, n);
  Matrix3Xd x, y;
  int first = -1;
  for (int f = 0; f < data.num_frames() && first < 0; ++f) {
    if (visible(data, f, labels, out.shape, x, y) && y.cols() == n) first = f;
  }
  if (first < 0) throw base::InputError("no frame sees all markers of a segment.");
  visible(data, first, labels, out.shape, x, y);
  out.shape = y.colwise() - y.rowwise().mean();
  const Eigen::JacobiSVD<Matrix3Xd> extent(out.shape, Eigen::ComputeThinU);
  if (extent.singularValues()[1] < 0.02 * extent.singularValues()[0]) {
    throw base::InputError("the markers of a segment lie on a line.");
  }
  for (int round = 0; round < 5; ++round) {
    Matrix3Xd sum = Matrix3Xd::Zero(3, n);
    int count = 0;
    for (int f = 0; f < data.num_frames(); ++f) {
      base::leave_if_stopped();
      if (!visible(data, f, labels, out.shape, x, y) || y.cols() != n) continue;
      const auto at = lay(out.shape, y);
      sum += at.R.transpose() * (y.colwise() - at.p);
      ++count;
    }
    out.shape = sum / count;
  }
  double squares = 0;
  Index samples = 0;
  const auto frames = static_cast<std::size_t>(data.num_frames());
  out.seen.assign(frames, 0);
  out.R.assign(frames, Matrix3d::Identity());
  out.p.assign(frames, Vector3d::Zero());
  for (std::size_t f = 0; f < frames; ++f) {
    base::leave_if_stopped();
    if (!visible(data, static_cast<int>(f), labels, out.shape, x, y)) continue;
    const auto at = lay(x, y);
    out.seen[f] = 1;
    out.R[f] = at.R;
    out.p[f] = at.p;
    squares += ((at.R * x).colwise() + at.p - y).squaredNorm();
    samples += x.cols();
  }
  out.rms = std::sqrt(squares / static_cast<double>(std::max<Index>(samples, 1)));
  return out;
}

void change_axes(MarkerCluster& cluster, const Matrix3d& R, const Vector3d& p) {
  cluster.shape = R.transpose() * (cluster.shape.colwise() - p);
  for (std::size_t f = 0; f < cluster.R.size(); ++f) {
    cluster.p[f] += cluster.R[f] * p;
    cluster.R[f] = cluster.R[f] * R;
  }
}

void to_pelvis_axes(const MarkerData& data, MarkerCluster& cluster,
                    const std::array<int, 4>& landmarks) {
  std::array<Vector3d, 4> at;
  for (std::size_t i = 0; i < 4; ++i) at[i] = cluster.shape.col(landmarks[i]);
  const Placement own = pelvis_axes(at);
  change_axes(cluster, own.R, own.p);
  for (int f = 0; f < data.num_frames(); ++f) {
    for (std::size_t i = 0; i < 4; ++i) {
      const double* y = data.at(f, cluster.labels[static_cast<std::size_t>(landmarks[i])]);
      at[i] = {y[0], y[1], y[2]};
    }
    if ((at[0] + at[1] + at[2] + at[3]).hasNaN()) continue;
    const Placement seen = pelvis_axes(at);
    cluster.R[static_cast<std::size_t>(f)] = seen.R;
    cluster.p[static_cast<std::size_t>(f)] = seen.p;
  }
}

Vector3d FunctionalJoint::half_axes() const {
  const auto pairs = math::symmetric_eigen_pairs(covariance);
  Vector3d out;
  for (Index k = 0; k < 3; ++k) {
    out[k] = std::sqrt(functional_joint::kChiSquare3 * std::max(0.0, pairs.values[2 - k]));
  }
  return out;
}

FunctionalJoint score_joint(const MarkerCluster& proximal, const MarkerCluster& distal,
                            const std::vector<double>& t, bool is_hinge) {
  FunctionalJoint out;
  std::vector<std::size_t> frames;
  for (std::size_t f = 0; f < proximal.seen.size(); ++f) {
    if (proximal.seen[f] && distal.seen[f]) frames.push_back(f);
  }
  const auto n = static_cast<Index>(frames.size());
  out.num_frames = static_cast<int>(n);
  if (n < 10) throw base::InputError("fewer than ten frames see both segments.");
  MatrixXd J(3 * n, 6);
  VectorXd b(3 * n);
  for (Index k = 0; k < n; ++k) {
    const std::size_t f = frames[static_cast<std::size_t>(k)];
    J.block<3, 3>(3 * k, 0) = proximal.R[f];
    J.block<3, 3>(3 * k, 3) = -distal.R[f];
    b.segment<3>(3 * k) = distal.p[f] - proximal.p[f];
  }
  const Eigen::JacobiSVD<MatrixXd> svd(J, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const VectorXd& s = svd.singularValues();
  out.axis = svd.matrixV().col(5).head<3>().normalized();
  out.axis_ratio = s[5] / s[4];
  for (Index k = 0; k < 3; ++k) out.singular[k] = s[5 - k] / s[0];
  VectorXd inverse = s.cwiseInverse();
  if (is_hinge) inverse[5] = 0;
  VectorXd c = svd.matrixV() * inverse.asDiagonal() * (svd.matrixU().transpose() * b);
  if (is_hinge) {
    // Along the axis to the point nearest to the middle of the distal markers.
    const VectorXd along = svd.matrixV().col(5);
    const Vector3d middle = distal.shape.rowwise().mean();
    const Vector3d d = along.tail<3>();
    c += along * (d.dot(middle - c.tail<3>()) / d.squaredNorm());
  }
  out.center = c.head<3>();
  out.center_distal = c.tail<3>();
  const VectorXd e = J * c - b;
  out.gap = std::sqrt(e.squaredNorm() / static_cast<double>(n));

  // Errors last: blocks of three correlation times (as in calibration.h).
  double sum = 0;
  for (Index lag = 1; lag < n; ++lag) {
    base::leave_if_stopped();
    const Index length = 3 * (n - lag);
    const double rho = e.head(length).dot(e.tail(length)) /
                       std::sqrt(e.head(length).squaredNorm() * e.tail(length).squaredNorm());
    if (!(rho > 0.05)) break;
    sum += rho;
  }
  const double step = t.size() > 1 ? (t.back() - t.front()) / static_cast<double>(t.size() - 1) : 0;
  out.seconds = step * (0.5 + sum);
  const auto block = std::max<Index>(1, static_cast<Index>(std::ceil(3 * (1 + 2 * sum))));
  const Index num_blocks = (n + block - 1) / block;
  MatrixXd middle = MatrixXd::Zero(6, 6);
  if (num_blocks >= 20) {
    for (Index first = 0; first < n; first += block) {
      const Index count = std::min(block, n - first);
      const VectorXd g =
          J.middleRows(3 * first, 3 * count).transpose() * e.segment(3 * first, 3 * count);
      middle += g * g.transpose();
    }
    middle *= static_cast<double>(num_blocks) / static_cast<double>(num_blocks - 1);
  } else {
    const double variance = e.squaredNorm() / static_cast<double>(3 * n - 6);
    middle = variance * (1 + 2 * sum) * J.transpose() * J;
  }
  const MatrixXd V = svd.matrixV() * inverse.cwiseAbs2().asDiagonal() * svd.matrixV().transpose();
  const MatrixXd covariance = V * middle * V;
  out.covariance = covariance.topLeftCorner(3, 3);
  return out;
}

Vector3d gamage_lasenby(const MarkerData& data, const MarkerCluster& proximal,
                        const std::vector<int>& distal) {
  Matrix3d A = Matrix3d::Zero();
  Vector3d b = Vector3d::Zero();
  for (const int label : distal) {
    Matrix3d vv = Matrix3d::Zero();
    Vector3d v1 = Vector3d::Zero(), v3 = Vector3d::Zero();
    double v2 = 0;
    int n = 0;
    for (int f = 0; f < data.num_frames(); ++f) {
      const double* y = data.at(f, label);
      const auto i = static_cast<std::size_t>(f);
      if (!proximal.seen[i] || std::isnan(y[0] + y[1] + y[2])) continue;
      const Vector3d v = proximal.R[i].transpose() * (Vector3d(y[0], y[1], y[2]) - proximal.p[i]);
      vv += v * v.transpose();
      v1 += v;
      v2 += v.squaredNorm();
      v3 += v * v.squaredNorm();
      ++n;
    }
    if (n < 10) continue;
    A += 2 * (vv / n - v1 * v1.transpose() / (static_cast<double>(n) * n));
    b += v3 / n - v1 * v2 / (static_cast<double>(n) * n);
  }
  return math::solve_lu(A, b);
}

}  // namespace parfait::motion
