#pragma once

#include <memory>

#include "parfait/integrate/stepping/flow.h"
#include "parfait/integrate/stepping/tape.h"

namespace parfait::integrate {

/// The transpose of a Stepper: one recorded step, from the adjoint of its end to that of its start.
///
///   load()   computes the step again, its stages each in a workspace of its own
///   state()  the continuous extension, as Stepper::state()
///   add()    adjoint of a state of the extension (before it is projected)
///   pull()   from the adjoint of y1 (zero if the step was cut) to that of y0; parameters stay in the
///            workspaces
///
/// Law  <y1-bar, W1> + sum <y-bar(t), W(t)> = <y0-bar, W0> + p-bar . dp, with the directions of the
///      Stepper, to rounding; bdf, to the tolerance.
class ReverseStepper {
 public:
  virtual ~ReverseStepper() = default;
  [[nodiscard]] virtual dynamics::Status load(const TapeStep& step, const TapePiece& piece,
                                              dynamics::ConstVec y0) = 0;
  [[nodiscard]] virtual dynamics::Status state(double t, dynamics::Vec y) = 0;
  virtual void add(double t, dynamics::ConstVec ybar) = 0;
  /// The same of algebraic states, of methods that have them.
  [[nodiscard]] virtual dynamics::Status algebraic(double, dynamics::Vec) {
    return dynamics::Status::kOk;
  }
  [[nodiscard]] virtual dynamics::Status add_algebraic(double, dynamics::ConstVec) {
    return dynamics::Status::kOk;
  }
  [[nodiscard]] virtual dynamics::Status pull(dynamics::Vec ybar) = 0;
  /// Moves the adjoints of parameters to a workspace.
  virtual void collect(dynamics::Workspace& to) = 0;
};

}  // namespace parfait::integrate
