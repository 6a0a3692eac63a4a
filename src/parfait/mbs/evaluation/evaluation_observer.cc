#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "parfait/mbs/data/model_data.h"
#include "parfait/mbs/evaluation/evaluation.h"
#include "parfait/mbs/evaluation/model_observer.h"
#include "parfait/mbs/forces/force_stage.h"
#include "parfait/mbs/observation/observation.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mbs/solver/body_step.h"
#include "parfait/mechanism/constants/element_constants.h"

namespace parfait::mbs {
namespace {

class QuantityScope final : public expr::Scope {
 public:
  QuantityScope(const ModelData& model, ModelObserver& observer) : m(model), observer_(observer) {}
  int find(std::string_view name) override {
    const auto quantity = m.quantities.find(std::string(name));
    return quantity ? observer_.add(*quantity) : -1;
  }
  std::vector<std::string> names() const override {
    auto names = m.quantities.names();
    for (const auto& input : m.description.inputs) names.push_back(input.id);
    return names;
  }
  const expr::Table* table(std::string_view name) override {
    const auto* input = mechanism::find_by_id(m.description.inputs, std::string(name));
    if (!input) return nullptr;
    table_ = table_of(*input);
    return &*table_;
  }

 private:
  const ModelData& m;
  ModelObserver& observer_;
  std::optional<expr::Table> table_;
};

}  // namespace

std::unique_ptr<dynamics::System::Observer> Model::make_observer(
    std::span<const std::string> quantities) const {
  auto observer = std::make_unique<ModelObserver>();
  for (const auto& name : quantities) {
    if (const auto quantity = data_->quantities.find(name)) {
      observer->items.push_back({observer->add(*quantity), -1});
      continue;
    }
    const bool is_name = name.find_first_not_of(
                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") ==
                         std::string::npos;
    QuantityScope scope(*data_, *observer);
    if (is_name && !mechanism::find_by_id(data_->description.inputs, name)) {
      throw base::InputError(
          fmt::format("unknown quantity \"{}\".{}", name, base::suggestion(name, scope.names())));
    }
    observer->items.push_back({-1, static_cast<int>(observer->formulas.size())});
    observer->formulas.emplace_back(name, scope);
    observer->scratch_size =
        std::max(observer->scratch_size, observer->formulas.back().scratch_size());
    observer->gradient_size += observer->formulas.back().num_used();
  }
  return observer;
}

dynamics::Status Model::observe(dynamics::Workspace& ws, const Observer& observer,
                                const dynamics::Point& at, dynamics::Vec values) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  const auto& o = static_cast<const ModelObserver&>(observer);
  auto status = dynamics::Status::kOk;
  if (o.rates) {
    if (!m.kernel.needs_centers) {  // the right-hand side then leaves the centres where they were
      load_state(m, w, at.y.data());
      place_bodies(m.kernel.structure, w.bound.kernel, w.state.q_now, w.state.v_now, w.k);
    }
    status = evaluate(ws, at, w.observation.rates, {});
    finalize_frames(m.kernel.structure, w.k, w.solution);
  } else {
    w.state.t = at.t;
    load_state(m, w, at.y.data());
    set_mode(at.mode, w.state);
    evaluate_offsets(m.offset, w.bound, w.state, w.formula, w.offset, w.k);
    place_bodies(m.kernel.structure, w.bound.kernel, w.state.q_now, w.state.v_now, w.k);
  }
  w.observation.values.resize(o.quantities.size());
  for (std::size_t i = 0; i < o.quantities.size(); ++i) {
    w.observation.values[i] = quantity_value(m, w, o.quantities[i]);
  }
  if (w.observation.scratch.size() < o.scratch_size) w.observation.scratch.resize(o.scratch_size);
  for (std::size_t i = 0; i < o.items.size(); ++i) {
    const auto& item = o.items[i];
    values[i] = item.quantity >= 0 ? w.observation.values[item.quantity]
                                   : o.formulas[item.formula].value(w.observation.values.data(),
                                                                    w.observation.scratch.data());
  }
  return status;
}

void Model::observe_directions(dynamics::Workspace& ws, const Observer& observer,
                               const dynamics::PointDirections& d,
                               dynamics::Directions& dvalues) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  const auto& o = static_cast<const ModelObserver&>(observer);
  if (o.rates) {
    prepare_model_directions(m, w);
  } else {
    prepare_laws(m, w);
  }
  w.observation.gradients.resize(o.gradient_size);
  std::size_t first = 0;
  for (const auto& formula : o.formulas) {
    formula.gradient(w.observation.values.data(), w.observation.scratch.data(),
                     w.observation.gradients.data() + first);
    first += formula.num_used();
  }
  w.observation.lanes.resize(o.quantities.size());
  for (int chunk = 0; chunk < dvalues.chunks(); ++chunk) {
    seed_chunk(m, w, d, chunk);
    const Lane* dy = d.dy ? reinterpret_cast<const Lane*>(d.dy->chunk(chunk)) : w.seed.zero.data();
    place_lanes(m, w, dy, true);
    if (o.rates) solve_chunk(m, w, d, chunk);
    for (std::size_t i = 0; i < o.quantities.size(); ++i) {
      w.observation.lanes[i] = quantity_directions(m, w, o.quantities[i]).d;
    }
    Lane* out = reinterpret_cast<Lane*>(dvalues.chunk(chunk));
    first = 0;
    for (std::size_t i = 0; i < o.items.size(); ++i) {
      const auto& item = o.items[i];
      if (item.quantity >= 0) {
        out[i] = w.observation.lanes[item.quantity];
        continue;
      }
      const auto& formula = o.formulas[item.formula];
      alignas(64) double lane[math::kLanes];
      formula.apply(w.observation.gradients.data() + first,
                    reinterpret_cast<const double*>(w.observation.lanes.data()), lane);
      first += formula.num_used();
      out[i] = math::load(lane);
    }
  }
}

}  // namespace parfait::mbs
