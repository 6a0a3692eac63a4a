#include "parfait/mechanism/stage/element_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/mechanism/quantities/energy_accounts.h"

namespace parfait::mechanism {

Site site_of(const Description& description, const ConstantTable& table, const Marker& marker,
             const std::string& prefix) {
  Site out;
  const Frame* frame = &marker.frame;
  std::string name = prefix;
  for (std::size_t i = 0; i < description.bodies.size(); ++i) {
    const Body& body = description.bodies[i];
    if (body.id != marker.body) continue;
    out.body = static_cast<int>(i);
    if (!marker.reference.empty()) {
      frame = &find_by_id(body.markers, marker.reference)->frame;
      name = body.id + "." + marker.reference;
    }
  }
  out.first_constant = table.index(name + ".o.x");
  out.has_x = frame->has_x;
  out.has_y = frame->has_y;
  return out;
}

namespace {

class SetBuilder {
 public:
  SetBuilder(ElementSet& out, const Description& description, const ConstantTable& table)
      : m(out), d(description), table_(table) {}

  void build() {
    held_states();
    sites();
    forces();
    events();
    m.quantities = QuantityNames(d, m.states, table_.parameter_ids());
    m.slots.first_state = Slots::kFirstParameter + m.num_parameters();
    m.slots.first_state_quantity = m.slots.first_state + static_cast<int>(m.states.size());
    m.slots.size = m.slots.first_state_quantity;
    laws_and_derivatives();
    offsets();
    event_formulas();
    switches();
    room();
  }

 private:
  /// Names in laws, derivatives and events; quantities get slots when they are asked for.
  class FormulaScope final : public expr::Scope {
   public:
    FormulaScope(ElementSet& set, const Description& description, std::string measure,
                 std::vector<Quantity>* quantities = nullptr, std::string label = "",
                 Place place = {}, bool sees_reactions = false)
        : m(set),
          d(description),
          measure_(std::move(measure)),
          quantities_(quantities),
          label_(std::move(label)),
          place_(std::move(place)),
          sees_reactions_(sees_reactions) {
      for (const auto& input : d.inputs) tables_.emplace_back(input.id, table_of(input));
    }
    int find(std::string_view name) override {
      if (!measure_.empty() && name == measure_) return Slots::kS;
      if (!measure_.empty() && name == "rate") return Slots::kRate;
      if (name == "t") return Slots::kTime;
      // States first: a parameter that an event sets is one of them.
      for (std::size_t i = 0; i < m.states.size(); ++i) {
        if (m.states[i].id == name) return m.slots.first_state + static_cast<int>(i);
      }
      const auto& ids = *m.parameter_ids;
      const auto it = std::find(ids.begin(), ids.end(), name);
      if (it != ids.end()) return Slots::kFirstParameter + static_cast<int>(it - ids.begin());
      if (!quantities_) return -1;
      const auto quantity = m.quantities.find(std::string(name));
      if (!quantity) return -1;
      if (quantity->needs_rates() && !(sees_reactions_ && quantity->needs_reactions_only())) {
        throw base::InputError(
            place_, fmt::format("{}: \"{}\" needs the accelerations, which are not known when this "
                                "formula is evaluated; use positions, velocities or forces.",
                                label_, name));
      }
      quantities_->push_back(*quantity);
      return m.slots.size++;
    }
    std::vector<std::string> names() const override {
      std::vector<std::string> out = {"t"};
      if (!measure_.empty()) {
        out.push_back(measure_);
        out.emplace_back("rate");
      }
      out.insert(out.end(), m.parameter_ids->begin(), m.parameter_ids->end());
      append_ids(d.states, out);
      append_ids(d.inputs, out);
      if (quantities_) {
        std::ranges::copy(m.quantities.names(), std::back_inserter(out));
      }
      return out;
    }
    const expr::Table* table(std::string_view name) override {
      for (const auto& [id, table] : tables_) {
        if (id == name) return &table;
      }
      return nullptr;
    }

   private:
    ElementSet& m;
    const Description& d;
    std::string measure_;
    std::vector<Quantity>* quantities_;
    std::string label_;
    Place place_;
    bool sees_reactions_;  ///< evaluated when the reactions are known
    std::vector<std::pair<std::string, expr::Table>> tables_;
  };

