#pragma once

#include <atomic>
#include <optional>

#include "parfait/dynamics/system.h"
#include "parfait/integrate/stepping/method.h"

namespace parfait::integrate {

struct Tolerance {
  double rtol = 1e-8;
  double atol = 1e-10;
};

/// How accurate, how long; shared by all methods.
struct Options {
  Method method = Method::kDop853;
  double rtol = 1e-8;
  double atol = 1e-10;
  /// atol is a default that nobody gave: it is for states of size 1, and follows the size of larger
  /// or smaller ones (Flow::follow_sizes).
  bool scale_atol = false;
  /// For a group of components, instead of rtol and atol.
  std::optional<Tolerance> positions, velocities, externals;
  double first_step = 0;  ///< 0: chosen from the problem
  double max_step = 0;    ///< 0: no limit
  int max_steps = 1'000'000;
  /// bdf: directions smaller than this share of the state are no more accurate than those of that
  /// size. What rounding leaves of a direction without influence cannot be made accurate.
  double smallest_direction = 0;
  /// The error of the sensitivities also limits the step.
  bool control_sensitivities = false;

  dynamics::Norm projection = dynamics::Norm::kMass;
  double projection_tolerance = 1e-12;  ///< largest |g| left after a step

  int max_order = 12;        ///< 1 ... 12, of methods of variable order; capped by the method's own
  double hht_alpha = -0.05;  ///< hht: in [-1/3, 0]; 0 is the trapezoidal rule, -1/3 damps most

  int max_events = 100'000;
  /// Events whose time is that of the start happen there. Not where an integration goes on from
  /// another that has ended at that time.
  bool events_at_start = true;

  /// Read before each evaluation: once another thread sets it, the integration ends as interrupted.
  const std::atomic<bool>* stop = nullptr;
  bool is_stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

/// InputError, one line per rule, if a value makes no sense.
void check_options(const Options& options);

}  // namespace parfait::integrate
