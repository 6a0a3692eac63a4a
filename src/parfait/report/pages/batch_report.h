#pragma once

#include <string>

#include "parfait/result/batch.h"

namespace parfait::report {

/// report.html of many subjects: a table with links to their own reports
/// (../<subject>/report.html).
std::string batch_report(const result::Batch& batch);

}  // namespace parfait::report
