#pragma once

#include <limits>
#include <vector>

#include "parfait/integrate/stepper.h"
#include "parfait/integrate/switch_watch.h"

namespace parfait::integrate {

/// What happens where a switching function passes zero: the mode, the state and its directions
/// change (K 3.3.1; docs/theory/events.md).
///
///   dt_s  = -(s_y W- + s_p dp) / s',      s' = s_t + s_y y'-
///   dy-   = W- + y'- dt_s                 along the moving event
///   dy+   = directions of the jump along (dt_s, dy-, dp)
///   W+    = dy+ - f+ dt_s                 at fixed time again
class EventUpdate {
 public:
  EventUpdate(Flow& flow, SwitchWatch& watch, int num_directions);

  enum class Answer {
    kSwitched,  ///< the mode changed, and the state if it jumps there
    kSliding,   ///< both modes lead back to the surface s = 0
    kFailed,    ///< status(): the right-hand side, the jump or the projection could not be computed
  };
  /// `state` (its t is the time of the event) with the tangent `rate` of the solution before it;
  /// both are on the manifold. Sets the flow's mode and updates state.y, W and mode.
  Answer apply(int which, State& state, dynamics::ConstVec rate, bool& jumped);
  dynamics::Status status() const { return status_; }

  /// f+ at the updated state, for the watch.
  dynamics::ConstVec rate_after() const { return f_after_; }

 private:
  bool event_time_directions(int which, const State& state, dynamics::ConstVec rate);
  dynamics::Status evaluate(const State& state);

  Flow& flow_;
  SwitchWatch& watch_;
  dynamics::Status status_ = dynamics::Status::kOk;
  std::vector<double> y_after_, f_after_, residual_, s_, s_rate_, dt_;
  dynamics::Directions dy_, dafter_, ds_;
  double last_ = std::numeric_limits<double>::quiet_NaN();  ///< time of the last event
};

}  // namespace parfait::integrate
