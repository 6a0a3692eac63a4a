#pragma once

namespace parfait::mechanism {

/// What a name such as "Load.com.x" stands for.
struct Quantity {
  enum class Kind {
    kMarkerPosition,  ///< of marker geometry `index` on `body`; index -1: com, -2: origin
    kMarkerVelocity,
    kMarkerAcceleration,
    kAxis,  ///< component of axis `index` of the body
    kAxisRate,
    kAngularVelocity,
    kJointAngle,  ///< joint `index`; `axis` 0: about z, else Cardan angle 1 to 3
    kJointRate,
    kJointDisplacement,
    kJointDisplacementRate,
    kCoordinate,  ///< named coordinate `index`, counted over all joints
    kCoordinateRate,
    kReactionForce,  ///< on the end body, at its marker
    kReactionTorque,
    kMomentArm,  ///< of force `index` about z of joint `axis`, whose frames are `component` in mbs
    kForce,      ///< quantity `component` of the type of force `index`
    kKineticEnergy,
    kPotentialEnergy,
    kTotalEnergy,
    kSuppliedPower,
    kDissipatedPower,
    kState,  ///< external state `index`
    kParameter,
    kTime,
  };
  Kind kind = Kind::kTime;
  int body = -1;
  int index = 0;
  int component = 0;
  int axis = 0;

  bool needs_rates() const {
    return kind == Kind::kMarkerAcceleration || kind == Kind::kReactionForce ||
           kind == Kind::kReactionTorque || kind == Kind::kSuppliedPower;
  }
  /// Of reactions, not of accelerations: known when the rates of external states are computed.
  bool needs_reactions_only() const { return kind == Kind::kSuppliedPower; }
};

}  // namespace parfait::mechanism
