#include "parfait/estimate/shooting/row_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/base/stop.h"
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

namespace row_builder {
namespace {

bool observes(const dynamics::System& system, const std::string& quantity) {
  try {
    static_cast<void>(system.make_observer(std::span(&quantity, 1)));
  } catch (const InputError&) {
    return false;
  }
  return true;
}

}  // namespace
}  // namespace row_builder

/// Names of the model first, then unknowns of the experiment, of the problem, and its conditions.
class RowBuilder::PartScope final : public expr::Scope {
 public:
  explicit PartScope(const ShootingLayout& layout) : layout_(layout) {}

  int find(std::string_view name) override {
    const std::string id(name);
    if (const auto at = std::ranges::find(names_, id); at != names_.end()) {
      return static_cast<int>(at - names_.begin());
    }
    Part part;
    if (const int i = layout_.locals.find(id); i >= 0 && !in_model(id)) {
      part.other = std::make_shared<UnknownParameter>(layout_.locals, i, false);
      part.is_log = layout_.locals.is_log(i);
    } else if (const auto set = layout_.constants.find(id); set != layout_.constants.end()) {
      part.other = std::make_shared<Constant>(set->second);
      part.is_log = true;
    } else if (const int k = shared_of(id); k >= 0 && !in_model(id)) {
      part.other = std::make_shared<UnknownParameter>(layout_.shared, k, true);
      part.is_log = layout_.shared.is_log(k);
    } else if (row_builder::observes(*layout_.system, id)) {
      part.quantity = id;
    } else {
      return -1;
    }
    names_.push_back(id);
    parts.push_back(std::move(part));
    return static_cast<int>(names_.size()) - 1;
  }
  std::vector<std::string> names() const override { return names_; }

  std::vector<Part> parts;

 private:
  bool in_model(const std::string& id) const {
    const auto& infos = layout_.system->parameters();
    return std::ranges::any_of(infos, [&](const auto& info) { return info.id == id; }) ||
           std::ranges::find(layout_.state_names, id) != layout_.state_names.end();
  }
  int shared_of(const std::string& id) const {
    const auto at = layout_.aliases.find(id);
    return layout_.shared.find(at != layout_.aliases.end() ? at->second : id);
  }

  const ShootingLayout& layout_;
  std::vector<std::string> names_;
};

const RowBuilder::Parsed& RowBuilder::parse(const FormulaText& formula) {
  const auto known = parsed_.find(formula.text);
  if (known != parsed_.end()) return known->second;
  Parsed& parsed = parsed_[formula.text];
  if (row_builder::observes(*layout_.system, formula.text)) return parsed;
  PartScope scope(layout_);
  try {
    parsed.formula = expr::Formula(formula.text, scope, formula.place);
    parsed.parts = std::move(scope.parts);
    parsed.is_of_model = false;
  } catch (const InputError&) {
    // What the model says about it is the better message.
  }
  return parsed;
}

bool RowBuilder::is_of_log_parameters(const FormulaText& formula) {
  const Parsed& parsed = parse(formula);
  if (!parsed.is_of_model) return std::ranges::all_of(parsed.parts, &Part::is_log);
  const auto& infos = layout_.system->parameters();
  return std::ranges::any_of(layout_.theta, [&](const ThetaEntry& entry) {
    const Unknowns& unknowns = entry.local ? layout_.locals : layout_.shared;
    return infos[entry.parameter].id == formula.text && unknowns.is_log(entry.unknown);
  });
}

std::shared_ptr<const Observable> RowBuilder::sample(double t, int quantity) const {
  const int interval = layout_.interval_of(t);
  const auto& times = layout_.sample_times[interval];
  const auto at = std::lower_bound(times.begin(), times.end(), t);
  return std::make_shared<QuantityAtTime>(interval, static_cast<int>(at - times.begin()), quantity);
}

std::shared_ptr<const Observable> RowBuilder::quantity_at(double t, const FormulaText& formula,
                                                          const Place& place) {
  if (t < layout_.begin || t > layout_.end) {
    throw InputError(place, fmt::format("experiment \"{}\": t = {:g} lies outside the horizon "
                                        "[{:g}, {:g}].",
                                        layout_.id, t, layout_.begin, layout_.end));
  }
  base::leave_if_stopped();  // pictures of long motions have very many
  const Parsed& parsed = parse(formula);
  if (parsed.is_of_model) return sample(t, quantity(formula));
  std::vector<std::shared_ptr<const Observable>> parts;
  parts.reserve(parsed.parts.size());
  for (const Part& part : parsed.parts) {
    parts.push_back(part.other ? part.other : sample(t, quantity({part.quantity, formula.place})));
  }
  return std::make_shared<Combination>(parsed.formula, std::move(parts));
}

}  // namespace parfait::estimate
