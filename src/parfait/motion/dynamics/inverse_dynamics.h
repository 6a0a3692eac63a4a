#pragma once

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "parfait/math/vec3.h"
#include "parfait/tree/build/mechanism_tree.h"

/// Which moments and forces at the joints move a mechanism as it was seen to move.
namespace parfait::motion {

using math::Vec3;

/// A measured force on a body: at a point, with a moment beside it. Between samples it is a
/// straight line, before and beyond them zero.
struct ExternalLoad {
  std::string name;
  int body = -1;      ///< of the tree
  int force_in = -1;  ///< of the tree: in whose axes force and moment are; -1: the world
  int point_in = -1;  ///< likewise for the point
  std::vector<double> time;
  std::vector<Vec3<double>> force, point, moment;  ///< N, m, N m; `moment` and `point` may be
                                                   ///< empty: no moment; the body's origin
};

struct InverseDynamicsOptions {
  double filter = 0;  ///< Hz; 0: none
  double from = 0, until = 0;
  bool has_range = false;
  const std::atomic<bool>* stop = nullptr;  ///< set: the result ends at the sample reached
};

struct InverseDynamics {
  std::vector<double> time;
  /// One row per time, one entry per velocity of the tree.
  std::vector<std::vector<double>> q, v, vdot;
  std::vector<std::vector<double>> tau;    ///< N m or N
  std::vector<std::vector<double>> power;  ///< tau v, W
  double mass = 0;                         ///< kg, of the whole mechanism
  double rate = 0;                         ///< Hz, of the samples
};

/// tau = H vdot + c - (loads), at the sample times in the range.
///
/// `time` and `values` (one list per entry of MechanismTree::coordinates()) are what was seen.
/// They are continued by half their length at both ends (odd reflection), filtered forward and
/// backward by a Butterworth filter of third order, and interpolated by splines of degree five,
/// whose derivatives are v and vdot. Loads are taken as they are.
/// InputError if there are fewer than five samples, or the filter needs an even rate that the times
/// do not have.
InverseDynamics inverse_dynamics(const tree::MechanismTree& mechanism,
                                 const std::vector<double>& time,
                                 const std::vector<std::vector<double>>& values,
                                 const std::vector<ExternalLoad>& loads,
                                 const InverseDynamicsOptions& options);

}  // namespace parfait::motion