  /// Parameters that events set become states: their value is kept there, and they begin with it.
  void held_states() {
    m.states = d.states;
    const auto& ids = table_.parameter_ids();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!event_that_sets(d, ids[i])) continue;
      m.held_parameters.push_back({static_cast<int>(m.states.size()), static_cast<int>(i)});
      State state;
      state.id = ids[i];
      state.initial = table_.parameter_initial()[i];
      state.derivative.formula = "0";
      m.states.push_back(state);
    }
    for (const State& account : energy_accounts(d)) m.states.push_back(account);
    m.num_formula_states = static_cast<int>(m.states.size());
  }

  int add_site(const Marker& marker, const std::string& prefix) {
    m.sites.push_back(site_of(d, table_, marker, prefix));
    return static_cast<int>(m.sites.size()) - 1;
  }

  void sites() {
    for (const auto& body : d.bodies) {
      for (const auto& marker : body.markers) {
        Marker use;
        use.body = body.id;
        use.reference = marker.id;
        add_site(use, "");
      }
    }
    m.first_joint_site = static_cast<int>(m.sites.size());
    for (const auto& joint : d.joints) {
      add_site(joint.begin, joint.id + ".begin");
      add_site(joint.end, joint.id + ".end");
    }
    m.first_constraint_site = static_cast<int>(m.sites.size());
    for (const auto& constraint : d.constraints) {
      add_site(constraint.begin, constraint.id + ".begin");
      add_site(constraint.end, constraint.id + ".end");
      m.constraint_ids.push_back(constraint.id);
    }
    m.first_element_site = static_cast<int>(m.sites.size());
  }

  void forces() {
    std::vector<double> constants(table_.size()), scratch(table_.scratch_size());
    table_.bind(table_.parameter_initial().data(), constants.data(), scratch.data());
    for (const auto& force : d.forces) {
      const ForceType& type = type_of(force);
      if (!type.is_element()) continue;
      const auto infos = type_constants(force);
      ActingForce out;
      out.id = force.id;
      out.element = type.make(force);
      out.accounts_for_power = type.accounts_for_power;
      int number = 0;
      for (const auto& end : ends_of(force)) {
        out.ends.push_back(
            {add_site(*end.marker, force.id + "." + end.name), out.element->use(number++)});
      }
      if (!infos.empty()) out.first_constant = table_.index(force.id + "." + infos[0].name);
      out.num_constants = static_cast<int>(infos.size());
      out.num_switches = static_cast<int>(out.element->switch_infos().size());
      out.may_rest = out.element->may_rest() && type.states.empty();
      out.first_state = static_cast<int>(m.states.size());
      out.num_states = static_cast<int>(type.states.size());
      for (const auto& own : type.states) {
        const int constant = out.first_constant + own.constant;
        m.element_states.push_back({static_cast<int>(m.states.size()), constant});
        State state;
        state.id = force.id + "." + type.constants[own.constant].name;
        state.initial = constants[constant];
        m.states.push_back(state);
      }
      m.forces.push_back(std::move(out));
      described_forces_.push_back(&force);
    }
  }

  void events() {
    using Jump = dynamics::SwitchInfo::Jump;
    for (const auto& event : d.events) {
      const EventType& type = type_of(event);
      ActingEvent out;
      out.id = event.id;
      out.terminal = event.terminal;
      out.is_timed = event.is_timed();
      if (type.between_bodies) {
        out.element = type.make();
        out.ends = {{add_site(*event.begin, event.id + ".begin"), out.element->use(0)},
                    {add_site(*event.end, event.id + ".end"), out.element->use(1)}};
        if (!type.constants.empty()) {
          out.first_constant = table_.index(event.id + "." + type.constants[0].name);
        }
        out.num_constants = static_cast<int>(type.constants.size());
        const bool speed = std::any_of(d.constraints.begin(), d.constraints.end(),
                                       [](const Constraint& c) { return c.key == "VVX"; });
        if (speed) {
          throw base::InputError(event.place,
                                 fmt::format("{}: impacts cannot be combined with VVX constraints.",
                                             element_label("event", event.id)));
        }
      } else if (event.is_timed()) {
        out.jump = Jump::kRising;
      } else {
        out.jump = event.direction.value_or(Jump::kBoth);
      }
      m.events.push_back(std::move(out));
    }
  }

