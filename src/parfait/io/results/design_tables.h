#pragma once

#include <string>
#include <utility>
#include <vector>

#include "parfait/result/design.h"

namespace parfait::io {

/// Name and text of the tables beside the result.json of a design: samples.csv (candidates, their
/// weights, how often each is measured, what it gains), inputs.csv, information.csv.
std::vector<std::pair<std::string, std::string>> design_table_files(
    const result::Design& design, const result::DesignTables& tables);

}  // namespace parfait::io
