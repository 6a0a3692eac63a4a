#pragma once

#include "parfait/dynamics/system.h"

namespace parfait::estimate {

/// The fastest rate of the linearized motion at a point, the largest |eigenvalue| of dy'/dy, by a
/// few power iterations on differences of the right-hand side: enough to see whether an explicit
/// method is held back by it. 0 if the right-hand side does not exist there.
double fastest_rate(const dynamics::System& system, dynamics::Workspace& ws,
                    const dynamics::Point& at);

/// A sentence for an explicit integration that took `steps` of this length on average, if the
/// fastest rate, and not the accuracy, made them so short (rate * step > 2: its stability limit);
/// empty if not.
std::string stiffness_advice(const dynamics::System& system, dynamics::Workspace& ws,
                             const dynamics::Point& at, double mean_step);

}  // namespace parfait::estimate
