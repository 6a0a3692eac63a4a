#pragma once

#include <string>
#include <vector>

#include "parfait/estimate/linear/block.h"

namespace parfait::estimate {

/// The name of a combination c of parameters that the data determine, known only by its derivative:
///
///   dc = sum_i weight_i dp_i   at p,
///
///   "k1*k2", "k1/k2^2"   if the weights of relative changes, weight_i p_i, are simple ratios
///   "a + b", "a - 2*b"   if the weights themselves are
///   "a + 0.318*b"        otherwise
///
/// If both of the first fit (all |p| equal) both are named, unless all parameters are estimated as
/// logarithms, which speaks for the product. `tolerance`: of the ratios.
std::string combination_name(const std::vector<std::string>& names, VecIn weights, VecIn p,
                             const std::vector<bool>& is_log, double tolerance);

}  // namespace parfait::estimate
