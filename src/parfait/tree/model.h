#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/mechanism/description/description.h"

namespace parfait::tree {

struct ModelData;  // model_data.h

/// A mechanism in joint coordinates, as a dynamics::System: y = (q, v) of the spanning tree
/// (mechanism_tree.h). The same descriptions, parameters and names of quantities as in natural
/// coordinates.
///
/// So far     open chains under gravity. Loops, constraints, other forces, external states and
///            events are refused by name.
/// Invariants one per quaternion, (|q|^2 - 1) / 2, which the flow keeps; projection makes its
///            length one. There are none on velocity level. nq > nv where there are quaternions.
/// Cost       O(number of bodies) per right-hand side.
class Model final : public dynamics::System {
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
  std::vector<int> position_rows() const override { return {}; }
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

  const std::vector<std::string>& warnings() const;
  std::vector<std::string> quantity_names() const;

 private:
  std::unique_ptr<ModelData> data_;
};

}  // namespace parfait::tree
