#include <algorithm>

#include "parfait/base/stop.h"
#include "parfait/mbs/data/model_data.h"

// The rooms of a workspace, stage by stage. Nothing grows later, except what an observer or the
// second-order form asks for first.
namespace parfait::mbs {
namespace {

int num_chunks(int directions) {
  return (std::max(directions, 1) + math::kLanes - 1) / math::kLanes;
}

BoundWork bound_work(const ModelData& m) {
  BoundWork out;
  out.p.resize(m.sizes.np);
  out.constants.resize(m.constants.size());
  out.gradients.resize(m.constants.gradient_size());
  out.rank_tolerance = m.description.natural.rank_tolerance;
  out.kernel.inertia.resize(m.kernel.structure.num_quads());
  for (auto& quad : out.kernel.inertia) {  // unused lanes of the last quad: a body that can exist
    quad.m = quad.inverse_m = splat(1.0);
    for (auto& c : quad.c) c = V4{};
    for (int e = 0; e < 6; ++e) quad.J[e] = splat(e < 3 ? 1.0 : 0.0);
  }
  out.kernel.geometry.resize(m.kernel.geometry.size());
  return out;
}

StateWork state_work(const dynamics::Sizes& sizes) {
  StateWork out;
  out.q.resize(sizes.nq);
  out.v.resize(sizes.nv);
  out.e.resize(sizes.ne);
  out.mode_store.resize(sizes.num_switches);
  return out;
}

FormulaWork formula_work(const ModelData& m) {
  FormulaWork out;
  out.slots.resize(m.slots.size);
  out.scratch.resize(m.scratch_size);
  return out;
}

OffsetWork offset_work(const ModelData& m) {
  OffsetWork out;
  out.pos.resize(m.kernel.structure.num_rows);
  out.vel.resize(m.kernel.structure.num_rows);
  out.rates.resize(2 * (m.sizes.np + 1));
  out.rates[0] = 1;
  return out;
}

ProjectionWork projection_work(const ModelData& m) {
  ProjectionWork out;
  for (auto* x : {&out.q0, &out.v0, &out.q, &out.v}) x->resize(m.sizes.nq);
  out.metric.resize(6 * m.kernel.num_bodies());
  out.g.resize(m.sizes.num_pos + m.sizes.num_vel);
  for (auto& multiplier : out.multiplier) multiplier.resize(8 * m.kernel.structure.joints.size());
  return out;
}

JumpWork jump_work(const ModelData& m) {
  JumpWork out;
  if (m.event.specs.empty() && m.force.max_switches == 0) return out;
  out.y.resize(m.sizes.ny());
  for (auto* x : {&out.still, &out.response, &out.change}) x->resize(m.sizes.nq);
  return out;
}

void make_room(const ModelData& m, int directions, SeedWork& seed) {
  const auto chunks = static_cast<std::size_t>(num_chunks(directions));
  const int nb = m.kernel.num_bodies();
  seed.dp.resize(m.sizes.np, directions);
  if (m.kernel.any_body_driven) seed.inertia_lanes.resize(chunks * nb);
  seed.inertia.assign(nb, nullptr);
  seed.geometry_lanes.resize(chunks * m.kernel.driven_geometry.size());
  seed.geometry.assign(m.kernel.geometry.size(), nullptr);
  seed.constant_lanes.resize(chunks * m.constants.num_driven());
  seed.zero.resize(std::max(m.sizes.ny(), m.constants.num_driven()));
}

void make_room(const ModelData& m, DirectionWork& directions) {
  directions.metric.resize(6 * m.kernel.num_bodies());
  if (!m.kernel.canonical) directions.canonical.resize(24 * m.kernel.num_bodies());
  directions.acceleration.resize(m.sizes.nq);
}

void make_room(const ModelData& m, FormulaWork& formula) {
  formula.lanes.resize(m.slots.size);
  std::size_t size = 0;
  for (const auto* formulas : {&m.force.laws, &m.external.formulas}) {
    for (const auto& f : *formulas) {
      formula.gradient_first.push_back(size);
      size += f.num_used();
    }
  }
  formula.gradients.resize(size);
  formula.law_values.resize(m.force.laws.size());
}

void make_room(const ModelData& m, ProjectionWork& projection) {
  projection.shift.resize(m.sizes.nq);
  for (auto* x : {&projection.start_lanes, &projection.result_lanes, &projection.last_lanes,
                  &projection.position_lanes}) {
    x->resize(m.sizes.nq);
  }
}

void make_room(const ModelData& m, SwitchWork& switching, JumpWork& jump) {
  switching.gradients.resize(m.switching.gradient_size);
  if (m.event.specs.empty()) return;
  std::size_t size = 0;
  for (const auto& f : m.event.formulas) size += f.num_used();
  switching.event_gradients.resize(size);
  jump.dy.resize(m.sizes.ny());
  jump.dset.resize(m.event.formulas.size());
}

}  // namespace

ModelWorkspace::ModelWorkspace(const ModelData& m, int max_directions)
    : bound(bound_work(m)),
      state(state_work(m.sizes)),
      formula(formula_work(m)),
      offset(offset_work(m)),
      k(m.kernel.structure),
      jump(jump_work(m)),
      projection(projection_work(m)) {
  force.resize(m.force);
  external.rates.resize(m.sizes.ne);
  solution.a.resize(m.sizes.nq);
  solution.lambda.resize(m.kernel.structure.num_rows);
  switching.values.resize(m.sizes.num_switches);
  observation.rates.resize(m.sizes.ny());
  directions.max = max_directions;
  base::leave_if_stopped();  // room for very many bodies takes time
  if (max_directions > 0) make_direction_room(m);
}

void ModelWorkspace::make_direction_room(const ModelData& m) {
  if (!seed.zero.empty()) return;
  d = DirectionState(m.kernel.structure);
  base::leave_if_stopped();
  make_room(m, directions.max, seed);
  make_room(m, directions);
  make_room(m, formula);
  make_room(m, projection);
  make_room(m, switching, jump);
  offset.lanes.resize(m.kernel.structure.num_rows);
  offset.gradient.resize(m.max_gradient);
  external.element_lanes.resize(m.sizes.ne);
  force_directions.resize(m.force);
}

ModelWorkspace& cast(dynamics::Workspace& ws) {
  return static_cast<ModelWorkspace&>(ws);
}

}  // namespace parfait::mbs
