#pragma once

#include <string>

#include "parfait/estimate/experiment/ensemble.h"
#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

/// Which requirements and bounds cannot all hold where the problem was linearized last, named with
/// their places: a set of which none can be left out. Empty if they can.
///
/// Rows a x + c = 0 and g x + e >= 0 contradict each other if there are y and u >= 0 with
///
///   sum y a + sum u g = 0,     sum y c + sum u e = -1                                (Farkas)
///
/// and the rows of a y, u with independent columns, which is what nonnegative least squares finds,
/// are such a set (J. Gleeson, J. Ryan, ORSA J. Comput. 2 (1990) 61-63).
std::string conflict_text(const Problem& problem, const Ensemble& ensemble);

}  // namespace parfait::estimate
