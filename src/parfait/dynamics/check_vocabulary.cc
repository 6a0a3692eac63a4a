#include "parfait/dynamics/check_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/expr/formula.h"

namespace parfait::dynamics {
namespace vocabulary {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// `"chage" is not a state. Did you mean "charge"? States: charge.`
std::string unknown_target(const Assignment& set, const std::vector<std::string>& states,
                           const std::vector<std::string>& parameters) {
  using To = Assignment::To;
  std::vector<std::string> known;
  if (set.to != To::kParameter) known = states;
  if (set.to != To::kState) known.insert(known.end(), parameters.begin(), parameters.end());
  const auto [what, all] = set.to == To::kState       ? std::pair("not a state", "States")
                           : set.to == To::kParameter ? std::pair("not a parameter", "Parameters")
                                                      : std::pair("neither a state nor a parameter",
                                                                  "States and parameters");
  return fmt::format("\"{}\" is {}.{} {}: {}.", set.target, what,
                     base::suggestion(set.target, known), all,
                     known.empty() ? "there are none" : base::listing(known));
}

}  // namespace
}  // namespace vocabulary

using base::InputError;
using base::Place;

std::string element_label(const char* kind, const std::string& id) {
  return fmt::format("{} \"{}\"", kind, id);
}

const Place& place_or(const Place& place, const Place& around) {
  return place.line > 0 || !place.file.empty() ? place : around;
}

IdCheck::IdCheck(std::map<std::string, std::string> reserved, std::vector<std::string> meanings)
    : reserved_(std::move(reserved)), meanings_(std::move(meanings)) {
  const auto functions = expr::function_names();
  meanings_.insert(meanings_.end(), functions.begin(), functions.end());
  meanings_.insert(meanings_.end(), {"t", "pi", "and", "or", "not"});
}

void IdCheck::add(const char* kind, const std::string& id, const Place& place) {
  const std::string label = element_label(kind, id);
  if (!base::is_identifier(id)) {
    throw InputError(place, fmt::format("{}: an id is made of letters, digits and _, and does "
                                        "not begin with a digit.",
                                        label));
  }
  if (const auto it = reserved_.find(id); it != reserved_.end()) {
    throw InputError(place, fmt::format("{}: this id is reserved for {}.", label, it->second));
  }
  const auto [first, is_new] = places_.try_emplace(id, place);
  if (is_new) return;
  const int line = first->second.line;
  throw InputError(place, fmt::format("{}: the id is already used{}.", label,
                                      line > 0 ? fmt::format(" in line {}", line) : ""));
}

void IdCheck::add_name(const char* kind, const std::string& id, const Place& place) {
  add(kind, id, place);
  if (!vocabulary::contains(meanings_, id)) return;
  throw InputError(place, fmt::format("{}: this name is reserved in formulas; choose another id.",
                                      element_label(kind, id)));
}

void check_bounds(const Parameter& parameter, const std::string& label) {
  const auto fail = [&](const std::string& what) {
    throw InputError(parameter.place, label + ": " + what);
  };
  if (std::isnan(parameter.lower) || std::isnan(parameter.upper)) fail("a bound is not a number.");
  if (parameter.lower > parameter.upper) {
    fail(fmt::format("lower = {} is above upper = {}.", parameter.lower, parameter.upper));
  }
  if (parameter.scale && !(*parameter.scale > 0 && std::isfinite(*parameter.scale))) {
    fail(fmt::format("scale = {}: must be > 0.", *parameter.scale));
  }
}

void check_start(const Parameter& parameter, double start, const std::string& label) {
  const char* what = parameter.initial ? "initial =" : "its start value";
  if (!std::isfinite(start)) {
    throw InputError(parameter.place,
                     fmt::format("{}: {} {}: must be finite.", label, what, start));
  }
  if (start >= parameter.lower && start <= parameter.upper) return;
  throw InputError(parameter.place, fmt::format("{}: {} {} is outside its bounds [{}, {}].", label,
                                                what, start, parameter.lower, parameter.upper));
}

void check_moment(const Event& event, const std::string& label) {
  if (event.when.empty() == event.at.empty()) {
    throw InputError(event.place, label + (event.at.empty() ? ": needs \"when\", a formula that "
                                                              "passes zero, or \"at\", a time."
                                                            : ": give \"when\" or \"at\", not "
                                                              "both."));
  }
  if (event.direction && event.is_timed()) {
    throw InputError(place_or(event.direction_place, event.place),
                     label + ": \"at\" takes no \"direction\": time only rises.");
  }
  if (event.direction == Passage::kNever) {
    throw InputError(event.place, label + ": direction: must be falling, rising or both.");
  }
}

void check_assignments(const Event& event, const std::string& label,
                       const std::vector<std::string>& states,
                       const std::vector<std::string>& parameters) {
  using To = Assignment::To;
  for (auto set = event.sets.begin(); set != event.sets.end(); ++set) {
    const Place& place = place_or(set->place, event.place);
    const bool known = (set->to != To::kParameter && vocabulary::contains(states, set->target)) ||
                       (set->to != To::kState && vocabulary::contains(parameters, set->target));
    if (!known) {
      throw InputError(place, label + ": " + vocabulary::unknown_target(*set, states, parameters));
    }
    if (std::any_of(event.sets.begin(), set,
                    [&](const Assignment& other) { return other.target == set->target; })) {
      throw InputError(place, fmt::format("{}: sets \"{}\" twice.", label, set->target));
    }
  }
}

void check_simulation(const Simulation& simulation) {
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

}  // namespace parfait::dynamics
