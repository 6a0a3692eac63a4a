#pragma once

#include <span>
#include <vector>

#include "parfait/estimate/linear/linear_fit.h"

namespace parfait::estimate {

/// `sizes` as in LinearFit::factorize().
ColumnScales column_scales(std::span<const Block> blocks, const ColumnScales& sizes = {});
ColumnScales unit_scales(std::span<const Block> blocks);

/// The size of the right-hand sides: length of b, or, where that is zero, the largest entry of an
/// equation or inequality whose row has unit length; 1 if all vanish.
double right_side_unit(std::span<const Block> blocks, const ColumnScales& scales);

/// The same problem in xi_i * scale_i / unit, p_i * scale_i / unit.
std::vector<Block> scaled(std::span<const Block> blocks, const ColumnScales& scales, double unit);
/// Its solution in the variables of the blocks.
void unscale(const ColumnScales& scales, double unit, LinearSolution& solution);

}  // namespace parfait::estimate
