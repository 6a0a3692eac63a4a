#include <algorithm>
#include <cmath>

#include "parfait/mbs/data/model_data.h"
#include "parfait/mbs/evaluation/evaluation.h"
#include "parfait/mbs/events/events.h"
#include "parfait/mbs/forces/force_stage.h"
#include "parfait/mbs/observation/observation.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mbs/solver/body_step.h"
#include "parfait/mbs/solver/joint_step.h"
#include "parfait/mbs/solver/released.h"

// What events do to the state: impulses, and new values of external states.
//
// The response w of the velocities to a unit impulse along ds/dq solves the equations of motion of
// the bodies at rest, without weight, under the force ds/dq (docs/theory/contact.md, I2):
//
//   [M G^T; G 0] [w; mu] = [(ds/dq)^T; 0]
//
// so the solver and its directions serve as they are.
namespace parfait::mbs {
namespace {

using dynamics::Status;

/// Rates of axes and centres of mass that the frames hold, from canonical velocities.
void set_velocities(const ModelData& m, ModelWorkspace& w, const double* v) {
  for (int b = 0; b < m.kernel.structure.num_bodies; ++b) {
    BodyFrame& f = w.k.frames[b];
    const double* x = v + 12 * b;
    const auto c = w.bound.kernel.center(b);
    f.vc = V4{x[0], x[1], x[2], 0};
    for (int i = 0; i < 3; ++i) {
      f.Xd[i] = V4{x[3 + 3 * i], x[4 + 3 * i], x[5 + 3 * i], 0};
      f.vc += f.Xd[i] * splat(c[i]);
    }
  }
}

/// The force ds/dq on both ends.
void push_unit_impulse(const ModelData& m, ModelWorkspace& w, const EventSpec& event) {
  const auto measured = measure(w, event);
  mechanism::push_apart(-1.0, measured, {event.ends[0].use, event.ends[1].use},
                        w.force.forces.data());
  push_ends(m.kernel.structure, w.bound.kernel, event.ends, w.force, w.k);
}
void push_unit_impulse_directions(const ModelData& m, ModelWorkspace& w, const EventSpec& event) {
  const auto measured = measure_directions(w, event);
  mechanism::push_apart(Dual(-1.0), measured, {event.ends[0].use, event.ends[1].use},
                        w.force_directions.forces.data());
  push_ends(m.kernel.structure, w.bound.kernel, w.k, w.seed, event.ends, w.force_directions, w.d);
}

/// The response to a unit impulse, canonical, into w.jump.response; the workspace then holds this
/// solution, for directions. (I2)
void respond(const ModelData& m, ModelWorkspace& w, const EventSpec& event) {
  const auto& s = m.kernel.structure;
  const bool released = !s.released.empty();
  std::fill(w.k.offset_acc.begin(), w.k.offset_acc.end(), 0.0);
  w.k.has_offset = false;
  w.k.metric_offset.clear();
  drop_bodies(s, w.bound.kernel, w.state.q_now, w.jump.still.data(), V4{}, true, w.k);
  for (const EndSpec& end : event.ends) w.k.force[end.body] = w.k.torque[end.body] = V4{};
  for (auto& F : w.k.axis_force) F = {};
  push_unit_impulse(m, w, event);
  for (const EndSpec& end : event.ends) {
    if (end.body != s.num_bodies) push_body(w.bound.kernel, end.body, w.k);
  }
  if (released) free_released(s, w.bound.kernel, w.k);
  step_joints(s, w.bound.kernel, w.k);
  if (released) released_rows(s, w.bound.kernel, w.k);
  assemble_joints(s, w.k);
  factor_partitioned(m.kernel.structure, m.start.redundant, w.bound.rank_tolerance, w.k,
                     Level::kVelocity);
  solve_joints(s, w.k);
  if (released) finish_released(s, w.k);
  finish_bodies(s, w.bound.kernel, w.k, w.jump.response.data());
  w.solution.frames_final = false;
}

/// The state before the jump, placed, with everything the formulas of events use.
void place_before(const ModelData& m, ModelWorkspace& w) {
  w.state.t = w.jump.t;
  const std::int8_t* mode = w.state.mode;  // of the Point of jump(); load_state() forgets it
  load_state(m, w, w.jump.y.data());
  w.state.mode = mode;
  place_bodies(m.kernel.structure, w.bound.kernel, w.state.q_now, w.state.v_now, w.k);
  fill_event_slots(m, w, static_cast<int>(m.event.quantities.size()));
}

/// Rate of s before and after, and whether there is an impulse at all.
struct Impact {
  bool hits = false;
  double rate = 0, after = 0;
};

Impact impact_of(ModelWorkspace& w, const EventSpec& event) {
  Impact out;
  if (!event.element) return out;
  const auto measured = measure(w, event);
  out.rate = measured.rate;
  out.after = event.element->rate_after(
      {w.bound.constants.data() + event.constants.first, measured.s, measured.rate});
  out.hits = out.rate < 0;
  return out;
}

/// Derivative of an impact in one chunk.
class ImpactDirections {
 public:
  ImpactDirections(const ModelData& model, ModelWorkspace& workspace, const EventSpec& event)
      : m(model), w(workspace), event_(event) {}

