#pragma once

#include <chrono>

#include "parfait/dynamics/system.h"

namespace parfait::bench {

/// Another system, with a clock around the calls that compute. What an integration takes beyond
/// `seconds()` is the integrator's own.
class TimedSystem final : public dynamics::System {
 public:
  explicit TimedSystem(const dynamics::System& system) : system_(system) {}

  double seconds() const { return std::chrono::duration<double>(spent_).count(); }
  long calls() const { return calls_; }
  void reset() {
    spent_ = {};
    calls_ = 0;
  }

  const dynamics::Sizes& sizes() const override { return system_.sizes(); }
  const std::vector<dynamics::ParameterInfo>& parameters() const override {
    return system_.parameters();
  }
  std::vector<std::string> state_names() const override { return system_.state_names(); }
  std::vector<double> initial_state() const override { return system_.initial_state(); }
  std::unique_ptr<dynamics::Workspace> make_workspace(int max_directions) const override {
    return system_.make_workspace(max_directions);
  }
  std::unique_ptr<dynamics::Workspace> make_bound_copy(const dynamics::Workspace& ws,
                                                       int max_directions) const override {
    return system_.make_bound_copy(ws, max_directions);
  }
  void bind(dynamics::Workspace& ws, dynamics::ConstVec p) const override { system_.bind(ws, p); }
  void bind_directions(dynamics::Workspace& ws, const dynamics::Directions& dp) const override {
    system_.bind_directions(ws, dp);
  }
  dynamics::Status evaluate(dynamics::Workspace& ws, const dynamics::Point& at, dynamics::Vec dydt,
                            dynamics::Vec residual) const override {
    const Timer timer(*this);
    return system_.evaluate(ws, at, dydt, residual);
  }
  void directions(dynamics::Workspace& ws, const dynamics::PointDirections& d,
                  dynamics::Directions& ddydt, dynamics::Directions* dresidual) const override {
    const Timer timer(*this);
    system_.directions(ws, d, ddydt, dresidual);
  }
  void invariants(dynamics::Workspace& ws, double t, dynamics::ConstVec y,
                  dynamics::Vec g) const override {
    const Timer timer(*this);
    system_.invariants(ws, t, y, g);
  }
  dynamics::ProjectionReport project(dynamics::Workspace& ws, double t, dynamics::Vec y,
                                     dynamics::Norm norm, double tolerance) const override {
    const Timer timer(*this);
    return system_.project(ws, t, y, norm, tolerance);
  }
  dynamics::Status project_directions(dynamics::Workspace& ws,
                                      dynamics::Directions& dy) const override {
    const Timer timer(*this);
    return system_.project_directions(ws, dy);
  }
  std::unique_ptr<Observer> make_observer(std::span<const std::string> q) const override {
    return system_.make_observer(q);
  }
  dynamics::Status observe(dynamics::Workspace& ws, const Observer& observer,
                           const dynamics::Point& at, dynamics::Vec values) const override {
    return system_.observe(ws, observer, at, values);
  }
  void observe_directions(dynamics::Workspace& ws, const Observer& observer,
                          const dynamics::PointDirections& d,
                          dynamics::Directions& dvalues) const override {
    system_.observe_directions(ws, observer, d, dvalues);
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Timer {
    explicit Timer(const TimedSystem& owner) : system(owner), begin(Clock::now()) {}
    ~Timer() {
      system.spent_ += Clock::now() - begin;
      ++system.calls_;
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    const TimedSystem& system;
    Clock::time_point begin;
  };

  const dynamics::System& system_;
  mutable Clock::duration spent_{};
  mutable long calls_ = 0;
};

}  // namespace parfait::bench
