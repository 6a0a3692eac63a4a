#pragma once

#include "parfait/tree/algorithms/derivatives.h"
#include "parfait/tree/structure/second_order_number.h"

/// Products with derivatives of forward dynamics that optimization asks for: gradients of mu . vdot
/// and their second derivatives, at (q, v, tau). Directions of q are along the manifold.
///
///   gradient   (d vdot / d(q, v, tau))^T mu = (-(dtau/dq)^T w, -(dtau/dv)^T w, w),   w = H^-1 mu  (T39)
///   Hessian    mu^T d2 vdot [x1, x2] = -w^T d2 ID [(x1, da1), (x2, da2)]                          (T40)
///
/// where ID(q, v, a) is inverse dynamics and da = d vdot [x]: ID(q, v, vdot(q, v, tau)) = tau has
/// no second derivative. For plain trees; InputError for others. Cost    O(n d) and O(n^3).
namespace parfait::tree {

class SecondDerivativeWorkspace {
 public:
  explicit SecondDerivativeWorkspace(const Tree& tree);

  std::vector<double> gradient;  ///< 3 nv: q, v, tau
  std::vector<double> hessian;   ///< 3 nv x 3 nv, symmetric

  // Scratch.
  DerivativeWorkspace first;
  std::vector<double> vdot, w;
  BoundConstants<SecondOrderNumber> bound;
  std::vector<NodeMotion<SecondOrderNumber>> nodes;
  std::vector<NodeForces<SecondOrderNumber>> forces;
  std::vector<SecondOrderNumber> q, v, a, tau;
};

/// Forward dynamics' gradient of mu . vdot, into out.gradient.
void forward_dynamics_transposed(const Tree& tree, ConstVec q, ConstVec v, ConstVec tau,
                                 ConstVec mu, Workspace& ws, SecondDerivativeWorkspace& out);
/// The gradient and out.hessian.
void forward_dynamics_second_derivatives(const Tree& tree, ConstVec q, ConstVec v, ConstVec tau,
                                         ConstVec mu, Workspace& ws,
                                         SecondDerivativeWorkspace& out);

}  // namespace parfait::tree
