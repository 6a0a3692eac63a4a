#pragma once

#include <memory>

#include "parfait/integrate/stepping/stepper.h"

namespace parfait::integrate {

/// The method of Hilber, Hughes and Taylor on the equations of mechanics with their constraints on
/// position level (index 3):
///
///   M a_1 / (1 + alpha) - F_1 + alpha / (1 + alpha) F_0 = 0,   F = f - G^T lambda
///   g(t_1, q_1) = 0
///   q_1 = q_0 + h v_0 + h^2 / 2 ((1 - 2 beta) a_0 + 2 beta a_1)
///   v_1 = v_0 + h ((1 - gamma) a_0 + gamma a_1),    gamma = 1/2 - alpha, beta = (1 - alpha)^2 / 4
///
/// for a_1 and lambda_1 by Newton's method; alpha = options.hht_alpha. Order 2, unconditionally
/// stable; motions faster than the step are damped, down to a factor of 1/2 per step at alpha =
/// -1/3. External states take the same formula. Velocities are projected after each step.
///
/// Before  flow.system().second_order() exists and all constraints are holonomic; otherwise
///         InputError.
/// Limits  Steps follow the error of positions and external states. Constraints may depend on each
///         other.
/// Cost    A sparse factorization when the step size changes or Newton's method gets slow, one per
///         step where there are directions. The sparse solver allocates; nothing else does.
/// See     docs/theory/hht.md; Negrut, Rampalli, Ottarsson, Sajdak (2007), J. Comput. Nonlinear
///         Dyn. 2, 73-85.
std::unique_ptr<Stepper> make_hht(Flow& flow, int num_directions);

}  // namespace parfait::integrate
