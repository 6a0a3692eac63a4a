#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "parfait/integrate/stepping/options.h"
#include "parfait/integrate/stepping/reverse_stepper.h"
#include "parfait/integrate/stepping/tape.h"

namespace parfait::integrate {

/// Whether the adjoint of a method is the transpose of what it did, exact to rounding; that of bdf
/// is as accurate as its tolerance.
bool has_exact_adjoint(Method method);

/// A step of a run, in the reverse. The latest comes first.
struct ReverseStep {
  ReverseStepper& curve;  ///< its state(t) is that of the run; add(t, .) before it is projected
  double t0 = 0;
  double end = 0;                ///< where the run left it
  const TapePiece& piece;        ///< mode during the step
  dynamics::ConstVec end_bar{};  ///< adjoint of the state at `end`, before an event there
};
/// Adds the adjoints of what was taken from the step.
using OnReverseStep = std::function<void(const ReverseStep& step)>;

/// The discrete adjoint of Integrator::run(): the transpose of what the integrator did, step for
/// step, with projections, continuous extension, events and jumps (docs/theory/adjoint.md, A1-A3).
///
///   <ybar(end), W(end)> + sum over what was added = <ybar(start), W(start)> + pbar . dp
///
/// for the directions W of the same run, to rounding: events included, whose times move as (E1)
/// says. bdf is the exception (make_bdf_reverse): its adjoint is that of the solution, to the
/// tolerance.
///
/// Cost  per step one evaluation and one pull-back for each stage; with checkpoints (Tape) every
///       step is taken once more.
class Adjoint {
 public:
  /// `workspace` is bound to the parameters of the run; it is copied. InputError if the tape has
  /// not enough memory, or if a model with algebraic states had events.
  Adjoint(const dynamics::System& system, const dynamics::Workspace& workspace,
          const Options& options, const Tape& tape);
  ~Adjoint();

  /// From the adjoint of the state where the run ended to that of where it began; in place.
  [[nodiscard]] dynamics::Status run(dynamics::Vec ybar, const OnReverseStep& on_step = {});

  /// A workspace whose adjoints of parameters count, too: for samples and starts.
  dynamics::Workspace& workspace() { return *own_; }
  /// The gradient of all that run() and workspace() have seen: np numbers, added.
  void add_parameter_gradient(dynamics::Vec gradient);

 private:
  dynamics::Status pull_step(int index, dynamics::ConstVec y0, dynamics::Vec ybar,
                             const OnReverseStep& on_step);
  dynamics::Status pull_event(const TapeEvent& event, dynamics::Vec ybar);
  dynamics::Status replay(int first, int last);

  const dynamics::System& system_;
  Options options_;
  const Tape& tape_;
  std::unique_ptr<dynamics::Workspace> own_, replayed_;
  std::unique_ptr<ReverseStepper> stepper_;
  std::vector<std::vector<double>> between_;  ///< states between two checkpoints
  std::vector<double> y_, y_bar_, s_;
  double carried_ = 0;  ///< adjoint of the time of an event that others followed
};

}  // namespace parfait::integrate
