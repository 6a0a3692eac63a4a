#pragma once

#include <string>
#include <vector>

#include "parfait/estimate/problem/problem.h"
#include "parfait/run/job/settings.h"

/// What the command line changes in a problem without editing its file.
namespace parfait::run {

/// `--set id=value`: of a parameter that is estimated, shared or local, the initial value; of any
/// other a condition in all experiments whose model has it. InputError if there is no such
/// parameter, or the value lies outside the bounds of the estimate.
void set_values(const std::vector<Setting>& settings, estimate::Problem& problem);

/// `--fix id`: not estimated, but held at its initial value. InputError if it is not estimated.
void fix_parameters(const std::vector<std::string>& ids, estimate::Problem& problem);

/// A formula with a number in place of a name.
std::string substituted(const std::string& formula, const std::string& name, double value);

}  // namespace parfait::run
