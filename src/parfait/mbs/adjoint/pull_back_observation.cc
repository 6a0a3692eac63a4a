#include <algorithm>

#include "parfait/mbs/adjoint/pull_back.h"
#include "parfait/mbs/evaluation/model_observer.h"
#include "parfait/mbs/placement/placement.h"

namespace parfait::mbs {

void Model::pull_back_observation(dynamics::Workspace& ws, const Observer& observer,
                                  dynamics::ConstVec values, dynamics::Pulled& to) const {
  if (!has_pull_backs()) return System::pull_back_observation(ws, observer, values, to);
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  const auto& o = static_cast<const ModelObserver&>(observer);
  size_adjoints(m, w);
  auto& a = w.adjoint;
  // Formulas of quantities to quantities.
  a.quantity_seeds.assign(o.quantities.size(), 0.0);
  w.observation.gradients.resize(o.gradient_size);
  for (std::size_t i = 0; i < o.items.size(); ++i) {
    const auto& item = o.items[i];
    if (item.quantity >= 0) {
      a.quantity_seeds[item.quantity] += values[i];
      continue;
    }
    const auto& formula = o.formulas[item.formula];
    formula.gradient(w.observation.values.data(), w.observation.scratch.data(),
                     w.observation.gradients.data());
    const auto used = formula.used_slots();
    for (std::size_t j = 0; j < used.size(); ++j) {
      a.quantity_seeds[used[j]] += values[i] * w.observation.gradients[j];
    }
  }
  begin_pull_back(w);
  std::fill(a.row.begin(), a.row.end(), 0.0);
  begin_quantities(m, w);
  for (std::size_t i = 0; i < o.quantities.size(); ++i) {
    if (a.quantity_seeds[i] != 0) pull_back_quantity(m, w, o.quantities[i], a.quantity_seeds[i]);
  }
  pull_back_slots(m, w, m.slots.first_quantity, {});
  if (!o.rates) return unload_bodies(m, w, to);
  for (BodyAdjoint& body : a.bodies) {
    body.seed_c = body.ac;
    std::copy(body.Xdd, body.Xdd + 3, body.seed_X);
  }
  const std::vector<double> no_rates(static_cast<std::size_t>(m.sizes.ne), 0.0);
  pull_back_solution(m, w, a.row.data(), no_rates.data(), to);
}

}  // namespace parfait::mbs
