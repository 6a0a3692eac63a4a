#pragma once

#include "parfait/expr/table.h"
#include "parfait/mechanism/description.h"

namespace parfait::mechanism {

/// What formulas read of an input.
expr::Table table_of(const Input& input);

}  // namespace parfait::mechanism
