#pragma once

#include "parfait/result/fit.h"
#include "parfait/run/summary/words.h"

namespace parfait::run {

/// What came out of many starts: how they ended, the minima they found, best first.
void print_starts(Words& out, const result::Starts& starts);

}  // namespace parfait::run
