#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "parfait/integrate/stepping/options.h"
#include "parfait/integrate/stepping/stepper.h"
#include "parfait/integrate/stepping/tape.h"

namespace parfait::integrate {

/// A switching function that passed zero.
struct Event {
  double t = 0;              ///< when
  int which = 0;             ///< index of the switching function
  std::int8_t mode = 0;      ///< its sign afterwards
  bool jumped = false;       ///< the state jumped
  std::vector<double> dt{};  ///< of t along each direction (E1 in events.md); empty: none
};

struct Result {
  Outcome outcome = Outcome::kFinished;
  dynamics::Status status = dynamics::Status::kOk;
  double t = 0;  ///< reached
  Statistics statistics;
  std::vector<Event> events;
  /// Switching functions that oscillate faster than could be followed: events may be missing.
  std::vector<std::string> unresolved;
  std::string culprit;  ///< kChattering: the switch; kTerminated: the event; kStepTooSmall: method

  bool finished() const { return outcome == Outcome::kFinished || outcome == Outcome::kTerminated; }
  /// One sentence for a person: what happened and where.
  std::string message() const;
};

/// An accepted step as the caller sees it, before the next begins.
struct AcceptedStep {
  /// y(t) for t0 <= t <= t1. Where the system has invariants the curve satisfies them only to the
  /// accuracy of the step: project what you sample.
  Stepper& curve;
  double t0 = 0;        ///< where it begins
  double t1 = 0;        ///< where the step ends: an event may lie before curve.t1()
  dynamics::Mode mode;  ///< during the step
  bool event = false;   ///< an event ends it; the state at t1 is the one before
};
/// False stops the integration.
using OnStep = std::function<bool(const AcceptedStep& step)>;

/// Solves y' = f(t, y, p), y(t0) = y0, with the method of the options.
///
///   After each accepted step the state is projected onto the invariants of the system. Steps end
///   exactly on system.time_breaks(). Switching functions are located on the continuous extension
///   to rounding; there the mode changes, the state may jump, and
///
///     W+ = (I + j_y)(W- + f- dt_s) + j_t dt_s + j_p dp - f+ dt_s,   dt_s = -(s_y W- + s_p dp) / s'
///
///   (Kraus 2006, (3.13); docs/theory/events.md).
///
/// Before  The workspace is bound to the parameters, and to their directions if W has columns; the
///         state satisfies the invariants.
/// After   `state` is where the integration stopped.
/// Cost    Nothing is allocated after the first step, events and records apart.
class Integrator {
 public:
  /// InputError if an option makes no sense or the method cannot solve such a system.
  Integrator(const dynamics::System& system, dynamics::Workspace& workspace,
             const Options& options = {});

  /// `tape` gets what the adjoint of the run needs (adjoint.h).
  Result run(State& state, double t_end, const OnStep& on_step = {}, Record* record = nullptr,
             Tape* tape = nullptr);

  /// The steps of the record again, from another state or with other directions: what `run` would
  /// compute with its step sizes and orders frozen.
  Result replay(State& state, const Record& record, const OnStep& on_step = {});

 private:
  class Progress;
  class Run;
  const dynamics::System& system_;
  dynamics::Workspace& workspace_;
  Options options_;
};

}  // namespace parfait::integrate
