#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parfait/dynamics/formula_model.h"
#include "parfait/dynamics/system.h"

namespace parfait::dynamics {

/// The System of a formula model. InputError, with the place, if the model is wrong.
///
/// State       y = e: the states in their order, then the parameters that events set, in the order
///             of the parameters. Such a parameter is a state with the derivative 0 that begins at
///             the parameter; formulas (all but initial values) that name it mean the state.
/// Switches    The branches of every formula that the right-hand side or an event needs,
///             definitions first, then derivatives, equations, events; then one for each event.
///             Branches of other formulas (outputs, sets) are decided by their values.
/// Quantities  t, states, `<state>.rate`, algebraic states, parameters, inputs, definitions, and
///             formulas of these.
/// Invariants  None: project() leaves the state as it is.
/// Cost        Per evaluation one sweep over each formula and each definition needed; for
///             directions one gradient each, then a multiply-add per direction and name used.
///             Nothing is allocated after make_workspace(), the first use of an observer apart.
/// See         docs/theory/formula_models.md.
std::unique_ptr<System> make_formula_system(const FormulaModel& model);

/// Checks without keeping the system. Returns warnings: what is given but not used.
std::vector<std::string> check(const FormulaModel& model);

}  // namespace parfait::dynamics
