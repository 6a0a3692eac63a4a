#pragma once

#include <vector>

#include "parfait/mechanism/description/description.h"

/// Are these accelerations right? Answered from the description alone, without any engine.
namespace parfait::bench {

/// Accelerations of the centres of mass and angular accelerations, world axes, bodies as described.
struct Accelerations {
  std::vector<mechanism::Number3> center;
  std::vector<mechanism::Number3> angular;
};

/// Residuals divided by the largest term that enters them, so rounding is about 1e-15 times the
/// length of the system.
struct Residuals {
  /// The joints hold on acceleration level: d^2/dt^2 of every constraint of every joint is zero.
  double constraints = 0;
  /// Newton and Euler hold. Trees: the forces that the motion requires, summed from the tips, have
  /// no component a joint could not carry (together with `constraints` this determines the motion).
  /// Loops, where the joint forces are not unique: the power of gravity is the rate of kinetic
  /// energy.
  double forces = 0;
};

/// Spherical, Revolute, Universal joints and gravity along z.
Residuals residuals(const mechanism::Description& description, const Accelerations& accelerations);

/// The largest difference, relative to the largest entry of `a`: centres and angular separately.
double difference(const Accelerations& a, const Accelerations& b);

}  // namespace parfait::bench
