#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/mbs/body_step.h"
#include "parfait/mbs/force_stage.h"
#include "parfait/mbs/model_data.h"
#include "parfait/mbs/observation.h"

// Switching functions: branches in formulas, those of force elements, events. They need positions,
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
  act(m, w, m.forces[group.index]);  // which puts s and its rate there
}

double event_value(const ModelData& m, ModelWorkspace& w, const EventSpec& event) {
  if (event.element) {
    const auto measured = measure(w, event);
    return event.element->gap(
        {w.constants.data() + event.constants.first, measured.s, measured.rate});
  }
  fill_slots(m, w);
  const double value = m.event_formulas[event.formula].value(
      w.slots.data(), w.scratch.data(), mode_from(w, m.event_switch[event.formula]));
  return event.is_timed ? w.t - value : value;
}

void group_values(const ModelData& m, ModelWorkspace& w, const SwitchGroup& group, double* out) {
  switch (group.kind) {
    case Kind::kElement: {
      const ForceSpec& force = m.forces[group.index];
      force.element->switches(look_at(m, w, force), {out, static_cast<std::size_t>(group.count)});
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
  return group.kind != Kind::kElement && group.kind != Kind::kEvent;
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
    const auto measured = measure_directions(w, event);
    Dual* constants = w.force_directions.constants.data();
    constants_with_directions(m, w, event.constants, constants);
    return event.element->gap({constants, measured.s, measured.rate}).d;
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
  if (group.kind == Kind::kElement) {
    const ForceSpec& force = m.forces[group.index];
    const std::span<Dual> values(w.force_directions.switches.data(),
                                 static_cast<std::size_t>(group.count));
    force.element->switches(look_at_directions(m, w, force), values);
    for (int i = 0; i < group.count; ++i) out[i] = values[i].d;
    return;
  }
  if (group.kind == Kind::kLaw) act_directions(m, w, m.forces[group.index]);  // s and its rate
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
      infos.push_back(info);
      continue;
    }
    const ForceSpec& force = m.forces[group.index];
    for (auto& own : force.element->switch_infos()) {
      own.name = force.id + ": " + own.name;
      infos.push_back(std::move(own));
    }
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
