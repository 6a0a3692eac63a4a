#pragma once

#include <span>
#include <vector>

#include "parfait/motion/skeleton/geometry.h"
#include "parfait/tree/algorithms/algorithms.h"

namespace parfait::motion {

/// Which coordinates move which body: constant for a skeleton.
struct MarkerPlan {
  explicit MarkerPlan(const Skeleton& skeleton);

  struct Body {
    std::vector<int> columns;      ///< velocities that move it, ascending
    std::vector<int> from_parent;  ///< place of each of the parent's columns among its own
    struct Motion {
      int node, w, column;  ///< an elementary motion of its own joint; its column
      int axis;             ///< 0, 1, 2 of the node's axes
      bool turns;
    };
    std::vector<Motion> motions;
    std::vector<int> markers;
    int first = 0;  ///< of its columns among the twists of all bodies
  };
  std::vector<Body> bodies;
  int num_twists = 0;
  std::vector<int> first_column;  ///< of each marker in `jacobian`, in columns of three numbers
  int num_columns = 0;
};

/// Places of the markers at q and how they move with the velocities of the tree:
///
///   dx_m = sum over columns c of its body  (u_c + omega_c x x_m) dv_c,
///
/// omega_c, u_c the twist of the body about the world's origin by a unit velocity. What belongs to
/// one caller; the skeleton and the plan are shared.
/// Cost   O(bodies x depth + markers x depth), nothing is allocated after construction.
class MarkerKinematics {
 public:
  MarkerKinematics(const Skeleton& skeleton, const MarkerPlan& plan);

  void bind(const BoundGeometry& geometry);
  /// Places of all markers.
  void place(std::span<const double> q);
  /// Jacobians of all markers at the q of the last place().
  void differentiate();

  const std::vector<Vec3<double>>& positions() const { return positions_; }
  /// Three rows (x, y, z) of columns(m) numbers each.
  const double* jacobian(int marker) const {
    return &jacobian_[3 * static_cast<std::size_t>(plan_.first_column[marker])];
  }
  const std::vector<int>& columns(int marker) const {
    return plan_.bodies[skeleton_.markers[marker].body].columns;
  }
  const Skeleton& skeleton() const { return skeleton_; }
  const MarkerPlan& plan() const { return plan_; }
  const tree::Workspace& workspace() const { return ws_; }
  /// Frame of a body in the world at the last q.
  tree::Transform<double> frame(int body) const;

 private:
  const Skeleton& skeleton_;
  const MarkerPlan& plan_;
  tree::Workspace ws_;
  const BoundGeometry* geometry_ = nullptr;
  std::vector<Vec3<double>> positions_;
  std::vector<tree::Motion<double>> twists_;
  std::vector<double> jacobian_;
};

}  // namespace parfait::motion
