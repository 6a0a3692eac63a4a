#pragma once

#include "parfait/mechanism/description/description.h"

/// The systems that are timed, as descriptions: Parfait, Simbody and MuJoCo are all built from
/// these.
///
/// Body               of Kraus 2006, section 12.1.1: mass 2 kg, centre of mass (0.5, 0, 0), inertia
///                    diag(2.5, 2, 2) kg m^2 about it, next joint at (1, 0, 0). Gravity -9.81 m/s^2 along z.
/// State              bent and moving, consistent on position and velocity level by construction:
///                    joint angles and rates are waves along the system, bodies follow by forward
///                    kinematics. `phase` shifts the waves: other phases, other states, same
///                    system.
/// Order              a body stands after the one that carries it; the `end` of the joint that
///                    carries a body is the body.
namespace parfait::bench {

/// n bodies along x, revolute about y, as in Kraus 2006, section 12.1.1.
mechanism::Description revolute_chain(int n, double phase = 0);

/// The same with a rotational spring and damper at each joint.
mechanism::Description spring_chain(int n, double phase = 0);

/// n bodies along x, spherical joints.
mechanism::Description spherical_chain(int n, double phase = 0);

/// 3n bodies: a chain of n on the ground and two chains of n at its end (Kraus 2006,
/// section 12.1.2).
mechanism::Description tree(int n, double phase = 0);

/// 5n bodies: a chain of n, and hung at its end a closed polygon of 4n bodies in the x-z plane, all
/// revolute about y (Kraus 2006, section 12.1.2). Three rows of the closing joint are redundant.
mechanism::Description loop(int n, double phase = 0);

/// A person of 16 segments and 34 degrees of freedom, falling freely: pelvis free (6), lumbar ball
/// (3), thoracic universal (2), neck ball (3), shoulders ball (2 x 3), elbows and wrists revolute
/// (2 x 2), hips ball (2 x 3), knees and ankles revolute (2 x 2).
mechanism::Description human(double phase = 0);

/// The same with the gravity constant as the parameter "g".
mechanism::Description with_gravity_parameter(mechanism::Description description);

}  // namespace parfait::bench
