#pragma once

#include <span>
#include <vector>

#include "parfait/estimate/linear/linear_map.h"

namespace parfait::estimate {

/// A vertex at which the l1 or the l-infinity norm of the data is smallest.
struct Vertex {
  LinearFit::Status status = LinearFit::Status::kSolved;
  std::vector<RowsInForce> rows;  ///< active inequalities and fixed residuals of the optimal basis
  LinearSolution solution;        ///< to the tolerance of the linear program
  std::vector<LinearFit::Multipliers> multipliers;
  std::vector<Eigen::VectorXd> duals;  ///< y of the residuals: l1 |y| <= 1, l-infinity sum |y| = 1
};

/// Solves, for consistent equations, the dual program, which has one row per variable and in which
/// the basic columns are the rows that decide:
///
///   l1          max b^T y - e^T mu   s.t.  A^T y = C^T lambda + E^T mu,  |y_i| <= 1,     mu >= 0
///   l-infinity  max b^T y - e^T mu   s.t.  the same,                     sum |y_i| = 1,  mu >= 0
///
/// The right-hand sides c must be zero: start from a point at which the equations hold.
///
/// See  docs/theory/least_squares.md (L12, L13)
Vertex solve_linear_program(std::span<const Block> blocks, std::span<const RightSide> rights,
                            Norm norm);

}  // namespace parfait::estimate
