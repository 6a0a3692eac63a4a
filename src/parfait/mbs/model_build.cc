#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/mbs/assembly.h"
#include "parfait/mbs/check_description.h"
#include "parfait/mbs/element_constants.h"
#include "parfait/mbs/model_data.h"
#include "parfait/mbs/structure.h"

// From a description to a model: numbers for names, once.
namespace parfait::mbs {
namespace {

class Builder {
 public:
  explicit Builder(ModelData& model) : m(model), d(model.description) {}

  void build() {
    m.warnings = check(d);
    m.constants = ConstantTable(d);
    build_bodies();
    build_joints();
    build_forces();
    build_marker_geometry();
    build_driven();
    build_force_bodies();
    build_sizes();
    m.quantities = Quantities(m);
    build_formulas();
  }

 private:
  int body_index(const std::string& id) const {
    if (id == kInertial) return static_cast<int>(d.bodies.size());
    for (std::size_t i = 0; i < d.bodies.size(); ++i) {
      if (d.bodies[i].id == id) return static_cast<int>(i);
    }
    return -1;  // check() has seen to it that this does not happen
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

  void build_bodies() {
    for (const auto& body : d.bodies) {
      m.maps.push_back(CoordinateMap::of(body));
      m.canonical &= m.maps.back().is_identity;
      BodySpec spec;
      spec.first_constant = m.constants.index(body.id + ".mass");
      spec.from_cholesky = m.constants.any_driven(spec.first_constant + 10, 10);
      spec.about_origin = body.about == InertiaPoint::kOrigin &&
                          !constant_number(d, body.id + ".inertia.xx").has_value();
      spec.driven = m.constants.any_driven(spec.first_constant, 20);
      m.any_body_driven |= spec.driven;
      m.bodies.push_back(spec);
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
      m.joint_ids.push_back(joint.id);
      joint_offsets_.emplace_back(&type, joint.id);
    }
    num_typed_ = inputs.size();
    for (const auto& constraint : d.constraints) {
      JointInput input;
      input.rows = {row_of(constraint)};
      input.geometry.end[0] = frame_spec(constraint.begin, constraint.id + ".begin");
      input.geometry.end[1] = frame_spec(constraint.end, constraint.id + ".end");
      inputs.push_back(input);
      m.joint_ids.push_back(constraint.id);
    }
    std::vector<Released> released;
    for (const auto& body : d.bodies) released.push_back(body.released);
    m.structure = make_structure(static_cast<int>(d.bodies.size()), inputs, released, m.maps);
    for (const auto& input : inputs) m.geometry.push_back(input.geometry);
    build_offsets();
  }

  static Row row_of(const Constraint& c) {
    static const std::pair<const char*, RowKind> kinds[] = {
        {"B0_x", RowKind::kB0x},  {"B0_y", RowKind::kB0y},  {"B0_z", RowKind::kB0z},
        {"DDX", RowKind::kDDX},   {"BBDX", RowKind::kBBDX}, {"BBX", RowKind::kBBX},
        {"V0_x", RowKind::kV0x},  {"V0_y", RowKind::kV0y},  {"V0_z", RowKind::kV0z},
        {"VVDX", RowKind::kVVDX}, {"VVX", RowKind::kVVX}};
    for (const auto& [key, kind] : kinds) {
      if (c.key == key) return {kind, c.begin_axis, c.end_axis, -1};
    }
    throw base::InputError(c.place,
                           fmt::format("constraint \"{}\": unknown key \"{}\".", c.id, c.key));
  }

  void build_offsets() {
    for (std::size_t j = 0; j < num_typed_; ++j) {
      const auto& [type, id] = joint_offsets_[j];
      for (std::size_t i = 0; i < type->rows.size(); ++i) {
        const int constant = type->rows[i].offset_constant;
        if (constant < 0) continue;
        m.offsets.push_back({m.structure.joints[j].first_row + static_cast<int>(i),
                             type->rows[i].kind,
                             m.constants.index(id + "." + type->constants[constant].name), -1});
      }
    }
    std::vector<std::string> names = {"t"};
    const auto& ids = m.constants.parameter_ids();
    names.insert(names.end(), ids.begin(), ids.end());
    for (std::size_t i = 0; i < d.constraints.size(); ++i) {
      const Constraint& c = d.constraints[i];
      const JointShape& shape = m.structure.joints[num_typed_ + i];
      OffsetSpec offset{shape.first_row, shape.rows[0].kind, m.constants.index(c.id + ".offset"),
                        -1};
      if (c.offset.is_formula()) {
        expr::Names scope(names);
        for (const auto& input : d.inputs) scope.add_table(input.id, table_of(input));
        offset.constant = -1;
        offset.formula = static_cast<int>(m.offset_formulas.size());
        m.offset_formulas.emplace_back(c.offset.formula, scope, c.offset.place);
        check_smooth(c, m.offset_formulas.back());
      }
      m.offsets.push_back(offset);
    }
  }

  /// A driven constraint needs two time derivatives of its offset: tables must be cubic.
  void check_smooth(const Constraint& c, const expr::Formula& formula) const {
    std::vector<double> kinks;
    formula.time_breaks(kinks, 0);
    for (const auto& input : d.inputs) {
      if (input.interpolation != Interpolation::kCubic && !kinks.empty() &&
          c.offset.formula.find(input.id) != std::string::npos) {
        throw base::InputError(
            c.offset.place,
            fmt::format(
                "constraint \"{}\": its offset uses the table \"{}\", which is not smooth; a "
                "driven constraint needs two derivatives: use interpolation=\"cubic\".",
                c.id, input.id));
      }
    }
  }

  static expr::Table table_of(const Input& input) {
    const auto kind = input.interpolation == Interpolation::kPrevious
                          ? expr::Interpolation::kPrevious
                      : input.interpolation == Interpolation::kLinear ? expr::Interpolation::kLinear
                                                                      : expr::Interpolation::kCubic;
    return expr::Table(input.t, input.value, kind, input.place);
  }

  void build_forces() {
    for (const auto& force : d.forces) {
      const ForceType& type = type_of(force);
      const auto infos = type_constants(force);
      if (!type.between_bodies) {
        m.gravity.push_back(
            {m.constants.index(force.id + "." + infos[0].name), static_cast<int>(infos.size())});
        continue;
      }
      ForceSpec spec;
      spec.id = force.id;
      spec.element = type.make();
      GeometrySpec g;
      g.end[0] = frame_spec(*force.begin, force.id + ".begin");
      g.end[1] = frame_spec(*force.end, force.id + ".end");
      all_axes(g);
      spec.body[0] = g.end[0].body;
      spec.body[1] = g.end[1].body;
      spec.geometry = static_cast<int>(m.geometry.size());
      spec.num_constants = static_cast<int>(infos.size());
      if (!infos.empty()) spec.first_constant = m.constants.index(force.id + "." + infos[0].name);
      m.geometry.push_back(g);
      m.forces.push_back(std::move(spec));
      force_descriptions_.push_back(&force);
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
        m.geometry.push_back(g);
      }
    }
    for (const auto& joint : d.joints) {
      GeometrySpec g;
      g.end[0] = frame_spec(joint.begin, joint.id + ".begin");
      g.end[1] = frame_spec(joint.end, joint.id + ".end");
      all_axes(g);
      m.geometry.push_back(g);
    }
  }

