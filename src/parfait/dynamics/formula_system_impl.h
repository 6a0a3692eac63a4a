#pragma once

#include "parfait/dynamics/formula_data.h"
#include "parfait/dynamics/formula_workspace.h"
#include "parfait/dynamics/system.h"

/// Internal to dynamics: formula_system.cc (right-hand side), formula_events.cc (switches and
/// jumps), formula_observer.cc.
namespace parfait::dynamics {

class FormulaSystem final : public System {
 public:
  explicit FormulaSystem(FormulaData data) : data_(std::move(data)) {}

  const Sizes& sizes() const override { return data_.sizes; }
  const std::vector<ParameterInfo>& parameters() const override { return data_.parameters; }
  std::vector<std::string> state_names() const override { return data_.state_names; }
  std::vector<double> initial_state() const override;

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
  ProjectionReport project(Workspace&, double, Vec, Norm, double) const override { return {}; }
  Status project_directions(Workspace&, Directions&) const override { return Status::kOk; }

  std::unique_ptr<Observer> make_observer(std::span<const std::string> quantities) const override;
  Status observe(Workspace& ws, const Observer& observer, const Point& at,
                 Vec values) const override;
  void observe_directions(Workspace& ws, const Observer& observer, const PointDirections& d,
                          Directions& dvalues) const override;

  std::vector<double> time_breaks() const override { return data_.time_breaks; }

  std::vector<SwitchInfo> switch_infos() const override { return data_.switch_infos; }
  Status switches(Workspace& ws, const Point& at, Vec s) const override;
  void switch_directions(Workspace& ws, const PointDirections& d, Directions& ds) const override;
  Status jump(Workspace& ws, int which, const Point& before, Vec after) const override;
  void jump_directions(Workspace& ws, const PointDirections& d, Directions& dafter) const override;

  bool has_pull_backs() const override { return true; }
  void pull_back(Workspace& ws, ConstVec dydt, ConstVec residual, Pulled& to) const override;
  Status pull_back_projection(Workspace&, Vec) const override { return Status::kOk; }
  void pull_back_observation(Workspace& ws, const Observer& observer, ConstVec values,
                             Pulled& to) const override;
  void pull_back_switches(Workspace& ws, ConstVec s, Pulled& to) const override;
  void pull_back_jump(Workspace& ws, ConstVec after, Pulled& to) const override;
  void pull_back_start(Workspace& ws, ConstVec y) const override;

 private:
  void linearize_switches(FormulaWorkspace& w) const;
  static FormulaWorkspace& cast(Workspace& ws) { return static_cast<FormulaWorkspace&>(ws); }

  const FormulaData data_;
};

}  // namespace parfait::dynamics
