#include "parfait/integrate/driver/sample.h"

namespace parfait::integrate {

using dynamics::Status;

Status take_sample(const dynamics::System& system, dynamics::Workspace& workspace,
                   const Options& options, const AcceptedStep& step, double t, Sample& sample) {
  auto& curve = step.curve;
  const bool has_directions = sample.W.count() > 0;
  const bool has_algebraic = !sample.z.empty();
  sample.t = t;
  sample.mode.assign(step.mode.begin(), step.mode.end());
  Status status = Status::kOk;
  const auto also = [&](Status other) {
    if (status == Status::kOk) status = other;
  };
  if (has_directions) {  // first: values that a method needs for them serve the state, too
    also(curve.directions(t, sample.W));
    if (has_algebraic) also(curve.algebraic_directions(t, sample.dz));
  }
  also(curve.state(t, sample.y));
  if (has_algebraic) also(curve.algebraic(t, sample.z));
  const auto& sizes = system.sizes();
  if (status != Status::kOk || sizes.num_pos + sizes.num_vel == 0) return status;
  status = system.project(workspace, t, sample.y, options.projection, options.projection_tolerance)
               .status;
  if (has_directions && status == Status::kOk) {
    status = system.project_directions(workspace, sample.W);
  }
  return status;
}

Status observe_sample(const dynamics::System& system, dynamics::Workspace& workspace,
                      const dynamics::System::Observer& observer, const Sample& sample,
                      std::span<double> values, dynamics::Directions& dvalues) {
  const Status status = system.observe(
      workspace, observer,
      {.t = sample.t, .y = sample.y, .z = sample.z, .mode = sample.mode, .offset = {}}, values);
  if (status != Status::kOk || sample.W.count() == 0) return status;
  dvalues.resize(observer.size(), sample.W.count());
  system.observe_directions(
      workspace, observer,
      {.dt = {}, .dy = &sample.W, .dz = sample.z.empty() ? nullptr : &sample.dz, .dphi = nullptr},
      dvalues);
  return status;
}

}  // namespace parfait::integrate