  /// Needs the response in the workspace.
  void prepare() {
    finalize_frames(m.kernel.structure, w.k, w.solution);
    prepare_directions(m.kernel.structure, w.bound.kernel, w.k, m.kernel.general_joint, w.d);
    if (!m.kernel.structure.released.empty()) {
      prepare_released_directions(m.kernel.structure, w.bound.kernel, w.k, w.d);
    }
  }

  /// Adds the directions of w Lambda to `dv` (the user's coordinates); frames hold v-, the chunk is
  /// seeded and its lanes `dy` placed.
  void add(const Lane* dy, Lane* dv) {
    const int nq = m.sizes.nq, nb = m.kernel.structure.num_bodies;
    auto& J = w.jump;
    const Measured<Dual> before = measure_directions(w, event_);
    Dual* constants = w.force_directions.constants.data();
    constants_with_directions(m, w, event_.constants, constants);
    const Dual after = event_.element->rate_after({constants, before.s, before.rate});

    // dw: directions of the motion under the force ds/dq, from rest.
    Lane* moved = J.dy.data();
    std::copy(dy, dy + nq, moved);
    std::fill_n(moved + nq, nq, Lane{});
    set_velocities(m, w, J.still.data());
    place_lanes(m, w, moved, true);
    for (auto& work : w.d.bodies) {
      for (int k = 0; k < 3; ++k) work.F[k] = work.T[k] = Lane{};
    }
    for (auto& F : w.d.axis_force) F.fill(Lane{});
    push_unit_impulse_directions(m, w, event_);
    ChunkSeeds seeds;
    seeds.inertia = m.kernel.any_body_driven ? w.seed.inertia.data() : nullptr;
    seeds.geometry = w.seed.geometry.data();
    solve_directions(m.kernel.structure, w.bound.kernel, w.k, m.kernel.general_joint, seeds, w.d);
    for (int b = 0; b < nb; ++b) {
      lanes_from_canonical(m.kernel.maps[b], w.d.lanes[b].Xdd - 3, moved + nq + 12 * b);
    }

    // Lambda = (s'+ - s'-) / (ds/dq w), and ds/dq w is the rate of s where the velocities are w.
    set_velocities(m, w, J.response.data());
    place_lanes(m, w, moved, true);
    const Dual nw = measure_directions(w, event_).rate;
    const Dual Lambda = (after - before.rate) / nw;
    for (int i = 0; i < nq; ++i) dv[i] += Lambda.v * moved[nq + i] + Lambda.d * J.change[i];
  }

