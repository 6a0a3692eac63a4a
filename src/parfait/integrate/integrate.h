#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "parfait/dynamics/system.h"
#include "parfait/integrate/step.h"
#include "parfait/integrate/step_control.h"

namespace parfait::integrate {

struct Options {
  StepOptions step;
  dynamics::Norm projection = dynamics::Norm::kMass;
  double projection_tolerance = 1e-12;  ///< largest |g| left after a step
};

/// InputError if a value makes no sense.
void check_options(const Options& options);

/// How it ended: all but kFinished leave the state of the last accepted step.
enum class Outcome : std::uint8_t {
  kFinished,
  kInterrupted,   ///< the caller asked to stop
  kStepTooSmall,  ///< the tolerance cannot be met: a singularity, or a stiff problem
  kTooManySteps,
  kSystemFailed,  ///< no step, however small, could be evaluated or projected; see `status`
};
const char* text(Outcome outcome);  ///< "finished", "interrupted", "step_too_small", ...

struct Statistics {
  std::int64_t steps = 0;
  std::int64_t rejected = 0;
  std::int64_t evaluations = 0;  ///< of the right-hand side
  std::int64_t projections = 0;
  double smallest_step = 0;  ///< among accepted steps; the last, shortened one does not count
  double largest_step = 0;
  double largest_correction = 0;  ///< by the projection, in the norm used, positions or velocities
};

struct Result {
  Outcome outcome = Outcome::kFinished;
  dynamics::Status status = dynamics::Status::kOk;
  double t = 0;  ///< reached
  Statistics statistics;

  /// One sentence for a person: what happened and where.
  std::string message() const;
};

/// Sees each accepted step before its end is projected; false stops the integration.
using OnStep = std::function<bool(const Step& step)>;

/// Solves y' = f(t, y), y(t0) = y from t0 to t_end with an adaptive explicit Runge-Kutta pair.
///
///   After each accepted step the state is projected onto the invariants of the system, in
///   options.projection, so positions and velocities stay on their manifold to
///   options.projection_tolerance. Steps end exactly on system.time_breaks().
///
/// Before  The workspace is bound to the parameters; y has ny entries and satisfies the invariants.
/// After   y is the state at result.t.
/// Cost    `stages` evaluations a step, one less where nothing was projected.
/// Limits  Systems without algebraic states and without switching functions (InputError otherwise).
Result integrate(const dynamics::System& system, dynamics::Workspace& workspace, double t0,
                 double t_end, dynamics::Vec y, const Options& options = {},
                 const OnStep& on_step = {}, const Tableau& tableau = dormand_prince_5());

}  // namespace parfait::integrate
