#pragma once

#include <string_view>

#include "parfait/base/error.h"
#include "parfait/expr/program.h"
#include "parfait/expr/scope.h"

namespace parfait::expr {

/// Text to program; the grammar is in docs/theory/formulas.md. InputError with the place of the
/// character that is wrong. Internal to expr.
Program parse(std::string_view text, Scope& scope, const base::Place& place);

}  // namespace parfait::expr
