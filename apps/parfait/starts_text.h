#pragma once

#include "parfait/result/fit.h"

namespace parfait::app {

/// What came out of many starts: how they ended, the minima they found, best first.
void print_starts(const result::Starts& starts);

}  // namespace parfait::app
