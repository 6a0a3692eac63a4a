#include "parfait/mbs/build/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

#include "parfait/mbs/build/assembly.h"
#include "parfait/mbs/build/check_natural.h"
#include "parfait/mbs/data/model_data.h"
#include "parfait/mbs/second_order/second_order.h"
#include "parfait/mbs/solver/structure.h"
#include "parfait/mechanism/checks/check_description.h"
#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/mechanism/elements/constraint_types.h"
#include "parfait/mechanism/quantities/energy_accounts.h"

// From a description to a model: numbers for names, once.
namespace parfait::mbs {
namespace {

class Builder {
 public:
  explicit Builder(ModelData& model) : m(model), d(model.description) {
    for (const auto& body : d.bodies) {
      body_indices_.emplace(body.id, static_cast<int>(body_indices_.size()));
    }
  }

  void build() {
    m.warnings = mechanism::check(d);
    check_natural(d);
    m.constants = ConstantTable(d);
    build_states();
    build_bodies();
    build_joints();
    build_forces();
    build_marker_geometry();
    build_events();
    build_driven();
    build_force_bodies();
    build_sizes();
    m.quantities = Quantities(m);
    build_formulas();
    build_event_formulas();
    build_switches();
    build_scratch();
  }

 private:
  int body_index(const std::string& id) const {
    if (id == kInertial) return static_cast<int>(d.bodies.size());
    const auto found = body_indices_.find(id);
    // check() has seen to it that there is one
    return found == body_indices_.end() ? -1 : found->second;
  }

  /// A marker as an element uses it; `own` is the prefix of its constants if it has a frame of its
  /// own.
  FrameSpec frame_spec(const Marker& marker, const std::string& own) const {
    FrameSpec spec;
    spec.body = body_index(marker.body);
    const Frame* frame = &marker.frame;
    std::string prefix = own;
    if (!marker.reference.empty()) {
      const auto& body = d.bodies[spec.body];
      frame = &find_by_id(body.markers, marker.reference)->frame;
      prefix = body.id + "." + marker.reference;
    }
    spec.first_constant = m.constants.index(prefix + ".o.x");
    spec.has_x = frame->has_x;
    spec.has_y = frame->has_y;
    return spec;
  }

  static void all_axes(GeometrySpec& g) {
    g.orthonormal = true;
    for (auto& side : g.axis) {
      for (int i = 0; i < 3; ++i) side[i] = "xyz"[i];
    }
  }

  /// Parameters that events set become states: their value is kept there and they begin with it.
  void build_states() {
    m.external.states = d.states;
    const auto& ids = m.constants.parameter_ids();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!event_that_sets(d, ids[i])) continue;
      m.external.held.push_back({static_cast<int>(m.external.states.size()), static_cast<int>(i)});
      State state;
      state.id = ids[i];
      state.initial = m.constants.parameter_initial()[i];
      state.derivative.formula = "0";
      m.external.states.push_back(state);
    }
    for (const State& account : mechanism::energy_accounts(d)) {
      m.external.states.push_back(account);
    }
    m.external.num_formulas = static_cast<int>(m.external.states.size());
  }

  void build_bodies() {
    for (const auto& body : d.bodies) {
      m.kernel.maps.push_back(CoordinateMap::of(body, d.natural.of(body.id).coordinates));
      m.kernel.canonical &= m.kernel.maps.back().is_identity;
      BodySpec spec;
      spec.first_constant = m.constants.index(body.id + ".mass");
      spec.from_cholesky = m.constants.any_driven(spec.first_constant + 10, 10);
      spec.about_origin = body.about == InertiaPoint::kOrigin &&
                          !constant_number(d, body.id + ".inertia.xx").has_value();
      spec.driven = m.constants.any_driven(spec.first_constant, 20);
      m.kernel.any_body_driven |= spec.driven;
      m.kernel.bodies.push_back(spec);
    }
  }

