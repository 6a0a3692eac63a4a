#include "parfait/mechanism/quantities/energy_accounts.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/mechanism/constants/element_constants.h"

namespace parfait::mechanism {

std::vector<State> energy_accounts(const Description& d) {
  const auto is_output = [&](const std::string& name) {
    return std::ranges::any_of(d.simulation.outputs, [&](const auto& output) {
      return output.text.find(name) != std::string::npos;
    });
  };
  std::vector<State> out;
  out.reserve(2);
  for (const char* what : {"supplied", "dissipated"}) {
    State state;
    state.id = std::string("energy.") + what;
    state.derivative.formula = std::string("power.") + what;
    if (is_output(state.id)) out.push_back(state);
  }
  return out;
}

void check_branching(const State& state, const Quantity& used) {
  if (!used.needs_reactions_only()) return;
  throw base::InputError(state.derivative.place,
                         fmt::format("{}: power.supplied needs the reactions, which are not "
                                     "known where this formula branches.",
                                     element_label("state", state.id)));
}

}  // namespace parfait::mechanism
