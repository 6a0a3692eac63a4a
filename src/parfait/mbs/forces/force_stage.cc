#include "parfait/mbs/forces/force_stage.h"

#include <algorithm>

#include "parfait/mbs/placement/placement.h"

namespace parfait::mbs {

template <class S>
void ForceWork<S>::resize(const ForceData& data) {
  frames.resize(data.max_ends);
  rho.resize(data.max_ends);
  forces.resize(data.max_ends);
  constants.resize(data.max_constants);
  states.resize(data.max_states);
  rates.resize(data.max_states);
  switches.resize(data.max_switches);
}
template struct ForceWork<double>;
template struct ForceWork<Dual>;

namespace {

/// F_X += f r^T with directions of both.
void add_axis_directions(const Vec3<Dual>& f, const double* r, const Lane* dr, Lane* F) {
  const double value[3] = {f.x.v, f.y.v, f.z.v};
  const Lane d[3] = {f.x.d, f.y.d, f.z.d};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      F[3 * i + k] += d[k] * r[i];
      if (dr) F[3 * i + k] += value[k] * dr[i];
    }
  }
}

void add_lanes(const Vec3<Dual>& a, Lane* out) {
  out[0] += a.x.d;
  out[1] += a.y.d;
  out[2] += a.z.d;
}

std::span<const double> constants_at(const ModelWorkspace& w, const ForceSpec& force) {
  return {w.bound.constants.data() + force.constants.first,
          static_cast<std::size_t>(force.constants.count)};
}
std::span<double> states_at(std::vector<double>& e, const ForceSpec& force) {
  return {e.data() + force.first_state, static_cast<std::size_t>(force.num_states)};
}

/// Everything but the frames and the law.
ElementPoint<double> element_point(ModelWorkspace& w, const ForceSpec& force) {
  return {{w.force.frames.data(), force.ends.size()},
          constants_at(w, force),
          states_at(w.state.e, force),
          w.state.t,
          w.state.mode_from(force.first_switch),
          nullptr};
}

const mechanism::Law<double>* law_of(const ModelData& m, ModelWorkspace& w,
                                     const ForceSpec& force) {
  if (force.law < 0) return nullptr;
  w.force.law = {&m.force.laws[force.law], w.formula.slots.data(), w.formula.scratch.data(),
                 w.state.mode_from(m.force.law_switch[force.law])};
  return &w.force.law;
}

void act_at(const ElementPoint<double>& at, ModelWorkspace& w, const ForceSpec& force) {
  force.element->act(
      at, {{w.force.forces.data(), force.ends.size()}, states_at(w.external.rates, force)});
}

}  // namespace

void place_ends(const KernelConstants& c, const KernelState& k, std::span<const EndSpec> ends,
                ForceWork<double>& work) {
  for (std::size_t i = 0; i < ends.size(); ++i) {
    place_end(end_of(c, k, ends[i]), ends[i].use, work.frames[i], work.rho[i]);
  }
}

void place_ends(const KernelConstants& c, const KernelState& k, const SeedWork& seed,
                const DirectionState& d, std::span<const EndSpec> ends, ForceWork<Dual>& work) {
  for (std::size_t i = 0; i < ends.size(); ++i) {
    place_end(end_with_directions(c, k, seed, d, ends[i]), ends[i].use, work.frames[i],
              work.rho[i]);
  }
}

void push_ends(const Structure& s, const KernelConstants& c, std::span<const EndSpec> ends,
               const ForceWork<double>& work, KernelState& k) {
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const EndSpec& end = ends[i];
    if (end.body == s.num_bodies) continue;
    const EndForce<double>& given = work.forces[i];
    const Vec3<double> torque = torque_about_center(end.use, work.frames[i], work.rho[i], given);
    const int released = s.released_index[end.body];
    if (released >= 0) {
      auto& F = k.axis_force[released];
      const End<double> local = end_of(c, k, end);
      if (end.use & mechanism::kForce) add_axis_force(given.force, local.rho_local, F);
      for (int a = 0; a < 3; ++a) {
        if (mechanism::gives_axis_force(end.use, a))
          add_axis_force(given.axis[a], local.axes[a], F);
      }
    }
    if (end.use & mechanism::kForce) {
      const Vec3<double>& f = given.force;
      k.force[end.body] += V4{f.x, f.y, f.z, 0};
    }
    k.torque[end.body] += V4{torque.x, torque.y, torque.z, 0};
  }
}

void push_ends(const Structure& s, const KernelConstants& c, const KernelState& k,
               const SeedWork& seed, std::span<const EndSpec> ends, const ForceWork<Dual>& work,
               DirectionState& d) {
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const EndSpec& spec = ends[i];
    if (spec.body == s.num_bodies) continue;
    const EndForce<Dual>& given = work.forces[i];
    const Vec3<Dual> torque = torque_about_center(spec.use, work.frames[i], work.rho[i], given);
    const int released = s.released_index[spec.body];
    if (released >= 0) {
      Lane* axes = d.axis_force[released].data();
      const End<Dual> end = end_with_directions(c, k, seed, d, spec);
      if (spec.use & mechanism::kForce) {
        add_axis_directions(given.force, end.base.rho_local, end.drho, axes);
      }
      for (int a = 0; a < 3; ++a) {
        if (!mechanism::gives_axis_force(spec.use, a)) continue;
        add_axis_directions(given.axis[a], end.base.axes[a], end.da(a), axes);
      }
    }
    if (spec.use & mechanism::kForce) add_lanes(given.force, d.bodies[spec.body].F);
    add_lanes(torque, d.bodies[spec.body].T);
  }
}

