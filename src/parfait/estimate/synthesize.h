#pragma once

#include <cstdint>

#include "parfait/estimate/problem.h"

namespace parfait::estimate {

/// The same problem with synthetic measurements: what the model says at the true parameters (the
/// initial ones where no true value is given) plus normal noise with the sigmas of the problem;
/// relative sigmas are relative to the model's value. Cells that are empty stay so, unless a column
/// is empty altogether: then it is filled.
///
/// The numbers depend on nothing but the problem and the seed.
/// InputError if the model cannot be evaluated there.
Problem synthesize(const Problem& problem, std::uint64_t seed);

}  // namespace parfait::estimate
