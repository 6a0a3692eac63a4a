#include "parfait/mbs/quantities.h"

#include "parfait/mbs/element_constants.h"
#include "parfait/mbs/model_data.h"

namespace parfait::mbs {

using Kind = Quantity::Kind;

void Quantities::add(const std::string& name, Quantity quantity) {
  if (index_.try_emplace(name, quantity).second) names_.push_back(name);
}

Quantities::Quantities(const ModelData& m) {
  const Description& d = m.description;
  const char* xyz = "xyz";
  const auto point = [&](const std::string& name, int body, int index) {
    for (int i = 0; i < 3; ++i) add(name + "." + xyz[i], {Kind::kMarkerPosition, body, index, i});
    for (int i = 0; i < 3; ++i) add(name + ".v" + xyz[i], {Kind::kMarkerVelocity, body, index, i});
    for (int i = 0; i < 3; ++i) {
      add(name + ".a" + xyz[i], {Kind::kMarkerAcceleration, body, index, i});
    }
  };
  int marker = m.first_marker_geometry();
  for (std::size_t b = 0; b < d.bodies.size(); ++b) {
    const Body& body = d.bodies[b];
    const int index = static_cast<int>(b);
    point(body.id + ".com", index, -1);
    point(body.id + ".origin", index, -2);
    for (const auto& named : body.markers) point(body.id + "." + named.id, index, marker++);
    for (int axis = 0; axis < 3; ++axis) {
      const std::string name = body.id + ".e" + std::to_string(axis + 1);
      for (int i = 0; i < 3; ++i) add(name + "." + xyz[i], {Kind::kAxis, index, axis, i});
      for (int i = 0; i < 3; ++i) add(name + ".v" + xyz[i], {Kind::kAxisRate, index, axis, i});
    }
    for (int i = 0; i < 3; ++i) add(body.id + ".w" + xyz[i], {Kind::kAngularVelocity, index, 0, i});
  }

  int row_joint = 0;  // joints that have rows, in the order of the structure
  for (std::size_t j = 0; j < d.joints.size(); ++j) {
    const Joint& joint = d.joints[j];
    const JointType& type = type_of(joint);
    const int frames = marker + static_cast<int>(j);
    if (type.free_rotations == 1) {
      add(joint.id + ".angle", {Kind::kJointAngle, -1, frames, 0, 0});
      add(joint.id + ".rate", {Kind::kJointRate, -1, frames, 0, 0});
    } else if (type.free_rotations > 1) {
      for (int i = 1; i <= 3; ++i) {
        add(joint.id + ".angle." + std::to_string(i), {Kind::kJointAngle, -1, frames, 0, i});
        add(joint.id + ".rate." + std::to_string(i), {Kind::kJointRate, -1, frames, 0, i});
      }
    }
    if (type.free_translations == 1) {
      add(joint.id + ".displacement", {Kind::kJointDisplacement, -1, frames, 0, 0});
      add(joint.id + ".displacement_rate", {Kind::kJointDisplacementRate, -1, frames, 0, 0});
    }
    if (type.rows.empty()) continue;
    for (int i = 0; i < 3; ++i) {
      add(joint.id + ".reaction." + xyz[i], {Kind::kReactionForce, -1, row_joint, i});
    }
    for (int i = 0; i < 3; ++i) {
      add(joint.id + ".reaction.t" + xyz[i], {Kind::kReactionTorque, -1, row_joint, i});
    }
    ++row_joint;
  }
  for (const auto& constraint : d.constraints) {
    for (int i = 0; i < 3; ++i) {
      add(constraint.id + ".reaction." + xyz[i], {Kind::kReactionForce, -1, row_joint, i});
      add(constraint.id + ".reaction.t" + xyz[i], {Kind::kReactionTorque, -1, row_joint, i});
    }
    ++row_joint;
  }
  for (std::size_t f = 0; f < m.forces.size(); ++f) {
    const int index = static_cast<int>(f);
    const std::string& id = m.forces[f].id;
    add(id + "." + m.forces[f].element->measure_name(), {Kind::kForceMeasure, -1, index});
    add(id + ".rate", {Kind::kForceRate, -1, index});
    add(id + ".force", {Kind::kForceValue, -1, index});
  }
  add("energy.kinetic", {Kind::kKineticEnergy});
  add("energy.potential", {Kind::kPotentialEnergy});
  add("energy.total", {Kind::kTotalEnergy});
  for (std::size_t i = 0; i < m.states.size(); ++i) {
    add(m.states[i].id, {Kind::kState, -1, static_cast<int>(i)});
  }
  const auto& ids = m.constants.parameter_ids();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    add(ids[i], {Kind::kParameter, -1, static_cast<int>(i)});
  }
  add("t", {Kind::kTime});
}

std::optional<Quantity> Quantities::find(const std::string& name) const {
  const auto it = index_.find(name);
  return it == index_.end() ? std::nullopt : std::optional<Quantity>(it->second);
}

}  // namespace parfait::mbs
