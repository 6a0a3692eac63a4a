#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "parfait/motion/calibration/shape_prior.h"
#include "parfait/motion/joints/functional_joint.h"

/// Joints of a model as a trial shows them in which they move (functional_joint.h), beside those
/// of a calibration: witnesses, and priors of hips.
namespace parfait::motion {

struct FunctionalTrial {
  std::string name;
  MarkerData data;
};

/// Markers that move with a body beside those that the model has on it.
struct FunctionalSegment {
  std::string body;
  std::vector<std::string> labels;
};

struct FunctionalCentre {
  std::string trial;
  int body = 0;           ///< of the skeleton: its joint to its parent
  FunctionalJoint joint;  ///< in axes of the parent's markers
  bool is_hinge = false;  ///< an axis; the centre is one of its points
  /// The axes are those of the pelvis: x forward, y left, z up, origin between the ASIS.
  bool on_pelvis = false;
  std::array<int, 4> landmarks{};  ///< markers: right and left ASIS, right and left PSIS
  std::vector<int> markers;        ///< of the skeleton, on the parent
  Eigen::Matrix3Xd shape;          ///< their places in these axes
};

/// Joints between bodies with three markers each, of the model or of `segments`, that the trials
/// move enough: 95 % of the centre within 30 mm. Of several trials the one that knows it best.
/// `told`: why a joint that `segments` names is not found. InputError for bodies and labels that
/// are not there.
std::vector<FunctionalCentre> find_functional_centres(
    const Skeleton& skeleton, const std::vector<FunctionalTrial>& trials,
    const std::vector<FunctionalSegment>& segments, std::vector<std::string>& told);

/// Where the calibrated joint is from the functional one, in the axes of the pelvis (as
/// FunctionalCentre) or of the parent, m; of a hinge square to its axis.
Eigen::Vector3d apart_from(const FunctionalCentre& centre, const Skeleton& skeleton,
                           const Geometry& geometry);

/// Hips as trials show them, with their covariance and, beside it, `sd`^2 for what it does not
/// know: skin that moves as the angle does.
std::vector<ShapePrior> functional_priors(const std::vector<FunctionalCentre>& centres,
                                          const Skeleton& skeleton, double sd);

}  // namespace parfait::motion
