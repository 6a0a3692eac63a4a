#pragma once

#include "parfait/estimate/shooting/extended_system.h"

namespace parfait::estimate {

/// A semi-explicit DAE with its algebraic equations relaxed from an inconsistent start:
///
///   y' = f(t, y, z, p),   0 = h(t, y, z, p) - theta(t) h_0,    theta from 1 at t0 to 0 at t1
///
/// With h_0 = h(t0, s_y, s_z, p) every node (s_y, s_z) is a consistent start, and at the solution,
/// where h_0 = 0 is one of the equations of the estimation, it is the DAE itself (Bock, Eich,
/// Schloeder 1988). h_0 are nz further parameters, after those of the DAE.
class RelaxedDae : public ExtendedSystem {
 public:
  /// `dae` must outlive it.
  RelaxedDae(const dynamics::System& dae, double t0, double t1)
      : ExtendedSystem(dae, dae.sizes().nz, "h_0"), t0_(t0), t1_(t1) {}

  Status evaluate(Workspace& ws, const Point& at, Vec dydt, Vec residual) const override;
  void directions(Workspace& ws, const PointDirections& d, Directions& ddydt,
                  Directions* dresidual) const override;

 private:
  double theta(double t) const { return t1_ > t0_ ? (t1_ - t) / (t1_ - t0_) : 1; }

  double t0_, t1_;
};

}  // namespace parfait::estimate
