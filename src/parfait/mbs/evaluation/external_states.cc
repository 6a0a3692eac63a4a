#include "parfait/mbs/evaluation/external_states.h"

#include "parfait/mbs/observation/observation.h"
#include "parfait/mbs/placement/placement.h"

namespace parfait::mbs {
namespace {

void fill_external_slots(const ModelData& m, ModelWorkspace& w) {
  fill_slots(m.slots, w.bound, w.state, w.formula);
  for (std::size_t i = 0; i < m.external.quantities.size(); ++i) {
    w.formula.slots[m.slots.first_quantity + i] = quantity_value(m, w, m.external.quantities[i]);
  }
}

}  // namespace

void external_rates(const ModelData& m, ModelWorkspace& w) {
  if (m.sizes.ne == 0) return;
  fill_external_slots(m, w);
  for (int i = 0; i < m.external.num_formulas; ++i) {
    w.external.rates[i] =
        m.external.formulas[i].value(w.formula.slots.data(), w.formula.scratch.data(),
                                     w.state.mode_from(m.external.formula_switch[i]));
  }
}

void prepare_external(const ModelData& m, ModelWorkspace& w) {
  if (m.sizes.ne == 0) return;
  fill_external_slots(m, w);
  for (int i = 0; i < m.external.num_formulas; ++i) {
    m.external.formulas[i].gradient(
        w.formula.slots.data(), w.formula.scratch.data(),
        w.formula.gradients.data() + w.formula.gradient_first[m.force.laws.size() + i],
        w.state.mode_from(m.external.formula_switch[i]));
  }
}

void external_directions(const ModelData& m, ModelWorkspace& w, Lane* dedot) {
  if (m.sizes.ne == 0) return;
  for (std::size_t i = 0; i < m.external.quantities.size(); ++i) {
    w.formula.lanes[m.slots.first_quantity + i] =
        quantity_directions(m, w, m.external.quantities[i]).d;
  }
  for (int i = 0; i < m.external.num_formulas; ++i) {
    alignas(64) double lane[math::kLanes];
    m.external.formulas[i].apply(
        w.formula.gradients.data() + w.formula.gradient_first[m.force.laws.size() + i],
        reinterpret_cast<const double*>(w.formula.lanes.data()), lane);
    dedot[i] = math::load(lane);
  }
  for (int i = m.external.num_formulas; i < m.sizes.ne; ++i) dedot[i] = w.external.element_lanes[i];
}

}  // namespace parfait::mbs
