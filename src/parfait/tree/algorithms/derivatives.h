#pragma once

#include <vector>

#include "parfait/tree/algorithms/algorithms.h"

/// Derivatives of inverse and forward dynamics.
///
/// Derivatives with respect to q are along the manifold: column k belongs to displace() with
/// delta_k, so that quaternions have three columns like any other three velocities.
/// Matrices are nv x nv, row by row.
/// Cost    O(n d) for inverse dynamics, d the depth of the tree; O(n^2 d) for forward dynamics.
/// See     docs/theory/tree.md (T23-T30); Carpentier and Mansard 2018, Singh, Russell and
///         Wensing 2022.
namespace parfait::tree {

/// Room for derivatives at one point, made once.
class DerivativeWorkspace {
 public:
  explicit DerivativeWorkspace(const Tree& tree);

  std::vector<double> dtau_dq, dtau_dv;
  std::vector<double> dvdot_dq, dvdot_dv, dvdot_dtau;

  // Scratch.
  struct alignas(32) MotionVectors {
    /// Six rows (angular, then linear) of S, Psi'', Psi' and Psi' + S'.
    double rows[6][4];
  };
  struct NodeSums {
    Vec3<double> rel;       ///< from the reference point of its tree
    Motion<double> v, a;    ///< spatial velocity and acceleration about that point
    Inertia<double> I;      ///< of all that the node carries, about that point
    Mat3<double> coriolis;  ///< -1/2 of the angular block of B, likewise summed
    Vec3<double> momentum;  ///< linear
    Mat3<double> wrench_n;  ///< of wrenches that do not turn with their bodies
    Vec3<double> wrench_f;
  };
  std::vector<MotionVectors> motions;
  std::vector<NodeSums> nodes;
  std::vector<double> w_q, w_v, w_H;  ///< nw x nw: of all elementary motions
  std::vector<double> tau;
  std::vector<double> columns;  ///< right-hand sides, row by row
};

/// dtau/dq and dtau/dv at (q, v, vdot), and H into ws.H. Wrenches keep their components in world
/// axes and follow the origins of their bodies.
void inverse_dynamics_derivatives(const Tree& tree, ConstVec q, ConstVec v, ConstVec vdot,
                                  Wrenches wrenches, Workspace& ws, DerivativeWorkspace& out);

/// vdot, and its derivatives with respect to q, v and tau:
///   dvdot/dq = -H^-1 dtau/dq,   dvdot/dv = -H^-1 dtau/dv,   dvdot/dtau = H^-1      at that vdot.
void forward_dynamics_derivatives(const Tree& tree, ConstVec q, ConstVec v, ConstVec tau,
                                  Wrenches wrenches, Workspace& ws, DerivativeWorkspace& out,
                                  Vec vdot);

/// kLanes directions at once, of coordinates, velocities and every constant of the tree.
class DirectionWorkspace {
 public:
  explicit DirectionWorkspace(const Tree& tree);

  /// Constants with their directions (without_directions() has none).
  void bind(const Tree& tree, const Constants<math::Dual>& constants);

  BoundConstants<math::Dual> bound;
  std::vector<math::Dual> q, v, vdot, tau;  ///< inputs with directions, and the result

  // Scratch.
  DrivenMotion<math::Dual> driven;
  std::vector<NodeMotion<math::Dual>> nodes;
  std::vector<NodeForces<math::Dual>> forces;
  std::vector<double> scratch;
};

/// tau(q, v, vdot) with directions, from room.q, room.v, room.vdot to room.tau. `wrenches`, one per
/// body or null, may have directions, too. Here a quaternion has four directions.
void inverse_dynamics_directions(const Tree& tree, const Force<math::Dual>* wrenches,
                                 DirectionWorkspace& room);

/// Directions of vdot (nv lanes) for the directions of q and v in `room`, of tau (nv lanes; null:
/// zero) and of the constants bound there; `vdot` is forward dynamics at the point itself.
///   H dvdot = dtau - d inverse_dynamics(q, v, vdot)
void forward_dynamics_directions(const Tree& tree, ConstVec vdot, const Force<math::Dual>* wrenches,
                                 const math::Lane* dtau, Workspace& ws, DirectionWorkspace& room,
                                 math::Lane* dvdot);

}  // namespace parfait::tree
