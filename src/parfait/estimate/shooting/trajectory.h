#pragma once

#include <Eigen/Core>
#include <vector>

#include "parfait/estimate/shooting/shooting_point.h"
#include "parfait/integrate/driver/integrator.h"

namespace parfait::estimate {

/// What the intervals of a shooting experiment showed at a point: values only.
struct Trajectory {
  ShootingPoint at;
  struct Interval {
    Eigen::MatrixXd quantities;  ///< observed, a column per sample
    std::vector<integrate::Event> events;
    std::vector<double> angles;  ///< those of the layout, at the end
  };
  std::vector<Interval> intervals;
  /// h_i = y(tau_{i+1}; s_i) - s_{i+1}, scaled.
  std::vector<Eigen::VectorXd> defects;
};

/// Everything that belongs to the nodes of an experiment as affine functions of few variables w and
/// of the unknown parameters theta of the model, so that all matching conditions hold (to first
/// order):
///
///   ds = state_by_w w   + state_by_theta dtheta   + state_shift        (C2 in condensing.md)
///   dm = watched_by_w w + watched_by_theta dtheta + watched_shift
///   dz = z_by_s ds      + z_by_theta dtheta       + z_shift
///
/// s: the node; m: what was watched in the interval that begins there, block by block; z: algebraic
/// states. Matrices belong to the last linearization, shifts to the values of the last point.
struct CondensedNode {
  Eigen::MatrixXd state_by_w, state_by_theta;
  Eigen::VectorXd state_shift;
  std::vector<Eigen::MatrixXd> watched_by_w, watched_by_theta;
  std::vector<Eigen::VectorXd> watched_shift;
  Eigen::MatrixXd z_by_s, z_by_theta;
  Eigen::VectorXd z_shift;
  /// Where events are watched: those of the linearization; their times are the last block of m.
  std::vector<integrate::Event> events;
};
struct Condensed {
  int num_w = 0;
  std::vector<CondensedNode> nodes;
};

}  // namespace parfait::estimate
