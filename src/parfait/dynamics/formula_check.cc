#include <fmt/format.h>

#include "parfait/dynamics/check_vocabulary.h"
#include "parfait/dynamics/formula_data.h"

namespace parfait::dynamics {
namespace {

using base::InputError;
using base::Place;

void check_ids(const FormulaModel& model) {
  IdCheck ids;
  for (const auto& state : model.states) ids.add_name("state", state.id, state.place);
  for (const auto& z : model.algebraics) ids.add_name("algebraic", z.id, z.place);
  for (const auto& p : model.parameters) ids.add_name("parameter", p.id, p.place);
  for (const auto& input : model.inputs) ids.add_name("input", input.id, input.place);
  for (const auto& define : model.definitions) ids.add_name("define", define.id, define.place);
  for (const auto& event : model.events) {
    if (!event.id.empty()) ids.add("event", event.id, event.place);
  }
}

void check_parameter(const Parameter& parameter) {
  const std::string label = element_label("parameter", parameter.id);
  if (!parameter.initial) throw InputError(parameter.place, label + ": needs an initial value.");
  check_bounds(parameter, label);
  check_start(parameter, *parameter.initial, label);
}

void check_events(const FormulaModel& model) {
  std::vector<std::string> states, parameters;
  for (const auto& state : model.states) states.push_back(state.id);
  for (const auto& p : model.parameters) parameters.push_back(p.id);
  for (const auto& event : model.events) {
    const std::string label = event.id.empty() ? "event" : element_label("event", event.id);
    check_moment(event, label);
    check_assignments(event, label, states, parameters);
  }
}

}  // namespace

void check_structure(const FormulaModel& model) {
  if (model.states.empty()) throw InputError({model.file}, "the model has no state.");
  check_ids(model);
  for (const auto& state : model.states) {
    if (state.initial.empty()) {
      throw InputError(state.place, element_label("state", state.id) + ": needs an initial value.");
    }
    if (state.derivative.empty()) {
      throw InputError(state.place, element_label("state", state.id) + ": needs a derivative.");
    }
  }
  if (model.equations.size() != model.algebraics.size()) {
    const Place place = !model.equations.empty()    ? model.equations.back().place
                        : !model.algebraics.empty() ? model.algebraics.back().place
                                                    : Place{model.file};
    throw InputError(
        place, fmt::format("the model has {} algebraic state{} and {} equation{}; there must be as "
                           "many of both.",
                           model.algebraics.size(), model.algebraics.size() == 1 ? "" : "s",
                           model.equations.size(), model.equations.size() == 1 ? "" : "s"));
  }
  for (const auto& parameter : model.parameters) check_parameter(parameter);
  check_events(model);
  check_simulation(model.simulation);
}

}  // namespace parfait::dynamics
