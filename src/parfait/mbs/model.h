#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parfait/dynamics/state_sizes.h"
#include "parfait/dynamics/system.h"
#include "parfait/mbs/solver/mechanism_names.h"
#include "parfait/mechanism/stage/mechanical_system.h"

namespace parfait::mbs {

struct ModelData;       // model_data.h: everything constant
struct ModelWorkspace;  // model_data.h: everything that changes

using mechanism::AssemblyReport;

/// A multibody system in natural coordinates, as a dynamics::System: y = (q, v, e), 12 coordinates
/// per body in the order of the description.
///
/// Immutable; evaluation needs a workspace from make_workspace(), one per thread.
/// Cost  O(number of bodies) per right-hand side for trees, with fill in proportion to the loops.
/// See   docs/theory/solver.md
class Model final : public mechanism::MechanicalSystem, public dynamics::StateSizes {
 public:
  explicit Model(const Description& description);
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
  void state_sizes(dynamics::Workspace& ws, dynamics::ConstVec y, dynamics::ConstVec dydt,
                   dynamics::Vec sizes) const override;
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
  const dynamics::SecondOrder* second_order() const override;
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

  /// O(number of bodies), like evaluate(); models with released bodies have none of their own.
  /// Switches, jumps and the start, which are rare, are pulled back by directions.
  /// See docs/theory/adjoint.md
  bool has_pull_backs() const override;
  void clear_parameter_adjoint(dynamics::Workspace& ws) const override;
  void add_parameter_gradient(dynamics::Workspace& ws, dynamics::Vec gradient) const override;
  void move_parameter_adjoint(dynamics::Workspace& from, dynamics::Workspace& to) const override;
  void pull_back(dynamics::Workspace& ws, dynamics::ConstVec dydt, dynamics::ConstVec residual,
                 dynamics::Pulled& to) const override;
  dynamics::Status pull_back_projection(dynamics::Workspace& ws, dynamics::Vec y) const override;
  void pull_back_observation(dynamics::Workspace& ws, const Observer& observer,
                             dynamics::ConstVec values, dynamics::Pulled& to) const override;

  const Description& description() const override;
  const AssemblyReport& assembly() const override;
  const std::vector<std::string>& warnings() const override;
  std::vector<std::string> default_quantities() const override;
  std::vector<std::string> quantity_names() const override;
  int degrees_of_freedom() const override;
  std::vector<std::string> driven() const override;
  std::vector<std::string> redundant_rows() const override;
  std::string row_name(int row) const override;
  /// The same as row_name() for rows of joints, "Body.e1.e2" for those of bodies.
  std::string invariant_name(int i) const override;
  /// Joints that close loops, velocity rows.
  bool may_drop_rows() const override;
  double rank_tolerance() const override;
  std::vector<std::string> joints_in_loops_of(const std::vector<int>& rows) const override;

  /// The stages of a right-hand side, for the benchmarks: evaluate() is these in a row.
  void stage_evaluate(dynamics::Workspace& ws, const dynamics::Point& at) const;
  void stage_factor(dynamics::Workspace& ws) const;
  void stage_solve(dynamics::Workspace& ws, dynamics::Vec dydt) const;

  /// Rank tolerance of the constraint partitioning (Kraus 2006, section 5.2), relative to the
  /// assembled pivots.
  static void set_rank_tolerance(dynamics::Workspace& ws, double tolerance);
  using Partition = mechanism::Partition;
  Partition partition(dynamics::Workspace& ws) const override;
  /// Multipliers of the joint rows at the last evaluation.
  dynamics::ConstVec multipliers(dynamics::Workspace& ws) const;

 private:
  std::unique_ptr<ModelData> data_;
};

/// Checks, builds and assembles. InputError (with place) if the description cannot be a model.
std::shared_ptr<const Model> build(const Description& description);

}  // namespace parfait::mbs
