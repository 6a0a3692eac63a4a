#include "parfait/run/verification/published.h"

#include <algorithm>
#include <cmath>

namespace parfait::run {

double matching_digits(double value, double reference) {
  constexpr double kMost = 16;
  if (!std::isfinite(value)) return 0;
  const double error = std::abs(value - reference) / (reference == 0 ? 1 : std::abs(reference));
  return error == 0 ? kMost : std::clamp(-std::log10(error), 0.0, kMost);
}

double matching_digits(const std::vector<double>& values, const std::vector<double>& references) {
  if (values.size() != references.size() || values.empty()) return 0;
  double least = matching_digits(values.front(), references.front());
  for (std::size_t i = 1; i < values.size(); ++i) {
    least = std::min(least, matching_digits(values[i], references[i]));
  }
  return least;
}

}  // namespace parfait::run
