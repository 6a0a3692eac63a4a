#pragma once

#include <span>

#include "parfait/estimate/linear/linear_program.h"

namespace parfait::estimate {

/// The l1 or l-infinity solution by a linear program, and the linear map that it is locally: the
/// rows of the optimal basis are equations. `data` is the l2 problem with the equations alone on
/// entry and with the active inequalities on return.
[[nodiscard]] LinearFit::Status solve_absolute_norm(
    std::span<const Block> blocks, std::span<const RightSide> rights,
    const LinearFitOptions& options, LinearMap& data, LinearMap& map, LinearSolution& solution,
    std::vector<LinearFit::Multipliers>& multipliers);

}  // namespace parfait::estimate
