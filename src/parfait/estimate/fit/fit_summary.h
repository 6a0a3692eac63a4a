#pragma once

#include "parfait/estimate/fit/fit.h"

namespace parfait::estimate {

/// Fills in what the last linearization says: estimates with their statistics, covariances,
/// residuals, findings. `start` is where the iteration began.
void summarize(const Problem& problem, Ensemble& ensemble, Team& team, VecIn start,
               FitResult& result);

/// The certificate: `moved` is the solution at the tighter tolerance.
void set_shifts(const Ensemble& ensemble, VecIn moved, FitResult& result);

}  // namespace parfait::estimate
