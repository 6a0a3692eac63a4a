#include "parfait/dynamics/formula_model.h"

#include <fmt/format.h>

namespace parfait::dynamics {

FormulaText::FormulaText(double number) : text(fmt::format("{}", number)) {}

}  // namespace parfait::dynamics
