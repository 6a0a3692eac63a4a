#include "parfait/estimate/shooting/observation_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "parfait/estimate/shooting/row_builder.h"
#include "parfait/estimate/shooting/trajectory.h"

// <observe column="second" event="bounce" occurrence="2"/>: the time at which an event of the model
// happens. Occurrences count over all intervals, passages that do not fire (against the event's
// direction) left out. With s the switching function,
//
//   dt = -(s_y W + s_z dz + s_p dp) / s',      s' = s_t + s_y y' + s_z z'
//
// along any direction of the node and the parameters (docs/theory/events.md), which the integrator
// gives with each event.
namespace parfait::estimate {
namespace event_observation {
namespace {

constexpr const char* kKey = "event";
constexpr const char* kOccurrence = "occurrence";

class EventTime final : public Observable {
 public:
  EventTime(std::string event, int which, int occurrence)
      : event_(std::move(event)), which_(which), occurrence_(occurrence) {}

  double value(const Trajectory& at) const override {
    int left = occurrence_;
    for (const auto& interval : at.intervals) {
      for (const auto& event : interval.events) {
        if (counts(event) && --left == 0) return event.t;
      }
    }
    return std::nan("");
  }

  std::string missing(const Trajectory& at) const override {
    int found = 0;
    for (const auto& interval : at.intervals) {
      found += static_cast<int>(
          std::ranges::count_if(interval.events, [&](const auto& event) { return counts(event); }));
    }
    if (found >= occurrence_) return "";
    return fmt::format("event \"{}\" happens {} time{}, but occurrence {} was measured", event_,
                       found, found == 1 ? "" : "s", occurrence_);
  }

  void add_derivative(const Trajectory&, const Condensed& condensed, double weight,
                      RowDerivative& row) const override {
    const auto at = find(condensed);
    if (!at) return;
    const CondensedNode& node = condensed.nodes[at->node];
    row.by_w += weight * node.watched_by_w.back().row(at->index);
    row.by_theta += weight * node.watched_by_theta.back().row(at->index);
  }

  double shift(const Trajectory&, const Condensed& condensed) const override {
    const auto at = find(condensed);
    return at ? condensed.nodes[at->node].watched_shift.back()[at->index] : 0;
  }

 private:
  struct At {
    int node, index;
  };
  bool counts(const integrate::Event& event) const { return event.which == which_ && event.jumped; }
  /// Where it was when the trajectory was linearized.
  std::optional<At> find(const Condensed& condensed) const {
    int left = occurrence_;
    for (std::size_t i = 0; i < condensed.nodes.size(); ++i) {
      const auto& events = condensed.nodes[i].events;
      for (std::size_t k = 0; k < events.size(); ++k) {
        if (counts(events[k]) && --left == 0) {
          return At{.node = static_cast<int>(i), .index = static_cast<int>(k)};
        }
      }
    }
    return {};
  }

  std::string event_;
  int which_;  ///< switching function
  int occurrence_;
};

/// A number that is written as a whole one; none: it is not.
std::optional<int> whole_number(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

int occurrence_of(const Observation& observation) {
  const Setting* setting = observation.find(kOccurrence);
  return setting == nullptr ? 1 : whole_number(setting->text).value_or(1);
}

/// The events of a model that have an id, by the index of their switching functions; the others
/// are kinks of formulas and forces, at which nothing happens by itself.
int find_event(const std::vector<dynamics::SwitchInfo>& infos, const std::string& id) {
  const auto at = std::ranges::find_if(infos, [&](const dynamics::SwitchInfo& info) {
    return info.name == id && info.jump != dynamics::SwitchInfo::Jump::kNever;
  });
  return at == infos.end() ? -1 : static_cast<int>(at - infos.begin());
}

class EventObservation final : public ObservationKind {
 public:
  std::string key() const override { return kKey; }
  std::vector<std::string> attributes() const override { return {kOccurrence}; }
  bool is_at_row_time() const override { return false; }
  double time_of(const Measurement& measurement) const override { return measurement.value; }

  void check(const Observation& observation, const ExperimentDescription& experiment,
             const std::vector<std::string>&, const Subject& subject) const override {
    check_event(observation, *experiment.system, subject);
    if (const Setting* setting = observation.find(kOccurrence)) {
      const auto number = whole_number(setting->text);
      if (!number || *number < 1) {
        subject.fail_at(setting->place, fmt::format("occurrence = \"{}\": must be a whole number, "
                                                    "1 for the first time the event happens.",
                                                    setting->text));
      }
    }
  }

  void request(const Observation&, const Measurement&, RowBuilder& builder) const override {
    builder.request_events();
  }

  std::shared_ptr<const Observable> make(const Observation& observation, const Measurement&,
                                         RowBuilder& builder) const override {
    const Setting* event = observation.find(kKey);
    const std::string id = event != nullptr ? event->text : "";
    const int which = find_event(builder.layout().system->switch_infos(), id);
    if (which < 0) {
      throw base::InputError(observation.place, fmt::format("\"{}\" is not an event.", id));
    }
    return std::make_shared<EventTime>(id, which, occurrence_of(observation));
  }

 private:
  static void check_event(const Observation& observation, const dynamics::System& system,
                          const Subject& subject) {
    if (observation.find(kKey) == nullptr) subject.fail("an event is missing.");
    const Setting& event = *observation.find(kKey);
    const auto infos = system.switch_infos();
    const int which = find_event(infos, event.text);
    if (which < 0) {
      const bool is_kink = std::ranges::any_of(
          infos, [&](const dynamics::SwitchInfo& info) { return info.name == event.text; });
      if (is_kink) {
        subject.fail_at(event.place,
                        fmt::format("\"{}\" switches, but is no event that can be observed. Write "
                                    "an <event> with an id for the time that was measured.",
                                    event.text));
      }
      std::vector<std::string> known;
      for (const auto& info : infos) {
        const bool has_id = base::is_identifier(info.name);
        if (has_id && info.jump != dynamics::SwitchInfo::Jump::kNever) known.push_back(info.name);
      }
      if (known.empty()) subject.fail_at(event.place, "the model has no event with an id.");
      check_known(event.text, known, "known event of the model", "Events",
                  {.place = event.place, .label = subject.label});
    }
    if (infos[which].terminal) {
      subject.fail_at(event.place,
                      fmt::format("\"{}\" ends the motion, which must go on to the end "
                                  "of the experiment.",
                                  event.text));
    }
  }
};

}  // namespace
}  // namespace event_observation

std::unique_ptr<const ObservationKind> make_event_observation() {
  return std::make_unique<event_observation::EventObservation>();
}

}  // namespace parfait::estimate
