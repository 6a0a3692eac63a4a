#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parfait/dynamics/spectrum.h"
#include "parfait/dynamics/system.h"

namespace parfait::dynamics {

struct EquilibriumOptions {
  /// The last Newton correction of every coordinate, divided by 1 + |x|, and of every external
  /// state, divided by its own size.
  double tolerance = 1e-10;
  int max_iterations = 300;
  /// Leave unstable equilibria for stable ones. An unstable one is the answer only if none is found
  /// from there. Otherwise: the equilibrium that Newton's method finds, whatever it is.
  bool prefer_stable = true;
  double projection_tolerance = 1e-12;
};

/// What came of the search. kNoEquilibrium: something can never come to rest (a body falls).
enum class EquilibriumOutcome : std::uint8_t {
  kFound,
  kMaxIterations,
  kNoEquilibrium,
  kStuck,         ///< no step, however short, makes anything better
  kSystemFailed,  ///< the system could not be evaluated or projected: `status` says why
};
/// "found", "max_iterations", "no_equilibrium", "stuck", "system_failed".
const char* text(EquilibriumOutcome outcome);

struct EquilibriumReport {
  EquilibriumOutcome outcome = EquilibriumOutcome::kFound;
  Status status = Status::kOk;
  int iterations = 0;
  int evaluations = 0;
  double correction = 0;  ///< the last Newton correction, in the measure of the tolerance
  double residual = 0;    ///< largest acceleration along a free direction, or rate of a state, left
  double moved = 0;       ///< largest change of a coordinate or state from the start
  Stability stability = Stability::kMarginal;  ///< of the linearized motion about the point
  double growth = 0;  ///< largest real part of its eigenvalues [1/s], neutral ones apart
  /// Directions along which nothing happens (a wheel turned, a free body displaced): for each the
  /// name of the state that tells it best. The search does not move along them.
  std::vector<std::string> neutral;
  /// What never comes to rest, if outcome is kNoEquilibrium.
  std::vector<std::string> moving;
  /// Largest velocity that driven constraints prescribe at t: the equilibrium is that of the
  /// constraints as they stand at t, and y has these velocities.
  double prescribed_speed = 0;

  bool found() const { return outcome == EquilibriumOutcome::kFound; }
  /// One sentence for a person.
  std::string message() const;
};

/// A state at rest: v = 0, the accelerations along free directions vanish, and so do the rates of
/// external states; for ODEs f(t, y) = 0, for DAEs also h(t, y, z) = 0. Time stands still at t.
///
/// Starts at y (and z) and leaves the result there; if there is none, y and z are as they were. The
/// parameters are those bound to `ws`, which is not changed.
///
/// Method  Implicit steps of the flow x' = r(x), where the velocity of a coordinate is its
///         acceleration: as if everything moved in honey, so that the way leads to stable
///         equilibria. Steps grow as the linear prediction proves right; their limit is Newton's
///         method with exact derivatives. Quantities that the flow keeps are kept.
/// Cost    Per iteration as many directions as there are degrees of freedom n, and O(n^3).
/// See     docs/theory/modes.md (E1-E6)
EquilibriumReport find_equilibrium(const System& system, const Workspace& ws, double t, Vec y,
                                   Vec z, const EquilibriumOptions& options = {});

}  // namespace parfait::dynamics
