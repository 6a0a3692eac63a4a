#pragma once

#include <memory>

#include "parfait/integrate/stepping/reverse_stepper.h"

namespace parfait::integrate {

/// The transpose of RungeKutta, stage by stage (docs/theory/adjoint.md, A1). One evaluation and one
/// pull-back per stage; `workspace` is bound to the parameters and only copied.
std::unique_ptr<ReverseStepper> make_dop853_reverse(const dynamics::System& system,
                                                    const dynamics::Workspace& workspace,
                                                    const Options& options);
std::unique_ptr<ReverseStepper> make_dopri5_reverse(const dynamics::System& system,
                                                    const dynamics::Workspace& workspace,
                                                    const Options& options);

}  // namespace parfait::integrate
