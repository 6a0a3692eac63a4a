#pragma once

#include <Eigen/Dense>
#include <vector>

#include "parfait/mechanism/description/description.h"

/// A second witness, independent of natural coordinates: a chain of bodies in joint angles, its
/// motion from d/dt dL/dtheta' - dL/dtheta = -dD/dtheta' with L = T - V built from positions only.
namespace parfait::testing_support {

/// A body and the joint that hangs it on the previous one (the first on the ground). Vectors of the
/// parent side are in the parent's frame, all others in the body's own, orthonormal frame.
struct ChainLink {
  bool spherical = false;  ///< three Cardan angles x, y, z; otherwise one angle about `axis`
  Eigen::Vector3d axis = Eigen::Vector3d::UnitY();  ///< unit; in the parent's frame
  Eigen::Vector3d joint_in_parent = Eigen::Vector3d::Zero();
  Eigen::Vector3d joint_in_body = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R0 = Eigen::Matrix3d::Identity();  ///< body to parent at zero angles
  double mass = 1;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Identity();  ///< about the centre
};

/// Spring and damper along the line from a point of a body to a point of another (-1: ground).
struct ChainSpring {
  int begin = -1, end = -1;
  Eigen::Vector3d begin_point = Eigen::Vector3d::Zero(), end_point = Eigen::Vector3d::Zero();
  double rest = 0, stiffness = 0, damping = 0;
};

struct Chain {
  std::vector<ChainLink> links;
  std::vector<ChainSpring> springs;
  Eigen::Vector3d gravity{0, 0, -9.81};

  int num_angles() const;
};

struct ChainMotion {
  Eigen::VectorXd theta_ddot;
  std::vector<Eigen::Vector3d> center_acceleration;
};
ChainMotion euler_lagrange(const Chain& chain, const Eigen::VectorXd& theta,
                           const Eigen::VectorXd& theta_dot);

/// The same chain as a description in that position and motion (bodies "body_1", ...).
mechanism::Description describe(const Chain& chain, const Eigen::VectorXd& theta,
                                const Eigen::VectorXd& theta_dot);

}  // namespace parfait::testing_support
