#include <algorithm>

#include "parfait/mbs/adjoint/pull_back.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mechanism/quantities/quantity_observer.h"

namespace parfait::mbs {

void Model::pull_back_observation(dynamics::Workspace& ws, const Observer& observer,
                                  dynamics::ConstVec values, dynamics::Pulled& to) const {
  if (!has_pull_backs()) return System::pull_back_observation(ws, observer, values, to);
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  const auto& o = static_cast<const mechanism::QuantityObserver&>(observer);
  size_adjoints(m, w);
  auto& a = w.adjoint;
  o.pull_back(values, w.observation.observer, a.quantity_seeds);
  begin_pull_back(w);
  std::fill(a.row.begin(), a.row.end(), 0.0);
  begin_quantities(m, w);
  for (std::size_t i = 0; i < o.quantities().size(); ++i) {
    if (a.quantity_seeds[i] != 0) pull_back_quantity(m, w, o.quantities()[i], a.quantity_seeds[i]);
  }
  pull_back_slots(m, w, m.slots.first_quantity, {});
  if (!o.needs_rates()) return unload_bodies(m, w, to);
  for (BodyAdjoint& body : a.bodies) {
    body.seed_c = body.ac;
    std::copy(body.Xdd, body.Xdd + 3, body.seed_X);
  }
  const std::vector<double> no_rates(static_cast<std::size_t>(m.sizes.ne), 0.0);
  pull_back_solution(m, w, a.row.data(), no_rates.data(), to);
}

}  // namespace parfait::mbs
