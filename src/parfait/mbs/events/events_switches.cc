#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/mbs/data/model_data.h"
#include "parfait/mbs/events/events.h"
#include "parfait/mbs/forces/force_stage.h"
#include "parfait/mbs/observation/observation.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mbs/solver/body_step.h"

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
      return {&m.force.laws[m.force.elements[group.index].law], m.force.elements[group.index].id};
    case Kind::kDerivative:
      return {&m.external.formulas[group.index], m.external.states[group.index].id};
    case Kind::kOffset: {
      const auto owner =
          std::find_if(m.offset.specs.begin(), m.offset.specs.end(),
                       [&](const auto& offset) { return offset.formula == group.index; });
      const auto& joints = m.kernel.structure.joints;
      const auto joint = std::find_if(joints.begin(), joints.end(), [&](const JointShape& shape) {
        return owner->row < shape.first_row + shape.nrows;
      });
      return {&m.offset.formulas[group.index], m.kernel.joint_ids[joint - joints.begin()]};
    }
    default:
      return {&m.event.formulas[m.event.specs[group.index].formula], m.event.specs[group.index].id};
  }
}

/// Puts the values of the formula of a group where it looks for them.
void fill_for(const ModelData& m, ModelWorkspace& w, const SwitchGroup& group) {
  if (group.kind == Kind::kOffset) {  // its slots: t, parameters
    w.formula.slots[0] = w.state.t;
    std::copy(w.bound.p.begin(), w.bound.p.end(), w.formula.slots.begin() + 1);
    return;
  }
  fill_slots(m.slots, w.bound, w.state, w.formula);
  if (group.kind != Kind::kLaw) return;
  act(m, w, m.force.elements[group.index]);  // which puts s and its rate there
}

double event_value(const ModelData& m, ModelWorkspace& w, const EventSpec& event) {
  if (event.element) {
    const auto measured = measure(w, event);
    return event.element->gap(
        {w.bound.constants.data() + event.constants.first, measured.s, measured.rate});
  }
  fill_slots(m.slots, w.bound, w.state, w.formula);
  const double value = m.event.formulas[event.formula].value(
      w.formula.slots.data(), w.formula.scratch.data(),
      w.state.mode_from(m.event.formula_switch[event.formula]));
  return event.is_timed ? w.state.t - value : value;
}

void group_values(const ModelData& m, ModelWorkspace& w, const SwitchGroup& group, double* out) {
  switch (group.kind) {
    case Kind::kElement: {
      const ForceSpec& force = m.force.elements[group.index];
      force.element->switches(look_at(m, w, force), {out, static_cast<std::size_t>(group.count)});
      return;
    }
    case Kind::kEvent:
      *out = event_value(m, w, m.event.specs[group.index]);
      return;
    default:
      fill_for(m, w, group);
      branches(m, group).formula->switch_values(w.formula.slots.data(), w.formula.scratch.data(),
                                                out, w.state.mode_from(group.first));
  }
}

bool is_formula_group(const SwitchGroup& group) {
  return group.kind != Kind::kElement && group.kind != Kind::kEvent;
}

