#pragma once

#include <string>
#include <string_view>

#include "parfait/estimate/problem/problem.h"

namespace parfait::io {

/// Measurements from the text of a table, in one of two shapes:
///
///   t,x,y             a row per time, a column per measured thing; empty: not measured
///   0,1.2,
///
///   observableId,simulationConditionId,time,measurement,noiseParameters      (names of PEtab)
///   x,run1,0,1.2,0.1  a row per measurement; only observableId, time and measurement are needed
///
/// The second shape becomes the first: rows ascend in time, observables are columns, noise
/// parameters (standard deviations) the columns `<observable>.sigma`. Replicates, the same
/// observable again at the same time, stand in further rows of that time. Where there is a
/// simulationConditionId, an experiment takes the rows that carry its own id.
///
/// `first_line`: of the text in its file. Nothing is checked but the table itself;
/// estimate::check() knows what is needed.
estimate::Data read_data_table(std::string_view text, const std::string& file_name,
                               const std::string& experiment_id, int first_line = 1);

/// The table as CSV, in the first shape.
std::string data_table_text(const estimate::Data& data);

}  // namespace parfait::io
