#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parfait/estimate/problem/problem.h"

namespace parfait::io {

/// Parameters from a table with the names of PEtab, a row per parameter:
///
///   parameterId  parameterScale  lowerBound  upperBound  nominalValue  estimate
///
/// nominalValue is where the estimation starts, or, with estimate = 0, what the parameter is. The
/// scales log and log10 both mean that the logarithm is estimated. objectivePriorType may be
/// normal, with objectivePriorParameters "mean;sd". Columns with other names are ignored.
struct ParameterTable {
  std::vector<estimate::Estimate> estimates;
  std::vector<estimate::SetParameter> sets;
};
ParameterTable read_parameter_table(std::string_view text, const std::string& file_name);

}  // namespace parfait::io
