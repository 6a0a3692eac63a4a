#include <memory>

#include "parfait/mbs/data/model_data.h"
#include "parfait/mbs/evaluation/evaluation.h"
#include "parfait/mbs/forces/force_stage.h"
#include "parfait/mbs/observation/observation.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mbs/solver/body_step.h"
#include "parfait/mechanism/quantities/quantity_observer.h"

namespace parfait::mbs {
std::unique_ptr<dynamics::System::Observer> Model::make_observer(
    std::span<const std::string> quantities) const {
  return std::make_unique<mechanism::QuantityObserver>(quantities, data_->description,
                                                       data_->quantities.index());
}

dynamics::Status Model::observe(dynamics::Workspace& ws, const Observer& observer,
                                const dynamics::Point& at, dynamics::Vec values) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  const auto& o = static_cast<const mechanism::QuantityObserver&>(observer);
  auto status = dynamics::Status::kOk;
  if (o.needs_rates()) {
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
  o.prepare(w.observation.observer);
  for (std::size_t i = 0; i < o.quantities().size(); ++i) {
    w.observation.observer.values[i] = quantity_value(m, w, o.quantities()[i]);
  }
  o.values(w.observation.observer, values);
  return status;
}

void Model::observe_directions(dynamics::Workspace& ws, const Observer& observer,
                               const dynamics::PointDirections& d,
                               dynamics::Directions& dvalues) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  const auto& o = static_cast<const mechanism::QuantityObserver&>(observer);
  if (o.needs_rates()) {
    prepare_model_directions(m, w);
  } else {
    prepare_laws(m, w);
  }
  o.prepare_directions(w.observation.observer);
  for (int chunk = 0; chunk < dvalues.chunks(); ++chunk) {
    seed_chunk(m, w, d, chunk);
    const Lane* dy = d.dy ? reinterpret_cast<const Lane*>(d.dy->chunk(chunk)) : w.seed.zero.data();
    place_lanes(m, w, dy, true);
    if (o.needs_rates()) solve_chunk(m, w, d, chunk);
    for (std::size_t i = 0; i < o.quantities().size(); ++i) {
      w.observation.observer.lanes[i] = quantity_directions(m, w, o.quantities()[i]).d;
    }
    o.directions(w.observation.observer, dvalues.chunk(chunk));
  }
}

}  // namespace parfait::mbs
