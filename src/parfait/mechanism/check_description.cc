#include "parfait/mechanism/check_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "parfait/mechanism/check_parts.h"
#include "parfait/mechanism/element_constants.h"

namespace parfait::mechanism {
namespace {

class IdCheck {
 public:
  void add(const char* kind, const std::string& id, const Place& place) {
    const std::string label = element_label(kind, id);
    if (!base::is_identifier(id)) {
      throw base::InputError(place,
                             fmt::format("{}: an id is made of letters, digits and _, and does "
                                         "not begin with a digit.",
                                         label));
    }
    if (id == kInertial) {
      throw base::InputError(place, fmt::format("{}: this id is reserved for the ground.", label));
    }
    if (id == "energy") {
      throw base::InputError(
          place,
          fmt::format("{}: this id is reserved for quantities such as energy.total.", label));
    }
    const auto [first, is_new] = places_.try_emplace(id, place);
    if (!is_new) {
      throw base::InputError(
          place, fmt::format(
                     "{}: the id is already used{}.", label,
                     first->second.line > 0 ? fmt::format(" in line {}", first->second.line) : ""));
    }
  }

  /// An id that formulas use on its own must not mean something else there.
  void add_name(const char* kind, const std::string& id, const Place& place) {
    add(kind, id, place);
    std::vector<std::string> taken = expr::function_names();
    taken.insert(taken.end(), {"t", "pi", "length", "angle", "rate", "and", "or", "not"});
    if (std::find(taken.begin(), taken.end(), id) != taken.end()) {
      throw base::InputError(place, fmt::format("{}: in formulas this name already has a meaning.",
                                                element_label(kind, id)));
    }
  }

 private:
  std::map<std::string, Place> places_;
};

void check_marker_ids(const Body& body) {
  IdCheck ids;
  for (const auto& marker : body.markers) {
    const Place& place = place_or(marker.place, body.place);
    for (const char* implicit : {"com", "origin", "e1", "e2", "e3"}) {
      if (marker.id != implicit) continue;
      throw base::InputError(place,
                             fmt::format("{}: marker \"{}\": every body has this one already.",
                                         element_label("body", body.id), marker.id));
    }
    ids.add("marker", marker.id, place);
  }
}

void check_positive(const std::optional<double>& number, const char* name, const Place& place) {
  if (number && !(*number > 0)) {
    throw base::InputError(place, fmt::format("simulation: {} = {}: must be > 0.", name, *number));
  }
}

void check_simulation(const Simulation& simulation) {
  check_positive(simulation.until, "until", simulation.place);
  check_positive(simulation.rtol, "rtol", simulation.place);
  check_positive(simulation.atol, "atol", simulation.place);
  check_positive(simulation.step, "step", simulation.place);
}

}  // namespace

void check_ids(const Description& description) {
  IdCheck ids;
  for (const auto& body : description.bodies) {
    ids.add("body", body.id, body.place);
    check_marker_ids(body);
  }
  for (const auto& joint : description.joints) ids.add("joint", joint.id, joint.place);
  for (const auto& constraint : description.constraints) {
    ids.add("constraint", constraint.id, constraint.place);
  }
  for (const auto& force : description.forces) ids.add("force", force.id, force.place);
  for (const auto& event : description.events) ids.add("event", event.id, event.place);
  for (const auto& state : description.states) ids.add_name("state", state.id, state.place);
  for (const auto& input : description.inputs) ids.add_name("input", input.id, input.place);
  for (const auto& parameter : description.parameters) {
    if (!parameter.id.empty()) ids.add_name("parameter", parameter.id, parameter.place);
  }
}

std::vector<std::string> check(const Description& description) {
  if (description.bodies.empty()) {
    throw base::InputError({description.file}, "the model has no body.");
  }
  check_ids(description);
  check_initial_frames(description);
  check_simulation(description.simulation);
  check_constants(description);
  check_parameters(description);
  check_events(description);
  const auto used = check_formulas(description);
  const StartNumbers numbers(description);
  check_bodies(description, numbers);
  check_connections(description, numbers);

  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < description.parameters.size(); ++i) {
    const auto& parameter = description.parameters[i];
    if (used[i] || !parameter.targets.empty()) continue;
    const std::string place = parameter.place.text();
    warnings.push_back(fmt::format("{}parameter \"{}\" drives no constant and no formula uses it.",
                                   place.empty() ? "" : place + ": ", parameter.id));
  }
  return warnings;
}

}  // namespace parfait::mechanism
