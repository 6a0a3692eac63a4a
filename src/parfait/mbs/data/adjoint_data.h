#pragma once

#include <vector>

#include "parfait/mbs/solver/direction_step.h"
#include "parfait/mbs/solver/kernel.h"
#include "parfait/mbs/solver/site.h"

/// Adjoints of what a model is computed from (docs/theory/adjoint.md).
namespace parfait::mbs {

/// Of mass, centre and second moment of a body.
struct InertiaAdjoint {
  double m = 0, c[3] = {}, J[6] = {};
};

/// Of points and axes of a Geometry.
struct GeometryAdjoint {
  double rho[2][3] = {}, axis[2][3][3] = {};
};

/// Of a body; one more stands for the ground.
struct alignas(32) BodyAdjoint {
  V4 seed_c, seed_X[3];  ///< of the centre of mass and the axes that a solve finds
  /// Adjoints of the equations of force and torque: a motion w_c, w_X = alpha x X that keeps the
  /// constraints.
  V4 w, alpha;
  V4 rc, vc, X[3], Xd[3];  ///< of what the frame holds
  V4 rows_X[3];            ///< what the multipliers mu do to the axes, A(mu)
  V4 rows_c;               ///< and to the centre, on the level of positions
  V4 Xdd[3], ac;           ///< of accelerations that quantities look at
};

/// A number that a quantity depends on: where its direction stands, and where its adjoint goes.
struct Probe {
  Lane* lane;
  double* adjoint;
};

/// Sized by clear_parameter_adjoint(). What depends on parameters is added up here over many
/// pull-backs, in as many numbers as the model has constants; parameters come in once, at the end.
struct AdjointWork {
  AlignedVector<BodyAdjoint> bodies;
  std::vector<InertiaAdjoint> inertia;
  std::vector<GeometryAdjoint> geometry;
  std::vector<char> geometry_driven;
  double gravity[3] = {};
  std::vector<double> constants;   ///< of all, those of elements and offsets
  std::vector<double> parameters;  ///< that formulas name
  double t = 0;
  std::vector<double> e;              ///< external states
  std::vector<double> slots;          ///< of formulas; zero between pull-backs
  AlignedVector<double> lambda, row;  ///< 8 per joint: multipliers of the solution; their adjoints
  std::vector<double> canonical, quantity_seeds, rows, columns;
  /// Directions of what quantities look at; zero between pull-backs.
  std::vector<Probe> probes;
  AlignedVector<Lane> body_lanes, constant_lanes;  ///< 27 per body: X, X', X''; driven constants
  AlignedVector<InertiaLanes> inertia_lanes;
  AlignedVector<GeometryLanes> geometry_lanes;

  bool is_sized() const { return !bodies.empty(); }
};

}  // namespace parfait::mbs
