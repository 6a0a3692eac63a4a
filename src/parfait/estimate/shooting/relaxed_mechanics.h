#pragma once

#include <array>
#include <memory>
#include <vector>

#include "parfait/estimate/shooting/extended_system.h"

namespace parfait::estimate {

/// phi = a[0] g_0 + b[0] g'_0 and its three time derivatives a[k] g_0 + b[k] g'_0 at tau = t - t0:
///
///   phi = [g_0 + (g'_0 + alpha g_0) tau + (alpha g'_0 + alpha^2 g_0 / 2) tau^2] e^(-alpha tau)
///
/// (Kraus 2006, (8.5)-(8.7)): phi(0) = g_0, phi'(0) = g'_0, phi''(0) = 0. alpha = 0: g_0 + g'_0 tau
/// (Kraus 2006, (8.3), (8.4)).
struct RelaxedOffset {
  std::array<double, 4> a, b;
};
RelaxedOffset relaxed_offset(double alpha, double tau);

/// A mechanical system that starts off its constraints and keeps to a manifold of its own:
///
///   g_pos(t, q, p) = phi(t),   g_vel(t, q, v, p) = phi'(t),   phi'' on the accelerations
///
/// with phi from relaxed_offset(). With (g_0, g'_0) = the invariants at the node every node is a
/// consistent start; at the solution they vanish, and this is the system itself. They are num_pos +
/// num_vel further parameters, after those of the system. An invariant of velocities alone follows
/// phi' with g_0 = 0.
///
/// It has no invariants for those who ask: the flow keeps phi but for the drift of an integration,
/// which is small over an interval, and a projection onto g = 0 would undo the relaxation. A jump
/// ends on the constraints themselves.
class RelaxedMechanics : public ExtendedSystem {
 public:
  /// alpha [1/s]; `system` must outlive it.
  RelaxedMechanics(const dynamics::System& system, double t0, double alpha);

  Status evaluate(Workspace& ws, const Point& at, Vec dydt, Vec residual) const override;
  void directions(Workspace& ws, const PointDirections& d, Directions& ddydt,
                  Directions* dresidual) const override;
  void invariants(Workspace&, double, ConstVec, Vec) const override {}
  dynamics::ProjectionReport project(Workspace&, double, Vec, dynamics::Norm,
                                     double) const override {
    return {};
  }
  Status project_directions(Workspace&, Directions&) const override { return Status::kOk; }
  Status observe(Workspace& ws, const Observer& observer, const Point& at,
                 Vec values) const override;
  void observe_directions(Workspace& ws, const Observer& observer, const PointDirections& d,
                          Directions& dvalues) const override;

 private:
  struct MechanicsData;
  std::unique_ptr<Data> make_data() const override;
  Point relaxed(MechanicsData& d, const Point& at) const;
  PointDirections relaxed(MechanicsData& d, const PointDirections& along, int count) const;

  double t0_, alpha_;
  int num_pos_, num_vel_;
  std::vector<int> position_rows_;
};

}  // namespace parfait::estimate
