#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "parfait/motion/poses/inverse_kinematics.h"

/// Where the joint between two segments is, from how their markers move relative to each other: no
/// model, no landmark. Starts and witnesses of a calibration.
namespace parfait::motion {

struct Placement {
  Eigen::Matrix3d R;
  Eigen::Vector3d p;
};
/// y = R x + p, least squares (Kabsch 1976).
Placement lay(const Eigen::Matrix3Xd& x, const Eigen::Matrix3Xd& y);

/// The axes of a pelvis, x forward, y left, z up, origin between the ASIS, from right ASIS, left
/// ASIS, right PSIS, left PSIS.
Placement pelvis_axes(const std::array<Eigen::Vector3d, 4>& landmarks);

/// Markers of a segment as a rigid body: the mean of their shape, and where it is in every frame.
struct MarkerCluster {
  std::vector<int> labels;
  Eigen::Matrix3Xd shape;          ///< in axes of its own, m
  std::vector<char> seen;          ///< of each frame: at least three markers
  std::vector<Eigen::Matrix3d> R;  ///< axes in the laboratory ...
  std::vector<Eigen::Vector3d> p;  ///< ... and origin
  double rms = 0;                  ///< m, of markers beside the rigid shape
};
/// Shape  The mean of all frames, each laid upon it (generalized Procrustes), beginning with the
///        first frame that sees all markers; its origin is their middle. InputError with fewer than
///        three markers, or if no frame sees all.
MarkerCluster make_cluster(const MarkerData& data, const std::vector<int>& labels);

/// The same cluster in other axes: shape = R (new shape) + p.
void change_axes(MarkerCluster& cluster, const Eigen::Matrix3d& R, const Eigen::Vector3d& p);

/// A cluster in the axes of a pelvis by its landmarks: x forward, y left, z up, origin between the
/// ASIS, frame by frame where all four are seen, by the whole cluster elsewhere. `landmarks`: right
/// ASIS, left ASIS, right PSIS, left PSIS among the cluster's markers; a single sacral marker is
/// given twice.
void to_pelvis_axes(const MarkerData& data, MarkerCluster& cluster,
                    const std::array<int, 4>& landmarks);

struct FunctionalJoint {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< in axes of the proximal cluster, m
  Eigen::Vector3d center_distal = Eigen::Vector3d::Zero();
  double gap = 0;  ///< m, rms over frames of the distance between the two places of the centre
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();  ///< of `center`, errors correlated in time
  double seconds = 0;                                    ///< that an error lasts
  int num_frames = 0;
  Eigen::Vector3d singular =
      Eigen::Vector3d::Zero();  ///< the three smallest, relative to the first

  Eigen::Vector3d axis = Eigen::Vector3d::Zero();  ///< SARA: in axes of the proximal cluster
  double axis_ratio = 0;  ///< smallest singular value / the next: small means a hinge

  /// Half axes of the 95 % ellipsoid of the centre, the longest first, m.
  Eigen::Vector3d half_axes() const;
};

/// SCoRE (Ehrig, Taylor, Duda and Heller 2006): the points of both segments that are nearest to
/// each other over all frames,
///
///   min over c, d   sum_f | R_f c + p_f - S_f d - q_f |^2,
///
/// and SARA (2007) from the same matrix: the direction along which c and d can move together
/// without a change, where there is one (a hinge): its smallest right singular vector. Of a hinge
/// the centre is the point of the axis that is nearest to the middle of the distal markers.
FunctionalJoint score_joint(const MarkerCluster& proximal, const MarkerCluster& distal,
                            const std::vector<double>& t, bool is_hinge);

/// Gamage and Lasenby (2002): the centre of the spheres on which the distal markers move in the
/// proximal segment's axes, in closed form.
Eigen::Vector3d gamage_lasenby(const MarkerData& data, const MarkerCluster& proximal,
                               const std::vector<int>& distal);

}  // namespace parfait::motion
