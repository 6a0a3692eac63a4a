#pragma once

#include <string>

#include "parfait/estimate/iteration/gauss_newton.h"

namespace parfait::app {

/// The table of an iteration while it runs: one line per point.
std::string iteration_header();
std::string iteration_line(const estimate::Iteration& iteration);

}  // namespace parfait::app