End<Dual> end_with_directions(const KernelConstants& c, const KernelState& k, const SeedWork& seed,
                              const DirectionState& d, const EndSpec& spec) {
  const GeometryLanes* seeds = seed.geometry[spec.geometry];
  End<Dual> end;
  end.base = end_of(c, k, spec);
  end.lanes = spec.body < static_cast<int>(d.lanes.size()) ? &d.lanes[spec.body] : nullptr;
  if (seeds) {
    end.drho = seeds->rho[spec.side];
    end.daxes = seeds->axis[spec.side];
  }
  return end;
}

ElementPoint<double> look_at(const ModelData& m, ModelWorkspace& w, const ForceSpec& force) {
  if (force.law >= 0) fill_slots(m.slots, w.bound, w.state, w.formula);
  place_ends(w.bound.kernel, w.k, force.ends, w.force);
  auto at = element_point(w, force);
  at.law = law_of(m, w, force);
  return at;
}

void constants_with_directions(const ModelData& m, const ModelWorkspace& w, ConstantRange range,
                               Dual* out) {
  for (int i = 0; i < range.count; ++i) out[i] = constant_directions(m, w, range.first + i);
}

ElementPoint<Dual> look_at_directions(const ModelData& m, ModelWorkspace& w,
                                      const ForceSpec& force) {
  auto& work = w.force_directions;
  place_ends(w.bound.kernel, w.k, w.seed, w.d, force.ends, work);
  constants_with_directions(m, w, force.constants, work.constants.data());
  for (int i = 0; i < force.num_states; ++i) {
    const int state = force.first_state + i;
    work.states[i] = {w.state.e[state], w.formula.lanes[m.slots.first_state + state]};
  }
  if (force.law >= 0) {
    work.law = {w.formula.law_values[force.law], &m.force.laws[force.law],
                w.formula.gradients.data() + w.formula.gradient_first[force.law],
                w.formula.lanes.data()};
  }
  return {{work.frames.data(), force.ends.size()},
          {work.constants.data(), static_cast<std::size_t>(force.constants.count)},
          {work.states.data(), static_cast<std::size_t>(force.num_states)},
          {w.state.t, w.formula.lanes[m.slots.t]},
          w.state.mode_from(force.first_switch),
          force.law >= 0 ? &work.law : nullptr};
}

void act(const ModelData& m, ModelWorkspace& w, const ForceSpec& force) {
  act_at(look_at(m, w, force), w, force);
}

void act_directions(const ModelData& m, ModelWorkspace& w, const ForceSpec& force) {
  auto& work = w.force_directions;
  force.element->act(look_at_directions(m, w, force),
                     {{work.forces.data(), force.ends.size()},
                      {work.rates.data(), static_cast<std::size_t>(force.num_states)}});
}

void apply_forces(const ModelData& m, ModelWorkspace& w) {
  for (int b : m.force.bodies) w.k.force[b] = w.k.torque[b] = V4{};
  for (auto& F : w.k.axis_force) F = {};
  if (!m.force.laws.empty() || !m.external.formulas.empty())
    fill_slots(m.slots, w.bound, w.state, w.formula);
  for (const ForceSpec& force : m.force.elements) {
    if (force.rests(w.state.mode)) continue;
    place_ends(w.bound.kernel, w.k, force.ends, w.force);
    auto at = element_point(w, force);
    at.law = law_of(m, w, force);
    act_at(at, w, force);
    push_ends(m.kernel.structure, w.bound.kernel, force.ends, w.force, w.k);
  }
}

void add_force_directions(const ModelData& m, ModelWorkspace& w) {
  for (const ForceSpec& force : m.force.elements) {
    if (force.rests(w.state.mode)) continue;
    act_directions(m, w, force);
    push_ends(m.kernel.structure, w.bound.kernel, w.k, w.seed, force.ends, w.force_directions, w.d);
    for (int i = 0; i < force.num_states; ++i) {
      w.external.element_lanes[force.first_state + i] = w.force_directions.rates[i].d;
    }
  }
}

void prepare_laws(const ModelData& m, ModelWorkspace& w) {
  if (m.force.laws.empty()) return;
  for (const ForceSpec& force : m.force.elements) {
    if (force.law < 0) continue;
    auto at = look_at(m, w, force);
    w.force.law.gradient = w.formula.gradients.data() + w.formula.gradient_first[force.law];
    w.force.law.value = &w.formula.law_values[force.law];
    act_at(at, w, force);
  }
}

Measured<double> measure(ModelWorkspace& w, const EventSpec& event) {
  place_ends(w.bound.kernel, w.k, event.ends, w.force);
  return event.element->measure(w.force.frames.data());
}

Measured<Dual> measure_directions(ModelWorkspace& w, const EventSpec& event) {
  place_ends(w.bound.kernel, w.k, w.seed, w.d, event.ends, w.force_directions);
  return event.element->measure(w.force_directions.frames.data());
}

}  // namespace parfait::mbs
