#pragma once

#include <cstdint>
#include <vector>

#include "parfait/dynamics/system.h"

namespace parfait::integrate {

/// Where an integration stands: time, state, and the directions W of the state at fixed time.
struct State {
  double t = 0;
  std::vector<double> y;
  std::vector<double> z;  ///< algebraic states (nz)
  /// W = dy/d(direction), ny x k; no columns: no sensitivities. The directions of the parameters
  /// are those bound to the workspace.
  dynamics::Directions W;
  /// Signs of the switching functions; empty: found from their values.
  std::vector<std::int8_t> mode;
};

/// A step that was taken, as a method needs it to take it again.
struct RecordedStep {
  double t1 = 0;  ///< where the step wanted to end; an event may have ended it earlier
  int order = 0;  ///< of a multistep method
  double t0 = 0;  ///< where it began
  enum class Ending : std::uint8_t { kPlain, kEvent, kStop } ending = Ending::kPlain;
};

/// The accepted steps of a run: enough to repeat it with other values or other directions. With
/// other values events move; the steps after them keep their lengths and move along.
struct Record {
  double t0 = 0;
  double t_end = 0;
  std::vector<RecordedStep> steps;
};

}  // namespace parfait::integrate
