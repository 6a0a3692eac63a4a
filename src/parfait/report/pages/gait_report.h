#pragma once

#include <string>
#include <vector>

#include "parfait/report/web/live_page.h"
#include "parfait/result/gait.h"

namespace parfait::report {

/// report.html of walking: parameters of both sides, events of file, forces and kinematics beside
/// each other, strides, and curves over the cycle with mean and standard deviation.
std::string gait_report(const result::Gait& gait, const std::vector<result::GaitCurve>& curves,
                        Liveness liveness = Liveness::kStatic);

/// The figures of curves over the cycle: left and right in one.
Html cycle_figures(const std::vector<result::GaitCurve>& curves);

}  // namespace parfait::report
