#pragma once

#include <memory>

#include "parfait/dynamics/system.h"

namespace parfait::estimate {

/// A semi-explicit DAE with its algebraic equations relaxed from an inconsistent start:
///
///   y' = f(t, y, z, p),   0 = h(t, y, z, p) - theta(t) h_0,    theta from 1 at t0 to 0 at t1
///
/// With h_0 = h(t0, s_y, s_z, p) every node (s_y, s_z) is a consistent start, and at the solution,
/// where h_0 = 0 is one of the equations of the estimation, it is the DAE itself (Bock, Eich,
/// Schloeder 1988). h_0 are nz further parameters, after those of the DAE.
class RelaxedDae : public dynamics::System {
 public:
  using Workspace = dynamics::Workspace;
  using Vec = dynamics::Vec;
  using ConstVec = dynamics::ConstVec;
  using Status = dynamics::Status;
  using Point = dynamics::Point;
  using PointDirections = dynamics::PointDirections;
  using Directions = dynamics::Directions;

  /// `dae` must outlive it.
  RelaxedDae(const dynamics::System& dae, double t0, double t1);

  const dynamics::Sizes& sizes() const override { return sizes_; }
  const std::vector<dynamics::ParameterInfo>& parameters() const override { return parameters_; }
  std::vector<std::string> state_names() const override { return dae_.state_names(); }
  std::vector<double> initial_state() const override { return dae_.initial_state(); }
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
  void invariants(Workspace& ws, double t, ConstVec y, Vec g) const override;
  dynamics::ProjectionReport project(Workspace& ws, double t, Vec y, dynamics::Norm norm,
                                     double tolerance) const override;
  Status project_directions(Workspace& ws, Directions& dy) const override;
  std::unique_ptr<Observer> make_observer(std::span<const std::string> quantities) const override {
    return dae_.make_observer(quantities);
  }
  Status observe(Workspace& ws, const Observer& observer, const Point& at,
                 Vec values) const override;
  void observe_directions(Workspace& ws, const Observer& observer, const PointDirections& d,
                          Directions& dvalues) const override;
  std::vector<double> time_breaks() const override { return dae_.time_breaks(); }
  std::vector<dynamics::SwitchInfo> switch_infos() const override { return dae_.switch_infos(); }
  Status switches(Workspace& ws, const Point& at, Vec s) const override;
  void switch_directions(Workspace& ws, const PointDirections& d, Directions& ds) const override;
  Status jump(Workspace& ws, int which, const Point& before, Vec after) const override;
  void jump_directions(Workspace& ws, const PointDirections& d, Directions& dafter) const override;

 private:
  struct Data;
  static Data& data(Workspace& ws);
  double theta(double t) const { return t1_ > t0_ ? (t1_ - t) / (t1_ - t0_) : 1; }

  const dynamics::System& dae_;
  double t0_, t1_;
  dynamics::Sizes sizes_;
  std::vector<dynamics::ParameterInfo> parameters_;
};

}  // namespace parfait::estimate