  void build_joints() {
    std::vector<JointInput> inputs;
    for (const auto& joint : d.joints) {
      const JointType& type = type_of(joint);
      if (type.rows.empty()) continue;
      JointInput input;
      input.rows = type.rows;
      input.geometry.end[0] = frame_spec(joint.begin, joint.id + ".begin");
      input.geometry.end[1] = frame_spec(joint.end, joint.id + ".end");
      inputs.push_back(input);
      m.kernel.joint_ids.push_back(joint.id);
      joint_offsets_.emplace_back(&type, joint.id);
    }
    num_typed_ = inputs.size();
    for (const auto& constraint : d.constraints) {
      JointInput input;
      input.rows = {row_of(constraint)};
      input.geometry.end[0] = frame_spec(constraint.begin, constraint.id + ".begin");
      input.geometry.end[1] = frame_spec(constraint.end, constraint.id + ".end");
      inputs.push_back(input);
      m.kernel.joint_ids.push_back(constraint.id);
    }
    std::vector<Released> released;
    for (const auto& body : d.bodies) released.push_back(d.natural.of(body.id).released);
    m.kernel.structure =
        make_structure(static_cast<int>(d.bodies.size()), inputs, released, m.kernel.maps);
    for (const auto& input : inputs) m.kernel.geometry.push_back(input.geometry);
    build_offsets();
  }

  static Row row_of(const Constraint& c) {
    return {mechanism::find_constraint(c.key)->kind, c.begin_axis, c.end_axis,
            -1};  // keys are checked
  }

  void build_offsets() {
    for (std::size_t j = 0; j < num_typed_; ++j) {
      const auto& [type, id] = joint_offsets_[j];
      for (std::size_t i = 0; i < type->rows.size(); ++i) {
        const int constant = type->rows[i].offset_constant;
        if (constant < 0) continue;
        m.offset.specs.push_back(
            {m.kernel.structure.joints[j].first_row + static_cast<int>(i), type->rows[i].kind,
             m.constants.index(id + "." + type->constants[constant].name), -1});
      }
    }
    std::vector<std::string> names = {"t"};
    const auto& ids = m.constants.parameter_ids();
    names.insert(names.end(), ids.begin(), ids.end());
    for (std::size_t i = 0; i < d.constraints.size(); ++i) {
      const Constraint& c = d.constraints[i];
      const JointShape& shape = m.kernel.structure.joints[num_typed_ + i];
      OffsetSpec offset{shape.first_row, shape.rows[0].kind, m.constants.index(c.id + ".offset"),
                        -1};
      if (c.offset.is_formula()) {
        expr::Names scope(names);
        for (const auto& input : d.inputs) scope.add_table(input.id, table_of(input));
        offset.constant = -1;
        offset.formula = static_cast<int>(m.offset.formulas.size());
        m.offset.formulas.emplace_back(c.offset.formula, scope, c.offset.place);
      }
      m.offset.specs.push_back(offset);
    }
  }

  void build_forces() {
    for (const auto& force : d.forces) {
      const ForceType& type = type_of(force);
      const auto infos = type_constants(force);
      if (type.kind == ForceType::Kind::kWeight) {
        m.kernel.gravity.push_back(
            {m.constants.index(force.id + "." + infos[0].name), static_cast<int>(infos.size())});
        continue;
      }
      ForceSpec spec;
      spec.id = force.id;
      spec.element = type.make(force);
      std::vector<FrameSpec> frames;
      for (const auto& end : ends_of(force)) {
        frames.push_back(frame_spec(*end.marker, force.id + "." + end.name));
      }
      build_ends(frames, *spec.element, spec.ends);
      spec.constants = constant_range(force.id, infos);
      spec.num_switches = static_cast<int>(spec.element->switch_infos().size());
      spec.may_rest = spec.element->may_rest() && type.states.empty();
      spec.accounts_for_power = type.accounts_for_power;
      build_element_states(force, type, spec);
      m.force.elements.push_back(std::move(spec));
      force_descriptions_.push_back(&force);
    }
    m.kernel.first_marker_geometry = static_cast<int>(m.kernel.geometry.size());
  }

  ConstantRange constant_range(const std::string& id,
                               const std::vector<ConstantInfo>& infos) const {
    if (infos.empty()) return {};
    return {m.constants.index(id + "." + infos[0].name), static_cast<int>(infos.size())};
  }

