#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "parfait/dynamics/system.h"

namespace parfait::integrate {

using dynamics::ConstVec;
using dynamics::Status;
using dynamics::Vec;

/// A right-hand side written down in the test; the values are all an explicit integrator needs.
class RhsSystem : public dynamics::System {
 public:
  using Rhs = std::function<Status(double, ConstVec, Vec)>;
  RhsSystem(std::vector<double> y0, Rhs rhs) : y0_(std::move(y0)), rhs_(std::move(rhs)) {
    counts.ne = static_cast<int>(y0_.size());
  }

  const dynamics::Sizes& sizes() const override { return counts; }
  const std::vector<dynamics::ParameterInfo>& parameters() const override { return parameters_; }
  std::vector<std::string> state_names() const override {
    return std::vector<std::string>(y0_.size(), "y");
  }
  std::vector<double> initial_state() const override { return y0_; }
  std::unique_ptr<dynamics::Workspace> make_workspace(int) const override {
    return std::make_unique<dynamics::Workspace>();
  }
  std::unique_ptr<dynamics::Workspace> make_bound_copy(const dynamics::Workspace&,
                                                       int) const override {
    return std::make_unique<dynamics::Workspace>();
  }
  void bind(dynamics::Workspace&, ConstVec) const override {}
  void bind_directions(dynamics::Workspace&, const dynamics::Directions&) const override {}
  Status evaluate(dynamics::Workspace&, const dynamics::Point& at, Vec dydt, Vec) const override {
    ++evaluations;
    return rhs_(at.t, at.y, dydt);
  }
  void directions(dynamics::Workspace&, const dynamics::PointDirections&, dynamics::Directions&,
                  dynamics::Directions*) const override {}
  void invariants(dynamics::Workspace&, double, ConstVec, Vec) const override {}
  dynamics::ProjectionReport project(dynamics::Workspace&, double, Vec y, dynamics::Norm,
                                     double) const override {
    return projection ? projection(y) : dynamics::ProjectionReport{};
  }
  Status project_directions(dynamics::Workspace&, dynamics::Directions&) const override {
    return Status::kOk;
  }
  std::unique_ptr<Observer> make_observer(std::span<const std::string>) const override {
    return nullptr;
  }
  Status observe(dynamics::Workspace&, const Observer&, const dynamics::Point&,
                 Vec) const override {
    return Status::kOk;
  }
  void observe_directions(dynamics::Workspace&, const Observer&, const dynamics::PointDirections&,
                          dynamics::Directions&) const override {}
  std::vector<double> time_breaks() const override { return breaks; }

  mutable int evaluations = 0;
  std::vector<double> breaks;
  std::function<dynamics::ProjectionReport(Vec)> projection;
  dynamics::Sizes counts;

 private:
  std::vector<double> y0_;
  Rhs rhs_;
  std::vector<dynamics::ParameterInfo> parameters_;
};

}  // namespace parfait::integrate