 private:
  const ModelData& m;
  ModelWorkspace& w;
  const EventSpec& event_;
};

/// The jump of the force element whose switching function `which` is: its states. False: of none.
bool jump_of_element(const ModelData& m, ModelWorkspace& w, int which,
                     const dynamics::Point& before, dynamics::Vec after) {
  const auto found =
      std::find_if(m.force.elements.begin(), m.force.elements.end(), [&](const ForceSpec& force) {
        return which >= force.first_switch && which < force.first_switch + force.num_switches;
      });
  if (found == m.force.elements.end()) return false;
  auto& J = w.jump;
  J.force = static_cast<int>(found - m.force.elements.begin());
  J.force_switch = which - found->first_switch;
  J.t = before.t;
  std::copy(before.y.begin(), before.y.end(), J.y.begin());
  w.state.mode = nullptr;
  set_mode(before.mode, w.state);
  place_before(m, w);
  std::copy(J.y.begin(), J.y.end(), after.begin());
  found->element->jump(look_at(m, w, *found), J.force_switch,
                       after.subspan(2 * m.sizes.nq + found->first_state, found->num_states));
  return true;
}

void element_jump_directions(const ModelData& m, ModelWorkspace& w,
                             const dynamics::PointDirections& d, dynamics::Directions& dafter) {
  const ForceSpec& force = m.force.elements[w.jump.force];
  const int first = 2 * m.sizes.nq + force.first_state;
  place_before(m, w);
  prepare_laws(m, w);
  for (int chunk = 0; chunk < dafter.chunks(); ++chunk) {
    const Lane* dy = d.dy ? reinterpret_cast<const Lane*>(d.dy->chunk(chunk)) : w.seed.zero.data();
    Lane* out = reinterpret_cast<Lane*>(dafter.chunk(chunk));
    seed_chunk(m, w, d, chunk);
    place_lanes(m, w, dy, true);
    const auto at = look_at_directions(m, w, force);
    const std::span<Dual> states(w.force_directions.rates.data(), at.states.size());
    std::copy(at.states.begin(), at.states.end(), states.begin());
    force.element->jump(at, w.jump.force_switch, states);
    if (out != dy) std::copy(dy, dy + m.sizes.ny(), out);
    for (int i = 0; i < force.num_states; ++i) out[first + i] = states[i].d;
  }
}

}  // namespace

Status Model::jump(dynamics::Workspace& ws, int which, const dynamics::Point& before,
                   dynamics::Vec after) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  const auto found =
      std::find_if(m.event.specs.begin(), m.event.specs.end(),
                   [&](const EventSpec& event) { return event.switch_index == which; });
  w.jump.event = w.jump.force = -1;
  if (found == m.event.specs.end()) {
    return jump_of_element(m, w, which, before, after) ? Status::kOk
                                                       : System::jump(ws, which, before, after);
  }
  const EventSpec& event = *found;
  const int nq = m.sizes.nq;
  auto& J = w.jump;
  J.event = static_cast<int>(found - m.event.specs.begin());
  J.t = before.t;
  std::copy(before.y.begin(), before.y.end(), J.y.begin());
  w.state.mode = nullptr;
  set_mode(before.mode, w.state);
  place_before(m, w);
  std::copy(J.y.begin(), J.y.end(), after.begin());
  bool finite = true;
  for (const auto& set : event.sets) {
    const double value =
        m.event.formulas[set.formula].value(w.formula.slots.data(), w.formula.scratch.data());
    after[2 * nq + set.state] = value;
    finite &= std::isfinite(value);
  }
  const Impact impact = impact_of(w, event);
  if (impact.hits) {
    respond(m, w, event);
    set_velocities(m, w, J.response.data());
    const double nw = measure(w, event).rate;
    if (!(nw > 0)) return Status::kSingular;
    const double Lambda = (impact.after - impact.rate) / nw;
    store_coordinates(m.kernel, J.response.data(), J.change.data());
    for (int i = 0; i < nq; ++i) after[nq + i] += Lambda * J.change[i];
    finite &= std::isfinite(Lambda);
  }
  return finite ? Status::kOk : Status::kNotFinite;
}

void Model::jump_directions(dynamics::Workspace& ws, const dynamics::PointDirections& d,
                            dynamics::Directions& dafter) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  if (w.jump.force >= 0) return element_jump_directions(m, w, d, dafter);
  if (w.jump.event < 0) return System::jump_directions(ws, d, dafter);
  const EventSpec& event = m.event.specs[w.jump.event];
  const int nq = m.sizes.nq;
  place_before(m, w);
  prepare_laws(m, w);
  for (const auto& set : event.sets) {
    m.event.formulas[set.formula].gradient(
        w.formula.slots.data(), w.formula.scratch.data(),
        w.switching.event_gradients.data() + m.event.gradient_first[set.formula]);
  }
  ImpactDirections directions(m, w, event);
  const bool hits = impact_of(w, event).hits;
  if (hits) {
    respond(m, w, event);
    directions.prepare();
  }
  for (int chunk = 0; chunk < dafter.chunks(); ++chunk) {
    const Lane* dy = d.dy ? reinterpret_cast<const Lane*>(d.dy->chunk(chunk)) : w.seed.zero.data();
    Lane* out = reinterpret_cast<Lane*>(dafter.chunk(chunk));
    if (hits) set_velocities(m, w, w.state.v_now);
    seed_chunk(m, w, d, chunk);
    place_lanes(m, w, dy, true);
    for (std::size_t i = 0; i < m.event.quantities.size(); ++i) {
      w.formula.lanes[m.slots.first_event_quantity + i] =
          quantity_directions(m, w, m.event.quantities[i]).d;
    }
    for (std::size_t i = 0; i < event.sets.size(); ++i) {
      alignas(64) double lane[math::kLanes];
      const int formula = event.sets[i].formula;
      m.event.formulas[formula].apply(
          w.switching.event_gradients.data() + m.event.gradient_first[formula],
          reinterpret_cast<const double*>(w.formula.lanes.data()), lane);
      w.jump.dset[i] = math::load(lane);
    }
    if (out != dy) std::copy(dy, dy + m.sizes.ny(), out);
    if (hits) directions.add(out, out + nq);
    for (std::size_t i = 0; i < event.sets.size(); ++i) {
      out[2 * nq + event.sets[i].state] = w.jump.dset[i];
    }
  }
}

