#pragma once

#include <array>
#include <memory>
#include <vector>

#include "parfait/dynamics/system.h"

namespace parfait::estimate {

/// phi = a[0] g_0 + b[0] g'_0 and its three time derivatives a[k] g_0 + b[k] g'_0 at tau = t - t0:
///
///   phi = [g_0 + (g'_0 + alpha g_0) tau + (alpha g'_0 + alpha^2 g_0 / 2) tau^2] e^(-alpha tau)
///
/// (K 8.5-8.7): phi(0) = g_0, phi'(0) = g'_0, phi''(0) = 0. alpha = 0: g_0 + g'_0 tau (K 8.3, 8.4).
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
class RelaxedMechanics : public dynamics::System {
 public:
  using Workspace = dynamics::Workspace;
  using Vec = dynamics::Vec;
  using ConstVec = dynamics::ConstVec;
  using Status = dynamics::Status;
  using Point = dynamics::Point;
  using PointDirections = dynamics::PointDirections;
  using Directions = dynamics::Directions;

  /// alpha [1/s]; `system` must outlive it.
  RelaxedMechanics(const dynamics::System& system, double t0, double alpha);

  const dynamics::Sizes& sizes() const override { return sizes_; }
  const std::vector<dynamics::ParameterInfo>& parameters() const override { return parameters_; }
  std::vector<std::string> state_names() const override { return system_.state_names(); }
  std::vector<double> initial_state() const override { return system_.initial_state(); }
  std::unique_ptr<Workspace> make_workspace(int max_directions) const override;
  std::unique_ptr<Workspace> make_bound_copy(const Workspace& ws,
                                             int max_directions) const override;
  void bind(Workspace& ws, ConstVec p) const override;
  void bind_directions(Workspace& ws, const Directions& dp) const override;
  void start(Workspace& ws, Vec y, Vec z) const override;
  void start_directions(Workspace& ws, Directions& dy) const override;
  Status evaluate(Workspace& ws, const Point& at, Vec dydt, Vec residual) const override;
  void directions(Workspace& ws, const PointDirections& d, Directions& ddydt,
                  Directions* dresidual) const override;
  void invariants(Workspace&, double, ConstVec, Vec) const override {}
  dynamics::ProjectionReport project(Workspace&, double, Vec, dynamics::Norm,
                                     double) const override {
    return {};
  }
  Status project_directions(Workspace&, Directions&) const override { return Status::kOk; }
  std::unique_ptr<Observer> make_observer(std::span<const std::string> quantities) const override {
    return system_.make_observer(quantities);
  }
  Status observe(Workspace& ws, const Observer& observer, const Point& at,
                 Vec values) const override;
  void observe_directions(Workspace& ws, const Observer& observer, const PointDirections& d,
                          Directions& dvalues) const override;
  std::vector<double> time_breaks() const override { return system_.time_breaks(); }
  std::vector<dynamics::SwitchInfo> switch_infos() const override { return system_.switch_infos(); }
  Status switches(Workspace& ws, const Point& at, Vec s) const override;
  void switch_directions(Workspace& ws, const PointDirections& d, Directions& ds) const override;
  Status jump(Workspace& ws, int which, const Point& before, Vec after) const override;
  void jump_directions(Workspace& ws, const PointDirections& d, Directions& dafter) const override;

 private:
  struct Data;
  static Data& data(Workspace& ws);
  Point relaxed(Data& d, const Point& at) const;
  PointDirections relaxed(Data& d, const PointDirections& along, int count) const;

  const dynamics::System& system_;
  double t0_, alpha_;
  int num_pos_, num_vel_;
  std::vector<int> position_rows_;
  dynamics::Sizes sizes_;
  std::vector<dynamics::ParameterInfo> parameters_;
};

}  // namespace parfait::estimate
