#pragma once

#include <string>

#include "parfait/report/web/live_page.h"
#include "parfait/result/design.h"

namespace parfait::report {

/// What a design found, as one HTML file: deviations before and after, what is to be measured and
/// when, inputs.
std::string design_report(const result::Design& design, const result::DesignTables& tables,
                          Liveness liveness = Liveness::kStatic);

}  // namespace parfait::report
