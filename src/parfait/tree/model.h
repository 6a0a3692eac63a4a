#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/mechanism/stage/mechanical_system.h"

namespace parfait::tree {

struct ModelData;  // model_data.h

using mechanism::AssemblyReport;

/// A mechanism in joint coordinates, as a dynamics::System: y = (q, v, e) of the spanning tree
/// (mechanism_tree.h) and the external states. The same descriptions, force elements, events,
/// parameters and names of quantities as in natural coordinates.
///
/// Inputs     generalized forces, one per velocity: u[k] does the work u[k] v[k]. A torque about
/// the
///            axis of a revolute joint, on the body the joint carries; likewise forces.
/// Closures   Joints that close loops, joints that hold distances and constraints are rows
///            (closure_work.h), solved in the index-1 form; projection restores them.
/// Invariants on the level of positions one per quaternion, (|q|^2 - 1) / 2, which the flow keeps,
///            and one per closure row of positions; on the level of velocities one per closure row.
///            nq > nv where there are quaternions.
/// Projection steps along W G^T, with W = H^-1 in the mass norm, from iterate to iterate: near the
///            manifold the nearest point. Directions follow the same iterates.
/// Cost       O(number of bodies) per right-hand side without closures; with c closure rows
///            O(n d + c^2 n).
class Model final : public mechanism::MechanicalSystem {
 public:
  explicit Model(const mechanism::Description& description);
  ~Model() override;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const dynamics::Sizes& sizes() const override;
  const std::vector<dynamics::ParameterInfo>& parameters() const override;
  std::vector<std::string> state_names() const override;
  std::vector<double> initial_state() const override;
  std::unique_ptr<dynamics::Workspace> make_workspace(int max_directions) const override;
  std::unique_ptr<dynamics::Workspace> make_bound_copy(const dynamics::Workspace& ws,
                                                       int max_directions) const override;
  void bind(dynamics::Workspace& ws, dynamics::ConstVec p) const override;
  void bind_directions(dynamics::Workspace& ws, const dynamics::Directions& dp) const override;
  dynamics::Status evaluate(dynamics::Workspace& ws, const dynamics::Point& at, dynamics::Vec dydt,
                            dynamics::Vec residual) const override;
  void directions(dynamics::Workspace& ws, const dynamics::PointDirections& d,
                  dynamics::Directions& ddydt, dynamics::Directions* dresidual) const override;
  void invariants(dynamics::Workspace& ws, double t, dynamics::ConstVec y,
                  dynamics::Vec g) const override;
  void invariant_directions(dynamics::Workspace& ws, double t, dynamics::ConstVec y,
                            const dynamics::PointDirections& d,
                            dynamics::Directions& dg) const override;
  std::vector<int> position_rows() const override;
  dynamics::ProjectionReport project(dynamics::Workspace& ws, double t, dynamics::Vec y,
                                     dynamics::Norm norm, double tolerance) const override;
  dynamics::Status project_directions(dynamics::Workspace& ws,
                                      dynamics::Directions& dy) const override;
  std::unique_ptr<Observer> make_observer(std::span<const std::string> quantities) const override;
  dynamics::Status observe(dynamics::Workspace& ws, const Observer& observer,
                           const dynamics::Point& at, dynamics::Vec values) const override;
  void observe_directions(dynamics::Workspace& ws, const Observer& observer,
                          const dynamics::PointDirections& d,
                          dynamics::Directions& dvalues) const override;

  std::vector<double> time_breaks() const override;
  void start(dynamics::Workspace& ws, dynamics::Vec y, dynamics::Vec z) const override;
  void start_directions(dynamics::Workspace& ws, dynamics::Directions& dy) const override;
  std::vector<dynamics::SwitchInfo> switch_infos() const override;
  dynamics::Status switches(dynamics::Workspace& ws, const dynamics::Point& at,
                            dynamics::Vec s) const override;
  void switch_directions(dynamics::Workspace& ws, const dynamics::PointDirections& d,
                         dynamics::Directions& ds) const override;
  dynamics::Status jump(dynamics::Workspace& ws, int which, const dynamics::Point& before,
                        dynamics::Vec after) const override;
  void jump_directions(dynamics::Workspace& ws, const dynamics::PointDirections& d,
                       dynamics::Directions& dafter) const override;

  const mechanism::Description& description() const override;
  const AssemblyReport& assembly() const override;
  const std::vector<std::string>& warnings() const override;
  std::vector<std::string> default_quantities() const override;
  std::vector<std::string> quantity_names() const override;
  int degrees_of_freedom() const override;
  std::vector<std::string> driven() const override;
  std::vector<std::string> redundant_rows() const override;
  std::string row_name(int row) const override;
  std::string invariant_name(int i) const override;
  /// Whether there are closures.
  bool may_drop_rows() const override;
  double rank_tolerance() const override;
  std::vector<std::string> joints_in_loops_of(const std::vector<int>& rows) const override;
  using Partition = mechanism::Partition;
  Partition partition(dynamics::Workspace& ws) const override;

 private:
  void assemble();

  std::unique_ptr<ModelData> data_;
};

/// Checks, builds and assembles. InputError (with place) if the description cannot be a model in
/// joint coordinates.
std::shared_ptr<const Model> build(const mechanism::Description& description);

}  // namespace parfait::tree
