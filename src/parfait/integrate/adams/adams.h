#pragma once

#include <memory>

#include "parfait/integrate/stepping/stepper.h"

namespace parfait::integrate {

/// Adams-Bashforth-Moulton steps of variable order and size (abm): predict with order k, evaluate,
/// correct with order k + 1, project, evaluate.
///
///   p  = y0 + integral over [t0, t1] of the polynomial through the last k values of f
///   y1 = projection of  y0 + integral of the polynomial through these and f(t1, p)
///
/// Two evaluations per step whatever the order, so that it needs the fewest where the solution is
/// smooth, accuracy is wanted and nothing interrupts: after an event the past is gone and the order
/// begins at 1.
///
/// The continuous extension is the integral up to t of the second polynomial, plus a cubic that
/// gives it the slope f(t1, y1) at the end: it is continuously differentiable across steps, as far
/// as the projection lets it, and costs no evaluation.
///
/// A recorded order that the past cannot carry (a repetition that met other events) is lowered.
///
/// See docs/theory/adams.md.
std::unique_ptr<Stepper> make_adams(Flow& flow, int num_directions);

}  // namespace parfait::integrate
