#pragma once

#include "parfait/mechanism/description/description.h"
#include "testing/witness_elements.h"

/// Models with fixed numbers, each consistent in its initial state.
///
/// The body of Kraus 2006, section 12.1.1: mass 2, centre (0.5, 0, 0), inertia diag(2.5, 2, 2)
/// about the centre, next joint at (1, 0, 0); revolute axes along global y with marker axes x = (0,
/// 0, 1), y = (1, 0, 0), z = (0, 1, 0) on both sides; gravity -9.81 along z. Bodies "body_1", ...,
/// joints "joint_1", ...
namespace parfait::testing_support {

/// A model together with what its formulas compute.
struct TestModel {
  mechanism::Description description;
  Functions functions = {};
};

mechanism::Description revolute_chain(int n);
mechanism::Description spherical_chain(int n);
/// Chain of n to ground and two chains of n at its end, all along x.
mechanism::Description tree(int n);
/// Chain of n along x and, hung at its end by one vertex, a regular polygon of 4 n bodies in the
/// x-z plane, symmetric about the vertical: 5 n bodies, 5 n + 1 joints, 3 redundant rows.
mechanism::Description loop(int n);
/// Planar linkage, ground pivots 2 m apart; bodies of length 1, 2.2 and 1.4; crank at 1.1 rad,
/// moving with 0.8 rad/s. 3 redundant rows.
mechanism::Description four_bar();
/// IFToMM benchmark A04: five rods of 1 m and 1 kg, 0.1 m square, six revolute joints at
/// (0,0,0) (1,0,0) (1,-1,0) (1,-1,1) (0,-1,1) (0,0,1) with axes y z x y z x, gravity -9.81 along y,
/// at rest. One degree of freedom and one redundant row. P3 is (1, 0, 0) of "rod_3".
mechanism::Description bricard();
/// Load plate (10 kg, radius 0.5 m, 0.05 m thick) 1 m above ground on six legs of two bodies: lower
/// part (2 kg, universal joint to ground on a circle of 1 m), upper part (1 kg, spherical joint to
/// the load's rim), prismatic joint and a spring of 400, 500, ..., 900 N/m at rest length along
/// each. Feet at 120 k -+ 10 degrees, load joints at 120 k -+ 50 degrees. Body 1 is "load".
mechanism::Description hexapod();
/// Two bodies of Kraus; the pivot of the first, revolute about y, moves up and down by 0.1 sin(3 t)
/// (row "pivot_z"), the second swings on the first; both move.
TestModel driven_pendulum();
/// A body sliding on the plane z = 0, kept upright, whose velocity at a point ahead of the centre
/// has no component across (velocity row "edge", VVDX), pulled by a spring: nonholonomic.
mechanism::Description skate();
/// Two free bodies whose centres keep a speed of 1 m/s against each other (row "speed", VVX), with
/// a spring between them.
mechanism::Description constant_speed_pair();

mechanism::Frame frame(const Eigen::Vector3d& o);  ///< no axes given
mechanism::Frame axis_frame(const Eigen::Vector3d& o, const Eigen::Vector3d& z);
mechanism::Frame axes_frame(const Eigen::Vector3d& o,
                            const Eigen::Matrix3d& axes);  ///< columns x, y, z
mechanism::Marker marker(const std::string& body, const mechanism::Frame& frame);
mechanism::Force gravitation(const Eigen::Vector3d& g = {0, 0, -9.81});

}  // namespace parfait::testing_support
