#pragma once

#include <array>
#include <string>
#include <vector>

#include "parfait/report/web/live_page.h"
#include "parfait/result/minimization.h"

namespace parfait::report {

/// The objective on a grid of two parameters.
struct Contour {
  std::vector<std::string> parameters{};        ///< two of them, or none: it was not asked for
  std::vector<std::array<double, 3>> points{};  ///< p1, p2, J; p2 runs faster; NaN: no J there
};

/// report.html of a minimum by gradients: verdict, parameters, how the objective and its gradient
/// fell, and lines of equal objective with the path of the iteration.
std::string minimization_report(const result::Minimization& found, const Contour& contour,
                                Liveness liveness = Liveness::kStatic);

}  // namespace parfait::report
