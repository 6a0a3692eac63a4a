#pragma once

#include <string>

#include "parfait/report/web/live_page.h"
#include "parfait/result/inverse_dynamics.h"
#include "parfait/result/table.h"

namespace parfait::report {

/// report.html of inverse dynamics: verdict, findings, extremes of every coordinate, then its
/// moment (or force) and its power over time, with the contacts at which cycles begin. `taus` and
/// `powers` have "t" and a column for each coordinate.
std::string moments_report(const result::InverseDynamics& moments, const result::Table& taus,
                           const result::Table& powers, Liveness liveness = Liveness::kStatic);

}  // namespace parfait::report
