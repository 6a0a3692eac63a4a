#include "parfait/estimate/shooting/observation_kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/estimate/shooting/row_builder.h"

namespace parfait::estimate {

namespace observation_kinds_table {
namespace {

std::vector<std::unique_ptr<const ObservationKind>>& all() {
  static auto kinds = [] {
    std::vector<std::unique_ptr<const ObservationKind>> known;
    known.push_back(make_quantity_observation());
    known.push_back(make_event_observation());
    known.push_back(make_spectrum_observation());
    return known;
  }();
  return kinds;
}

}  // namespace
}  // namespace observation_kinds_table

const std::vector<std::unique_ptr<const ObservationKind>>& observation_kinds() {
  return observation_kinds_table::all();
}

void add_observation_kind(std::unique_ptr<const ObservationKind> kind) {
  if (find_observation_kind(kind->key()) != nullptr) {
    throw base::InputError(
        fmt::format("observations by \"{}\" are known already; use another key.", kind->key()));
  }
  observation_kinds_table::all().push_back(std::move(kind));
}

const ObservationKind* find_observation_kind(const std::string& key) {
  const auto& kinds = observation_kinds();
  const auto at = std::ranges::find_if(kinds, [&](const auto& kind) { return kind->key() == key; });
  return at == kinds.end() ? nullptr : at->get();
}

std::vector<CollectiveRow> ObservationKind::make_rows(const Observation&,
                                                      const std::vector<Measurement>&,
                                                      RowBuilder&) const {
  return {};
}

std::unique_ptr<const SampleRows> ObservationKind::sample_rows(
    const Observation&, const std::vector<Measurement>&) const {
  return nullptr;
}

const ObservationKind& kind_of(const Observation& observation) {
  const ObservationKind* kind = find_observation_kind(observation.kind);
  return kind != nullptr ? *kind : *observation_kinds().front();
}

}  // namespace parfait::estimate
