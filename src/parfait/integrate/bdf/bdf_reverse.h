#pragma once

#include "parfait/integrate/stepping/reverse_stepper.h"

namespace parfait::integrate {

/// The adjoint of a run by bdf: not the transpose of what the method did but the adjoint
/// differential equations (docs/theory/adjoint.md, A7), integrated backward with bdf and the
/// tolerances of the run, from one sample or event to the next.
///
/// Accuracy  of the tolerance, as the directions of bdf are.
/// Memory    the polynomials of all steps between two restarts.
std::unique_ptr<ReverseStepper> make_bdf_reverse(const dynamics::System& system,
                                                 const dynamics::Workspace& workspace,
                                                 const Options& options, const Tape& tape);

}  // namespace parfait::integrate
