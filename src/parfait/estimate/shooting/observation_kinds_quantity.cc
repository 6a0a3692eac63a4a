#include "parfait/estimate/shooting/observation_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

#include "parfait/estimate/problem/formula_names.h"
#include "parfait/estimate/shooting/row_builder.h"

// <observe column="x" quantity="Load.com.x"/>: a quantity of the model at the time of its row.
namespace parfait::estimate {
namespace quantity_observation {
namespace {

/// "360 deg", "6.283 rad", or a number in the unit of the data.
std::optional<double> parse_period(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || !(number > 0) || !std::isfinite(number)) return {};
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  if (unit.empty() || unit == "rad") return number;
  if (unit == "deg") return number * std::numbers::pi / 180;
  return {};
}

class QuantityObservation final : public ObservationKind {
 public:
  std::string key() const override { return kQuantityKind; }
  std::vector<std::string> attributes() const override { return {"periodic"}; }

  double period(const Observation& observation) const override {
    const auto* const setting = observation.find("periodic");
    return setting == nullptr ? 0 : parse_period(setting->text).value_or(0);
  }

  void check(const Observation& observation, const ExperimentDescription& experiment,
             const std::vector<std::string>& estimated, const Subject& subject) const override {
    if (observation.quantity.empty()) subject.fail("a quantity is missing.");
    const auto* const periodic = observation.find("periodic");
    if (periodic != nullptr && !parse_period(periodic->text)) {
      subject.part(periodic->place, "")
          .fail(fmt::format(
              "periodic=\"{}\": must be a number > 0 in the unit of the data, or a number "
              "with \"deg\" or \"rad\".",
              periodic->text));
    }
    std::vector<std::string> others = estimated;
    for (const SetParameter& set : experiment.sets) others.push_back(set.parameter);
    const auto names = names_in(observation.quantity, *experiment.system, subject, others);
    if (varies(names, *experiment.system, estimated)) return;
    subject.fail(
        fmt::format("\"{}\" depends on no state and no estimated parameter, so it "
                    "cannot be used to estimate anything.",
                    observation.quantity.text));
  }

  void request(const Observation&, const Measurement& measurement,
               RowBuilder& builder) const override {
    builder.request_sample(measurement.t);
  }

  std::shared_ptr<const Observable> make(const Observation& observation,
                                         const Measurement& measurement,
                                         RowBuilder& builder) const override {
    return builder.quantity_at(measurement.t, observation.quantity, observation.place);
  }
};

}  // namespace
}  // namespace quantity_observation

std::unique_ptr<const ObservationKind> make_quantity_observation() {
  return std::make_unique<quantity_observation::QuantityObservation>();
}

}  // namespace parfait::estimate
