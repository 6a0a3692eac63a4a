#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "parfait/mechanism/description/description.h"
#include "parfait/motion/skeleton/geometry.h"

/// A described mechanism in another size: what scaling, calibration and their model files share.
namespace parfait::motion {

/// Factors along the axes of a body, by its id. Bodies that are not named keep their size.
using ScaleFactors = std::map<std::string, std::array<double, 3>>;

enum class ScalingRule : std::uint8_t {
  /// Displacements of joints: S R a f(q) in axes of the parent, R the axes of the joint on it, so
  ///   axis <- R^T S R a / |S R a|,   f <- |S R a| f.
  /// Inertia: second moments of the mass, P = tr(I)/2 1 - I, become S P S.
  kExact,
  /// Displacements as OpenSim does: axis unchanged, f <- (sum_k |a_k| s_k) f, whatever R.
  /// Inertia, unless all three factors are equal: that of a cylinder about its end, radius and
  /// length from the smallest moment of inertia and another one.
  kOpenSim,
};

/// Places of joints, markers and centres of mass times the factors of their bodies, and
/// displacements of joints that follow a function (not those that are the coordinate itself) by the
/// factors of the body that the joint begins on. Numbers only: a formula keeps what it is.
void scale_geometry(mechanism::Description& description, const ScaleFactors& factors,
                    ScalingRule rule = ScalingRule::kExact);

struct MassScaling {
  double total = 0;  ///< kg of the whole; 0: as it comes out
  /// Masses keep their shares of the whole; otherwise each grows with the volume of its body.
  bool keep_distribution = true;
  ScalingRule rule = ScalingRule::kExact;
};
/// Masses and inertias of bodies with those factors.
void scale_masses(mechanism::Description& description, const ScaleFactors& factors,
                  const MassScaling& scaling);

/// The description with the numbers of a geometry: scaled, joints and markers where they are in
/// it. `skeleton`: the one of this description. Masses as in scale_masses() with `total_mass`
/// (0: as they were), their shares kept.
void set_geometry(mechanism::Description& description, const Skeleton& skeleton,
                  const Geometry& geometry, double total_mass);
/// The factors of a geometry that are not 1.
ScaleFactors factors_of(const Skeleton& skeleton, const Geometry& geometry);

double total_mass(const mechanism::Description& description);

}  // namespace parfait::motion
