#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "parfait/math/constrained_least_squares.h"

namespace parfait::math {

/// The linear least squares problem with equality and inequality constraints
///
///   min |J1 x + r1|   s.t.   J2 x + r2 = 0,   J3 x + r3 >= 0
///
/// by a primal active-set method: the rows of J3 in the working set are equations; a row that
/// blocks the way enters, a row whose multiplier is negative leaves. Bounds are rows with one
/// entry. It starts at the solution for the warm start's working set where that is feasible,
/// otherwise at the feasible point nearest to the origin.
struct ActiveSetResult {
  enum class Status : std::uint8_t { kSolved, kInfeasible, kMaxIterations };
  Status status = Status::kSolved;
  Eigen::VectorXd x;
  std::vector<int> active;      ///< rows of J3, ascending: the warm start of the next problem
  Eigen::VectorXd multipliers;  ///< of all rows of J3; >= 0, zero where not active
  int iterations = 0;
  /// J2, then the rows of J3 in the order they became active, as equations.
  ConstrainedLeastSquares solver;
};

ActiveSetResult solve_active_set(MatIn J1, VecIn r1, MatIn J2, VecIn r2, MatIn J3, VecIn r3,
                                 const std::vector<int>& warm_start = {},
                                 const ConstrainedLeastSquares::Options& options = {});

}  // namespace parfait::math
