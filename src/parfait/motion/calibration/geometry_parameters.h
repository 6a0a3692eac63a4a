#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "parfait/motion/skeleton/marker_kinematics.h"

/// Numbers of a geometry that are estimated, alone or tied to each other, and how the markers move
/// with them.
namespace parfait::motion {

enum class GeometryKind : std::uint8_t {
  kScale,        ///< factor of a body, per axis
  kMarker,       ///< place of a marker, m
  kParentPlace,  ///< place of a body's joint on its parent, m
  kChildPlace,   ///< place of a body's joint on itself, m
  kParentTurn,   ///< turn of the joint's frame on the parent, rad
  kChildTurn,    ///< turn of the joint's frame on the body, rad
};
constexpr int kNumGeometryKinds = 6;

struct GeometryParameter {
  /// A number of the geometry that follows the parameter: number = factor p.
  struct Term {
    GeometryKind kind = GeometryKind::kScale;
    int index = 0;  ///< of the body, or of the marker
    int axis = 0;
    double factor = 1;
  };
  std::string name;
  double initial = 0;
  double lower = -1e3, upper = 1e3;
  double prior_mean = 0;
  double prior_sd = 0;  ///< 0: no prior
  double scale = 0.01;  ///< of the iteration's unknown
  std::vector<Term> terms;
};

double& number_of(Geometry& geometry, GeometryKind kind, int index, int axis);

/// The geometry at p, from that of the skeleton.
Geometry geometry_at(const Skeleton& skeleton, const std::vector<GeometryParameter>& parameters,
                     const Eigen::Ref<const Eigen::VectorXd>& p);

/// Which parameters move which marker: constant for a skeleton and a choice of parameters.
struct GeometryPlan {
  GeometryPlan(const Skeleton& skeleton, const std::vector<GeometryParameter>& parameters);

  struct Contribution {
    GeometryKind kind;
    int body;  ///< A of a scale factor, C of a joint; the marker's own
    int next;  ///< of a scale factor: the body of the path that A carries; -1: the marker
    int axis;
    int slot;  ///< among `parameters` of the marker
    double factor;
  };
  struct MarkerColumns {
    std::vector<int> parameters;  ///< ascending
    std::vector<Contribution> contributions;
  };
  std::vector<MarkerColumns> markers;
  int num_parameters = 0;
};

/// dx_m/dp of all markers, exact, at the q of the last place() of the kinematics:
///
///   scale s_A,k          R_A e_k (place of what A carries on the path - place of A's own joint)_k
///   marker               R_B S_B e_k
///   joint on parent      R_A S_A e_k                     on body   -R_C S_C e_k
///   turn on parent       w x (x - o - d) + R_A S_A (w_A x d_A)      on body   -w x (x - o)
///
/// w the axis of the turn, o the joint's origin, d the scaled part of the joint's displacement.
class GeometryColumns {
 public:
  GeometryColumns(const Skeleton& skeleton, const GeometryPlan& plan);

  void compute(const MarkerKinematics& kinematics, const Geometry& geometry,
               const BoundGeometry& bound);
  /// Three rows (x, y, z) of as many numbers as plan.markers[m].parameters.
  const double* rows(int marker) const {
    return &numbers_[static_cast<std::size_t>(first_[static_cast<std::size_t>(marker)])];
  }

 private:
  const Skeleton& skeleton_;
  const GeometryPlan& plan_;
  std::vector<int> first_;
  std::vector<double> numbers_;
  std::vector<tree::Transform<double>> frames_;
  std::vector<Vec3<double>> shift_;  ///< R_AF sum a f of the scaled steps, axes of A, unscaled
};

}  // namespace parfait::motion
