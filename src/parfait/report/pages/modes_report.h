#pragma once

#include <string>

#include "parfait/report/web/live_page.h"
#include "parfait/result/modes.h"

namespace parfait::report {

/// report.html of vibration modes: verdict (stable or not), findings, the table of modes, their
/// eigenvalues in the plane, and the largest parts of each shape.
std::string modes_report(const result::Modes& modes, const result::ModeShapes& shapes,
                         Liveness liveness = Liveness::kStatic);

}  // namespace parfait::report
