#pragma once

#include "parfait/tree/contacts/contact_dynamics.h"

/// Derivatives of motion with contacts (T34) with respect to q, v and tau, along the manifold as in
/// derivatives.h:
///
///   [ H  -G^T ] [ dvdot   ]   [ dtau - d(ID(q, v, vdot) - G^T lambda) ]
///   [ G    0  ] [ dlambda ] = [ d(gamma - G vdot)                     ]   at that vdot, lambda (T41)
///
/// Cost    O(n d) for the right-hand sides and d for every row; O(n^2 d) for the solution.
namespace parfait::tree {

class ContactDerivatives {
 public:
  ContactDerivatives(const Tree& tree, const ContactSet& set);

  std::vector<double> dvdot_dq, dvdot_dv, dvdot_dtau;  ///< nv x nv, row by row
  /// One row of nv numbers per row of the view, zero for redundant ones (forces that share a load
  /// have no derivative of their own).
  std::vector<double> dlambda_dq, dlambda_dv, dlambda_dtau;

  // Scratch.
  DerivativeWorkspace free;
  std::vector<Force<double>> wrenches;  ///< of the contacts on bodies
  std::vector<Force<math::Dual>> dual_wrenches;
  BoundConstants<math::Dual> bound;
  std::vector<NodeMotion<math::Dual>> nodes;
  std::vector<NodeForces<math::Dual>> forces;
  std::vector<int> bodies;  ///< in contact
  std::vector<int> moving;  ///< elementary motions that move them
  std::vector<int> place;   ///< of an elementary motion among these; -1: moves none
  /// Of the acceleration of rows by elementary positions, velocities and accelerations.
  std::vector<double> by_theta, by_w, by_wdot;
  std::vector<double> right_q, right_v;  ///< of rows by q and v
  std::vector<math::Lane> x, lambda, gamma, room;
};

/// vdot, the forces (in `room`) and the derivatives of both.
void contact_dynamics_derivatives(const Tree& tree, const ContactSet& set, const ContactView& view,
                                  ConstVec q, ConstVec v, ConstVec tau,
                                  const ContactOptions& options, Workspace& ws,
                                  ContactWorkspace& room, ContactDerivatives& out, Vec vdot);

}  // namespace parfait::tree
