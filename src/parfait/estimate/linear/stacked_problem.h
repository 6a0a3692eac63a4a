#pragma once

#include <span>
#include <utility>
#include <vector>

#include "parfait/estimate/linear/linear_map.h"

namespace parfait::estimate {

/// All blocks as one dense problem in x = (p, xi_1, xi_2, ...):
///
///   min |J1 x + r1|   s.t.   J2 x + r2 = 0,   J3 x + r3 >= 0
///
/// for the rare cases in which the structure does not help.
struct StackedProblem {
  Eigen::MatrixXd J1, J2, J3;
  Eigen::VectorXd r1, r2, r3;
  std::vector<std::pair<int, int>> inequalities;  ///< block and row of each row of J3
};

/// Data rows with their weights; every inequality is an inequality, active or not.
StackedProblem stack(std::span<const Block> blocks, std::span<const RightSide> rights,
                     const std::vector<RowsInForce>& rows);

}  // namespace parfait::estimate
