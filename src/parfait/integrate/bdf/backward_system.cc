#include "parfait/integrate/bdf/backward_system.h"

#include <cmath>
#include <stdexcept>

namespace parfait::integrate {

using dynamics::Status;

namespace backward_system {
namespace {

struct BackwardWorkspace final : dynamics::Workspace {
  BackwardWorkspace(const dynamics::System& system, const dynamics::Workspace& bound,
                    Stepper& curve)
      : flow(system, bound, curve), lambda(static_cast<std::size_t>(system.sizes().ny())) {}

  TransposedFlow flow;
  std::vector<double> lambda;
  Eigen::MatrixXd J;
};

BackwardWorkspace& own(dynamics::Workspace& ws) {
  return static_cast<BackwardWorkspace&>(ws);
}

}  // namespace
}  // namespace backward_system

BackwardSystem::BackwardSystem(const dynamics::System& system, const dynamics::Workspace& workspace,
                               Stepper& curve)
    : forward_(system),
      curve_(curve),
      bound_(system.make_bound_copy(workspace, 0)),
      size_(static_cast<std::size_t>(system.sizes().ny()), 1.0) {
  sizes_.ne = system.sizes().ny();
}

std::unique_ptr<dynamics::Workspace> BackwardSystem::make_workspace(int /*max_directions*/) const {
  return std::make_unique<backward_system::BackwardWorkspace>(forward_, *bound_, curve_);
}

std::unique_ptr<dynamics::Workspace> BackwardSystem::make_bound_copy(const dynamics::Workspace&,
                                                                     int max_directions) const {
  return make_workspace(max_directions);
}

Status BackwardSystem::evaluate(dynamics::Workspace& ws, const dynamics::Point& at,
                                dynamics::Vec dydt, dynamics::Vec /*residual*/) const {
  auto& w = backward_system::own(ws);
  const Status status = w.flow.move_to(-at.t, *piece_);
  if (status != Status::kOk) return status;
  for (std::size_t i = 0; i < size_.size(); ++i) {
    w.lambda[i] = at.y[i] / size_[i];
    dydt[i] = 0;
  }
  const Status pulled = w.flow.pull(w.lambda, {}, dydt);
  for (std::size_t i = 0; i < size_.size(); ++i) dydt[i] *= size_[i];
  return pulled;
}

void BackwardSystem::directions(dynamics::Workspace& ws, const dynamics::PointDirections& d,
                                dynamics::Directions& ddydt, dynamics::Directions*) const {
  auto& w = backward_system::own(ws);
  const int n = static_cast<int>(size_.size()), k = ddydt.count();
  // What is not finite is answered with a smaller step.
  if (w.flow.jacobian(w.J) != Status::kOk) w.J.setConstant(n, n, std::nan(""));
  for (int j = 0; j < k; ++j) {
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int m = 0; m < n; ++m) sum += w.J(m, i) * (*d.dy)(m, j) / size_[m];
      ddydt(i, j) = size_[i] * sum;
    }
  }
}

std::unique_ptr<dynamics::System::Observer> BackwardSystem::make_observer(
    std::span<const std::string>) const {
  throw std::logic_error("adjoint equations have no quantities");
}

}  // namespace parfait::integrate
