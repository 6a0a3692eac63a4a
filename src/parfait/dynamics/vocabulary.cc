#include "parfait/dynamics/vocabulary.h"

#include <fmt/format.h>

namespace parfait::dynamics {

FormulaText::FormulaText(double number) : text(fmt::format("{}", number)) {}

expr::Table table_of(const Input& input) {
  return expr::Table(input.t, input.value, input.interpolation, input.place);
}

}  // namespace parfait::dynamics
