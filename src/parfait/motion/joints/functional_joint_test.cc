#include "parfait/motion/joints/functional_joint.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>

#include "parfait/base/error.h"

namespace parfait::motion::functional_joint_test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Matrix3d turn(const Vector3d& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

const Vector3d kCenter(-0.06, 0.09, -0.08);  ///< on the first segment
const Vector3d kAxis = Vector3d(0.2, 1, -0.1).normalized();

/// Four markers on a segment that wanders, and four on one that it carries by a ball or a hinge.
MarkerData make_trial(bool hinge, double noise, int frames = 300) {
  MarkerData data;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const Vector3d pelvis[] = {{0, -0.12, 0}, {0, 0.12, 0}, {-0.18, -0.05, 0.01}, {-0.18, 0.05, 0}};
  const Vector3d thigh[] = {
      {0.08, 0.05, -0.2}, {0.05, 0.09, -0.25}, {0.02, 0.1, -0.35}, {0.09, 0.03, -0.4}};
  data.labels = {"a", "b", "c", "d", "e", "f", "g", "h"};
  for (int k = 0; k < frames; ++k) {
    const double t = 0.01 * k;
    data.t.push_back(t);
    const Matrix3d R = turn({0.1, 0.2, 1}, 0.4 * std::sin(1.3 * t)) * turn({1, 0, 0}, 0.1 * t);
    const Vector3d p(0.3 * t, 0.1 * std::cos(t), 1 + 0.05 * std::sin(4 * t));
    const Matrix3d S = R * (hinge ? turn(kAxis, 0.7 * std::sin(2.1 * t))
                                  : Matrix3d(turn({0, 1, 0}, 0.5 * std::sin(2.1 * t)) *
                                             turn({1, 0, 0}, 0.4 * std::cos(1.7 * t)) *
                                             turn({0, 0, 1}, 0.3 * std::sin(2.9 * t))));
    const auto add = [&](const Vector3d& x) {
      for (int i = 0; i < 3; ++i) data.xyz.push_back(x[i] + noise * normal(random));
    };
    for (const auto& m : pelvis) add(R * m + p);
    for (const auto& m : thigh) add(S * m + R * kCenter + p);
  }
  return data;
}

/// The first cluster in the axes that kCenter is given in.
MarkerCluster first(const MarkerData& data) {
  MarkerCluster out = make_cluster(data, {0, 1, 2, 3});
  to_pelvis_axes(data, out, {0, 1, 2, 3});
  return out;
}

/// In the axes of the pelvis, which its markers define: the PSIS are not at the height of the ASIS.
Vector3d expected(const Vector3d& v) {
  const Vector3d back(-0.18, 0, 0.005);
  Vector3d forward = -back, left(0, 1, 0);
  forward.normalize();
  Matrix3d R;
  R << forward, left, forward.cross(left);
  return R.transpose() * v;
}

TEST(FunctionalJoint, CentersOfABallAreFoundExactly) {
  const MarkerData data = make_trial(false, 0);
  const auto proximal = first(data);
  const auto distal = make_cluster(data, {4, 5, 6, 7});
  const auto found = score_joint(proximal, distal, data.t, false);
  EXPECT_NEAR((found.center - expected(kCenter)).norm(), 0, 1e-10);
  EXPECT_LT(found.gap, 1e-10);
  EXPECT_GT(found.axis_ratio, 0.3);
  const Vector3d gamage = gamage_lasenby(data, proximal, {4, 5, 6, 7});
  EXPECT_NEAR((gamage - expected(kCenter)).norm(), 0, 1e-10);
}

TEST(FunctionalJoint, AxesOfAHingeAreFoundExactly) {
  const MarkerData data = make_trial(true, 0);
  const auto found = score_joint(first(data), make_cluster(data, {4, 5, 6, 7}), data.t, true);
  const Vector3d axis = expected(kAxis);
  EXPECT_NEAR(std::abs(found.axis.dot(axis)), 1, 1e-12);
  EXPECT_LT(found.axis_ratio, 1e-6);
  // A point of the axis.
  const Vector3d beside = found.center - expected(kCenter);
  EXPECT_NEAR((beside - beside.dot(axis) * axis).norm(), 0, 1e-9);
}

TEST(FunctionalJoint, EllipsoidsOfNoisyTrialsHoldTheTruth) {
  const MarkerData data = make_trial(false, 0.001, 2000);
  const auto found = score_joint(first(data), make_cluster(data, {4, 5, 6, 7}), data.t, false);
  const Vector3d error = found.center - expected(kCenter);
  EXPECT_GT(error.norm(), 1e-6);
  EXPECT_LT(error.dot(found.covariance.inverse() * error), 16.3);  // 99.9 %
  const auto half = found.half_axes();
  EXPECT_TRUE(half[0] >= half[1] && half[1] >= half[2]);
  EXPECT_LT(half[0], 0.005);
}

TEST(FunctionalJoint, GapsAreLeftOut) {
  MarkerData data = make_trial(false, 0);
  for (std::size_t f = 40; f < 90; ++f) {
    for (std::size_t i = 0; i < 3; ++i) {
      data.xyz[3 * (f * 8 + 5) + i] = std::nan("");
      if (f < 60) data.xyz[3 * (f * 8 + 6) + i] = std::nan("");
    }
  }
  const auto found = score_joint(first(data), make_cluster(data, {4, 5, 6, 7}), data.t, false);
  EXPECT_EQ(found.num_frames, 280);
  EXPECT_NEAR((found.center - expected(kCenter)).norm(), 0, 1e-10);
}

TEST(FunctionalJoint, SegmentsNeedThreeMarkersThatAreNotOnALine) {
  MarkerData data = make_trial(false, 0);
  EXPECT_THROW(make_cluster(data, {0, 1}), base::InputError);
  const auto frames = static_cast<std::size_t>(data.num_frames());
  for (std::size_t f = 0; f < frames; ++f) {
    for (std::size_t i = 0; i < 3; ++i) {
      auto* x = &data.xyz[3 * f * 8 + i];
      x[6] = 0.5 * (x[0] + x[3]);
    }
  }
  EXPECT_THROW(make_cluster(data, {0, 1, 2}), base::InputError);
}

}  // namespace
}  // namespace parfait::motion::functional_joint_test
