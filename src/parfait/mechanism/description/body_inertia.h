#pragma once

#include <Eigen/Core>
#include <array>
#include <functional>
#include <optional>

#include "parfait/mechanism/description/description.h"

namespace parfait::mechanism {

/// Mass, centre and inertia of a body as numbers.
struct BodyNumbers {
  double mass = 0;
  /// In the canonical frame (general_frame.h), as the tensor is.
  Eigen::Vector3d center;
  Eigen::Matrix3d inertia;  ///< about the point the description says, lower half from the upper
  InertiaPoint about = InertiaPoint::kCenterOfMass;

  /// Nothing if `number` has no number for one of the values.
  static std::optional<BodyNumbers> from(
      const Body& body, const std::function<std::optional<double>(const Value&)>& number);

  /// Steiner: Theta_c = Theta_o - m (c.c I - c c^T).
  Eigen::Matrix3d inertia_about_center() const;

  /// The factor of inertia.h; false if the body is not physical.
  bool cholesky(std::array<double, 10>& L) const;
};

/// The inertia a rigid body can have is that of a positive definite pseudo-inertia
///
///   P = tr(Theta_c) / 2 I - Theta_c  =  integral of r r^T dm about the centre,
///
/// so that M4, which holds m, m c and the integral about the origin, is positive definite. The
/// eigenvalues of P are half of what the principal moments leave of the triangle inequality.
/// A body whose P is only positive semidefinite (a point, a rod or a plate without thickness) can
/// exist, too, but has no orientation or a singular M4: an engine may or may not take it.
struct InertiaFault {
  bool is_impossible = false;  ///< no body has it; otherwise P is singular
  std::string message;         ///< why, and what to do; empty: Theta_c is such an inertia
};
InertiaFault inertia_fault(const Eigen::Matrix3d& inertia_about_center);

}  // namespace parfait::mechanism
