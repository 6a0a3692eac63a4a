#pragma once

#include "parfait/expr/table.h"
#include "parfait/mbs/description.h"

namespace parfait::mbs {

/// What formulas read of an input.
expr::Table table_of(const Input& input);

}  // namespace parfait::mbs
