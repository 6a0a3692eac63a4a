#pragma once

#include "parfait/mbs/data/model_data.h"

/// The adjoint of a solve with the factors at hand, in O(n) (docs/theory/adjoint.md, V1-V6).
namespace parfait::mbs {

/// On which level the rows of joints are solved: g, g' or g''.
enum class RowLevel { kPosition = 0, kVelocity = 1, kAcceleration = 2 };

/// Seeds of the bodies to their w and alpha, and the adjoints mu of the rows into k.multiplier:
///
///   [M G^T; G 0] (w, mu) = (seed, row)
///
/// which is symmetric: the factors of the solve itself serve. `row` (8 per joint) may be null.
/// Overwrites k.force, k.torque and k.multiplier.
void solve_transposed(const Structure& s, const double* row, KernelState& k, AdjointWork& a);

/// Adjoints of what the rows of all joints are made of, at w, alpha and mu = k.multiplier, where
/// the rows have the multipliers lambda: added to the bodies; `with_geometry`: to the geometry too.
/// What the level itself contributes to the bodies is in the solve already; rows_X has it.
void pull_back_joints(const ModelData& m, ModelWorkspace& w, RowLevel level, const double* lambda,
                      bool with_geometry);

/// Adjoints of the offsets of rows on a level: mu, the multipliers in w.k.
void pull_back_offsets(const ModelData& m, ModelWorkspace& w, RowLevel level);

/// Multipliers of the metric sym(X^T dX): X Lambda = seed - (alpha x X) J - A(mu); xx yy zz xy xz
/// yz.
void metric_multipliers(const ModelWorkspace& w, int body, double* Lambda);

/// (x J)_j of three vectors.
inline V4 inertia_column(const V4* x, const KernelConstants& c, int body, int j) {
  return x[0] * c.J(body, kEntry[0][j]) + x[1] * c.J(body, kEntry[1][j]) +
         x[2] * c.J(body, kEntry[2][j]);
}

/// J -= sym of (alpha x X_j) . x_i: the second moment in the equation of torque.
void subtract_inertia(const V4* X, V4 alpha, const V4* x, double* J);

}  // namespace parfait::mbs
