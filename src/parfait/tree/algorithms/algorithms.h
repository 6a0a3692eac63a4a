#pragma once

#include <span>

#include "parfait/tree/algorithms/workspace.h"

/// The recursive algorithms of a kinematic tree,
///
///   H(q) vdot + c(q, v) = tau + (wrenches),      c: Coriolis, centrifugal and gravity forces.
///
/// Frames  World axes, unless a name says otherwise. A wrench on a body is (moment about the origin
///         of the body's frame, force); `wrenches` has one per body or is empty.
/// Units   SI, radians.
/// Cost    O(n) unless it says otherwise; nothing is allocated, all storage is in `ws`.
/// Every function brings the workspace up to date with the q and v it gets and no further.
/// See     docs/theory/tree.md; Featherstone 2008, chapters 5-7; Felis 2015.
namespace parfait::tree {

using Vec = std::span<double>;
using ConstVec = std::span<const double>;
using Wrenches = std::span<const Force<double>>;

void update_positions(const Tree& tree, ConstVec q, Workspace& ws);
void update_velocities(const Tree& tree, ConstVec q, ConstVec v, Workspace& ws);

/// q' = N(q) v: v itself, and 1/2 q o (0, omega) for quaternions.
void position_rates(const Tree& tree, ConstVec q, ConstVec v, Vec qdot);
/// q displaced along the manifold by delta (nv): quaternions are multiplied by exp(delta / 2).
void displace(const Tree& tree, ConstVec q, ConstVec delta, Vec out);
/// Quaternions brought to unit length.
void normalize(const Tree& tree, Vec q);

/// tau that produces vdot (recursive Newton-Euler).
void inverse_dynamics(const Tree& tree, ConstVec q, ConstVec v, ConstVec vdot, Wrenches wrenches,
                      Workspace& ws, Vec tau);
/// c(q, v): inverse dynamics with vdot = 0.
void nonlinear_effects(const Tree& tree, ConstVec q, ConstVec v, Workspace& ws, Vec c);

/// H(q) into ws.H, nv x nv (composite rigid bodies). O(n d), d the depth of the tree.
void compute_mass_matrix(const Tree& tree, ConstVec q, Workspace& ws);

/// vdot by articulated bodies. Trees that are not plain go by the mass matrix.
void forward_dynamics(const Tree& tree, ConstVec q, ConstVec v, ConstVec tau, Wrenches wrenches,
                      Workspace& ws, Vec vdot);
/// vdot by c, H and its sparse factors H = L^T D L. O(n d^2).
void forward_dynamics_by_mass_matrix(const Tree& tree, ConstVec q, ConstVec v, ConstVec tau,
                                     Wrenches wrenches, Workspace& ws, Vec vdot);

/// x := H(q)^-1 x, by the sparse factors; and the factors alone.
void factor_mass_matrix(const Tree& tree, ConstVec q, Workspace& ws);
void solve_mass_matrix(const Tree& tree, ConstVec q, Workspace& ws, Vec x);
/// x := H(q)^-1 x by the articulated inertias, O(n); for plain trees only.
void solve_by_articulated_bodies(const Tree& tree, ConstVec q, Workspace& ws, Vec x);

/// Frame of a body in the world; its velocity (angular, and of its frame's origin).
Transform<double> body_frame(const Tree& tree, ConstVec q, int body, Workspace& ws);
Motion<double> body_velocity(const Tree& tree, ConstVec q, ConstVec v, int body, Workspace& ws);
Vec3<double> point_position(const Tree& tree, ConstVec q, int body, const Vec3<double>& point_B,
                            Workspace& ws);
Vec3<double> point_velocity(const Tree& tree, ConstVec q, ConstVec v, int body,
                            const Vec3<double>& point_B, Workspace& ws);
/// Angular acceleration of a body and acceleration of one of its points for given vdot (empty:
/// zero, that is J' v). Gravity is not in it.
Motion<double> point_acceleration(const Tree& tree, ConstVec q, ConstVec v, ConstVec vdot, int body,
                                  const Vec3<double>& point_B, Workspace& ws);
/// J (6 x nv, row by row): angular velocity of the body, then velocity of the point, as functions
/// of v; and its derivative in time.
void point_jacobian(const Tree& tree, ConstVec q, int body, const Vec3<double>& point_B,
                    Workspace& ws, Vec J);
void point_jacobian_rate(const Tree& tree, ConstVec q, ConstVec v, int body,
                         const Vec3<double>& point_B, Workspace& ws, Vec Jdot);

struct CenterOfMass {
  double mass = 0;
  Vec3<double> position{}, velocity{};
  Vec3<double> angular_momentum{};  ///< about the centre of mass
};
CenterOfMass center_of_mass(const Tree& tree, ConstVec q, ConstVec v, Workspace& ws);
/// Momentum about the origin of the world: angular momentum n, linear momentum f.
Force<double> spatial_momentum(const Tree& tree, ConstVec q, ConstVec v, Workspace& ws);
/// A (6 x nv, row by row): momentum about the centre of mass as a function of v, angular first.
void centroidal_momentum_matrix(const Tree& tree, ConstVec q, Workspace& ws, Vec A);

struct Energies {
  double kinetic = 0, potential = 0;  ///< J; potential -m g . r_c, zero at the world's origin
};
Energies energies(const Tree& tree, ConstVec q, ConstVec v, Workspace& ws);

}  // namespace parfait::tree
