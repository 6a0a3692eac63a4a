#pragma once

#include <memory>
#include <vector>

#include "parfait/integrate/bdf/transposed_flow.h"

namespace parfait::integrate {

/// The adjoint equations of a flow along a known solution as an initial value problem: in s = -t,
/// with sizes S = diag(size) of the states,
///
///   x = S lambda,      dx/ds = S f_y^T S^-1 x          (docs/theory/adjoint.md, A7)
///
/// Linear, and as stiff as the flow itself; in this direction of time stiff means damped, too.
class BackwardSystem final : public dynamics::System {
 public:
  /// `curve` and `system` outlive it.
  BackwardSystem(const dynamics::System& system, const dynamics::Workspace& workspace,
                 Stepper& curve);

  /// What holds until the next call; `size` has ny positive numbers.
  void set_piece(const TapePiece& piece) { piece_ = &piece; }
  void set_sizes(const std::vector<double>& size) { size_ = size; }

  const dynamics::Sizes& sizes() const override { return sizes_; }
  const std::vector<dynamics::ParameterInfo>& parameters() const override { return parameters_; }
  std::vector<std::string> state_names() const override { return forward_.state_names(); }
  std::vector<double> initial_state() const override { return size_; }
  std::unique_ptr<dynamics::Workspace> make_workspace(int max_directions) const override;
  std::unique_ptr<dynamics::Workspace> make_bound_copy(const dynamics::Workspace& ws,
                                                       int max_directions) const override;
  void bind(dynamics::Workspace&, dynamics::ConstVec) const override {}
  void bind_directions(dynamics::Workspace&, const dynamics::Directions&) const override {}
  dynamics::Status evaluate(dynamics::Workspace& ws, const dynamics::Point& at, dynamics::Vec dydt,
                            dynamics::Vec residual) const override;
  void directions(dynamics::Workspace& ws, const dynamics::PointDirections& d,
                  dynamics::Directions& ddydt, dynamics::Directions* dresidual) const override;
  void invariants(dynamics::Workspace&, double, dynamics::ConstVec, dynamics::Vec) const override {}
  dynamics::ProjectionReport project(dynamics::Workspace&, double, dynamics::Vec, dynamics::Norm,
                                     double) const override {
    return {};
  }
  dynamics::Status project_directions(dynamics::Workspace&, dynamics::Directions&) const override {
    return dynamics::Status::kOk;
  }
  std::unique_ptr<Observer> make_observer(std::span<const std::string>) const override;
  dynamics::Status observe(dynamics::Workspace&, const Observer&, const dynamics::Point&,
                           dynamics::Vec) const override {
    return dynamics::Status::kOk;
  }
  void observe_directions(dynamics::Workspace&, const Observer&, const dynamics::PointDirections&,
                          dynamics::Directions&) const override {}

 private:
  const dynamics::System& forward_;
  Stepper& curve_;
  std::unique_ptr<dynamics::Workspace> bound_;
  dynamics::Sizes sizes_;
  std::vector<dynamics::ParameterInfo> parameters_;
  const TapePiece* piece_ = nullptr;
  std::vector<double> size_;
};

}  // namespace parfait::integrate
