#include "parfait/mbs/data/quantities.h"

#include "parfait/mbs/data/model_data.h"
#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/mechanism/quantities/quantity_table.h"

namespace parfait::mbs {

using mechanism::QuantityFamily;
using mechanism::QuantityName;
using mechanism::QuantityOf;

using Kind = Quantity::Kind;

Quantities::Quantities(const ModelData& m) : beyond_(m.description) {
  const Description& d = m.description;
  const auto add = [this](const std::string& name, const Quantity& quantity) {
    index_.add(name, quantity);
  };
  const auto each = [](QuantityOf of, auto&& visit) {
    for (const auto& family : mechanism::quantity_families()) {
      if (family.of != of) continue;
      for (const auto& member : members_of(family)) visit(family, member);
    }
  };
  const auto point = [&](const std::string& name, int body, int index) {
    each(QuantityOf::kPoint, [&](const QuantityFamily& family, const QuantityName& member) {
      add(name + "." + member.name, {family.kind, body, index, member.component});
    });
  };
  int marker = m.kernel.first_marker_geometry;
  for (std::size_t b = 0; b < d.bodies.size(); ++b) {
    const Body& body = d.bodies[b];
    const int index = static_cast<int>(b);
    point(body.id + ".com", index, -1);
    point(body.id + ".origin", index, -2);
    for (const auto& named : body.markers) point(body.id + "." + named.id, index, marker++);
    each(QuantityOf::kBody, [&](const QuantityFamily& family, const QuantityName& member) {
      const int axis = member.number > 0 ? member.number - 1 : 0;
      add(body.id + "." + member.name, {family.kind, index, axis, member.component});
    });
  }

  int row_joint = 0;  // joints that have rows, in the order of the structure
  for (std::size_t j = 0; j < d.joints.size(); ++j) {
    const Joint& joint = d.joints[j];
    const JointType& type = type_of(joint);
    const int frames = marker + static_cast<int>(j);
    each(QuantityOf::kJoint, [&](const QuantityFamily& family, const QuantityName& member) {
      if (!has_quantities(type, family)) return;
      const bool is_reaction =
          family.kind == Kind::kReactionForce || family.kind == Kind::kReactionTorque;
      add(joint.id + "." + member.name,
          {family.kind, -1, is_reaction ? row_joint : frames, member.component, member.number});
    });
    if (!type.rows.empty()) ++row_joint;
  }
  for (const auto& constraint : d.constraints) {
    each(QuantityOf::kConstraint, [&](const QuantityFamily& family, const QuantityName& member) {
      add(constraint.id + "." + member.name, {family.kind, -1, row_joint, member.component});
    });
    ++row_joint;
  }
  int element = 0;
  for (const auto& force : d.forces) {
    const ForceType& type = type_of(force);
    for (std::size_t i = 0; i < type.quantities.size(); ++i) {
      add(force.id + "." + type.quantities[i].name,
          {Kind::kForce, -1, element, static_cast<int>(i)});
    }
    if (type.is_element() && m.force.elements[element].element->pulls_along_path()) {
      for (std::size_t j = 0; j < d.joints.size(); ++j) {
        if (beyond_.is_in_loop(static_cast<int>(j)) || type_of(d.joints[j]).free_rotations != 1)
          continue;
        add(force.id + ".moment_arm." + d.joints[j].id,
            {Kind::kMomentArm, -1, element, marker + static_cast<int>(j), static_cast<int>(j)});
      }
    }
    element += type.is_element() ? 1 : 0;
  }
  for (std::size_t i = 0; i < m.external.states.size(); ++i) {
    add(m.external.states[i].id, {Kind::kState, -1, static_cast<int>(i)});
  }
  const auto& ids = m.constants.parameter_ids();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    add(ids[i], {Kind::kParameter, -1, static_cast<int>(i)});
  }
  each(QuantityOf::kModel, [&](const QuantityFamily& family, const QuantityName& member) {
    add(member.name, {family.kind, -1, 0, member.component});
  });
}

}  // namespace parfait::mbs