  /// Two ends of an element stand in one geometry.
  template <class Element>
  void build_ends(const std::vector<FrameSpec>& frames, const Element& element,
                  std::vector<EndSpec>& ends) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const int side = static_cast<int>(i % 2);
      if (side == 0) {
        GeometrySpec g;
        g.used[1] = false;
        all_axes(g);
        m.kernel.geometry.push_back(g);
      }
      m.kernel.geometry.back().end[side] = frames[i];
      m.kernel.geometry.back().used[side] = true;
      ends.push_back({frames[i].body, static_cast<int>(m.kernel.geometry.size()) - 1, side,
                      element.use(static_cast<int>(i))});
    }
  }

  /// They begin with the value of their constant at the initial parameters.
  void build_element_states(const Force& force, const ForceType& type, ForceSpec& spec) {
    spec.first_state = static_cast<int>(m.external.states.size());
    spec.num_states = static_cast<int>(type.states.size());
    for (const auto& own : type.states) {
      State state;
      state.id = force.id + "." + type.constants[own.constant].name;
      const int constant = spec.constants.first + own.constant;
      state.initial = initial_constants()[constant];
      m.external.of_elements.push_back({static_cast<int>(m.external.states.size()), constant});
      m.external.states.push_back(state);
    }
  }

  const std::vector<double>& initial_constants() {
    if (initial_constants_.empty()) {
      initial_constants_.resize(m.constants.size());
      std::vector<double> scratch(m.constants.scratch_size());
      m.constants.bind(m.constants.parameter_initial().data(), initial_constants_.data(),
                       scratch.data());
    }
    return initial_constants_;
  }

  void build_events() {
    using Jump = dynamics::SwitchInfo::Jump;
    for (const auto& event : d.events) {
      const EventType& type = type_of(event);
      EventSpec spec;
      spec.id = event.id;
      spec.terminal = event.terminal;
      spec.is_timed = event.is_timed();
      if (type.between_bodies) {
        spec.element = type.make();
        build_ends({frame_spec(*event.begin, event.id + ".begin"),
                    frame_spec(*event.end, event.id + ".end")},
                   *spec.element, spec.ends);
        spec.constants = constant_range(event.id, type.constants);
        if (m.kernel.structure.has_quadratic_rates) {
          throw base::InputError(event.place,
                                 fmt::format("{}: impacts cannot be combined with VVX constraints.",
                                             mechanism::element_label("event", event.id)));
        }
      } else if (event.is_timed()) {
        spec.jump = Jump::kRising;
      } else {
        spec.jump = event.direction.value_or(Jump::kBoth);
      }
      m.event.specs.push_back(std::move(spec));
    }
  }

  /// Named markers of bodies, then the frames of all joints: for observers.
  void build_marker_geometry() {
    for (const auto& body : d.bodies) {
      for (const auto& marker : body.markers) {
        GeometrySpec g;
        Marker use;
        use.body = body.id;
        use.reference = marker.id;
        g.end[0] = frame_spec(use, "");
        g.used[1] = false;
        all_axes(g);
        m.kernel.geometry.push_back(g);
      }
    }
    for (const auto& joint : d.joints) {
      GeometrySpec g;
      g.end[0] = frame_spec(joint.begin, joint.id + ".begin");
      g.end[1] = frame_spec(joint.end, joint.id + ".end");
      all_axes(g);
      m.kernel.geometry.push_back(g);
    }
  }

  void build_driven() {
    const int ground = m.kernel.structure.num_bodies;
    std::vector<char> is_driven;
    for (const auto& g : m.kernel.geometry) {
      bool driven = false;
      for (int side = 0; side < 2; ++side) {
        if (!g.used[side]) continue;
        driven |= m.constants.any_driven(g.end[side].first_constant, 12);
        if (g.end[side].body != ground) driven |= m.kernel.bodies[g.end[side].body].driven;
      }
      if (driven) m.kernel.driven_geometry.push_back(static_cast<int>(is_driven.size()));
      is_driven.push_back(driven);
    }
    for (int j = 0; j < m.kernel.num_joints(); ++j) {
      const auto& shape = m.kernel.structure.joints[j];
      const bool released = m.kernel.structure.released_index[shape.body[0]] >= 0 ||
                            m.kernel.structure.released_index[shape.body[1]] >= 0;
      m.kernel.general_joint.push_back(!shape.fast || is_driven[j] || released);
      m.kernel.any_general_joint |= m.kernel.general_joint.back() != 0;
    }
  }

  void build_force_bodies() {
    const int ground = m.kernel.structure.num_bodies;
    for (const auto& force : m.force.elements) {
      for (const EndSpec& end : force.ends) {
        if (end.body != ground) m.force.bodies.push_back(end.body);
      }
    }
    std::sort(m.force.bodies.begin(), m.force.bodies.end());
    m.force.bodies.erase(std::unique(m.force.bodies.begin(), m.force.bodies.end()),
                         m.force.bodies.end());
    m.kernel.needs_centers =
        !m.force.elements.empty() || m.kernel.any_general_joint || !m.external.states.empty();
  }

  void build_sizes() {
    m.offset.row_has_offset.assign(m.kernel.structure.num_rows, 0);
    for (const auto& offset : m.offset.specs) m.offset.row_has_offset[offset.row] = 1;
    const auto& s = m.kernel.structure;
    const auto& ids = m.constants.parameter_ids();
    m.sizes.nq = m.sizes.nv = 12 * s.num_bodies;
    m.sizes.ne = static_cast<int>(m.external.states.size());
    m.sizes.np = static_cast<int>(ids.size());
    m.sizes.num_pos = s.num_pos;
    m.sizes.num_vel = s.num_vel;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Parameter& p = d.parameters[i];
      const double initial = m.constants.parameter_initial()[i];
      m.parameters.push_back(
          {ids[i], initial, p.lower, p.upper, p.scale.value_or(std::max(std::abs(initial), 1.0))});
    }
    m.slots.first_state = m.slots.first_parameter + m.sizes.np;
    m.slots.first_quantity = m.slots.first_state + m.sizes.ne;
    m.slots.size = m.slots.first_quantity;
  }

  /// Names in laws, derivatives of states and events; quantities get slots, and a place in
  /// `quantities`, when they are asked for.
  class FormulaScope final : public expr::Scope {
   public:
    /// `label` and `place` say whose formula it is.
    FormulaScope(ModelData& model, std::string measure, std::vector<Quantity>* quantities = nullptr,
                 std::string label = "", Place place = {})
        : m(model),
          measure_(std::move(measure)),
          quantities_(quantities),
          label_(std::move(label)),
          place_(std::move(place)) {
      for (const auto& input : m.description.inputs) {
        tables_.emplace_back(input.id, table_of(input));
      }
    }
    int find(std::string_view name) override {
      if (!measure_.empty() && name == measure_) return m.slots.s;
      if (!measure_.empty() && name == "rate") return m.slots.rate;
      if (name == "t") return m.slots.t;
      // States first: a parameter that an event sets is one of them.
      for (std::size_t i = 0; i < m.external.states.size(); ++i) {
        if (m.external.states[i].id == name) return m.slots.first_state + static_cast<int>(i);
      }
      const auto& ids = m.constants.parameter_ids();
      const auto it = std::find(ids.begin(), ids.end(), name);
      if (it != ids.end()) return m.slots.first_parameter + static_cast<int>(it - ids.begin());
      if (!quantities_) return -1;
      const auto quantity = m.quantities.find(std::string(name));
      if (!quantity) return -1;
      const bool knows_reactions = quantities_ == &m.external.quantities;
      if (quantity->needs_rates() && !(knows_reactions && quantity->needs_reactions_only())) {
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
      const auto& ids = m.constants.parameter_ids();
      out.insert(out.end(), ids.begin(), ids.end());
      append_ids(m.description.states, out);
      mechanism::append_ids(m.description.inputs, out);
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
    ModelData& m;
    std::string measure_;
    std::vector<Quantity>* quantities_;
    std::string label_;
    Place place_;
    std::vector<std::pair<std::string, expr::Table>> tables_;
  };

  void build_formulas() {
    for (std::size_t i = 0; i < m.force.elements.size(); ++i) {
      const Force& force = *force_descriptions_[i];
      ForceSpec& spec = m.force.elements[i];
      const Value* law = force.law.is_formula() ? &force.law : nullptr;
      const ForceType& type = type_of(force);
      if (!law && type.law_constant >= 0) {
        const Value* given = given_value(type_constants(force), force.constants, type.law_constant);
        if (given && given->is_formula()) law = given;
      }
      if (!law) continue;
      FormulaScope scope(m, type.measure);
      spec.law = static_cast<int>(m.force.laws.size());
      m.force.laws.emplace_back(law->formula, scope, law->place);
    }
    for (int i = 0; i < m.external.num_formulas; ++i) {
      const State& state = m.external.states[i];
      FormulaScope scope(m, "", &m.external.quantities, mechanism::element_label("state", state.id),
                         state.derivative.place);
      m.external.formulas.emplace_back(state.derivative.formula, scope, state.derivative.place);
      check_branches(state, m.external.formulas.back());
    }
  }

  void check_branches(const State& state, const expr::Formula& formula) const {
    if (formula.num_switches() == 0) return;
    for (int slot : formula.used_slots()) {
      if (slot < m.slots.first_quantity) continue;
      mechanism::check_branching(state, m.external.quantities[slot - m.slots.first_quantity]);
    }
  }

  /// Those that say when first: their quantities are needed more often.
  void build_event_formulas() {
    m.slots.first_event_quantity = m.slots.size;
    const auto add = [&](const Event& event, const mechanism::FormulaText& formula) {
      FormulaScope scope(m, "", &m.event.quantities, mechanism::element_label("event", event.id),
                         formula.place);
      m.event.formulas.emplace_back(formula.text, scope, formula.place);
      return static_cast<int>(m.event.formulas.size()) - 1;
    };
    for (std::size_t i = 0; i < d.events.size(); ++i) {
      const Event& event = d.events[i];
      if (m.event.specs[i].element) continue;
      m.event.specs[i].formula = add(event, event.is_timed() ? event.at : event.when);
      if (!m.event.formulas.back().is_constant() || event.is_timed()) continue;
      throw base::InputError(
          mechanism::place_or(event.when.place, event.place),
          fmt::format("{}: \"when\" is always {}: it never passes zero.",
                      mechanism::element_label("event", event.id), event.when.text));
    }
    m.event.num_when = static_cast<int>(m.event.quantities.size());
    for (std::size_t i = 0; i < d.events.size(); ++i) {
      for (const auto& set : d.events[i].sets) {
        const auto state = std::find_if(m.external.states.begin(), m.external.states.end(),
                                        [&](const State& s) { return s.id == set.target; });
        m.event.specs[i].sets.push_back(
            {static_cast<int>(state - m.external.states.begin()), add(d.events[i], set.value)});
      }
    }
    std::size_t size = 0;
    for (const auto& f : m.event.formulas) {
      m.event.gradient_first.push_back(size);
      size += f.num_used();
    }
  }

  void build_switches() {
    using Kind = SwitchGroup::Kind;
    int& next = m.sizes.num_switches;
    const auto add = [&](Kind kind, std::size_t index, int count = 1, std::size_t gradient = 0) {
      if (count == 0) return next;
      m.switching.groups.push_back(
          {kind, static_cast<int>(index), next, count, m.switching.gradient_size});
      m.switching.gradient_size += gradient;
      return std::exchange(next, next + count);
    };
    const auto add_formula = [&](Kind kind, std::size_t index, const expr::Formula& f) {
      return add(kind, index, f.num_switches(),
                 static_cast<std::size_t>(f.num_switches()) * f.num_used());
    };
    for (std::size_t i = 0; i < m.force.elements.size(); ++i) {
      ForceSpec& force = m.force.elements[i];
      if (force.law >= 0) {
        m.force.law_switch.push_back(add_formula(Kind::kLaw, i, m.force.laws[force.law]));
      }
      force.first_switch = add(Kind::kElement, i, force.num_switches);
    }
    for (std::size_t i = 0; i < m.external.formulas.size(); ++i) {
      m.external.formula_switch.push_back(
          add_formula(Kind::kDerivative, i, m.external.formulas[i]));
    }
    for (std::size_t i = 0; i < m.offset.formulas.size(); ++i) {
      m.offset.formula_switch.push_back(add_formula(Kind::kOffset, i, m.offset.formulas[i]));
    }
    m.event.formula_switch.resize(m.event.formulas.size());
    for (std::size_t i = 0; i < m.event.specs.size(); ++i) {
      m.event.specs[i].switch_index = add(Kind::kEvent, i);
      const int formula = m.event.specs[i].formula;
      if (formula >= 0) {
        m.event.formula_switch[formula] = add_formula(Kind::kWhen, i, m.event.formulas[formula]);
      }
    }
    build_switch_needs();
  }

  /// What has to be computed before the switching functions and before a jump.
  void build_switch_needs() {
    using Kind = SwitchGroup::Kind;
    const auto& derivative = m.external.quantities;
    for (const auto& group : m.switching.groups) {
      const bool of_force = group.kind == Kind::kLaw || group.kind == Kind::kElement;
      const bool of_derivative = group.kind == Kind::kDerivative;
      const bool of_event = group.kind == Kind::kEvent || group.kind == Kind::kWhen;
      m.switching.use_bodies |= of_force || (of_derivative && !derivative.empty()) ||
                                (of_event && m.event.specs[group.index].element);
    }
    m.switching.use_bodies |= m.event.num_when > 0;
  }

  void build_scratch() {
    const auto measure = [&](const expr::Formula& f) {
      m.scratch_size = std::max(m.scratch_size, f.scratch_size());
      m.max_gradient = std::max<std::size_t>(m.max_gradient, 3 * f.num_used());
    };
    std::for_each(m.force.laws.begin(), m.force.laws.end(), measure);
    std::for_each(m.external.formulas.begin(), m.external.formulas.end(), measure);
    std::for_each(m.offset.formulas.begin(), m.offset.formulas.end(), measure);
    std::for_each(m.event.formulas.begin(), m.event.formulas.end(), measure);
    m.scratch_size = std::max(m.scratch_size, m.constants.scratch_size());
    for (const auto& force : m.force.elements) {
      m.force.max_ends = std::max(m.force.max_ends, static_cast<int>(force.ends.size()));
      m.force.max_constants = std::max(m.force.max_constants, force.constants.count);
      m.force.max_states = std::max(m.force.max_states, force.num_states);
      m.force.max_switches = std::max(m.force.max_switches, force.num_switches);
    }
    for (const auto& event : m.event.specs) {
      m.force.max_ends = std::max(m.force.max_ends, static_cast<int>(event.ends.size()));
      m.force.max_constants = std::max(m.force.max_constants, event.constants.count);
    }
  }

  ModelData& m;
  const Description& d;
  std::unordered_map<std::string, int> body_indices_;
  std::vector<std::pair<const JointType*, std::string>> joint_offsets_;
  std::size_t num_typed_ = 0;
  std::vector<const Force*> force_descriptions_;
  std::vector<double> initial_constants_;
};

}  // namespace

void build_data(ModelData& m) {
  Builder(m).build();
}

namespace {

/// A quantity that a simulation is to show must exist.
void check_outputs(const Model& model) {
  const Simulation& simulation = model.description().simulation;
  for (const auto& output : simulation.outputs) {
    try {
      model.make_observer(std::span(&output.text, 1));
    } catch (const base::InputError& error) {
      const Place& place = mechanism::place_or(output.place, simulation.place);
      throw base::InputError(place, fmt::format("simulation: output: {}", error.what()));
    }
  }
}

}  // namespace

Model::Model(const Description& description) : data_(std::make_unique<ModelData>()) {
  data_->description = description;
  build_data(*data_);
  data_->second_order = make_second_order(*data_);
  assemble(*this, *data_);
  check_outputs(*this);
}

Model::~Model() = default;

std::shared_ptr<const Model> build(const Description& description) {
  return std::make_shared<const Model>(description);
}

}  // namespace parfait::mbs