  void laws_and_derivatives() {
    for (std::size_t i = 0; i < m.forces.size(); ++i) {
      const Force& force = *described_forces_[i];
      const Value* law = force.law.is_formula() ? &force.law : nullptr;
      const ForceType& type = type_of(force);
      if (!law && type.law_constant >= 0) {
        const Value* given = given_value(type_constants(force), force.constants, type.law_constant);
        if (given && given->is_formula()) law = given;
      }
      if (!law) continue;
      FormulaScope scope(m, d, type.measure);
      m.forces[i].law = static_cast<int>(m.laws.size());
      m.laws.emplace_back(law->formula, scope, law->place);
    }
    for (int i = 0; i < m.num_formula_states; ++i) {
      const State& state = m.states[i];
      FormulaScope scope(m, d, "", &m.state_quantities, element_label("state", state.id),
                         state.derivative.place, true);
      m.derivatives.emplace_back(state.derivative.formula, scope, state.derivative.place);
      const auto& formula = m.derivatives.back();
      if (formula.num_switches() == 0) continue;
      for (const int slot : formula.used_slots()) {
        if (slot < m.slots.first_state_quantity) continue;
        check_branching(state, m.state_quantities[slot - m.slots.first_state_quantity]);
      }
    }
  }

  void offsets() {
    std::vector<std::string> names = {"t"};
    names.insert(names.end(), m.parameter_ids->begin(), m.parameter_ids->end());
    for (std::size_t i = 0; i < d.constraints.size(); ++i) {
      const Constraint& c = d.constraints[i];
      ConstraintOffset out;
      if (c.offset.is_formula()) {
        expr::Names scope(names);
        for (const auto& input : d.inputs) scope.add_table(input.id, table_of(input));
        out.formula = static_cast<int>(m.offset_formulas.size());
        m.offset_formulas.emplace_back(c.offset.formula, scope, c.offset.place);
        m.offset_owner.push_back(static_cast<int>(i));
      } else {
        out.constant = table_.index(c.id + ".offset");
      }
      m.offsets.push_back(out);
    }
  }

  /// Those that say when first: their quantities are needed more often.
  void event_formulas() {
    m.slots.first_event_quantity = m.slots.size;
    const auto add = [&](const Event& event, const FormulaText& formula) {
      FormulaScope scope(m, d, "", &m.event_quantities, element_label("event", event.id),
                         formula.place);
      m.event_formulas.emplace_back(formula.text, scope, formula.place);
      return static_cast<int>(m.event_formulas.size()) - 1;
    };
    for (std::size_t i = 0; i < d.events.size(); ++i) {
      const Event& event = d.events[i];
      if (m.events[i].element) continue;
      m.events[i].formula = add(event, event.is_timed() ? event.at : event.when);
      if (!m.event_formulas.back().is_constant() || event.is_timed()) continue;
      throw base::InputError(place_or(event.when.place, event.place),
                             fmt::format("{}: \"when\" is always {}: it never passes zero.",
                                         element_label("event", event.id), event.when.text));
    }
    m.num_when = static_cast<int>(m.event_quantities.size());
    for (std::size_t i = 0; i < d.events.size(); ++i) {
      for (const auto& set : d.events[i].sets) {
        const auto state = std::find_if(m.states.begin(), m.states.end(),
                                        [&](const State& x) { return x.id == set.target; });
        m.events[i].sets.push_back(
            {static_cast<int>(state - m.states.begin()), add(d.events[i], set.value)});
      }
    }
    std::size_t size = 0;
    for (const auto& f : m.event_formulas) {
      m.event_gradient.push_back(size);
      size += f.num_used();
    }
    m.event_gradient.push_back(size);
  }

  void switches() {
    using Kind = SwitchGroup::Kind;
    int& next = m.num_switches;
    const auto add = [&](Kind kind, std::size_t index, int count = 1, std::size_t gradient = 0) {
      if (count == 0) return next;
      m.switch_groups.push_back(
          {kind, static_cast<int>(index), next, count, m.switch_gradient_size});
      m.switch_gradient_size += gradient;
      return std::exchange(next, next + count);
    };
    const auto add_formula = [&](Kind kind, std::size_t index, const expr::Formula& f) {
      return add(kind, index, f.num_switches(),
                 static_cast<std::size_t>(f.num_switches()) * f.num_used());
    };
    for (std::size_t i = 0; i < m.forces.size(); ++i) {
      ActingForce& force = m.forces[i];
      if (force.law >= 0) {
        m.law_switch.push_back(add_formula(Kind::kLaw, i, m.laws[force.law]));
      }
      force.first_switch = add(Kind::kElement, i, force.num_switches);
    }
    for (std::size_t i = 0; i < m.derivatives.size(); ++i) {
      m.derivative_switch.push_back(add_formula(Kind::kDerivative, i, m.derivatives[i]));
    }
    for (std::size_t i = 0; i < m.offset_formulas.size(); ++i) {
      m.offset_switch.push_back(add_formula(Kind::kOffset, i, m.offset_formulas[i]));
    }
    m.event_switch.resize(m.event_formulas.size());
    for (std::size_t i = 0; i < m.events.size(); ++i) {
      m.events[i].switch_index = add(Kind::kEvent, i);
      const int formula = m.events[i].formula;
      if (formula >= 0) {
        m.event_switch[formula] = add_formula(Kind::kWhen, i, m.event_formulas[formula]);
      }
    }
    for (const auto& group : m.switch_groups) {
      const bool of_force = group.kind == Kind::kLaw || group.kind == Kind::kElement;
      const bool of_event = group.kind == Kind::kEvent || group.kind == Kind::kWhen;
      m.derivatives_switch |= group.kind == Kind::kDerivative;
      m.switches_see_bodies |= of_force || (of_event && m.events[group.index].element);
    }
    m.switches_see_bodies |=
        m.num_when > 0 || (m.derivatives_switch && !m.state_quantities.empty());
  }

