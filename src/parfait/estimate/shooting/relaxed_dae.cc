#include "parfait/estimate/shooting/relaxed_dae.h"

namespace parfait::estimate {

dynamics::Status RelaxedDae::evaluate(Workspace& ws, const Point& at, Vec dydt,
                                      Vec residual) const {
  auto& d = static_cast<Data&>(ws);
  d.t = at.t;
  const Status status = system_.evaluate(*d.own, at, dydt, residual);
  for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= theta(at.t) * d.further[i];
  return status;
}

void RelaxedDae::directions(Workspace& ws, const PointDirections& along, Directions& ddydt,
                            Directions* dresidual) const {
  auto& d = static_cast<Data&>(ws);
  system_.directions(*d.own, along, ddydt, dresidual);
  if (dresidual == nullptr) return;
  const double slope = t1_ > t0_ ? -1 / (t1_ - t0_) : 0;
  for (int i = 0; i < sizes_.nz; ++i) {
    const double h_0 = d.further[static_cast<std::size_t>(i)];
    for (int j = 0; j < dresidual->count(); ++j) {
      double change = 0;
      if (j < d.dfurther.count()) change += theta(d.t) * d.dfurther(i, j);
      if (!along.dt.empty()) change += slope * along.dt[static_cast<std::size_t>(j)] * h_0;
      (*dresidual)(i, j) -= change;
    }
  }
}

}  // namespace parfait::estimate
