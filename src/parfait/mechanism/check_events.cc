#include <fmt/format.h>

#include <algorithm>

#include "parfait/mechanism/check_description.h"
#include "parfait/mechanism/check_parts.h"
#include "parfait/mechanism/element_constants.h"

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

void check_moment(const Event& event) {
  const bool has_when = event.when.is_formula();
  if (type_of(event).between_bodies) {
    const char* given = has_when          ? "when"
                        : event.is_timed  ? "at"
                        : event.direction ? "direction"
                                          : nullptr;
    if (given) fail(event.place, event, fmt::format("{} takes no \"{}\".", event.key, given));
    return;
  }
  if (has_when == event.is_timed) {
    fail(event.place, event,
         has_when ? "give \"when\" or \"at\", not both."
                  : "needs \"when\", a formula that passes zero, or \"at\", a time.");
  }
  if (event.is_timed && event.direction) {
    fail(event.place, event, "\"at\" takes no \"direction\": time only rises.");
  }
  if (is_comparison(event.when.formula)) {
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
         fmt::format("{} happens where a formula says: no <begin> or <end>.", event.key));
  }
}

void check_sets(const Description& description, const Event& event) {
  std::vector<std::string> states, parameters;
  append_ids(description.states, states);
  for (const auto& p : description.parameters) {
    parameters.push_back(parameter_name(description, p));
  }
  for (std::size_t i = 0; i < event.sets.size(); ++i) {
    const Assignment& set = event.sets[i];
    const auto& names = set.to_parameter ? parameters : states;
    const char* kind = set.to_parameter ? "parameter" : "state";
    if (std::find(names.begin(), names.end(), set.target) == names.end()) {
      fail(set.place, event,
           fmt::format("\"{}\" is not a {}.{}", set.target, kind,
                       base::suggestion(set.target, names)));
    }
    const auto before = event.sets.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(event.sets.begin(), before,
                    [&](const Assignment& other) { return other.target == set.target; })) {
      fail(set.place, event, fmt::format("sets \"{}\" twice.", set.target));
    }
  }
}

}  // namespace

void check_events(const Description& description) {
  for (const auto& event : description.events) {
    check_moment(event);
    check_markers(event);
    check_sets(description, event);
  }
}

}  // namespace parfait::mechanism
