#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/dynamics/tangent.h"

namespace parfait::dynamics {

/// A point at rest on the manifold, and the linear motion about it.
///
///   x = (xi, w, e)    q = q0 + Tq xi,  v = Tv w,  e = e0 + e:  n_q, n_v and n_e numbers
///   x' = A x + ...    A = L (df/dy - df/dz (dh/dz)^-1 dh/dy) T,   T = diag(Tq, Tv, I)
///
/// L is T^T after the projection along the mass-orthogonal complement, so L T = I. Directions of
/// the right-hand side contain what the constraint forces do when they turn with the motion, so A
/// needs no second-order terms of the constraints; it is exact where the point is an equilibrium.
///
/// Constraints driven in time are held as they stand at t, and velocities are 0 whatever they
/// prescribe. Algebraic states are those that solve h = 0. External states that carry the name of a
/// parameter (events set it) stand still: they are no part of x.
/// See  docs/theory/modes.md (E1, M1, M2)
class RestPoint {
 public:
  /// Parameters are those of `ws`.
  RestPoint(const System& system, const Workspace& ws, double t, double projection_tolerance);

  /// Goes to the point of the manifold next to (q, e) of y, at rest, with z from the guess, and
  /// evaluates there. `basis` null: a basis is computed; otherwise that one is transported.
  Status place(const Eigen::VectorXd& y, const Eigen::VectorXd& z,
               const TangentBasis* basis = nullptr);
  /// A at the point.
  Status linearize();

  const System& system() const { return *system_; }
  int n_q() const { return static_cast<int>(basis_.Tq.cols()); }
  int n_v() const { return static_cast<int>(basis_.Tv.cols()); }
  int n_e() const { return static_cast<int>(moving_.size()); }

  const Eigen::VectorXd& y() const { return y_; }  ///< v = 0
  const Eigen::VectorXd& z() const { return z_; }
  const TangentBasis& basis() const { return basis_; }
  /// The velocities that driven constraints prescribe here.
  const Eigen::VectorXd& prescribed_v() const { return prescribed_v_; }
  /// The offset phi'' under which they do not accelerate; empty if none is driven.
  ConstVec hold() const { return hold_; }

  /// (Tq^T q' at v = acceleration, e'): the flow in honey, n_q + n_e numbers.
  const Eigen::VectorXd& drift() const { return drift_; }
  /// Largest acceleration along free directions, or rate of an external state.
  double largest_rate() const { return largest_rate_; }
  const Eigen::MatrixXd& A() const { return A_; }
  /// The derivative of drift() with respect to (xi, e).
  Eigen::MatrixXd drift_jacobian() const;
  /// The drift that belongs to directions of y' (ny x k) and of h (nz x k) at an equilibrium, where
  /// algebraic states follow.
  Status drift_of(const Eigen::MatrixXd& drates, const Eigen::MatrixXd& dresidual,
                  Eigen::MatrixXd& drift);
  /// (xi, e) of dy.
  Status coordinates_of(const Eigen::MatrixXd& dy, Eigen::MatrixXd& x);
  /// Rows of y that are external states which may move.
  const std::vector<int>& moving() const { return moving_; }
  /// y0 plus a displacement (xi, e), not on the manifold yet.
  Eigen::VectorXd displaced(const Eigen::VectorXd& x) const;
  /// dy of (xi, w, e).
  Eigen::MatrixXcd lifted(const Eigen::MatrixXcd& x) const;

  int evaluations() const { return evaluations_; }

 private:
  Status evaluate(const Eigen::VectorXd& y);
  Status solve_algebraic();
  Status hold_constraints();
  void seed(int first, int count, Directions& dy) const;

  const System* system_;
  std::unique_ptr<Workspace> ws_;
  double t_, projection_tolerance_;
  Eigen::VectorXd y_, z_, prescribed_v_, rates_, residual_, drift_;
  TangentBasis basis_;
  std::vector<double> hold_;
  std::vector<int> moving_;  ///< rows of y: external states that may move
  Eigen::MatrixXd A_, f_z_, h_z_;
  double largest_rate_ = 0;
  int evaluations_ = 0;
};

}  // namespace parfait::dynamics
