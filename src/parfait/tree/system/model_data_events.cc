#include <algorithm>
#include <cmath>

#include "parfait/tree/algorithms/levels.h"
#include "parfait/tree/system/model_scene.h"

// Switching functions, and what events do to the state.
//
// The response r of the velocities to a unit impulse along ds/dq (docs/theory/contact.md, I2)
// solves
//
//   H r + G^T mu = (ds/dv)^T,   G r = 0
namespace parfait::tree {

using dynamics::Directions;
using dynamics::Status;
using mechanism::ActingEvent;
using mechanism::ActingForce;

namespace {

dynamics::ConstVec positions(const ModelData& m, const std::vector<double>& y) {
  return {y.data(), static_cast<std::size_t>(m.sizes.nq)};
}

/// The response to a unit impulse into w.jump; the factors stay.
void respond(const ModelData& m, ModelWorkspace& w, const ActingEvent& event) {
  push_impulse(m, w, event);
  auto& J = w.jump;
  generalized_forces(m, w, w.wrenches, J.response.data());
  w.closures.is_evaluated = false;
  const bool rows = m.closures.num_rows() > 0;
  if (rows) {
    compute_rows(m, w);
    factor_rows(m, w, Rows::kAll, dynamics::Norm::kMass);
  } else {
    use_metric(m, w, dynamics::Norm::kMass);
  }
  w.closures.solver.apply_metric(J.response.data());
  if (!rows) return;
  std::fill(w.closures.gamma.begin(), w.closures.gamma.end(), 0.0);
  hold_rows(w, w.closures.gamma.data(), J.lambda.data(), J.response.data());
}

/// Adds the directions of the change of v; the chunk is seeded, its nodes are placed and moved.
void add_impact_directions(const ModelData& m, ModelWorkspace& w, const ActingEvent& event,
                           Lane* dv) {
  auto& J = w.jump;
  const TreeSurroundings around(m, w);
  const int nv = m.sizes.nv;
  const auto before = mechanism::measure_with_directions(event, around, w.elements);
  const Dual after = mechanism::rate_after(event, before, w.elements);
  push_impulse_with_directions(m, w, event);
  const Scene<Dual> scene = dual_scene_of(m, w);
  for (int i = 0; i < m.closures.num_rows(); ++i) {
    if (J.lambda[i] != 0) push_row(scene, m.closures.rows[i], Dual(J.lambda[i]), w.dual_wrenches);
  }
  Lane* gamma = w.dy_lanes.data();
  for (int k = 0; k < nv; ++k) w.dual_v[k] = Dual(J.response[k]);
  move_room(m, w, w.dual_v.data());
  for (int i = 0; i < m.closures.num_rows(); ++i) {
    const ClosureRow& row = m.closures.rows[i];
    const auto motion = scene.row_motion(row);
    gamma[i] = -row_velocity(row.kind, motion).d;
  }
  for (int k = 0; k < nv; ++k) w.dual_v[k] = Dual(0.0);
  move_room(m, w, w.dual_v.data());
  for (int k = 0; k < nv; ++k) w.room.vdot[k] = Dual(J.response[k]);
  newton_euler_room(m, w, w.dual_v.data(), w.room.vdot.data(), {Dual(0.0), Dual(0.0), Dual(0.0)},
                    w.dual_wrenches.data());
  for (int k = 0; k < nv; ++k) w.lanes[k] = -w.room.tau[k].d;
  w.closures.solver.apply_metric(w.lanes.data());
  if (m.closures.num_rows() > 0) {
    hold_rows(w, gamma, w.row_lanes.data(), w.lanes.data());
  }
  // Lambda = (s'+ - s'-) / (ds/dv r), and ds/dv r is the rate of s where the velocities are r.
  for (int k = 0; k < nv; ++k) w.dual_v[k] = Dual(J.response[k], w.lanes[k]);
  move_room(m, w, w.dual_v.data());
  const Dual rate = mechanism::measure_with_directions(event, around, w.elements).rate;
  const Dual Lambda = (after - before.rate) / rate;
  for (int k = 0; k < nv; ++k) dv[k] += Lambda.v * w.lanes[k] + Lambda.d * J.response[k];
}

}  // namespace

std::vector<dynamics::SwitchInfo> Model::switch_infos() const {
  return data_->elements.switch_infos();
}

Status Model::switches(dynamics::Workspace& ws, const dynamics::Point& at, dynamics::Vec s) const {
  const ModelData& m = *data_;
  if (m.elements.num_switches == 0) return Status::kOk;
  ModelWorkspace& w = cast(ws);
  w.looked.set(at);
  place_point(m, w, w.looked);
  mechanism::switch_values(m.elements, TreeSurroundings(m, w), w.elements, s.data());
  return std::all_of(s.begin(), s.end(), [](double x) { return std::isfinite(x); })
             ? Status::kOk
             : Status::kNotFinite;
}

void Model::switch_directions(dynamics::Workspace& ws, const dynamics::PointDirections& d,
                              Directions& ds) const {
  const ModelData& m = *data_;
  if (m.elements.num_switches == 0) return;
  ModelWorkspace& w = cast(ws);
  const TreeSurroundings around(m, w);
  place_point(m, w, w.looked);
  mechanism::prepare_switches(m.elements, around, w.elements);
  for (int chunk = 0; chunk < ds.chunks(); ++chunk) {
    seed_chunk(m, w, w.looked, d, chunk);
    const ChunkInRoom bound(w);
    if (m.elements.switches_see_bodies) {
      place_room(m, w);
      move_room(m, w, w.room.v.data());
    }
    mechanism::switch_directions(m.elements, around, w.elements,
                                 reinterpret_cast<Lane*>(ds.chunk(chunk)));
  }
}

Status Model::jump(dynamics::Workspace& ws, int which, const dynamics::Point& before,
                   dynamics::Vec after) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  auto& J = w.jump;
  J.event = J.force = -1;
  J.hits = false;
  const auto event = std::find_if(m.elements.events.begin(), m.elements.events.end(),
                                  [&](const auto& e) { return e.switch_index == which; });
  const auto force =
      std::find_if(m.elements.forces.begin(), m.elements.forces.end(), [&](const ActingForce& f) {
        return which >= f.first_switch && which < f.first_switch + f.num_switches;
      });
  const bool of_event = event != m.elements.events.end();
  if (!of_event && force == m.elements.forces.end()) return System::jump(ws, which, before, after);
  w.looked.set(before);
  place_point(m, w, w.looked);
  std::copy(before.y.begin(), before.y.end(), after.begin());
  const TreeSurroundings around(m, w);
  const int nq = m.sizes.nq, nv = m.sizes.nv;
  if (!of_event) {
    J.force = static_cast<int>(force - m.elements.forces.begin());
    J.force_switch = which - force->first_switch;
    force->element->jump(mechanism::look_at(m.elements, *force, around, w.elements), J.force_switch,
                         after.subspan(nq + nv + force->first_state, force->num_states));
    return Status::kOk;
  }
  J.event = static_cast<int>(event - m.elements.events.begin());
  bool finite =
      mechanism::set_states(m.elements, *event, around, w.elements, after.data() + nq + nv);
  if (event->element) {
    const auto measured = mechanism::measure(*event, around, w.elements);
    J.hits = measured.rate < 0;
    if (J.hits) {
      const double rate = mechanism::rate_after(*event, measured, w.elements);
      respond(m, w, *event);
      update_velocities(m.tree(), positions(m, w.looked.y), J.response, w.point);
      const double unit = mechanism::measure(*event, around, w.elements).rate;
      if (!(unit > 0)) return Status::kSingular;
      const double Lambda = (rate - measured.rate) / unit;
      for (int k = 0; k < nv; ++k) after[nq + k] += Lambda * J.response[k];
      finite &= std::isfinite(Lambda);
    }
  }
  return finite ? Status::kOk : Status::kNotFinite;
}