  void room() {
    const auto measure = [&](const std::vector<expr::Formula>& formulas) {
      for (const auto& f : formulas) {
        m.scratch_size = std::max(m.scratch_size, f.scratch_size());
        m.max_gradient = std::max<std::size_t>(m.max_gradient, 3 * f.num_used());
      }
    };
    measure(m.laws);
    measure(m.derivatives);
    measure(m.offset_formulas);
    measure(m.event_formulas);
    for (const auto& force : m.forces) {
      m.max_ends = std::max(m.max_ends, static_cast<int>(force.ends.size()));
      m.max_constants = std::max(m.max_constants, force.num_constants);
      m.max_states = std::max(m.max_states, force.num_states);
      m.max_switches = std::max(m.max_switches, force.num_switches);
    }
    for (const auto& event : m.events) {
      m.max_ends = std::max(m.max_ends, static_cast<int>(event.ends.size()));
      m.max_constants = std::max(m.max_constants, event.num_constants);
    }
  }

  ElementSet& m;
  const Description& d;
  const ConstantTable& table_;
  std::vector<const Force*> described_forces_;
};

/// The formula whose branches a group is, and whose it is.
std::pair<const expr::Formula*, const std::string*> branches_of(const ElementSet& s,
                                                                const SwitchGroup& group) {
  switch (group.kind) {
    case SwitchGroup::Kind::kLaw:
      return {&s.laws[s.forces[group.index].law], &s.forces[group.index].id};
    case SwitchGroup::Kind::kDerivative:
      return {&s.derivatives[group.index], &s.states[group.index].id};
    case SwitchGroup::Kind::kOffset:
      return {&s.offset_formulas[group.index], &s.constraint_ids[s.offset_owner[group.index]]};
    default:
      return {&s.event_formulas[s.events[group.index].formula], &s.events[group.index].id};
  }
}

}  // namespace

ElementSet::ElementSet(const Description& description, const ConstantTable& table)
    : parameter_ids(&table.parameter_ids()) {
  SetBuilder(*this, description, table).build();
}

std::vector<dynamics::SwitchInfo> ElementSet::switch_infos() const {
  std::vector<dynamics::SwitchInfo> infos;
  for (const auto& group : switch_groups) {
    dynamics::SwitchInfo info;
    if (group.kind == SwitchGroup::Kind::kEvent) {
      const ActingEvent& event = events[group.index];
      info = {event.id, event.jump, event.terminal, event.is_timed};
      infos.push_back(info);
    } else if (group.kind == SwitchGroup::Kind::kElement) {
      const ActingForce& force = forces[group.index];
      for (auto& own : force.element->switch_infos()) {
        own.name = force.id + ": " + own.name;
        infos.push_back(std::move(own));
      }
    } else {
      const auto [formula, owner] = branches_of(*this, group);
      for (int i = 0; i < group.count; ++i) {
        info.name = fmt::format("{}: {}", *owner, formula->text());
        if (group.count > 1) info.name += fmt::format(" [{}]", i + 1);
        infos.push_back(info);
      }
    }
  }
  return infos;
}

std::vector<double> ElementSet::time_breaks() const {
  std::vector<double> out;
  for (const auto* formulas : {&laws, &derivatives, &offset_formulas, &event_formulas}) {
    for (const auto& f : *formulas) f.time_breaks(out, 2);
  }
  return out;
}

}  // namespace parfait::mechanism
