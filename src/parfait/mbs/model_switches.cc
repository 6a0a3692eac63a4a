#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/mbs/body_step.h"
#include "parfait/mbs/model_data.h"
#include "parfait/mbs/observation.h"

// Switching functions: branches in formulas, one-sided forces, events. They need positions,
// velocities and external states, never the accelerations.
namespace parfait::mbs {
namespace {

using Kind = SwitchGroup::Kind;

/// The formula whose branches a group is, with the id of its owner.
struct Branches {
  const expr::Formula* formula;
  const std::string& owner;
};

Branches branches(const ModelData& m, const SwitchGroup& group) {
  switch (group.kind) {
    case Kind::kLaw:
      return {&m.laws[m.forces[group.index].law], m.forces[group.index].id};
    case Kind::kDerivative:
      return {&m.derivatives[group.index], m.states[group.index].id};
    case Kind::kOffset: {
      const auto owner = std::find_if(m.offsets.begin(), m.offsets.end(), [&](const auto& offset) {
        return offset.formula == group.index;
      });
      const auto& joints = m.structure.joints;
      const auto joint = std::find_if(joints.begin(), joints.end(), [&](const JointShape& shape) {
        return owner->row < shape.first_row + shape.nrows;
      });
      return {&m.offset_formulas[group.index], m.joint_ids[joint - joints.begin()]};
    }
    default:
      return {&m.event_formulas[m.events[group.index].formula], m.events[group.index].id};
  }
}

/// Puts the values of the formula of a group where it looks for them.
void fill_for(const ModelData& m, ModelWorkspace& w, const SwitchGroup& group) {
  if (group.kind == Kind::kOffset) {  // its slots: t, parameters
    w.slots[0] = w.t;
    std::copy(w.p.begin(), w.p.end(), w.slots.begin() + 1);
    return;
  }
  fill_slots(m, w);
  if (group.kind != Kind::kLaw) return;
  const ForceSpec& force = m.forces[group.index];
  const auto measured = force.element->measure(force_site(w, force));
  w.slots[m.slots.s] = measured.s;
  w.slots[m.slots.rate] = measured.rate;
}

double event_value(const ModelData& m, ModelWorkspace& w, const EventSpec& event) {
  if (event.element) {
    const auto measured = event.element->measure(force_site(w, event));
    return event.element->gap(
        {w.constants.data() + event.first_constant, measured.s, measured.rate});
  }
  fill_slots(m, w);
  const double value = m.event_formulas[event.formula].value(
      w.slots.data(), w.scratch.data(), mode_from(w, m.event_switch[event.formula]));
  return event.is_timed ? w.t - value : value;
}

void group_values(const ModelData& m, ModelWorkspace& w, const SwitchGroup& group, double* out) {
  switch (group.kind) {
    case Kind::kTouch: {
      const ForceSpec& force = m.forces[group.index];
      const double s = force.element->measure(force_site(w, force)).s;
      *out = touch_value(force, s, w.constants[force.rest_constant]);
      return;
    }
    case Kind::kClamp: {
      const ForceSpec& force = m.forces[group.index];
      fill_slots(m, w);
      const double F = law_value(m, w, force, force.element->measure(force_site(w, force)));
      *out = force.side == Side::kPull ? F : -F;
      return;
    }
    case Kind::kEvent:
      *out = event_value(m, w, m.events[group.index]);
      return;
    default:
      fill_for(m, w, group);
      branches(m, group).formula->switch_values(w.slots.data(), w.scratch.data(), out,
                                                mode_from(w, group.first));
  }
}

bool is_formula_group(const SwitchGroup& group) {
  return group.kind != Kind::kTouch && group.kind != Kind::kClamp && group.kind != Kind::kEvent;
}

/// Gradients of all formulas at the point of the last switches().
void prepare(const ModelData& m, ModelWorkspace& w) {
  prepare_laws(m, w);
  for (const auto& group : m.switch_groups) {
    if (is_formula_group(group)) {
      fill_for(m, w, group);
      branches(m, group).formula->switch_gradients(
          w.slots.data(), w.scratch.data(), w.switch_values.data() + group.first,
          w.switch_gradients.data() + group.first_gradient, mode_from(w, group.first));
    } else if (group.kind == Kind::kEvent && !m.events[group.index].element) {
      const int formula = m.events[group.index].formula;
      fill_slots(m, w);
      m.event_formulas[formula].gradient(w.slots.data(), w.scratch.data(),
                                         w.event_gradients.data() + m.event_gradient_first[formula],
                                         mode_from(w, m.event_switch[formula]));
    }
  }
}

Lane event_directions(const ModelData& m, ModelWorkspace& w, const EventSpec& event) {
  if (event.element) {
    const auto measured = event.element->measure(force_site_directions(w, event));
    Dual constants[kMaxForceConstants];
    for (int i = 0; i < event.num_constants; ++i) {
      constants[i] = constant_directions(m, w, event.first_constant + i);
    }
    return event.element->gap(LawInput<Dual>{constants, measured.s, measured.rate}).d;
  }
  alignas(64) double lane[math::kLanes];
  m.event_formulas[event.formula].apply(
      w.event_gradients.data() + m.event_gradient_first[event.formula],
      reinterpret_cast<const double*>(w.slot_lanes.data()), lane);
  const Lane d = math::load(lane);
  return event.is_timed ? w.slot_lanes[m.slots.t] - d : d;
}

void group_directions(const ModelData& m, ModelWorkspace& w, const SwitchGroup& group, Lane* out) {
  if (group.kind == Kind::kEvent) {
    *out = event_directions(m, w, m.events[group.index]);
    return;
  }
  if (group.kind == Kind::kTouch || group.kind == Kind::kClamp) {
    const ForceSpec& force = m.forces[group.index];
    const auto measured = force.element->measure(force_site_directions(w, force));
    if (group.kind == Kind::kTouch) {
      *out = touch_value(force, measured.s, constant_directions(m, w, force.rest_constant)).d;
    } else {
      const Dual F = force_directions(m, w, force, group.index, measured);
      *out = force.side == Side::kPull ? F.d : -F.d;
    }
    return;
  }
  if (group.kind == Kind::kLaw) {
    const ForceSpec& force = m.forces[group.index];
    const auto measured = force.element->measure(force_site_directions(w, force));
    w.slot_lanes[m.slots.s] = measured.s.d;
    w.slot_lanes[m.slots.rate] = measured.rate.d;
  }
  // The slots of offset formulas, t and parameters, stand in a row behind s and rate.
  const int first = group.kind == Kind::kOffset ? m.slots.t : 0;
  const expr::Formula& formula = *branches(m, group).formula;
  for (int i = 0; i < group.count; ++i) {
    alignas(64) double lane[math::kLanes];
    formula.apply(w.switch_gradients.data() + group.first_gradient +
                      static_cast<std::size_t>(i) * formula.num_used(),
                  reinterpret_cast<const double*>(w.slot_lanes.data() + first), lane);
    out[i] = math::load(lane);
  }
}

bool any_derivative_switch(const ModelData& m) {
  return std::any_of(m.switch_groups.begin(), m.switch_groups.end(),
                     [](const SwitchGroup& group) { return group.kind == Kind::kDerivative; });
}

}  // namespace

void fill_event_slots(const ModelData& m, ModelWorkspace& w, int count) {
  fill_slots(m, w);
  for (int i = 0; i < count; ++i) {
    w.slots[m.slots.first_event_quantity + i] = quantity_value(m, w, m.event_quantities[i]);
  }
}

std::vector<dynamics::SwitchInfo> Model::switch_infos() const {
  const ModelData& m = *data_;
  std::vector<dynamics::SwitchInfo> infos;
  for (const auto& group : m.switch_groups) {
    dynamics::SwitchInfo info;
    if (is_formula_group(group)) {
      const auto [formula, owner] = branches(m, group);
      for (int i = 0; i < group.count; ++i) {
        info.name = fmt::format("{}: {}", owner, formula->text());
        if (group.count > 1) info.name += fmt::format(" [{}]", i + 1);
        infos.push_back(info);
      }
      continue;
    }
    if (group.kind == Kind::kEvent) {
      const EventSpec& event = m.events[group.index];
      info = {event.id, event.jump, event.terminal, event.is_timed};
    } else {
      info.name =
          m.forces[group.index].id + (group.kind == Kind::kTouch ? ": touch" : ": adhesion");
    }
    infos.push_back(info);
  }
  return infos;
}

dynamics::Status Model::switches(dynamics::Workspace& ws, const dynamics::Point& at,
                                 dynamics::Vec s) const {
  const ModelData& m = *data_;
  if (m.switch_groups.empty()) return dynamics::Status::kOk;
  ModelWorkspace& w = cast(ws);
  w.t = at.t;
  load_state(m, w, at.y.data());
  set_mode(m, w, at.mode);
  if (m.switches_use_bodies) place_bodies(m.structure, w.bound, w.q_now, w.v_now, w.k);
  if (m.switches_use_forces) apply_forces(m, w);
  fill_event_slots(m, w, m.num_when_quantities);
  if (any_derivative_switch(m)) {
    for (std::size_t i = 0; i < m.derivative_quantities.size(); ++i) {
      w.slots[m.slots.first_quantity + i] = quantity_value(m, w, m.derivative_quantities[i]);
    }
  }
  bool finite = true;
  for (const auto& group : m.switch_groups) {
    group_values(m, w, group, s.data() + group.first);
    for (int i = 0; i < group.count; ++i) finite &= std::isfinite(s[group.first + i]);
  }
  return finite ? dynamics::Status::kOk : dynamics::Status::kNotFinite;
}

void Model::switch_directions(dynamics::Workspace& ws, const dynamics::PointDirections& d,
                              dynamics::Directions& ds) const {
  const ModelData& m = *data_;
  if (m.switch_groups.empty()) return;
  ModelWorkspace& w = cast(ws);
  prepare(m, w);
  const bool derivatives = any_derivative_switch(m);
  for (int chunk = 0; chunk < ds.chunks(); ++chunk) {
    seed_chunk(m, w, d, chunk);
    const Lane* dy = d.dy ? reinterpret_cast<const Lane*>(d.dy->chunk(chunk)) : w.zero_lanes.data();
    if (m.switches_use_bodies) place_lanes(m, w, dy, true);
    for (int i = 0; i < m.num_when_quantities; ++i) {
      w.slot_lanes[m.slots.first_event_quantity + i] =
          quantity_directions(m, w, m.event_quantities[i]).d;
    }
    for (std::size_t i = 0; derivatives && i < m.derivative_quantities.size(); ++i) {
      w.slot_lanes[m.slots.first_quantity + i] =
          quantity_directions(m, w, m.derivative_quantities[i]).d;
    }
    Lane* out = reinterpret_cast<Lane*>(ds.chunk(chunk));
    for (const auto& group : m.switch_groups) group_directions(m, w, group, out + group.first);
  }
}

}  // namespace parfait::mbs
