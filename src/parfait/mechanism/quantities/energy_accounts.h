#pragma once

#include <vector>

#include "parfait/mechanism/description/description.h"
#include "parfait/mechanism/quantities/quantity.h"

namespace parfait::mechanism {

/// energy.supplied and energy.dissipated, as far as the outputs of the simulation ask for them,
/// alone or in a formula: states whose rates are the powers of these names.
std::vector<State> energy_accounts(const Description& description);

/// InputError where the derivative of a state has branches and uses power.supplied: where it
/// branches is looked for without solving for reactions.
void check_branching(const State& state, const Quantity& used);

}  // namespace parfait::mechanism
