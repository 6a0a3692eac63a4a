#include "parfait/mechanism/input_table.h"

namespace parfait::mechanism {

expr::Table table_of(const Input& input) {
  const auto kind = input.interpolation == Interpolation::kPrevious ? expr::Interpolation::kPrevious
                    : input.interpolation == Interpolation::kLinear ? expr::Interpolation::kLinear
                                                                    : expr::Interpolation::kCubic;
  return expr::Table(input.t, input.value, kind, input.place);
}

}  // namespace parfait::mechanism