void Model::jump_directions(dynamics::Workspace& ws, const dynamics::PointDirections& d,
                            Directions& dafter) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  auto& J = w.jump;
  if (J.event < 0 && J.force < 0) return System::jump_directions(ws, d, dafter);
  const int nq = m.sizes.nq, nv = m.sizes.nv;
  const TreeSurroundings around(m, w);
  place_point(m, w, w.looked);
  const ActingEvent* event = J.event >= 0 ? &m.elements.events[J.event] : nullptr;
  if (event) {
    mechanism::prepare_sets(m.elements, *event, around, w.elements);
    if (J.hits) respond(m, w, *event);
  } else {
    mechanism::prepare_laws(m.elements, around, w.elements);
  }
  for (int chunk = 0; chunk < dafter.chunks(); ++chunk) {
    seed_chunk(m, w, w.looked, d, chunk);
    const ChunkInRoom bound(w);
    place_room(m, w);
    move_room(m, w, w.room.v.data());
    Lane* out = reinterpret_cast<Lane*>(dafter.chunk(chunk));
    for (int i = 0; i < nq; ++i) out[i] = w.room.q[i].d;
    for (int i = 0; i < nv; ++i) out[nq + i] = w.room.v[i].d;
    for (int i = 0; i < m.sizes.ne; ++i) {
      out[nq + nv + i] = w.elements.lanes[m.elements.slots.first_state + i];
    }
    if (event) {
      mechanism::set_state_directions(m.elements, *event, around, w.elements, out + nq + nv);
      if (J.hits) add_impact_directions(m, w, *event, out + nq);
      continue;
    }
    const ActingForce& force = m.elements.forces[J.force];
    const auto at = mechanism::look_at_with_directions(m.elements, force, around, w.elements);
    const std::span<Dual> states(w.elements.dual_rates.data(), at.states.size());
    std::copy(at.states.begin(), at.states.end(), states.begin());
    force.element->jump(at, J.force_switch, states);
    for (int i = 0; i < force.num_states; ++i) out[nq + nv + force.first_state + i] = states[i].d;
  }
}

}  // namespace parfait::tree
