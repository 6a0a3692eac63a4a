#pragma once

#include <memory>

#include "parfait/integrate/stepping/reverse_stepper.h"

namespace parfait::integrate {

/// The transpose of Adams: predictor, corrector, projection and the update of the differences, with
/// the orders and steps of the tape (docs/theory/adjoint.md, A5). Two evaluations and two
/// pull-backs per step.
///
/// A step sees the whole past since the last restart, so the steps between two restarts are
/// computed again together: of each the differences are kept, some 16 states. InputError if that
/// does not fit into the memory of the tape.
std::unique_ptr<ReverseStepper> make_adams_reverse(const dynamics::System& system,
                                                   const dynamics::Workspace& workspace,
                                                   const Options& options, const Tape& tape);

}  // namespace parfait::integrate
