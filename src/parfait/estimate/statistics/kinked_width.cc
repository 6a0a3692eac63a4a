#include "parfait/estimate/statistics/kinked_width.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parfait::estimate {

double kinked_width(double z, const KinkedRows& rows) {
  if (!(rows.squares > 0) || !(rows.cubes > 0) || !std::isfinite(z)) return z;
  const double share = std::min(rows.squares, 1.0), smooth = 1 - share;
  const double w = rows.cubes / rows.squares;
  // All of it, up to rounding.
  if (smooth < 1e-9) {
    const double rest = 1 - z * w;
    return rest > 0 ? -std::log(rest) / w : std::numeric_limits<double>::infinity();
  }
  // The score is concave: Newton's method from the left ascends to the root.
  double t = z;
  for (int i = 0; i < 100; ++i) {
    const double decay = std::exp(-w * t);
    const double step =
        (z - smooth * t + share / w * std::expm1(-w * t)) / (smooth + share * decay);
    t += step;
    if (step <= 1e-12 * t) break;
  }
  return t;
}

}  // namespace parfait::estimate
