#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "parfait/dynamics/formula_data.h"

namespace parfait::dynamics {
namespace {

using base::InputError;
using base::Place;

class IdCheck {
 public:
  void add(const char* kind, const std::string& id, const Place& place) {
    const std::string label = element_label(kind, id);
    if (!base::is_identifier(id)) {
      throw InputError(place, fmt::format("{}: an id is made of letters, digits and _, and does "
                                          "not begin with a digit.",
                                          label));
    }
    const auto [first, is_new] = places_.try_emplace(id, place);
    if (is_new) return;
    const int line = first->second.line;
    throw InputError(place, fmt::format("{}: the id is already used{}.", label,
                                        line > 0 ? fmt::format(" in line {}", line) : ""));
  }

  /// An id that formulas use must not mean something else there.
  void add_name(const char* kind, const std::string& id, const Place& place) {
    add(kind, id, place);
    std::vector<std::string> taken = expr::function_names();
    taken.insert(taken.end(), {"t", "pi", "and", "or", "not"});
    if (std::find(taken.begin(), taken.end(), id) == taken.end()) return;
    throw InputError(place, fmt::format("{}: in formulas this name already has a meaning.",
                                        element_label(kind, id)));
  }

 private:
  std::map<std::string, Place> places_;
};

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

void check_parameter(const FormulaModel::Parameter& parameter) {
  const auto fail = [&](const std::string& what) {
    throw InputError(parameter.place,
                     fmt::format("{}: {}", element_label("parameter", parameter.id), what));
  };
  const double initial = parameter.initial, lower = parameter.lower, upper = parameter.upper;
  if (!std::isfinite(initial)) fail(fmt::format("initial = {}: must be finite.", initial));
  if (std::isnan(lower) || std::isnan(upper)) fail("a bound is not a number.");
  if (lower > upper) fail(fmt::format("lower = {} is above upper = {}.", lower, upper));
  if (initial < lower || initial > upper) {
    fail(fmt::format("initial = {} is outside its bounds [{}, {}].", initial, lower, upper));
  }
  if (parameter.scale && !(*parameter.scale > 0 && std::isfinite(*parameter.scale))) {
    fail(fmt::format("scale = {}: must be > 0.", *parameter.scale));
  }
}

void check_simulation(const FormulaModel::Simulation& simulation) {
  const auto check_positive = [&](const std::optional<double>& number, const char* name) {
    if (!number || *number > 0) return;
    throw InputError(simulation.place,
                     fmt::format("simulation: {} = {}: must be > 0.", name, *number));
  };
  check_positive(simulation.until, "until");
  check_positive(simulation.rtol, "rtol");
  check_positive(simulation.atol, "atol");
  check_positive(simulation.step, "step");
}

void check_event(const FormulaModel::Event& event) {
  const std::string label = event.id.empty() ? "event" : element_label("event", event.id);
  if (event.when.empty() && event.at.empty()) {
    throw InputError(event.place, label +
                                      ": needs \"when\", a formula that passes zero, or "
                                      "\"at\", a time.");
  }
  if (!event.when.empty() && !event.at.empty()) {
    throw InputError(event.place, label + ": give \"when\" or \"at\", not both.");
  }
  if (event.direction == SwitchInfo::Jump::kNever) {
    throw InputError(event.place, label + ": direction: must be falling, rising or both.");
  }
}

}  // namespace

std::string element_label(const char* kind, const std::string& id) {
  return fmt::format("{} \"{}\"", kind, id);
}

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
  for (const auto& event : model.events) check_event(event);
  check_simulation(model.simulation);
}

}  // namespace parfait::dynamics
