#pragma once

#include <string>
#include <vector>

#include "parfait/report/web/live_page.h"
#include "parfait/result/calibration.h"
#include "parfait/result/inverse_kinematics.h"
#include "parfait/result/table.h"

namespace parfait::report {

/// Coordinates of a trial over time: "t", then of each "name [unit]" and "name.sd [unit]".
struct TrialCurves {
  std::string trial;
  result::Table angles;
  struct Event {
    double t = 0;
    bool left = false, strike = true;
  };
  std::vector<Event> events{};  ///< of walking, drawn as lines
};

/// report.html of poses from markers: verdict, findings, the skeleton moving beside the measured
/// markers with lines between them, errors of every marker, every coordinate
/// over time with the band of its 95 % intervals.
std::string poses_report(const result::InverseKinematics& poses,
                         const std::vector<TrialCurves>& curves, const result::Scenes& scenes = {},
                         Liveness liveness = Liveness::kStatic);

/// report.html of a calibration: verdict, trials and what their frames are worth, lengths and scale
/// factors with intervals, what markers do not tell, coordinates over time.
std::string calibration_report(const result::Calibration& calibration,
                               const std::vector<TrialCurves>& curves,
                               const result::Scenes& scenes = {},
                               Liveness liveness = Liveness::kStatic);

/// What each trial adds and which further one would, in words.
std::vector<std::string> advice_words(const result::Calibration& calibration);

}  // namespace parfait::report
