#pragma once

#include "parfait/mbs/data/model_data.h"

namespace parfait::mbs {

/// g_pos and g_vel of the placed bodies.
void evaluate_invariants(const KernelData& kernel, const OffsetData& offset,
                         const ModelWorkspace& w, double* pos, double* vel);

/// Directions of (g_pos, g_vel) at the placed state in the present chunk (seed_chunk() and
/// place_lanes() with centres have been called): num_pos + num_vel lanes.
void invariant_directions(const ModelData& m, ModelWorkspace& w, Lane* dg);

/// d(lambda^T g)/dy for multipliers of all invariants (num_pos + num_vel), and its directions in
/// the present chunk: y in canonical coordinates, 24 entries per body, positions first.
///   gradient:    Ghat^T lambda
///   directions:  (sum_j lambda_j Hessian of g_j) dy + parameters
/// All rows are at most quadratic in (q, v), so this is all there is to know of their curvature.
void invariant_gradient(const ModelData& m, ModelWorkspace& w, const double* lambda,
                        double* gradient, Lane* directions);

}  // namespace parfait::mbs
