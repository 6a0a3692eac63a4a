#pragma once

#include <span>

#include "parfait/estimate/linear/linear_map.h"

namespace parfait::estimate {

/// Finds the inequalities that are active at the minimum of the (weighted) sum of squares, starting
/// with those active in map.rows(), and leaves them in the map; `solution` is the minimum.
///
/// All rows that are violated enter and all whose multiplier is negative leave at once (primal-dual
/// active set: a few rounds, whatever the number of rows). Where that cycles or asks for rows that
/// depend on each other, the dense primal method of math, which is finite, finds the set.
[[nodiscard]] LinearFit::Status find_active_rows(std::span<const Block> blocks,
                                                 std::span<const RightSide> rights,
                                                 const LinearFitOptions& options, LinearMap& map,
                                                 LinearSolution& solution);

/// Inactive inequalities that the solution violates by more than rounding enter; true if any did.
bool add_violated_rows(std::span<const Block> blocks, std::span<const RightSide> rights,
                       const LinearSolution& solution, std::vector<RowsInForce>& rows);

}  // namespace parfait::estimate
