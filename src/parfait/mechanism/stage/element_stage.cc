#include "parfait/mechanism/stage/element_stage.h"

#include <algorithm>
#include <cmath>

namespace parfait::mechanism {
namespace {

using Kind = SwitchGroup::Kind;

std::size_t count_of(int n) {
  return static_cast<std::size_t>(n);
}

Lane applied(const expr::Formula& formula, const double* gradient, const Lane* slots) {
  alignas(64) double out[math::kLanes];
  formula.apply(gradient, reinterpret_cast<const double*>(slots), out);
  return math::load(out);
}

void fill_slots(const ElementSet& s, ElementWork& w) {
  w.slots[Slots::kTime] = w.t;
  std::copy(w.p.begin(), w.p.end(), w.slots.begin() + Slots::kFirstParameter);
  std::copy(w.e.begin(), w.e.end(), w.slots.begin() + s.slots.first_state);
}

void fill_state_quantities(const ElementSet& s, const Surroundings& around, ElementWork& w) {
  for (std::size_t i = 0; i < s.state_quantities.size(); ++i) {
    w.slots[s.slots.first_state_quantity + i] = around.value(s.state_quantities[i]);
  }
}
void fill_event_quantities(const ElementSet& s, const Surroundings& around, int count,
                           ElementWork& w) {
  for (int i = 0; i < count; ++i) {
    w.slots[s.slots.first_event_quantity + i] = around.value(s.event_quantities[i]);
  }
}
void seed_quantities(const std::vector<Quantity>& quantities, int count, int first,
                     const Surroundings& around, ElementWork& w) {
  for (int i = 0; i < count; ++i) {
    w.lanes[first + i] = around.value_with_directions(quantities[i]).d;
  }
}

/// The slots of offset formulas are t, parameters.
void fill_offset_slots(ElementWork& w) {
  w.slots[0] = w.t;
  std::copy(w.p.begin(), w.p.end(), w.slots.begin() + 1);
}

const expr::Formula& formula_of(const ElementSet& s, const SwitchGroup& group) {
  switch (group.kind) {
    case Kind::kLaw:
      return s.laws[s.forces[group.index].law];
    case Kind::kDerivative:
      return s.derivatives[group.index];
    case Kind::kOffset:
      return s.offset_formulas[group.index];
    default:
      return s.event_formulas[s.events[group.index].formula];
  }
}

bool has_formula(const SwitchGroup& group) {
  return group.kind != Kind::kElement && group.kind != Kind::kEvent;
}

/// Values of the arguments of a group's formula where it looks for them.
void fill_for(const ElementSet& s, const SwitchGroup& group, const Surroundings& around,
              ElementWork& w) {
  if (group.kind == Kind::kOffset) {
    fill_offset_slots(w);
    return;
  }
  fill_slots(s, w);
  if (group.kind == Kind::kLaw) act(s, s.forces[group.index], around, w);  // puts s and rate there
}

double event_value(const ElementSet& s, const ActingEvent& event, const Surroundings& around,
                   ElementWork& w) {
  if (event.element) {
    const auto measured = measure(event, around, w);
    return event.element->gap(
        {w.constants.data() + event.first_constant, measured.s, measured.rate});
  }
  fill_slots(s, w);
  const double value = s.event_formulas[event.formula].value(
      w.slots.data(), w.scratch.data(), w.mode_from(s.event_switch[event.formula]));
  return event.is_timed ? w.t - value : value;
}

Lane event_directions(const ElementSet& s, const ActingEvent& event, const Surroundings& around,
                      ElementWork& w) {
  if (event.element) {
    const auto measured = measure_with_directions(event, around, w);
    return event.element
        ->gap({w.dual_constants.data() + event.first_constant, measured.s, measured.rate})
        .d;
  }
  const Lane d =
      applied(s.event_formulas[event.formula],
              w.event_gradients.data() + s.event_gradient[event.formula], w.lanes.data());
  return event.is_timed ? w.lanes[Slots::kTime] - d : d;
}

void event_gradient(const ElementSet& s, int formula, ElementWork& w, const std::int8_t* mode) {
  s.event_formulas[formula].gradient(w.slots.data(), w.scratch.data(),
                                     w.event_gradients.data() + s.event_gradient[formula], mode);
}

}  // namespace

ElementWork::ElementWork(const ElementSet& set, int num_constants)
    : p(count_of(set.num_parameters())),
      e(set.states.size()),
      constants(count_of(num_constants)),
      mode_store(count_of(set.num_switches)),
      slots(count_of(std::max(set.slots.size, set.num_parameters() + 1))),
      scratch(set.scratch_size),
      frames(count_of(set.max_ends)),
      forces(count_of(set.max_ends)),
      rates(set.states.size()),
      dual_constants(count_of(num_constants)),
      lanes(slots.size()),
      dual_frames(count_of(set.max_ends)),
      dual_forces(count_of(set.max_ends)),
      dual_states(count_of(set.max_states)),
      dual_rates(count_of(set.max_states)),
      dual_switches(count_of(set.max_switches)),
      rate_lanes(set.states.size()),
      law_values(set.laws.size()),
      switch_values(count_of(set.num_switches)),
      switch_gradients(set.switch_gradient_size),
      event_gradients(set.event_gradient.back()),
      offset_gradient(set.max_gradient),
      offset_rates(2 * (count_of(set.num_parameters()) + 1)) {
  offset_rates[0] = 1;  // of t; those of parameters, and second derivatives, are zero
  std::size_t size = 0;
  for (const auto* formulas : {&set.laws, &set.derivatives}) {
    for (const auto& f : *formulas) {
      gradient_first.push_back(size);
      size += f.num_used();
    }
  }
  gradients.resize(size);
}

void set_point(const ElementSet& /*s*/, double t, const double* e, dynamics::Mode mode,
               ElementWork& w) {
  w.t = t;
  std::copy_n(e, w.e.size(), w.e.begin());
  w.mode = nullptr;
  if (mode.empty() || w.mode_store.empty()) return;
  std::copy(mode.begin(), mode.end(), w.mode_store.begin());
  w.mode = w.mode_store.data();
}

void seed(const ElementSet& s, const Lane& dt, const Lane* dp, const Lane* de, ElementWork& w) {
  w.lanes[Slots::kTime] = dt;
  for (int i = 0; i < s.num_parameters(); ++i) {
    w.lanes[Slots::kFirstParameter + i] = dp ? dp[i] : Lane{};
  }
  for (std::size_t i = 0; i < w.e.size(); ++i) {
    w.lanes[s.slots.first_state + i] = de ? de[i] : Lane{};
  }
}

ElementPoint<double> look_at(const ElementSet& s, const ActingForce& force,
                             const Surroundings& around, ElementWork& w) {
  around.place(force.ends, w.frames.data());
  ElementPoint<double> at{
      {w.frames.data(), force.ends.size()},
      {w.constants.data() + force.first_constant, count_of(force.num_constants)},
      {w.e.data() + force.first_state, count_of(force.num_states)},
      w.t,
      w.mode_from(force.first_switch),
      nullptr};
  if (force.law >= 0) {
    fill_slots(s, w);
    w.law = {&s.laws[force.law], w.slots.data(), w.scratch.data(),
             w.mode_from(s.law_switch[force.law])};
    at.law = &w.law;
  }
  return at;
}

ElementPoint<Dual> look_at_with_directions(const ElementSet& s, const ActingForce& force,
                                           const Surroundings& around, ElementWork& w) {
  around.place(force.ends, w.dual_frames.data());
  for (int i = 0; i < force.num_states; ++i) {
    const int state = force.first_state + i;
    w.dual_states[i] = {w.e[state], w.lanes[s.slots.first_state + state]};
  }
  if (force.law >= 0) {
    w.dual_law = {w.law_values[force.law], &s.laws[force.law],
                  w.gradients.data() + w.gradient_first[force.law], w.lanes.data()};
  }
  return {{w.dual_frames.data(), force.ends.size()},
          {w.dual_constants.data() + force.first_constant, count_of(force.num_constants)},
          {w.dual_states.data(), count_of(force.num_states)},
          {w.t, w.lanes[Slots::kTime]},
          w.mode_from(force.first_switch),
          force.law >= 0 ? &w.dual_law : nullptr};
}

void act(const ElementSet& s, const ActingForce& force, const Surroundings& around,
         ElementWork& w) {
  const auto at = look_at(s, force, around, w);
  force.element->act(at, {{w.forces.data(), force.ends.size()},
                          {w.rates.data() + force.first_state, count_of(force.num_states)}});
}

void act_with_directions(const ElementSet& s, const ActingForce& force, const Surroundings& around,
                         ElementWork& w) {
  const auto at = look_at_with_directions(s, force, around, w);
  force.element->act(at, {{w.dual_forces.data(), force.ends.size()},
                          {w.dual_rates.data(), count_of(force.num_states)}});
  for (int i = 0; i < force.num_states; ++i) {
    w.rate_lanes[force.first_state + i] = w.dual_rates[i].d;
  }
}

void prepare_laws(const ElementSet& s, const Surroundings& around, ElementWork& w) {
  if (s.laws.empty()) return;
  for (const ActingForce& force : s.forces) {
    if (force.law < 0) continue;
    const auto at = look_at(s, force, around, w);
    w.law.gradient = w.gradients.data() + w.gradient_first[force.law];
    w.law.value = &w.law_values[force.law];
    force.element->act(at, {{w.forces.data(), force.ends.size()},
                            {w.rates.data() + force.first_state, count_of(force.num_states)}});
  }
}

void state_rates(const ElementSet& s, const Surroundings& around, ElementWork& w) {
  if (s.num_formula_states == 0) return;
  fill_slots(s, w);
  fill_state_quantities(s, around, w);
  // Looking at quantities of forces puts the measures of laws into the first slots, which no
  // derivative uses.
  for (int i = 0; i < s.num_formula_states; ++i) {
    w.rates[i] = s.derivatives[i].value(w.slots.data(), w.scratch.data(),
                                        w.mode_from(s.derivative_switch[i]));
  }
}

void prepare_states(const ElementSet& s, const Surroundings& around, ElementWork& w) {
  if (s.num_formula_states == 0) return;
  fill_slots(s, w);
  fill_state_quantities(s, around, w);
  for (int i = 0; i < s.num_formula_states; ++i) {
    s.derivatives[i].gradient(w.slots.data(), w.scratch.data(),
                              w.gradients.data() + w.gradient_first[s.laws.size() + i],
                              w.mode_from(s.derivative_switch[i]));
  }
}

void state_rate_directions(const ElementSet& s, const Surroundings& around, ElementWork& w,
                           Lane* out) {
  seed_quantities(s.state_quantities, static_cast<int>(s.state_quantities.size()),
                  s.slots.first_state_quantity, around, w);
  for (int i = 0; i < s.num_formula_states; ++i) {
    out[i] = applied(s.derivatives[i], w.gradients.data() + w.gradient_first[s.laws.size() + i],
                     w.lanes.data());
  }
  for (std::size_t i = s.num_formula_states; i < w.e.size(); ++i) out[i] = w.rate_lanes[i];
}

expr::Taylor offset_of(const ElementSet& s, int constraint, ElementWork& w) {
  const ConstraintOffset& offset = s.offsets[constraint];
  expr::Taylor r;
  if (offset.formula < 0) {
    r.f = w.constants[offset.constant];
    return r;
  }
  fill_offset_slots(w);
  return s.offset_formulas[offset.formula].taylor2(
      w.slots.data(), w.offset_rates.data(), w.offset_rates.data() + w.p.size() + 1,
      w.scratch.data(), w.mode_from(s.offset_switch[offset.formula]));
}

void offset_directions(const ElementSet& s, int constraint, ElementWork& w, Dual (&r)[3]) {
  const ConstraintOffset& offset = s.offsets[constraint];
  r[0] = r[1] = r[2] = Dual(0.0);
  if (offset.formula < 0) {
    r[0] = w.dual_constants[offset.constant];
    return;
  }
  const expr::Formula& f = s.offset_formulas[offset.formula];
  fill_offset_slots(w);
  const auto taylor = f.taylor2_gradient(
      w.slots.data(), w.offset_rates.data(), w.offset_rates.data() + w.p.size() + 1,
      w.scratch.data(), w.offset_gradient.data(), w.mode_from(s.offset_switch[offset.formula]));
  // The directions of t and parameters stand in a row behind those of s and rate.
  alignas(64) double out[3 * math::kLanes];
  f.taylor2_apply(w.offset_gradient.data(),
                  reinterpret_cast<const double*>(w.lanes.data() + Slots::kTime), nullptr, nullptr,
                  out);
  r[0] = {taylor.f, math::load(out)};
  r[1] = {taylor.df, math::load(out + math::kLanes)};
  r[2] = {taylor.ddf, math::load(out + 2 * math::kLanes)};
}

void switch_values(const ElementSet& s, const Surroundings& around, ElementWork& w, double* out) {
  fill_event_quantities(s, around, s.num_when, w);
  if (s.derivatives_switch) fill_state_quantities(s, around, w);
  for (const SwitchGroup& group : s.switch_groups) {
    double* to = out + group.first;
    if (group.kind == Kind::kElement) {
      const ActingForce& force = s.forces[group.index];
      force.element->switches(look_at(s, force, around, w), {to, count_of(group.count)});
    } else if (group.kind == Kind::kEvent) {
      *to = event_value(s, s.events[group.index], around, w);
    } else {
      fill_for(s, group, around, w);
      formula_of(s, group).switch_values(w.slots.data(), w.scratch.data(), to,
                                         w.mode_from(group.first));
    }
  }
}

void prepare_switches(const ElementSet& s, const Surroundings& around, ElementWork& w) {
  fill_event_quantities(s, around, s.num_when, w);
  if (s.derivatives_switch) fill_state_quantities(s, around, w);
  prepare_laws(s, around, w);
  for (const SwitchGroup& group : s.switch_groups) {
    if (has_formula(group)) {
      fill_for(s, group, around, w);
      formula_of(s, group).switch_gradients(
          w.slots.data(), w.scratch.data(), w.switch_values.data() + group.first,
          w.switch_gradients.data() + group.first_gradient, w.mode_from(group.first));
    } else if (group.kind == Kind::kEvent && !s.events[group.index].element) {
      const int formula = s.events[group.index].formula;
      fill_slots(s, w);
      event_gradient(s, formula, w, w.mode_from(s.event_switch[formula]));
    }
  }
}

void switch_directions(const ElementSet& s, const Surroundings& around, ElementWork& w, Lane* out) {
  seed_quantities(s.event_quantities, s.num_when, s.slots.first_event_quantity, around, w);
  if (s.derivatives_switch) {
    seed_quantities(s.state_quantities, static_cast<int>(s.state_quantities.size()),
                    s.slots.first_state_quantity, around, w);
  }
  for (const SwitchGroup& group : s.switch_groups) {
    Lane* to = out + group.first;
    if (group.kind == Kind::kEvent) {
      *to = event_directions(s, s.events[group.index], around, w);
      continue;
    }
    if (group.kind == Kind::kElement) {
      const ActingForce& force = s.forces[group.index];
      const std::span<Dual> values(w.dual_switches.data(), count_of(group.count));
      force.element->switches(look_at_with_directions(s, force, around, w), values);
      for (int i = 0; i < group.count; ++i) to[i] = values[i].d;
      continue;
    }
    if (group.kind == Kind::kLaw) act_with_directions(s, s.forces[group.index], around, w);
    const expr::Formula& formula = formula_of(s, group);
    const Lane* slots = w.lanes.data() + (group.kind == Kind::kOffset ? Slots::kTime : 0);
    for (int i = 0; i < group.count; ++i) {
      to[i] = applied(formula,
                      w.switch_gradients.data() + group.first_gradient +
                          count_of(i) * count_of(formula.num_used()),
                      slots);
    }
  }
}

Measured<double> measure(const ActingEvent& event, const Surroundings& around, ElementWork& w) {
  around.place(event.ends, w.frames.data());
  return event.element->measure(w.frames.data());
}

Measured<Dual> measure_with_directions(const ActingEvent& event, const Surroundings& around,
                                       ElementWork& w) {
  around.place(event.ends, w.dual_frames.data());
  return event.element->measure(w.dual_frames.data());
}

double rate_after(const ActingEvent& event, const Measured<double>& before, const ElementWork& w) {
  return event.element->rate_after(
      {w.constants.data() + event.first_constant, before.s, before.rate});
}

Dual rate_after(const ActingEvent& event, const Measured<Dual>& before, const ElementWork& w) {
  return event.element->rate_after(
      {w.dual_constants.data() + event.first_constant, before.s, before.rate});
}

bool set_states(const ElementSet& s, const ActingEvent& event, const Surroundings& around,
                ElementWork& w, double* e) {
  if (event.sets.empty()) return true;
  fill_event_quantities(s, around, static_cast<int>(s.event_quantities.size()), w);
  fill_slots(s, w);
  bool finite = true;
  for (const auto& set : event.sets) {
    const double value = s.event_formulas[set.formula].value(w.slots.data(), w.scratch.data());
    e[set.state] = value;
    finite &= std::isfinite(value);
  }
  return finite;
}

void prepare_sets(const ElementSet& s, const ActingEvent& event, const Surroundings& around,
                  ElementWork& w) {
  fill_event_quantities(s, around, static_cast<int>(s.event_quantities.size()), w);
  prepare_laws(s, around, w);
  fill_slots(s, w);
  for (const auto& set : event.sets) event_gradient(s, set.formula, w, nullptr);
}

void set_state_directions(const ElementSet& s, const ActingEvent& event, const Surroundings& around,
                          ElementWork& w, Lane* de) {
  if (event.sets.empty()) return;
  seed_quantities(s.event_quantities, static_cast<int>(s.event_quantities.size()),
                  s.slots.first_event_quantity, around, w);
  for (const auto& set : event.sets) {
    de[set.state] =
        applied(s.event_formulas[set.formula],
                w.event_gradients.data() + s.event_gradient[set.formula], w.lanes.data());
  }
}

}  // namespace parfait::mechanism
