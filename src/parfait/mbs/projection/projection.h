#pragma once

#include "parfait/mbs/data/model_data.h"

namespace parfait::mbs {

/// The tolerance that was asked for, or where the rounding of numbers as large as those of a state
/// ends it: in millimetres, far from the origin or fast, |g| does not come closer to zero.
struct ProjectionTolerance {
  double position = 0, velocity = 0;
};
ProjectionTolerance projection_tolerance(const ModelData& m, const double* q, const double* v,
                                         double asked);

/// Nearest position in the mass norm, then nearest velocity there (Kraus 2006, section 8.5.4,
/// corrected):
///   [M G^T; G 0] (dq, lambda) = -(M (q - q0), g_pos),
///   [M G^T; G 0] (dv, mu)     = -(M (v - v0), g_vel).
/// Starts from and ends in w.projection; the block solver serves both.
/// (docs/theory/projection.md, P1, P2)
dynamics::ProjectionReport project_mass(const ModelData& m, ModelWorkspace& w, double tolerance);

/// Newton's method with damped steps, each the shortest in the mass norm, from the position in
/// w.projection: some position on the constraints, where the nearest one is too far away to be
/// found. False if there is none to be found either.
bool approach_positions(const ModelData& m, ModelWorkspace& w, double tolerance);

/// Exact directions of project_mass() at the point of its last call, consistent or not: the
/// curvature of the constraints is iterated with the factors at hand. (P3-P5)
dynamics::Status project_mass_directions(const ModelData& m, ModelWorkspace& w,
                                         math::Directions& dy);

/// Places the bodies at the point of the last project_mass() and factors there, on the position or
/// velocity level; w.projection.shift is then what this level moved, per body centre of mass and
/// axes.
void prepare_projection_level(const ModelData& m, ModelWorkspace& w, bool velocity);

/// What the partitioning drops at the point of the last project_mass(), on both levels.
RedundantRows count_redundant_rows(const ModelData& m, ModelWorkspace& w);

/// Kraus 2006, section 8.5.2 (P7) and 8.5.3 (P6) by dense linear algebra; for comparison, not for
/// integration.
dynamics::ProjectionReport project_dense(const Model& model, const ModelData& m, ModelWorkspace& w,
                                         dynamics::Vec y, double tolerance);
dynamics::Status project_dense_directions(const Model& model, const ModelData& m, ModelWorkspace& w,
                                          math::Directions& dy);

}  // namespace parfait::mbs
