#pragma once

#include <span>
#include <vector>

#include "parfait/integrate/tableau.h"

namespace parfait::integrate {

/// One accepted step and its continuous extension: y(t) for t0 <= t <= t1, exact at t0.
/// Where the system has invariants the extension satisfies them only to the accuracy of the step,
/// and the next step starts from the projection of state(t1): project what you sample.
class Step {
 public:
  Step(const Tableau& tableau, int ny);

  double t0 = 0;
  double t1 = 0;
  std::vector<double> y0;
  std::vector<std::vector<double>> k;  ///< right-hand side at the stages

  void state(double t, std::span<double> y) const;

 private:
  const Tableau* tableau_;
};

}  // namespace parfait::integrate
