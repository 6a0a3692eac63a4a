#include "parfait/run/simulation/start_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/base/error.h"
#include "parfait/dynamics/equilibrium_directions.h"

namespace parfait::run {

StartState make_start(const std::string& file, const dynamics::System& system,
                      dynamics::Workspace& workspace, const Sensitivities& sensitivities,
                      double projection_tolerance) {
  const auto& sizes = system.sizes();
  const int k = sensitivities.count();
  StartState start;
  auto& state = start.state;
  state.y.resize(sizes.ny());
  state.z.resize(sizes.nz);
  system.start(workspace, state.y, state.z);
  state.W.resize(k > 0 ? sizes.ny() : 0, k);
  if (k > 0) {
    system.start_directions(workspace, state.W);
    for (std::size_t i = 0; i < state.W.size(); ++i) {
      state.W.data()[i] += sensitivities.dy0.data()[i];
    }
  }
  if (sizes.num_pos + sizes.num_vel == 0) return start;
  const auto report =
      system.project(workspace, state.t, state.y, dynamics::Norm::kMass, projection_tolerance);
  auto status = report.status;
  if (status == dynamics::Status::kOk && k > 0) {
    status = system.project_directions(workspace, state.W);
  }
  if (status != dynamics::Status::kOk) {
    throw base::InputError(
        fmt::format("{}: the initial state cannot be brought onto the constraints: {} ({:.1e} is "
                    "left).",
                    file, dynamics::text(status), report.residual));
  }
  start.correction = std::max(report.distance_q, report.distance_v);
  return start;
}

void settle(const dynamics::System& system, dynamics::Workspace& workspace, StartState& start,
            double projection_tolerance) {
  auto& state = start.state;
  dynamics::EquilibriumOptions options;
  options.projection_tolerance = projection_tolerance;
  auto report = dynamics::find_equilibrium(system, workspace, state.t, state.y, state.z, options);
  if (report.found() && state.W.count() > 0) {
    report.status = dynamics::equilibrium_directions(system, workspace, state.t, state.y, state.z,
                                                     state.W, projection_tolerance);
    if (report.status != dynamics::Status::kOk) {
      report.outcome = dynamics::EquilibriumOutcome::kSystemFailed;
    }
  }
  start.equilibrium = report;
}

}  // namespace parfait::run
