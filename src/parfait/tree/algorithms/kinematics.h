#pragma once

#include <vector>

#include "parfait/tree/structure/bound_constants.h"

/// Where nodes are and how they move, from the ground outwards. Internal to the room: algorithms.h
/// is what others use. Everything is in world axes, and each node's vectors refer to its own
/// origin: so a change of frame is a shift, and no numbers grow with the distance from the world's
/// origin. Accelerations are those of the material point (classical), not spatial ones; see
/// docs/theory/tree.md (T9-T13).
namespace parfait::tree {

template <class S>
struct NodeMotion {
  Mat3<S> R;  ///< its axes in the world
  Vec3<S> p;  ///< its origin in the world
  Vec3<S> r;  ///< from the origin of the parent node
  // Velocities (angular, of the origin), and the accelerations that remain when all wdot are zero
  // and the parent's too.
  Vec3<S> omega, v;
  Vec3<S> c_omega, c_v;
  // The body's inertia about the origin, world axes: first and second moments (its mass is a
  // constant).
  Vec3<S> h;
  Sym3<S> I;
};

template <class S>
struct NodeForces {
  Vec3<S> alpha, a;  ///< angular acceleration, acceleration of the origin
  Vec3<S> n, f;      ///< what the joint must transmit: moment about the origin, force
};

/// Elementary motions driven by the independent coordinates; empty in a plain tree.
template <class S>
struct DrivenMotion {
  std::vector<S> theta, w, wdot;
  std::vector<Jet<S>> jets;  ///< one per entry of w: dtheta/dq and so on
  std::vector<S> tau;
};

template <class S>
void resize(const Tree& tree, DrivenMotion<S>& driven);

/// theta and the jets from q;  w = E v;  wdot = E vdot + E' v (vdot null: zero);  tau_v = E^T
/// tau_w.
template <class S>
void drive_positions(const Tree& tree, const BoundConstants<S>& bound, const S* q,
                     DrivenMotion<S>& driven, double* scratch);
template <class S>
void drive_velocities(const Tree& tree, const S* v, DrivenMotion<S>& driven);
template <class S>
void drive_accelerations(const Tree& tree, const S* v, const S* vdot, DrivenMotion<S>& driven);
template <class S>
void collect_forces(const Tree& tree, const DrivenMotion<S>& driven, S* tau);
std::size_t driven_scratch_size(const Tree& tree);

/// q' = N(q) v.
template <class S>
void rates_of_positions(const Tree& tree, const S* q, const S* v, S* qdot);

template <class S>
void place_nodes(const Tree& tree, const BoundConstants<S>& bound, const S* theta,
                 std::vector<NodeMotion<S>>& nodes);
template <class S>
void turn_inertias(const Tree& tree, const BoundConstants<S>& bound,
                   std::vector<NodeMotion<S>>& nodes);
template <class S>
void move_nodes(const Tree& tree, const S* w, std::vector<NodeMotion<S>>& nodes);

/// Recursive Newton-Euler. `wdot` null: zero. `a0` is the acceleration of the ground (minus
/// gravity, or zero). `wrenches` (null: none) act on bodies, about the origins of their frames, in
/// world axes.
template <class S>
void newton_euler(const Tree& tree, const BoundConstants<S>& bound,
                  const std::vector<NodeMotion<S>>& nodes, const S* wdot, const Vec3<S>& a0,
                  const Force<S>* wrenches, std::vector<NodeForces<S>>& forces, S* tau);

/// The wrench on a body about the origin of its node.
template <class S>
Force<S> about_node(const BoundConstants<S>& bound, const std::vector<NodeMotion<S>>& nodes,
                    int body, int node, const Force<S>& wrench) {
  const Vec3<S> r = nodes[node].R * bound.X_NB[body].p;
  return {wrench.n + cross(r, wrench.f), wrench.f};
}

}  // namespace parfait::tree