namespace {

bool any_sets_start(const ModelData& m) {
  return std::any_of(m.force.elements.begin(), m.force.elements.end(),
                     [](const ForceSpec& force) { return force.element->sets_start(); });
}

/// States that elements find themselves, at the position in y (fibres of a muscle at rest).
void start_elements(const ModelData& m, ModelWorkspace& w, dynamics::Vec y) {
  if (!any_sets_start(m)) return;
  w.state.t = 0;
  load_state(m, w, y.data());
  place_bodies(m.kernel.structure, w.bound.kernel, w.state.q_now, w.state.v_now, w.k);
  for (const auto& force : m.force.elements) {
    if (!force.element->sets_start()) continue;
    const auto at = look_at(m, w, force);
    force.element->start(at, y.subspan(2 * m.sizes.nq + force.first_state,
                                       static_cast<std::size_t>(force.num_states)));
  }
}

/// Their directions; dy has those of the constants they begin with.
void start_element_directions(const ModelData& m, ModelWorkspace& w, dynamics::Directions& dy) {
  if (!any_sets_start(m)) return;
  std::vector<double> y(static_cast<std::size_t>(m.sizes.ny()));
  std::copy(m.start.described.begin(), m.start.described.end(), y.begin());
  for (const auto& own : m.external.of_elements) {
    y[2 * m.sizes.nq + own.state] = w.bound.constants[own.constant];
  }
  w.state.t = 0;
  load_state(m, w, y.data());
  place_bodies(m.kernel.structure, w.bound.kernel, w.state.q_now, w.state.v_now, w.k);
  const dynamics::PointDirections along{.dt = {}, .dy = &dy};
  AlignedVector<Dual> states(static_cast<std::size_t>(std::max(m.force.max_states, 1)));
  for (int chunk = 0; chunk < dy.chunks(); ++chunk) {
    seed_chunk(m, w, along, chunk);
    Lane* lanes = reinterpret_cast<Lane*>(dy.chunk(chunk));
    place_lanes(m, w, lanes, true);
    for (const auto& force : m.force.elements) {
      if (!force.element->sets_start()) continue;
      const int first = 2 * m.sizes.nq + force.first_state;
      for (int i = 0; i < force.num_states; ++i) states[i] = {y[first + i], lanes[first + i]};
      force.element->start(look_at_directions(m, w, force),
                           {states.data(), static_cast<std::size_t>(force.num_states)});
      for (int i = 0; i < force.num_states; ++i) lanes[first + i] = states[i].d;
    }
  }
}

}  // namespace

void Model::start(dynamics::Workspace& ws, dynamics::Vec y, dynamics::Vec /*z*/) const {
  const ModelData& m = *data_;
  // Not as assembled: assembling is a projection, and where it leads depends on the parameters.
  std::copy(m.start.described.begin(), m.start.described.end(), y.begin());
  const ModelWorkspace& w = cast(ws);
  for (const auto& held : m.external.held)
    y[2 * m.sizes.nq + held.state] = w.bound.p[held.parameter];
  for (const auto& own : m.external.of_elements) {
    y[2 * m.sizes.nq + own.state] = w.bound.constants[own.constant];
  }
  start_elements(m, cast(ws), y);
}

void Model::start_directions(dynamics::Workspace& ws, dynamics::Directions& dy) const {
  const ModelData& m = *data_;
  const ModelWorkspace& w = cast(ws);
  const auto& dp = w.seed.dp;
  dy.resize(m.sizes.ny(), dy.count());
  for (const auto& held : m.external.held) {
    for (int k = 0; k < std::min(dy.count(), dp.count()); ++k) {
      dy(2 * m.sizes.nq + held.state, k) = dp(held.parameter, k);
    }
  }
  for (const auto& own : m.external.of_elements) {
    const int driven = m.constants.driven_index(own.constant);
    for (int k = 0; driven >= 0 && k < std::min(dy.count(), dp.count()); ++k) {
      const std::size_t chunk = static_cast<std::size_t>(k) / math::kLanes;
      dy(2 * m.sizes.nq + own.state, k) =
          w.seed.constant_lanes[chunk * m.constants.num_driven() + driven][k % math::kLanes];
    }
  }
  start_element_directions(m, cast(ws), dy);
}

}  // namespace parfait::mbs
