#include "parfait/mechanism/checks/check_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "parfait/mechanism/checks/check_parts.h"
#include "parfait/mechanism/constants/element_constants.h"

namespace parfait::mechanism {
namespace {

dynamics::IdCheck model_ids() {
  return dynamics::IdCheck(
      {{kInertial, "the ground"}, {"energy", "quantities such as energy.total"}},
      {"length", "angle", "rate"});
}

void check_marker_ids(const Body& body) {
  auto ids = model_ids();
  for (const auto& marker : body.markers) {
    const Place& place = place_or(marker.place, body.place);
    for (const char* implicit : {"com", "origin", "e1", "e2", "e3"}) {
      if (marker.id != implicit) continue;
      throw base::InputError(
          place,
          fmt::format("{}: marker \"{}\": every body has a marker of this name; choose another id.",
                      element_label("body", body.id), marker.id));
    }
    ids.add("marker", marker.id, place);
  }
}

}  // namespace

void check_ids(const Description& description) {
  auto ids = model_ids();
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
  dynamics::check_simulation(description.simulation);
  check_constants(description);
  check_motions(description);
  check_parameters(description);
  check_events(description);
  const auto used = check_formulas(description);
  const StartNumbers numbers(description);
  std::vector<std::string> warnings = description.left_out;
  check_bodies(description, numbers, warnings);
  check_connections(description, numbers);

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
