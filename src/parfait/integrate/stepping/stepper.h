#pragma once

#include <cstdint>
#include <memory>

#include "parfait/dynamics/system.h"
#include "parfait/integrate/stepping/flow.h"
#include "parfait/integrate/stepping/state.h"

namespace parfait::integrate {

/// How an attempt to step ended.
enum class Outcome : std::uint8_t {
  kFinished,
  kInterrupted,   ///< the caller asked to stop
  kStepTooSmall,  ///< the tolerance cannot be met: a singularity, or a stiff problem
  kTooManySteps,
  kSystemFailed,  ///< no step, however small, could be evaluated or projected
  kNewtonFailed,  ///< the equations of an implicit step could not be solved
  kChattering,    ///< switching functions pass zero again and again without progress
  kTerminated,    ///< a terminal event: not a failure
};
const char* text(Outcome outcome);  ///< "finished", "interrupted", "step_too_small", ...

/// One method that advances an initial value problem step by step, with the directions W along.
///
///   y(t) on [t0(), t1()] is the step's continuous extension; y1(), W1() is where the next step
///   starts: the end of the extension, projected onto the invariants.
///
/// Internal differentiation: W is the derivative of exactly what the method computes, with the step
/// sizes, orders and iteration matrices held fixed. A method applies its own formulas, stage by
/// stage, to the directions, right after each evaluation of the right-hand side. The exception is
/// bdf, whose W is the derivative of the solution to the tolerance.
///
/// Laws (checked for every method)
///   state(t0) is the start; state(t1), projected, is y1; directions(t) is the derivative of
///   state(t) and W1 of y1 along repeat() with the same recorded steps; rate(t) is the time
///   derivative of state(t).
class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Begins at `state`, forgetting the past except a good step size. The flow's mode and latest
  /// time are set. Fails only if the right-hand side cannot be evaluated.
  virtual dynamics::Status start(const State& state) = 0;

  /// Takes one step, as long as the tolerances allow but not beyond `limit`; steps that would end
  /// close before it end exactly there. kFinished: a step was accepted.
  virtual Outcome step(double limit) = 0;
  /// Takes the step of a record, whatever its error.
  virtual Outcome repeat(const RecordedStep& step) = 0;

  /// Why the last step failed, for kSystemFailed.
  dynamics::Status status() const { return status_; }

  double t0() const { return t0_; }
  double t1() const { return t1_; }
  /// The step, so that repeat() can take it again.
  RecordedStep recorded() const { return {.t1 = t1_, .order = order(), .t0 = t0_}; }
  /// Of the step, for multistep methods.
  virtual int order() const { return 0; }
  virtual dynamics::ConstVec y1() const = 0;
  virtual const dynamics::Directions& W1() const = 0;
  virtual dynamics::ConstVec z1() const { return {}; }

  /// The continuous extension; may evaluate the right-hand side once per step.
  virtual dynamics::Status state(double t, dynamics::Vec y) = 0;
  virtual dynamics::Status rate(double t, dynamics::Vec dydt) = 0;
  virtual dynamics::Status directions(double t, dynamics::Directions& W) = 0;
  /// Algebraic states, their rates and their directions, of methods that have them.
  virtual dynamics::Status algebraic(double, dynamics::Vec) { return dynamics::Status::kOk; }
  virtual dynamics::Status algebraic_rate(double, dynamics::Vec) { return dynamics::Status::kOk; }
  virtual dynamics::Status algebraic_directions(double, dynamics::Directions&) {
    return dynamics::Status::kOk;
  }

 protected:
  double t0_ = 0;
  double t1_ = 0;
  dynamics::Status status_ = dynamics::Status::kOk;
};

/// The method of flow.options(). InputError if the system is not of its kind. The flow must outlive
/// it.
std::unique_ptr<Stepper> make_stepper(Flow& flow, int num_directions);

}  // namespace parfait::integrate
