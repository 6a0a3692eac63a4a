#pragma once

#include <Eigen/Core>

#include "parfait/dynamics/system.h"

namespace parfait::dynamics {

/// Orthonormal bases of the directions that the invariants leave free at a consistent point:
///
///   Tq  nq x n_q   range of P_q, the derivative of the projected q with respect to q
///   Tv  nv x n_v   range of P_v, the derivative of the projected v with respect to v
///
/// n_q is the number of degrees of freedom, redundant constraints or not. n_v is less where there
/// are constraints on velocities only. Systems without invariants have Tq = I, Tv = I.
struct TangentBasis {
  Eigen::MatrixXd Tq, Tv;
};

/// Which part of the state a matrix of directions belongs to.
enum class StatePart : std::uint8_t { kCoordinates, kVelocities };

/// Replaces the columns of X, directions of q or of v, by P X at the point of the last project() on
/// `ws`, which has room for `max_directions`.
Status project_columns(const System& system, Workspace& ws, int max_directions, StatePart part,
                       Eigen::MatrixXd& X);

/// The bases at the point of the last project() on `ws`.
///
/// P is applied to random vectors, a block at a time, until what is new in a block has the rank
/// (column-pivoted QR) to fill it no more. P is a projector, so its singular values are 0 or at
/// least 1, and random vectors keep it so: columns count as new above 1e-7 of the largest.
/// Cost  O(n_q) directions of the projection and O(nq n_q^2).
Status compute_tangent_basis(const System& system, Workspace& ws, int max_directions,
                             TangentBasis& basis);

/// Turns bases at a nearby point into bases at the point of the last project(): the orthonormal
/// matrices next to P T. kSingular if directions were lost on the way.
Status transport_tangent_basis(const System& system, Workspace& ws, int max_directions,
                               TangentBasis& basis);

}  // namespace parfait::dynamics