  void build_driven() {
    const int ground = m.structure.num_bodies;
    for (const auto& g : m.geometry) {
      bool driven = false;
      for (int side = 0; side < 2; ++side) {
        if (!g.used[side]) continue;
        driven |= m.constants.any_driven(g.end[side].first_constant, 12);
        if (g.end[side].body != ground) driven |= m.bodies[g.end[side].body].driven;
      }
      m.geometry_driven.push_back(driven);
    }
    for (int j = 0; j < m.num_joints(); ++j) {
      const auto& shape = m.structure.joints[j];
      const bool released = m.structure.released_index[shape.body[0]] >= 0 ||
                            m.structure.released_index[shape.body[1]] >= 0;
      m.general_joint.push_back(!shape.fast || m.geometry_driven[j] || released);
      m.any_general_joint |= m.general_joint.back() != 0;
    }
  }

  void build_force_bodies() {
    const int ground = m.structure.num_bodies;
    for (const auto& force : m.forces) {
      for (int body : force.body) {
        if (body != ground) m.force_bodies.push_back(body);
      }
    }
    std::sort(m.force_bodies.begin(), m.force_bodies.end());
    m.force_bodies.erase(std::unique(m.force_bodies.begin(), m.force_bodies.end()),
                         m.force_bodies.end());
    m.needs_centers = !m.forces.empty() || m.any_general_joint || !d.states.empty();
  }

