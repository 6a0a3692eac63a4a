#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parfait/dynamics/system.h"

namespace parfait::estimate {

/// A system with further parameters after its own, for those who change its equations: whatever is
/// not overridden is passed on to the system itself, which must outlive it.
class ExtendedSystem : public dynamics::System {
 public:
  using Workspace = dynamics::Workspace;
  using Vec = dynamics::Vec;
  using ConstVec = dynamics::ConstVec;
  using Status = dynamics::Status;
  using Point = dynamics::Point;
  using PointDirections = dynamics::PointDirections;
  using Directions = dynamics::Directions;

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
  void invariants(Workspace& ws, double t, ConstVec y, Vec g) const override;
  dynamics::ProjectionReport project(Workspace& ws, double t, Vec y, dynamics::Norm norm,
                                     double tolerance) const override;
  Status project_directions(Workspace& ws, Directions& dy) const override;
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

 protected:
  ExtendedSystem(const dynamics::System& system, int num_further, const std::string& id);

  struct Data : Workspace {
    std::unique_ptr<Workspace> own;  ///< of the system
    std::vector<double> further;     ///< parameters
    Directions dfurther, dp;
    double t = 0;  ///< of the last evaluation
  };
  /// Room for what an override needs besides.
  virtual std::unique_ptr<Data> make_data() const { return std::make_unique<Data>(); }
  static Workspace& own(Workspace& ws) { return *static_cast<Data&>(ws).own; }

  const dynamics::System& system_;
  dynamics::Sizes sizes_;

 private:
  int num_further_;
  std::vector<dynamics::ParameterInfo> parameters_;
};

}  // namespace parfait::estimate
