#pragma once

#include <string>

#include "parfait/report/web/live_page.h"
#include "parfait/result/fit.h"

namespace parfait::report {

/// report.html of a fit: one file that opens anywhere, also without a network, and is the same for
/// the same result. In this order: verdict, findings, parameters, data against model, residuals,
/// how well the parameters are known, convergence, how it was made. Blocks for which a result has
/// no data say why.
/// Bodies move where the layer is live.
std::string fit_report(const result::Fit& fit, const result::FitTables& tables,
                       const result::Scenes& scenes = {}, Liveness liveness = Liveness::kStatic);

}  // namespace parfait::report
