#pragma once

#include <span>

#include "parfait/estimate/linear/linear_map.h"

namespace parfait::estimate {

/// Minimizes sum rho(r_i), rho = r^2/2 up to gamma and gamma |r| - gamma^2/2 beyond, under the
/// equations and inequalities; leaves the weights gamma/|r_i| of the outliers in the map, with
/// which the weighted sum of squares has the same minimum.
///
/// See  docs/theory/least_squares.md (L11)
[[nodiscard]] LinearFit::Status solve_huber(std::span<const Block> blocks,
                                            std::span<const RightSide> rights,
                                            const LinearFitOptions& options, LinearMap& map,
                                            LinearSolution& solution);

}  // namespace parfait::estimate
