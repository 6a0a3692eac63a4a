#pragma once

#include <vector>

#include "parfait/motion/skeleton/skeleton.h"

namespace parfait::motion {

/// The numbers of a skeleton that calibration may change, one entry per body (ground has none) and
/// per marker. Places are in the axes of their bodies before scaling:
///
///   marker m of body B      S_B place[m]
///   joint of body C on A    S_A parent_place[C],   R_AF = parent_frame[C] Rx Ry Rz(parent_turn[C])
///   joint of body C on C    S_C child_place[C],    R_CM = child_frame[C] Rx Ry Rz(child_turn[C])
///   translation a f(q)      S_A R_AF a f(q)  in axes of A, where the step is scaled
///
/// with S the diagonal of scale factors. Turns are Cardan angles about x, y', z''.
struct Geometry {
  std::vector<Vec3<double>> scale;
  std::vector<Vec3<double>> place;
  std::vector<Vec3<double>> parent_place, child_place;
  std::vector<Vec3<double>> parent_turn, child_turn;

  Geometry() = default;
  /// As the skeleton is described: factors 1, turns 0.
  explicit Geometry(const Skeleton& skeleton);
};

inline Vec3<double> times(const Vec3<double>& a, const Vec3<double>& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
inline double component(const Vec3<double>& a, int k) {
  return k == 0 ? a.x : k == 1 ? a.y : a.z;
}
inline double& component(Vec3<double>& a, int k) {
  return k == 0 ? a.x : k == 1 ? a.y : a.z;
}
inline const Vec3<double>& column(const tree::Mat3<double>& R, int k) {
  return k == 0 ? R.x : k == 1 ? R.y : R.z;
}

/// Rx(a.x) Ry(a.y) Rz(a.z).
tree::Mat3<double> cardan(const Vec3<double>& a);

/// What the engine moves: the constants of the tree with this geometry, the places of markers in
/// the axes of their bodies, and the lengths by which functions of scaled steps were multiplied.
struct BoundGeometry {
  tree::Constants<double> constants;
  std::vector<Vec3<double>> places;
  std::vector<double> step_factor;  ///< one per node; 1 where a step is not scaled
};
void bind(const Skeleton& skeleton, const Geometry& geometry, BoundGeometry& out);

}  // namespace parfait::motion
