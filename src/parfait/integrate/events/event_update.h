#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "parfait/integrate/bdf/algebraic_states.h"
#include "parfait/integrate/events/switch_watch.h"
#include "parfait/integrate/stepping/stepper.h"
#include "parfait/integrate/stepping/tape.h"

namespace parfait::integrate {

/// What happens where a switching function passes zero: the mode, the state and its directions
/// change (Kraus 2006, section 3.3.1; docs/theory/events.md).
///
///   dt_s  = -(s_y W- + s_z dz- + s_p dp) / s',      s' = s_t + s_y y'- + s_z z'-
///   dy-   = W- + y'- dt_s                 along the moving event, and likewise dz-
///   dy+   = directions of the jump along (dt_s, dy-, dz-, dp)
///   W+    = dy+ - f+ dt_s                 at fixed time again
///
/// Algebraic states follow the jump: they are solved for before the new mode is decided.
class EventUpdate {
 public:
  EventUpdate(Flow& flow, SwitchWatch& watch, int num_directions);

  enum class Answer {
    kSwitched,  ///< the mode changed, and the state if it jumps there
    kSliding,   ///< both modes lead back to the surface s = 0
    kFailed,    ///< status(): the right-hand side, the jump or the projection could not be computed
  };
  /// `state` (its t is the time of the event) with the tangent `rate` of the solution before it and
  /// the directions `dz` of its algebraic states; all on the manifold. Sets the flow's mode and
  /// updates state.y, z, W and mode. `tape`, if any, gets what the adjoint needs of a switch.
  Answer apply(int which, State& state, const Tangent& rate, const dynamics::Directions& dz,
               bool& jumped, TapeEvent* tape = nullptr);
  dynamics::Status status() const { return status_; }
  /// dt_s of the last event, along each direction.
  const std::vector<double>& time_directions() const { return dt_; }

 private:
  bool event_time_directions(int which, const State& state, const Tangent& rate,
                             const dynamics::Directions& dz, TapeEvent* tape);
  dynamics::Status evaluate(State& state);

  Flow& flow_;
  SwitchWatch& watch_;
  dynamics::Status status_ = dynamics::Status::kOk;
  std::vector<double> y_after_, f_after_, z_before_, z_rate_, s_, s_rate_, dt_;
  dynamics::Directions dy_, dz_, dafter_, ds_;
  std::optional<AlgebraicStates> algebraic_;
  double last_ = std::numeric_limits<double>::quiet_NaN();  ///< time of the last event
};

}  // namespace parfait::integrate
