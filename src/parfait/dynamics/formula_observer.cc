#include <algorithm>

#include "parfait/dynamics/formula_system_impl.h"
#include "parfait/math/finite.h"

namespace parfait::dynamics {

FormulaObserver::FormulaObserver(const FormulaData& data, std::span<const std::string> quantities)
    : size_(static_cast<int>(quantities.size())) {
  FormulaScope scope(data, true);
  std::vector<FormulaStep> outputs;
  for (const auto& text : quantities) {
    outputs.push_back(
        {expr::Formula(text, scope), data.slots.size + static_cast<int>(outputs.size())});
  }
  chain_ = make_chain(data, outputs);
  for (const auto& step : chain_.steps()) {
    needs_rates_ |= step.slot >= data.slots.rates && step.slot < data.slots.residuals;
  }
}

std::unique_ptr<System::Observer> FormulaSystem::make_observer(
    std::span<const std::string> quantities) const {
  return std::make_unique<FormulaObserver>(data_, quantities);
}

Status FormulaSystem::observe(Workspace& ws, const Observer& observer, const Point& at,
                              Vec values) const {
  auto& w = cast(ws);
  const auto& o = static_cast<const FormulaObserver&>(observer);
  // Grows to the largest observer ever used.
  const auto num_slots =
      static_cast<std::size_t>(data_.slots.size) + static_cast<std::size_t>(o.size());
  if (w.observer.slots.size() < num_slots) w.observer.slots.resize(num_slots);
  if (w.scratch.size() < o.chain().scratch_size()) w.scratch.resize(o.chain().scratch_size());
  load(data_, w, at, w.observer);
  o.chain().evaluate(w.observer, w.scratch.data());
  std::copy_n(w.observer.slots.begin() + data_.slots.size, o.size(), values.begin());
  return math::all_finite(values.first(static_cast<std::size_t>(o.size()))) ? Status::kOk
                                                                            : Status::kNotFinite;
}

void FormulaSystem::observe_directions(Workspace& ws, const Observer& observer,
                                       const PointDirections& d, Directions& dvalues) const {
  auto& w = cast(ws);
  const auto& o = static_cast<const FormulaObserver&>(observer);
  if (w.observer.gradients.size() < o.chain().gradient_size()) {
    w.observer.gradients.resize(o.chain().gradient_size());
  }
  if (w.dslots.rows() < data_.slots.size + o.size()) {
    w.dslots.resize(data_.slots.size + o.size(), math::kLanes);
  }
  o.chain().linearize(w.observer, w.scratch.data());
  for (int chunk = 0; chunk < dvalues.chunks(); ++chunk) {
    load_directions(data_, w, d, chunk);
    o.chain().apply(w.observer, w.dslots.data());
    std::copy_n(w.dslots.data() + data_.slots.size * math::kLanes, o.size() * math::kLanes,
                dvalues.chunk(chunk));
  }
}

void FormulaSystem::pull_back_observation(Workspace& ws, const Observer& observer, ConstVec values,
                                          Pulled& to) const {
  auto& w = cast(ws);
  const auto& o = static_cast<const FormulaObserver&>(observer);
  if (w.observer.gradients.size() < o.chain().gradient_size()) {
    w.observer.gradients.resize(o.chain().gradient_size());
  }
  if (w.adjoints.size() < w.observer.slots.size()) w.adjoints.resize(w.observer.slots.size(), 0.0);
  o.chain().linearize(w.observer, w.scratch.data());
  std::copy_n(values.begin(), o.size(), w.adjoints.begin() + data_.slots.size);
  o.chain().pull_back(w.observer, w.adjoints.data());
  unload_adjoints(data_, w, to);
}

}  // namespace parfait::dynamics
