#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/integrate/driver/integrator.h"

namespace parfait::integrate {

/// A point of a motion, and its directions at fixed time.
struct Sample {
  double t = 0;
  std::vector<double> y, z;      ///< the sizes of the system
  dynamics::Directions W, dz{};  ///< dy, dz; W without columns: no directions
  std::vector<std::int8_t> mode{};
};

/// The point of an accepted step at t, from its continuous extension, projected onto the invariants
/// of the system with its directions along. `sample` has the sizes of the system already. The
/// workspace is bound to the parameters (and their directions) and is not that of the integrator.
[[nodiscard]] dynamics::Status take_sample(const dynamics::System& system,
                                           dynamics::Workspace& workspace, const Options& options,
                                           const AcceptedStep& step, double t, Sample& sample);

/// Quantities of the sample, and their directions if it has any. Directions are those of the point
/// where the values were observed: kOk is needed for both.
[[nodiscard]] dynamics::Status observe_sample(const dynamics::System& system,
                                              dynamics::Workspace& workspace,
                                              const dynamics::System::Observer& observer,
                                              const Sample& sample, std::span<double> values,
                                              dynamics::Directions& dvalues);

}  // namespace parfait::integrate
