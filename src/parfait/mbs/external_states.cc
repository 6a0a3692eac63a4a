#include "parfait/mbs/external_states.h"

#include "parfait/mbs/observation.h"

namespace parfait::mbs {
namespace {

void fill_external_slots(const ModelData& m, ModelWorkspace& w) {
  fill_slots(m, w);
  for (std::size_t i = 0; i < m.derivative_quantities.size(); ++i) {
    w.slots[m.slots.first_quantity + i] = quantity_value(m, w, m.derivative_quantities[i]);
  }
}

}  // namespace

void external_rates(const ModelData& m, ModelWorkspace& w) {
  if (m.sizes.ne == 0) return;
  fill_external_slots(m, w);
  for (int i = 0; i < m.num_formula_states; ++i) {
    w.e_rate[i] = m.derivatives[i].value(w.slots.data(), w.scratch.data(),
                                         mode_from(w, m.derivative_switch[i]));
  }
}

void prepare_external(const ModelData& m, ModelWorkspace& w) {
  if (m.sizes.ne == 0) return;
  fill_external_slots(m, w);
  for (int i = 0; i < m.num_formula_states; ++i) {
    m.derivatives[i].gradient(w.slots.data(), w.scratch.data(),
                              w.law_gradients.data() + w.law_first[m.laws.size() + i],
                              mode_from(w, m.derivative_switch[i]));
  }
}

void external_directions(const ModelData& m, ModelWorkspace& w, Lane* dedot) {
  if (m.sizes.ne == 0) return;
  for (std::size_t i = 0; i < m.derivative_quantities.size(); ++i) {
    w.slot_lanes[m.slots.first_quantity + i] =
        quantity_directions(m, w, m.derivative_quantities[i]).d;
  }
  for (int i = 0; i < m.num_formula_states; ++i) {
    alignas(64) double lane[math::kLanes];
    m.derivatives[i].apply(w.law_gradients.data() + w.law_first[m.laws.size() + i],
                           reinterpret_cast<const double*>(w.slot_lanes.data()), lane);
    dedot[i] = math::load(lane);
  }
  for (int i = m.num_formula_states; i < m.sizes.ne; ++i) dedot[i] = w.element_rate_lanes[i];
}

}  // namespace parfait::mbs
