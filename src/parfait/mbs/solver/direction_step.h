#pragma once

#include "parfait/mbs/solver/kernel.h"
#include "parfait/mbs/solver/site.h"
#include "parfait/mechanism/elements/constraint_row.h"

/// Directional derivatives of the accelerations, kLanes at a time, with the factors of the last
/// solve.
///
/// The equations of kernel.h are differentiated as they stand (docs/theory/solver.md, D1-D6), so
/// the directions are exact on and off the manifold:
///
///   m da_c + dF = df - dm a_c
///   sum_i e_i x (dX'' J)_i + dT = dtau - sum_i dX_i x A_i,   A = X'' J + forces of the joints on X
///   sym(X^T dX'') = -sym(2 X'^T dX' + X''^T dX)
///   d(G a - gamma) = 0 for every joint row
namespace parfait::mbs {

/// Coefficients of four bodies at a state, prepared once for all directions; X, Y and X'' are those
/// of the BodyQuad.
struct alignas(32) DirectionQuad {
  V4 minus_Xd[9], minus_half_Xdd[9];
  V4 A[9];
  V4 inverse_Theta[6];  ///< world, xx yy zz xy xz yz
  V4 H[18];             ///< d(alpha) / dS: H[3 e + k], e = xx yy zz xy xz yz
};

/// Coefficients of a fast joint: rates of its axes (the first doubled), and per group the sum of
/// lambda times partners.
struct alignas(32) DirectionJoint {
  V4 axis_2d[2][3], axis_dd[2][3];
  V4 partner[3], partner_local[3];
};

/// Directions of a body's mass m, centre of mass c and second moment J about it (in bodies whose
/// inertia a parameter changes).
struct InertiaLanes {
  Lane m, c[3], J[6];
};

/// Directions of the wrench on a body: force F and torque T about its centre of mass.
struct BodyWork {
  Lane F[3], T[3];
};

struct DirectionState {
  AlignedVector<DirectionQuad> quads;
  AlignedVector<DirectionJoint> joints;
  AlignedVector<BodyWork> bodies;   ///< applied wrenches; one more for the ground
  AlignedVector<BodyLanes> lanes;   ///< per body, for forces, general joints and observers
  AlignedVector<Lane> multipliers;  ///< 6 per joint: residuals, then directions of lambda
  AlignedVector<std::array<Lane, 9>> axis_force;     ///< released bodies: directions of F_X
  AlignedVector<std::array<V4, 3>> released_Lambda;  ///< and their rigid-body multipliers
  AlignedVector<std::array<Lane, 9>> group_axis;     ///< per joint: directions of the common axes

  DirectionState() = default;
  explicit DirectionState(const Structure& s);
};

/// What parameters and time add in one chunk; null pointers mean nothing is added.
struct ChunkSeeds {
  const InertiaLanes* const* inertia = nullptr;    ///< per body, each may be null
  const GeometryLanes* const* geometry = nullptr;  ///< per joint, each may be null
  const Lane* offset = nullptr;                    ///< per joint row: directions of r'' + phi''
  const Lane* metric = nullptr;                    ///< per body 6: directions added to S
};

/// Once per state, after the accelerations are known: frames hold X'' and a_c. `general[j]` says
/// that joint j takes the general path because it is not fast or a parameter moves its markers.
void prepare_directions(const Structure& s, const KernelConstants& c, const KernelState& k,
                        const std::vector<char>& general, DirectionState& d);

/// One chunk. On entry d.lanes has D, V (and rc, vc where `general` joints need them),
/// d.bodies[].F, T the directions of the applied wrenches; on return d.lanes has Xdd (with the
/// origin's acceleration in the three lanes before it) and ac, and d.multipliers the directions of
/// lambda.
void solve_directions(const Structure& s, const KernelConstants& c, const KernelState& k,
                      const std::vector<char>& general, const ChunkSeeds& seeds, DirectionState& d);

// Projections use this too.

/// The wrench of all joints on a body due to the directions of their multipliers. (D5)
void joint_wrench_directions(const Structure& s, const KernelState& k, int body,
                             const DirectionState& d, BodyWork& out);

}  // namespace parfait::mbs
