#pragma once

#include <memory>

#include "parfait/integrate/stepping/reverse_stepper.h"

namespace parfait::integrate {

/// The transpose of hht.h (docs/theory/adjoint.md, A6). All steps between two restarts are computed
/// again together, because what a step begins with is more than its state; their solutions are
/// kept.
///
/// InputError if these do not fit into the memory of the tape.
std::unique_ptr<ReverseStepper> make_hht_reverse(const dynamics::System& system,
                                                 const dynamics::Workspace& workspace,
                                                 const Options& options, const Tape& tape);

}  // namespace parfait::integrate
