#pragma once

#include <memory>

#include "parfait/integrate/stepping/stepper.h"

namespace parfait::integrate {

/// Backward differentiation formulas of order 1 to 5 with variable steps, by SUNDIALS:
///
///   y' = f(t, y)                       CVODES
///   y' = f(t, y, z), 0 = h(t, y, z)    IDAS, where dh/dz is regular (index 1)
///
/// The Newton matrices are built from the exact directional derivatives of the system. The state is
/// projected onto the invariants inside each step, before its error is tested.
///
/// Directions  The sensitivity equations are solved beside the state, with its formulas and Newton
///             matrices, each corrector iterated to its own tolerance. W is the derivative of the
///             solution to the tolerance, not that of the numbers computed: unlike the other
///             methods, bdf does not differentiate itself.
/// Repetition  repeat() ends where the recorded step ended but takes the steps there that the
///             tolerance asks for: the accuracy is that of the record, the bits are not.
/// Restarts    start() finds z with h(t, y, z) = 0 from the z given, and begins with order 1.
/// See         docs/theory/bdf.md.
///
/// InputError if the system has algebraic states and invariants at once.
std::unique_ptr<Stepper> make_bdf(Flow& flow, int num_directions);

}  // namespace parfait::integrate
