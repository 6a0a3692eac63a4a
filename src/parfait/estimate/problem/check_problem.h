#pragma once

#include <string>
#include <vector>

#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

/// Everything that can be wrong with a problem before anything is computed: names that do not
/// exist, numbers outside their range, data that cannot be used, formulas. InputError with the
/// place, or with the experiment and element where the problem was made in code and has no places.
///
/// Returns warnings: what is allowed but probably not meant.
///
/// Not found here: requirements that contradict each other and parameters the data do not
/// determine. Those need derivatives; fit() finds and names them.
std::vector<std::string> check(const Problem& problem);

/// InputError if a problem has no unknowns. It passes check(), and fit() evaluates it, but in a
/// file it is a mistake.
void check_estimated(const Problem& problem);

/// InputError if an experiment has not been measured: a problem that describes its samples passes
/// check() without data, so that they can be synthesized, but cannot be fitted.
void check_measured(const Problem& problem);

}  // namespace parfait::estimate
