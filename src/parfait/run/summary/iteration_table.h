#pragma once

#include <string>

#include "parfait/result/fit.h"

namespace parfait::run {

/// The table of an iteration while it runs: one line per point.
std::string iteration_header();
std::string iteration_line(const result::Iteration& iteration);

/// What the columns mean, for the help of the command.
const char* iteration_legend();

}  // namespace parfait::run
