#include "parfait/math/finite.h"

namespace parfait::math {

bool all_finite(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * 0.0;  // NaN if one is not finite
  return sum == 0;
}

}  // namespace parfait::math
