#include "parfait/mechanism/quantities/quantity_table.h"

#include "parfait/mechanism/description/name_pattern.h"

namespace parfait::mechanism {

using Kind = Quantity::Kind;
using Of = QuantityOf;

std::span<const QuantityFamily> quantity_families() {
  static const std::vector<QuantityFamily> families = {
      {Of::kPoint, "{x,y,z}", Kind::kMarkerPosition, "m",
       "position of the centre of mass, the origin or a marker"},
      {Of::kPoint, "v{x,y,z}", Kind::kMarkerVelocity, "m/s", "its velocity"},
      {Of::kPoint, "a{x,y,z}", Kind::kMarkerAcceleration, "m/s^2", "its acceleration"},
      {Of::kBody, "e{1,2,3}.{x,y,z}", Kind::kAxis, "1", "axes of the body's frame"},
      {Of::kBody, "e{1,2,3}.v{x,y,z}", Kind::kAxisRate, "1/s", "their rates"},
      {Of::kBody, "w{x,y,z}", Kind::kAngularVelocity, "rad/s", "angular velocity"},
      {Of::kJoint, "angle", Kind::kJointAngle, "rad",
       "one free rotation: about z of begin, from x of begin to x of end"},
      {Of::kJoint, "rate", Kind::kJointRate, "rad/s", "its rate"},
      {Of::kJoint, "angle.{1,2,3}", Kind::kJointAngle, "rad",
       "two or three free rotations: Cardan angles about x, the new y, the new z"},
      {Of::kJoint, "rate.{1,2,3}", Kind::kJointRate, "rad/s", "their rates"},
      {Of::kJoint, "displacement", Kind::kJointDisplacement, "m",
       "one free translation: of end from begin, along z of begin"},
      {Of::kJoint, "displacement_rate", Kind::kJointDisplacementRate, "m/s", "its rate"},
      {Of::kJoint, "reaction.{x,y,z}", Kind::kReactionForce, "N",
       "force of the joint on the end body"},
      {Of::kJoint, "reaction.t{x,y,z}", Kind::kReactionTorque, "N m",
       "its moment about the end marker"},
      {Of::kCoordinate, "", Kind::kCoordinate, "rad or m",
       "a named coordinate, also one that is coupled or locked (joint coordinates only)"},
      {Of::kCoordinate, "rate", Kind::kCoordinateRate, "rad/s or m/s", "its rate"},
      {Of::kConstraint, "reaction.{x,y,z}", Kind::kReactionForce, "N",
       "force of the constraint on the end body"},
      {Of::kConstraint, "reaction.t{x,y,z}", Kind::kReactionTorque, "N m",
       "its moment about the end marker"},
      {Of::kForce, "length", Kind::kForce, "m", "its measure s"},
      {Of::kForce, "angle", Kind::kForce, "rad", "its measure s, rotational ones"},
      {Of::kForce, "rate", Kind::kForce, "m/s or rad/s", "rate of s"},
      {Of::kForce, "force", Kind::kForce, "N or N m", "F; a positive one pulls s down"},
      {Of::kForce, "moment_arm.<joint>", Kind::kMomentArm, "m",
       "muscles: minus the change of length per angle of a joint with one free rotation"},
      {Of::kModel, "energy.kinetic", Kind::kKineticEnergy, "J", "of all bodies"},
      {Of::kModel, "energy.potential", Kind::kPotentialEnergy, "J", "of weights and springs"},
      {Of::kModel, "energy.total", Kind::kTotalEnergy, "J", "their sum"},
      {Of::kModel, "power.supplied", Kind::kSuppliedPower, "W",
       "of driven constraints, and of forces that neither store nor dissipate: actuators, muscles"},
      {Of::kModel, "power.dissipated", Kind::kDissipatedPower, "W", "what dampers turn into heat"},
      {Of::kState, "energy.supplied", Kind::kState, "J",
       "integral of power.supplied, a state of models whose output asks for it"},
      {Of::kState, "energy.dissipated", Kind::kState, "J", "integral of power.dissipated likewise"},
      {Of::kState, "", Kind::kState, "", "an external state"},
      {Of::kParameter, "", Kind::kParameter, "", "a parameter"},
      {Of::kModel, "t", Kind::kTime, "s", "time"}};
  return families;
}

bool has_quantities(const JointType& type, const QuantityFamily& family) {
  if (family.of != Of::kJoint) return false;
  const bool is_numbered = family.pattern.find("{1,2,3}") != std::string::npos;
  switch (family.kind) {
    case Kind::kJointAngle:
    case Kind::kJointRate:
      return is_numbered ? type.free_rotations > 1 : type.free_rotations == 1;
    case Kind::kJointDisplacement:
    case Kind::kJointDisplacementRate:
      return type.free_translations == 1;
    default:
      return !type.rows.empty();
  }
}

std::vector<QuantityName> members_of(const QuantityFamily& family) {
  const bool is_numbered = family.pattern.find("{1,2,3}") != std::string::npos;
  const bool is_vector = family.pattern.find("{x,y,z}") != std::string::npos;
  std::vector<QuantityName> members;
  int i = 0;
  for (auto& name : names_of_pattern(family.pattern)) {
    const int number = is_numbered ? (is_vector ? i / 3 : i) + 1 : 0;
    members.push_back({std::move(name), number, is_vector ? i % 3 : 0});
    ++i;
  }
  return members;
}

}  // namespace parfait::mechanism
