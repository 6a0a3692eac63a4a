#include "start_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/base/error.h"

namespace parfait::app {

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

void settle(const dynamics::System& system, const dynamics::Workspace& workspace,
            StartState& start) {
  start.equilibrium =
      dynamics::find_equilibrium(system, workspace, start.state.t, start.state.y, start.state.z);
}

}  // namespace parfait::app
