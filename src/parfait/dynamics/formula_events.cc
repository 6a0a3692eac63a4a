#include <algorithm>

#include "parfait/dynamics/formula_system_impl.h"
#include "parfait/math/finite.h"

namespace parfait::dynamics {

Status FormulaSystem::switches(Workspace& ws, const Point& at, Vec s) const {
  auto& w = cast(ws);
  load(data_, w, at, w.switches);
  data_.event_values.evaluate(w.switches, w.scratch.data());
  const double* const slots = w.switches.slots.data();
  for (const auto& step : data_.switched) {
    step.formula.switch_values(slots, w.scratch.data(), s.data() + step.first_switch,
                               w.switches.mode_of(step));
  }
  const int num_events = static_cast<int>(data_.jumps.size());
  std::copy_n(slots + data_.slots.events, num_events, s.begin() + data_.first_event_switch);
  const auto num_switches = static_cast<std::size_t>(data_.sizes.num_switches);
  return math::all_finite(s.first(num_switches)) ? Status::kOk : Status::kNotFinite;
}

void FormulaSystem::linearize_switches(FormulaWorkspace& w) const {
  if (!w.switches.linearized) {
    double* gradients = w.switch_gradients.data();
    for (const auto& step : data_.switched) {
      step.formula.switch_gradients(w.switches.slots.data(), w.scratch.data(), w.switch_room.data(),
                                    gradients, w.switches.mode_of(step));
      gradients += step.formula.num_switches() * step.formula.num_used();
    }
  }
  data_.event_values.linearize(w.switches, w.scratch.data());
}

void FormulaSystem::switch_directions(Workspace& ws, const PointDirections& d,
                                      Directions& ds) const {
  auto& w = cast(ws);
  linearize_switches(w);
  const int num_events = static_cast<int>(data_.jumps.size());
  for (int chunk = 0; chunk < ds.chunks(); ++chunk) {
    load_directions(data_, w, d, chunk);
    data_.event_values.apply(w.switches, w.dslots.data());
    double* const out = ds.chunk(chunk);
    const double* gradient = w.switch_gradients.data();
    for (const auto& step : data_.switched) {
      for (int k = 0; k < step.formula.num_switches(); ++k) {
        step.formula.apply(gradient, w.dslots.data(), out + (step.first_switch + k) * math::kLanes);
        gradient += step.formula.num_used();
      }
    }
    std::copy_n(w.dslots.data() + data_.slots.events * math::kLanes, num_events * math::kLanes,
                out + data_.first_event_switch * math::kLanes);
  }
}

Status FormulaSystem::jump(Workspace& ws, int which, const Point& before, Vec after) const {
  auto& w = cast(ws);
  w.which_event = which - data_.first_event_switch;
  const FormulaJump& jump = data_.jumps[w.which_event];
  load(data_, w, before, w.jump);
  jump.chain.evaluate(w.jump, w.scratch.data());
  std::copy_n(w.jump.slots.data() + data_.slots.y, data_.sizes.ne, after.begin());
  const double* value = w.jump.slots.data() + data_.slots.size;
  for (const int target : jump.targets) after[target] = *value++;
  return math::all_finite(after.first(static_cast<std::size_t>(data_.sizes.ne)))
             ? Status::kOk
             : Status::kNotFinite;
}

void FormulaSystem::jump_directions(Workspace& ws, const PointDirections& d,
                                    Directions& dafter) const {
  auto& w = cast(ws);
  const FormulaJump& jump = data_.jumps[w.which_event];
  jump.chain.linearize(w.jump, w.scratch.data());
  for (int chunk = 0; chunk < dafter.chunks(); ++chunk) {
    load_directions(data_, w, d, chunk);
    jump.chain.apply(w.jump, w.dslots.data());
    double* const out = dafter.chunk(chunk);
    std::copy_n(w.dslots.data() + data_.slots.y * math::kLanes, data_.sizes.ne * math::kLanes, out);
    const double* value = w.dslots.data() + data_.slots.size * math::kLanes;
    for (const int target : jump.targets) {
      std::copy_n(value, math::kLanes, out + target * math::kLanes);
      value += math::kLanes;
    }
  }
}

void FormulaSystem::pull_back_switches(Workspace& ws, ConstVec s, Pulled& to) const {
  auto& w = cast(ws);
  linearize_switches(w);
  const double* gradient = w.switch_gradients.data();
  for (const auto& step : data_.switched) {
    const auto used = step.formula.used_slots();
    for (int k = 0; k < step.formula.num_switches(); ++k) {
      const double seed = s[step.first_switch + k];
      for (const int slot : used) w.adjoints[static_cast<std::size_t>(slot)] += seed * *gradient++;
    }
  }
  for (std::size_t i = 0; i < data_.jumps.size(); ++i) {
    w.adjoints[static_cast<std::size_t>(data_.slots.events) + i] +=
        s[static_cast<std::size_t>(data_.first_event_switch) + i];
  }
  data_.event_values.pull_back(w.switches, w.adjoints.data());
  unload_adjoints(data_, w, to);
}

void FormulaSystem::pull_back_jump(Workspace& ws, ConstVec after, Pulled& to) const {
  auto& w = cast(ws);
  const FormulaJump& jump = data_.jumps[w.which_event];
  jump.chain.linearize(w.jump, w.scratch.data());
  // States that are set come from their formulas, the others from before.
  double* const states = w.adjoints.data() + data_.slots.y;
  std::copy_n(after.begin(), data_.sizes.ne, states);
  double* value = w.adjoints.data() + data_.slots.size;
  for (const int target : jump.targets) {
    // The last of several that set one state counts.
    *value++ = 0;
    states[target] = 0;
  }
  for (std::size_t i = 0; i < jump.targets.size(); ++i) {
    const int target = jump.targets[i];
    const bool is_last = std::find(jump.targets.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                   jump.targets.end(), target) == jump.targets.end();
    if (is_last) w.adjoints[static_cast<std::size_t>(data_.slots.size) + i] = after[target];
  }
  jump.chain.pull_back(w.jump, w.adjoints.data());
  unload_adjoints(data_, w, to);
}

}  // namespace parfait::dynamics
