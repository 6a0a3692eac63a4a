#include "parfait/estimate/shooting/observation_kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/estimate/problem/formula_names.h"
#include "parfait/estimate/shooting/row_builder.h"

// <observe column="x" quantity="Load.com.x"/>: a quantity of the model at the time of its row.
namespace parfait::estimate {
namespace quantity_observation {
namespace {

class QuantityObservation final : public ObservationKind {
 public:
  std::string key() const override { return kQuantityKind; }

  void check(const Observation& observation, const ExperimentDescription& experiment,
             const std::vector<std::string>& estimated, const Subject& subject) const override {
    if (observation.quantity.empty()) subject.fail("a quantity is missing.");
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
