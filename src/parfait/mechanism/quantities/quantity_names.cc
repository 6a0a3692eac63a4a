#include "parfait/mechanism/quantities/quantity_names.h"

#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/mechanism/elements/force.h"
#include "parfait/mechanism/quantities/quantity_table.h"

namespace parfait::mechanism {

QuantityNames::QuantityNames(const Description& d, const std::vector<State>& states,
                             const std::vector<std::string>& parameter_ids)
    : beyond_(d) {
  const auto add = [this](const std::string& name, const Quantity& quantity) {
    index_.add(name, quantity);
  };
  const auto each = [](QuantityOf of, auto&& visit) {
    for (const auto& family : quantity_families()) {
      if (family.of != of) continue;
      for (const auto& member : members_of(family)) visit(family, member);
    }
  };
  const auto point = [&](const std::string& name, int body, int index) {
    each(QuantityOf::kPoint, [&](const QuantityFamily& family, const QuantityName& member) {
      add(name + "." + member.name, {family.kind, body, index, member.component});
    });
  };
  int site = 0;
  for (std::size_t b = 0; b < d.bodies.size(); ++b) {
    const Body& body = d.bodies[b];
    const int index = static_cast<int>(b);
    point(body.id + ".com", index, -1);
    point(body.id + ".origin", index, -2);
    for (const auto& named : body.markers) point(body.id + "." + named.id, index, site++);
    each(QuantityOf::kBody, [&](const QuantityFamily& family, const QuantityName& member) {
      const int axis = member.number > 0 ? member.number - 1 : 0;
      add(body.id + "." + member.name, {family.kind, index, axis, member.component});
    });
  }
  int row_owner = 0, coordinate = 0;
  for (const auto& joint : d.joints) {
    const JointType& type = type_of(joint);
    each(QuantityOf::kJoint, [&](const QuantityFamily& family, const QuantityName& member) {
      if (!has_quantities(type, family)) return;
      add(joint.id + "." + member.name,
          {family.kind, -1, row_owner, member.component, member.number});
    });
    for (const auto& named : joint.motion.coordinates) {
      each(QuantityOf::kCoordinate, [&](const QuantityFamily& family, const QuantityName& member) {
        add(member.name.empty() ? named.id : named.id + "." + member.name,
            {family.kind, -1, coordinate});
      });
      ++coordinate;
    }
    ++row_owner;
  }
  for (const auto& constraint : d.constraints) {
    each(QuantityOf::kConstraint, [&](const QuantityFamily& family, const QuantityName& member) {
      add(constraint.id + "." + member.name, {family.kind, -1, row_owner, member.component});
    });
    ++row_owner;
  }
  int element = 0;
  for (const auto& force : d.forces) {
    const ForceType& type = type_of(force);
    for (std::size_t i = 0; i < type.quantities.size(); ++i) {
      add(force.id + "." + type.quantities[i].name,
          {Quantity::Kind::kForce, -1, element, static_cast<int>(i)});
    }
    if (type.is_element() && type.make(force)->pulls_along_path()) {
      for (int j = 0; j < static_cast<int>(d.joints.size()); ++j) {
        if (beyond_.is_in_loop(j) || type_of(d.joints[j]).free_rotations != 1) continue;
        add(force.id + ".moment_arm." + d.joints[j].id,
            {Quantity::Kind::kMomentArm, -1, element, 0, j});
      }
    }
    element += type.is_element() ? 1 : 0;
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    add(states[i].id, {Quantity::Kind::kState, -1, static_cast<int>(i)});
  }
  for (std::size_t i = 0; i < parameter_ids.size(); ++i) {
    add(parameter_ids[i], {Quantity::Kind::kParameter, -1, static_cast<int>(i)});
  }
  each(QuantityOf::kModel, [&](const QuantityFamily& family, const QuantityName& member) {
    add(member.name, {family.kind, -1, 0, member.component});
  });
}

}  // namespace parfait::mechanism
