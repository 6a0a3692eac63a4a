#include <fmt/format.h>

#include "parfait/mechanism/checks/check_description.h"
#include "parfait/mechanism/checks/check_parts.h"
#include "parfait/mechanism/constants/element_constants.h"

namespace parfait::mechanism {
namespace {

[[noreturn]] void fail(const Place& place, const Event& event, const std::string& message) {
  throw base::InputError(place_or(place, event.place),
                         element_label("event", event.id) + ": " + message);
}

/// "x > 1" is 0 or 1 and never passes zero, though somebody may well write it.
bool is_comparison(const std::string& formula) {
  return formula.find_first_of("<>=") != std::string::npos &&
         formula.find('?') == std::string::npos && formula.find("if") == std::string::npos;
}

void check_when(const Event& event) {
  if (type_of(event).between_bodies) {
    const char* given = !event.when.empty() ? "when"
                        : event.is_timed()  ? "at"
                        : event.direction   ? "direction"
                                            : nullptr;
    if (given) {
      fail(event.place, event,
           fmt::format("{} cannot have \"{}\": it happens where the bodies touch.", event.key,
                       given));
    }
    return;
  }
  dynamics::check_moment(event, element_label("event", event.id));
  if (is_comparison(event.when.text)) {
    fail(event.when.place, event,
         "\"when\" is a comparison; write what passes zero, for example \"x - 1\" for \"x > 1\".");
  }
}

void check_markers(const Event& event) {
  if (type_of(event).between_bodies) {
    if (event.begin && event.end) return;
    fail(event.place, event,
         fmt::format("{} happens between two bodies: <{}> is missing.", event.key,
                     event.begin ? "end" : "begin"));
  }
  if (event.begin || event.end) {
    const Marker& marker = event.begin ? *event.begin : *event.end;
    fail(marker.place, event,
         fmt::format("{} does not act between bodies; remove <begin> and <end>.", event.key));
  }
}

}  // namespace

void check_events(const Description& description) {
  std::vector<std::string> states, parameters;
  append_ids(description.states, states);
  for (const auto& p : description.parameters) {
    parameters.push_back(parameter_name(description, p));
  }
  for (const auto& event : description.events) {
    check_when(event);
    check_markers(event);
    dynamics::check_assignments(event, element_label("event", event.id), states, parameters);
  }
}

}  // namespace parfait::mechanism
