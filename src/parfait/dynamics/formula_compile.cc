#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "parfait/dynamics/check_vocabulary.h"
#include "parfait/dynamics/formula_data.h"
#include "parfait/dynamics/formula_index.h"

namespace parfait::dynamics {
namespace {

using base::InputError;
using base::Place;
using expr::Formula;

/// A value that should be finite, without the sign that a nan may have.
std::string not_finite(double x) {
  return std::isnan(x) ? "not a number" : fmt::format("{}", x);
}

int count(const auto& list) {
  return static_cast<int>(list.size());
}

/// The place of character `offset` of a text.
Place place_in(const FormulaText& text, std::size_t offset) {
  Place place = text.place;
  if (place.line <= 0) return place;
  for (const char c : std::string_view(text.text).substr(0, offset)) {
    place.line += c == '\n';
    place.column = c == '\n' ? 1 : place.column + 1;
  }
  return place;
}

/// Where the sign of an equation stands, as opposed to <=, >=, == and !=.
std::size_t find_equals(std::string_view text, std::size_t from = 0) {
  for (std::size_t i = from; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    if (i + 1 < text.size() && text[i + 1] == '=') {
      ++i;
    } else if (i == 0 || std::string_view("<>!").find(text[i - 1]) == std::string_view::npos) {
      return i;
    }
  }
  return std::string_view::npos;
}

/// Compiles one model; the parts are called in the order of compile().
class Compiler {
 public:
  Compiler(const FormulaModel& model, FormulaData& data)
      : m_(model), d_(data), used_(model.parameters.size()) {}

  void number_names();
  void compile_start();
  void compile_definitions();
  void compile_rates();
  void compile_residuals();
  void compile_events();
  void announce_switches();
  void compile_jumps();
  void collect_time_breaks();
  void warn();

 private:
  std::vector<std::string> parameter_names() const;
  Formula formula(const FormulaText& text, const std::string& label);
  Formula start_formula(const FormulaText& text, const std::string& label);
  Formula equation(const FormulaModel::Equation& equation);
  FormulaUses uses_of(const FormulaStep& step) const;
  Formula event_function(const FormulaModel::Event& event);
  bool is_set(const std::string& parameter) const;
  void announce(FormulaStep& step, const std::string& name);