  void build_sizes() {
    m.row_has_offset.assign(m.structure.num_rows, 0);
    for (const auto& offset : m.offsets) m.row_has_offset[offset.row] = 1;
    const auto& s = m.structure;
    const auto& ids = m.constants.parameter_ids();
    m.sizes.nq = m.sizes.nv = 12 * s.num_bodies;
    m.sizes.ne = static_cast<int>(d.states.size());
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

  /// Names in laws and derivatives of states; quantities get slots when they are asked for.
  class FormulaScope final : public expr::Scope {
   public:
    FormulaScope(ModelData& model, std::string measure, bool quantities)
        : m(model), measure_(std::move(measure)), quantities_(quantities) {
      for (const auto& input : m.description.inputs) {
        tables_.emplace_back(input.id, table_of(input));
      }
    }
    int find(std::string_view name) override {
      if (!measure_.empty() && name == measure_) return m.slots.s;
      if (!measure_.empty() && name == "rate") return m.slots.rate;
      if (name == "t") return m.slots.t;
      const auto& ids = m.constants.parameter_ids();
      const auto it = std::find(ids.begin(), ids.end(), name);
      if (it != ids.end()) return m.slots.first_parameter + static_cast<int>(it - ids.begin());
      for (std::size_t i = 0; i < m.description.states.size(); ++i) {
        if (m.description.states[i].id == name) return m.slots.first_state + static_cast<int>(i);
      }
      if (!quantities_) return -1;
      const auto quantity = m.quantities.find(std::string(name));
      if (!quantity || quantity->needs_rates()) return -1;
      m.derivative_quantities.push_back(*quantity);
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
      append_ids(m.description.inputs, out);
      if (quantities_) {
        out.insert(out.end(), m.quantities.names().begin(), m.quantities.names().end());
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
    bool quantities_;
    std::vector<std::pair<std::string, expr::Table>> tables_;
  };

  void build_formulas() {
    for (std::size_t i = 0; i < m.forces.size(); ++i) {
      const Force& force = *force_descriptions_[i];
      ForceSpec& spec = m.forces[i];
      const Value* law = force.law.is_formula() ? &force.law : nullptr;
      const auto infos = type_constants(force);
      if (!law && force.key.ends_with("Actuator")) {
        const Value* given = given_value(infos, force.constants, 0);
        if (given && given->is_formula()) law = given;
      }
      if (!law) continue;
      FormulaScope scope(m, spec.element->measure_name(), false);
      spec.law = static_cast<int>(m.laws.size());
      m.laws.emplace_back(law->formula, scope, law->place);
    }
    for (const auto& state : d.states) {
      FormulaScope scope(m, "", true);
      m.derivatives.emplace_back(state.derivative.formula, scope, state.derivative.place);
    }
    const auto measure = [&](const expr::Formula& f) {
      m.scratch_size = std::max(m.scratch_size, f.scratch_size());
      m.max_gradient = std::max<std::size_t>(m.max_gradient, 3 * f.num_used());
    };
    std::for_each(m.laws.begin(), m.laws.end(), measure);
    std::for_each(m.derivatives.begin(), m.derivatives.end(), measure);
    std::for_each(m.offset_formulas.begin(), m.offset_formulas.end(), measure);
    m.scratch_size = std::max(m.scratch_size, m.constants.scratch_size());
  }

  ModelData& m;
  const Description& d;
  std::vector<std::pair<const JointType*, std::string>> joint_offsets_;
  std::size_t num_typed_ = 0;
  std::vector<const Force*> force_descriptions_;
};

}  // namespace

Model::Model(const Description& description) : data_(std::make_unique<ModelData>()) {
  data_->description = description;
  Builder(*data_).build();
  assemble(*this, *data_);
}

Model::~Model() = default;

std::shared_ptr<const Model> build(const Description& description) {
  return std::make_shared<const Model>(description);
}

}  // namespace parfait::mbs
