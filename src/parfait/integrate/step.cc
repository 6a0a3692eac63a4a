#include "parfait/integrate/step.h"

#include <algorithm>

namespace parfait::integrate {

Step::Step(const Tableau& tableau, int ny)
    : y0(ny), k(tableau.stages, std::vector<double>(ny)), tableau_(&tableau) {}

void Step::state(double t, std::span<double> y) const {
  const double h = t1 - t0;
  const auto weights = tableau_->dense_weights((t - t0) / h);
  std::copy(y0.begin(), y0.end(), y.begin());
  for (std::size_t i = 0; i < k.size(); ++i) {
    const double w = h * weights[i];
    for (std::size_t n = 0; n < y.size(); ++n) y[n] += w * k[i][n];
  }
}

}  // namespace parfait::integrate