  const FormulaModel& m_;
  FormulaData& d_;
  std::vector<bool> used_;  ///< parameters that a formula names
  std::vector<FormulaStep> residuals_, events_;
  std::vector<bool> in_dynamics_;  ///< definitions that the right-hand side or an event needs
};

std::vector<std::string> Compiler::parameter_names() const {
  std::vector<std::string> names;
  for (const auto& parameter : m_.parameters) names.push_back(parameter.id);
  return names;
}

bool Compiler::is_set(const std::string& parameter) const {
  return std::any_of(m_.events.begin(), m_.events.end(), [&](const auto& event) {
    return std::any_of(event.sets.begin(), event.sets.end(),
                       [&](const auto& set) { return set.target == parameter; });
  });
}

void Compiler::number_names() {
  for (const auto& state : m_.states) d_.state_names.push_back(state.id);
  for (const auto& p : m_.parameters) {
    if (is_set(p.id)) d_.state_names.push_back(p.id);
    const double scale = p.scale.value_or(std::max(std::abs(*p.initial), 1.0));
    d_.parameters.push_back({p.id, *p.initial, p.lower, p.upper, scale});
    d_.p0.push_back(*p.initial);
  }
  for (const auto& z : m_.algebraics) d_.algebraic_names.push_back(z.id);
  for (const auto& input : m_.inputs) {
    d_.inputs.emplace_back(input.id, table_of(input));
  }
  d_.sizes.ne = count(d_.state_names);
  d_.sizes.nz = count(d_.algebraic_names);
  d_.sizes.np = count(d_.parameters);
  auto& s = d_.slots;
  s.z = s.y + d_.sizes.ne;
  s.p = s.z + d_.sizes.nz;
  s.definitions = s.p + d_.sizes.np;
  s.rates = s.definitions + count(m_.definitions);
  s.residuals = s.rates + d_.sizes.ne;
  s.events = s.residuals + d_.sizes.nz;
  s.size = s.events + count(m_.events);
}

/// A formula of everything that is known so far.
Formula Compiler::formula(const FormulaText& text, const std::string& label) {
  FormulaScope scope(d_, false);
  Formula f(text.text, scope, text.place);
  for (int i = 0; i < d_.sizes.np; ++i) {
    const auto state = std::find(d_.state_names.begin(), d_.state_names.end(), m_.parameters[i].id);
    const int slot = state == d_.state_names.end()
                         ? d_.slots.p + i
                         : d_.slots.y + static_cast<int>(state - d_.state_names.begin());
    if (f.uses(slot)) used_[i] = true;
  }
  if (f.is_constant()) {
    std::vector<double> scratch(f.scratch_size());
    const double x = f.value(nullptr, scratch.data());
    if (!std::isfinite(x)) {
      throw InputError(text.place,
                       fmt::format("{} is {}; it must be finite.", label, not_finite(x)));
    }
  }
  return f;
}

/// A formula of parameters that is finite at their initial values.
Formula Compiler::start_formula(const FormulaText& text, const std::string& label) {
  expr::Names scope(parameter_names());
  Formula f(text.text, scope, text.place);
  for (const int i : f.used_slots()) used_[i] = true;
  std::vector<double> scratch(f.scratch_size());
  const double x = f.value(d_.p0.data(), scratch.data());
  if (!std::isfinite(x)) {
    throw InputError(text.place,
                     fmt::format("{} is {} at the initial values of the parameters; it must be "
                                 "finite.",
                                 label, not_finite(x)));
  }
  d_.start_scratch_size = std::max(d_.start_scratch_size, scratch.size());
  return f;
}

void Compiler::compile_start() {
  for (const auto& state : m_.states) {
    d_.start_y.push_back(
        start_formula(state.initial, element_label("state", state.id) + ": the initial value"));
  }
  expr::Names scope(parameter_names());
  for (const auto& p : m_.parameters) {
    if (!is_set(p.id)) continue;
    d_.start_y.emplace_back(p.id, scope);
    d_.start_scratch_size = std::max(d_.start_scratch_size, d_.start_y.back().scratch_size());
  }
  for (const auto& z : m_.algebraics) {
    d_.start_z.push_back(
        start_formula(z.initial, element_label("algebraic", z.id) + ": the initial value"));
  }
}

void Compiler::compile_definitions() {
  for (const auto& define : m_.definitions) {
    const int slot = d_.slots.definitions + count(d_.definitions);
    d_.definitions.push_back({formula(define.formula, element_label("define", define.id)), slot});
    d_.definition_names.push_back(define.id);  // known from here on
  }
}

void Compiler::compile_rates() {
  for (const auto& state : m_.states) {
    const std::string label = element_label("state", state.id) + ": the derivative";
    d_.rates.push_back({formula(state.derivative, label), d_.slots.rates + count(d_.rates)});
  }
  while (count(d_.rates) < d_.sizes.ne) {
    d_.rates.push_back({Formula(), d_.slots.rates + count(d_.rates)});
  }
}

Formula Compiler::equation(const FormulaModel::Equation& equation) {
  const FormulaText& text = equation.text;
  const auto equals = find_equals(text.text);
  if (equals == std::string::npos) return formula(text, "equation");
  if (const auto second = find_equals(text.text, equals + 1); second != std::string::npos) {
    throw InputError(place_in(text, second), "an equation must have exactly one \"=\".");
  }
  const std::string left = text.text.substr(0, equals);
  const auto first = text.text.find_first_not_of(" \t\r\n", equals + 1);
  if (first == std::string::npos) {
    throw InputError(place_in(text, equals), "nothing follows \"=\" in this equation.");
  }
  // Both sides on their own, so that a message has the right place; then their difference.
  const FormulaText right{text.text.substr(first), place_in(text, first)};
  const Formula l = formula({left, text.place}, "the left side of the equation");
  Formula r = formula(right, "the right side of the equation");
  std::vector<double> scratch(l.scratch_size());
  const bool zero = l.is_constant() && l.value(nullptr, scratch.data()) == 0;
  if (zero) return r;
  return formula({"(" + left + ") - (" + right.text + ")", text.place}, "equation");
}

void Compiler::compile_residuals() {
  for (const auto& e : m_.equations) {
    residuals_.push_back({equation(e), d_.slots.residuals + count(residuals_)});
  }
  if (residuals_.empty()) return;
  IndexCheck check;
  for (const FormulaStep& residual : residuals_) check.equations.push_back(uses_of(residual));
  for (const FormulaStep& rate : d_.rates) check.rates.push_back(uses_of(rate));
  check.run(m_);
}

FormulaUses Compiler::uses_of(const FormulaStep& step) const {
  const FormulaChain all = make_chain(d_, {step});
  const auto used = [&](int first, int size) {
    std::set<int> found;
    for (const FormulaStep& s : all.steps()) {
      for (int i = 0; i < size; ++i) {
        if (s.formula.uses(first + i)) found.insert(i);
      }
    }
    return found;
  };
  return {.states = used(d_.slots.y, count(m_.states)),
          .algebraics = used(d_.slots.z, d_.sizes.nz)};
}

std::string event_label(const FormulaModel::Event& event) {
  return event.id.empty() ? "event" : element_label("event", event.id);
}

Formula Compiler::event_function(const FormulaModel::Event& event) {
  const std::string label = event_label(event);
  if (event.is_timed()) {
    const Formula at = start_formula(event.at, label + ": the time");
    for (const int i : at.used_slots()) {
      const std::string& id = m_.parameters[i].id;
      if (!is_set(id)) continue;
      throw InputError(event.at.place,
                       fmt::format("{}: the time of a time event is fixed, but an event sets "
                                   "\"{}\". Write when=\"t - ({})\" direction=\"rising\".",
                                   label, id, event.at.text));
    }
    return formula({"t - (" + event.at.text + ")", event.at.place}, label);
  }
  Formula f = formula(event.when, label);
  const FormulaChain all = make_chain(d_, {{f, d_.slots.events}});
  const bool moves =
      std::any_of(all.steps().begin(), all.steps().end(), [&](const FormulaStep& step) {
        const auto used = step.formula.used_slots();
        return !used.empty() && used.front() < d_.slots.p;
      });
  if (!moves) {
    throw InputError(event.when.place, label +
                                           ": \"when\" depends on neither the time nor a state, "
                                           "so it never passes zero.");
  }
  return f;
}

void Compiler::compile_events() {
  for (const auto& event : m_.events) {
    events_.push_back({event_function(event), d_.slots.events + count(events_)});
  }
}

void Compiler::announce(FormulaStep& step, const std::string& name) {
  const int n = step.formula.num_switches();
  if (n == 0) return;
  step.first_switch = count(d_.switch_infos);
  d_.switched.push_back(step);
  d_.switched_gradient_size += static_cast<std::size_t>(n * step.formula.num_used());
  for (int k = 0; k < n; ++k) {
    d_.switch_infos.push_back({n == 1 ? name : fmt::format("{}, branch {}", name, k + 1)});
  }
}

/// Numbers the switches, then puts together what the right-hand side and the events evaluate.
void Compiler::announce_switches() {
  std::vector<FormulaStep> dynamics = d_.rates;
  dynamics.insert(dynamics.end(), residuals_.begin(), residuals_.end());
  dynamics.insert(dynamics.end(), events_.begin(), events_.end());
  in_dynamics_.assign(d_.definitions.size(), false);
  const FormulaChain all = make_chain(d_, dynamics);
  for (const auto& step : all.steps()) {
    const int i = step.slot - d_.slots.definitions;
    if (i >= 0 && i < count(d_.definitions)) in_dynamics_[i] = true;
  }
  for (int i = 0; i < count(d_.definitions); ++i) {
    const auto& define = m_.definitions[i];
    if (in_dynamics_[i]) announce(d_.definitions[i], define.id + " = " + define.formula.text);
  }
  for (int i = 0; i < count(m_.states); ++i) {
    const auto& state = m_.states[i];
    announce(d_.rates[i], state.id + "' = " + state.derivative.text);
  }
  for (int i = 0; i < count(residuals_); ++i) announce(residuals_[i], m_.equations[i].text.text);
  for (int i = 0; i < count(events_); ++i) announce(events_[i], m_.events[i].when.text);

  d_.first_event_switch = count(d_.switch_infos);
  for (const auto& event : m_.events) {
    SwitchInfo info;
    info.time_only = event.is_timed();
    info.name = !event.id.empty() ? event.id
                : info.time_only  ? "t = " + event.at.text
                                  : event.when.text;
    info.jump = info.time_only ? Passage::kRising : event.direction.value_or(Passage::kBoth);
    info.terminal = event.terminal;
    d_.switch_infos.push_back(info);
  }
  d_.sizes.num_switches = count(d_.switch_infos);

  std::vector<FormulaStep> rhs = d_.rates;
  rhs.insert(rhs.end(), residuals_.begin(), residuals_.end());
  d_.rhs = make_chain(d_, rhs);
  // The switching functions of a formula need what the formula needs, not its value.
  std::vector<FormulaStep> needs = d_.switched;
  needs.insert(needs.end(), events_.begin(), events_.end());
  const FormulaChain needed = make_chain(d_, needs);
  for (const auto& step : needed.steps()) {
    const bool is_definition = step.slot >= d_.slots.definitions && step.slot < d_.slots.rates;
    if (is_definition || step.slot >= d_.slots.events) d_.event_values.add(step);
  }
}

void Compiler::compile_jumps() {
  for (const auto& event : m_.events) {
    FormulaJump jump;
    std::vector<FormulaStep> outputs;
    for (const auto& set : event.sets) {
      const auto state = std::find(d_.state_names.begin(), d_.state_names.end(), set.target);
      const std::string label = fmt::format("{}: set \"{}\"", event_label(event), set.target);
      const int target = static_cast<int>(state - d_.state_names.begin());
      jump.targets.push_back(target);
      outputs.push_back({formula(set.value, label), d_.slots.size + count(outputs)});
    }
    jump.chain = make_chain(d_, outputs);
    d_.jumps.push_back(std::move(jump));
  }
}

void Compiler::collect_time_breaks() {
  for (const FormulaChain* chain : {&d_.rhs, &d_.event_values}) {
    for (const auto& step : chain->steps()) step.formula.time_breaks(d_.time_breaks);
  }
}

void Compiler::warn() {
  const auto add = [&](const Place& place, const std::string& message) {
    const std::string where = place.text();
    d_.warnings.push_back((where.empty() ? "" : where + ": ") + message);
  };
  for (int i = 0; i < d_.sizes.np; ++i) {
    const auto& p = m_.parameters[i];
    if (!used_[i] && !is_set(p.id)) {
      add(p.place, element_label("parameter", p.id) + ": no formula uses it.");
    }
  }
}

}  // namespace

FormulaData compile(const FormulaModel& model) {
  check_structure(model);
  FormulaData data;
  Compiler compiler(model, data);
  compiler.number_names();
  compiler.compile_start();
  compiler.compile_definitions();
  compiler.compile_rates();
  compiler.compile_residuals();
  compiler.compile_events();
  compiler.announce_switches();
  compiler.compile_jumps();
  compiler.collect_time_breaks();
  compiler.warn();
  return data;
}

}  // namespace parfait::dynamics