/// Gradients of all formulas at the point of the last switches().
void prepare(const ModelData& m, ModelWorkspace& w) {
  prepare_laws(m, w);
  for (const auto& group : m.switching.groups) {
    if (is_formula_group(group)) {
      fill_for(m, w, group);
      branches(m, group).formula->switch_gradients(
          w.formula.slots.data(), w.formula.scratch.data(), w.switching.values.data() + group.first,
          w.switching.gradients.data() + group.first_gradient, w.state.mode_from(group.first));
    } else if (group.kind == Kind::kEvent && !m.event.specs[group.index].element) {
      const int formula = m.event.specs[group.index].formula;
      fill_slots(m.slots, w.bound, w.state, w.formula);
      m.event.formulas[formula].gradient(
          w.formula.slots.data(), w.formula.scratch.data(),
          w.switching.event_gradients.data() + m.event.gradient_first[formula],
          w.state.mode_from(m.event.formula_switch[formula]));
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
  m.event.formulas[event.formula].apply(
      w.switching.event_gradients.data() + m.event.gradient_first[event.formula],
      reinterpret_cast<const double*>(w.formula.lanes.data()), lane);
  const Lane d = math::load(lane);
  return event.is_timed ? w.formula.lanes[m.slots.t] - d : d;
}

void group_directions(const ModelData& m, ModelWorkspace& w, const SwitchGroup& group, Lane* out) {
  if (group.kind == Kind::kEvent) {
    *out = event_directions(m, w, m.event.specs[group.index]);
    return;
  }
  if (group.kind == Kind::kElement) {
    const ForceSpec& force = m.force.elements[group.index];
    const std::span<Dual> values(w.force_directions.switches.data(),
                                 static_cast<std::size_t>(group.count));
    force.element->switches(look_at_directions(m, w, force), values);
    for (int i = 0; i < group.count; ++i) out[i] = values[i].d;
    return;
  }
  if (group.kind == Kind::kLaw)
    act_directions(m, w, m.force.elements[group.index]);  // s and its rate
  // The slots of offset formulas, t and parameters, stand in a row behind s and rate.
  const int first = group.kind == Kind::kOffset ? m.slots.t : 0;
  const expr::Formula& formula = *branches(m, group).formula;
  for (int i = 0; i < group.count; ++i) {
    alignas(64) double lane[math::kLanes];
    formula.apply(w.switching.gradients.data() + group.first_gradient +
                      static_cast<std::size_t>(i) * formula.num_used(),
                  reinterpret_cast<const double*>(w.formula.lanes.data() + first), lane);
    out[i] = math::load(lane);
  }
}

bool any_derivative_switch(const ModelData& m) {
  return std::any_of(m.switching.groups.begin(), m.switching.groups.end(),
                     [](const SwitchGroup& group) { return group.kind == Kind::kDerivative; });
}

}  // namespace

void fill_event_slots(const ModelData& m, ModelWorkspace& w, int count) {
  fill_slots(m.slots, w.bound, w.state, w.formula);
  for (int i = 0; i < count; ++i) {
    w.formula.slots[m.slots.first_event_quantity + i] = quantity_value(m, w, m.event.quantities[i]);
  }
}

std::vector<dynamics::SwitchInfo> Model::switch_infos() const {
  const ModelData& m = *data_;
  std::vector<dynamics::SwitchInfo> infos;
  for (const auto& group : m.switching.groups) {
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
      const EventSpec& event = m.event.specs[group.index];
      info = {event.id, event.jump, event.terminal, event.is_timed};
      infos.push_back(info);
      continue;
    }
    const ForceSpec& force = m.force.elements[group.index];
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
  if (m.switching.groups.empty()) return dynamics::Status::kOk;
  ModelWorkspace& w = cast(ws);
  w.state.t = at.t;
  load_state(m, w, at.y.data());
  set_mode(at.mode, w.state);
  if (m.switching.use_bodies)
    place_bodies(m.kernel.structure, w.bound.kernel, w.state.q_now, w.state.v_now, w.k);
  fill_event_slots(m, w, m.event.num_when);
  if (any_derivative_switch(m)) {
    for (std::size_t i = 0; i < m.external.quantities.size(); ++i) {
      w.formula.slots[m.slots.first_quantity + i] = quantity_value(m, w, m.external.quantities[i]);
    }
  }
  bool finite = true;
  for (const auto& group : m.switching.groups) {
    group_values(m, w, group, s.data() + group.first);
    for (int i = 0; i < group.count; ++i) finite &= std::isfinite(s[group.first + i]);
  }
  return finite ? dynamics::Status::kOk : dynamics::Status::kNotFinite;
}

void Model::switch_directions(dynamics::Workspace& ws, const dynamics::PointDirections& d,
                              dynamics::Directions& ds) const {
  const ModelData& m = *data_;
  if (m.switching.groups.empty()) return;
  ModelWorkspace& w = cast(ws);
  prepare(m, w);
  const bool derivatives = any_derivative_switch(m);
  for (int chunk = 0; chunk < ds.chunks(); ++chunk) {
    seed_chunk(m, w, d, chunk);
    const Lane* dy = d.dy ? reinterpret_cast<const Lane*>(d.dy->chunk(chunk)) : w.seed.zero.data();
    if (m.switching.use_bodies) place_lanes(m, w, dy, true);
    for (int i = 0; i < m.event.num_when; ++i) {
      w.formula.lanes[m.slots.first_event_quantity + i] =
          quantity_directions(m, w, m.event.quantities[i]).d;
    }
    for (std::size_t i = 0; derivatives && i < m.external.quantities.size(); ++i) {
      w.formula.lanes[m.slots.first_quantity + i] =
          quantity_directions(m, w, m.external.quantities[i]).d;
    }
    Lane* out = reinterpret_cast<Lane*>(ds.chunk(chunk));
    for (const auto& group : m.switching.groups) group_directions(m, w, group, out + group.first);
  }
}

}  // namespace parfait::mbs
