#include "parfait/estimate/shooting/row_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/estimate/shooting/observables.h"

namespace parfait::estimate {

using base::InputError;

void RowBuilder::request_sample(double t) {
  auto& times = layout_.sample_times[layout_.interval_of(t)];
  const auto at = std::lower_bound(times.begin(), times.end(), t);
  if (at == times.end() || *at != t) times.insert(at, t);
}

/// The place of a quantity among those that are observed.
int RowBuilder::quantity(const FormulaText& formula) {
  auto& all = layout_.quantities;
  const auto at = std::find(all.begin(), all.end(), formula.text);
  if (at != all.end()) return static_cast<int>(at - all.begin());
  try {
    layout_.system->make_observer(std::vector<std::string>{formula.text});
  } catch (const InputError& error) {
    throw error.place().text().empty() ? InputError(formula.place, error.what()) : error;
  }
  all.push_back(formula.text);
  return static_cast<int>(all.size()) - 1;
}

std::shared_ptr<const Observable> RowBuilder::quantity_at(double t, const FormulaText& formula,
                                                          const Place& place) {
  const int index = quantity(formula);
  if (t < layout_.begin || t > layout_.end) {
    throw InputError(place, fmt::format("experiment \"{}\": t = {:g} lies outside the horizon "
                                        "[{:g}, {:g}].",
                                        layout_.id, t, layout_.begin, layout_.end));
  }
  const int interval = layout_.interval_of(t);
  const auto& times = layout_.sample_times[interval];
  const auto at = std::lower_bound(times.begin(), times.end(), t);
  return std::make_shared<QuantityAtTime>(interval, static_cast<int>(at - times.begin()), index);
}

}  // namespace parfait::estimate
