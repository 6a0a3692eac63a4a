#include "parfait/integrate/stepping/flow.h"

#include <algorithm>

namespace parfait::integrate {

Flow::Flow(const dynamics::System& system, dynamics::Workspace& workspace, const Options& options)
    : system_(system), workspace_(workspace), options_(options) {
  const auto& sizes = system.sizes();
  has_invariants_ = sizes.num_pos + sizes.num_vel > 0;
  const Tolerance general{options.rtol, options.atol};
  const auto append = [&](int count, const std::optional<Tolerance>& group) {
    const Tolerance tolerance = group.value_or(general);
    rtol_.insert(rtol_.end(), count, tolerance.rtol);
    atol_.insert(atol_.end(), count, tolerance.atol);
  };
  append(sizes.nq, options.positions);
  append(sizes.nv, options.velocities);
  append(sizes.ne, options.externals);
}

void Flow::set_piece(const std::vector<std::int8_t>& mode, double latest) {
  mode_ = mode;
  latest_ = latest;
}

dynamics::Point Flow::point(double t, dynamics::ConstVec y, dynamics::ConstVec z) const {
  return {.t = std::min(t, latest_), .y = y, .z = z, .mode = mode_, .offset = {}};
}

dynamics::Status Flow::evaluate(double t, dynamics::ConstVec y, dynamics::Vec dydt) {
  ++statistics.evaluations;
  return system_.evaluate(workspace_, point(t, y), dydt, {});
}

void Flow::directions(const dynamics::Directions& dy, dynamics::Directions& ddydt) {
  ++statistics.direction_evaluations;
  system_.directions(workspace_, {.dt = {}, .dy = &dy}, ddydt, nullptr);
}

dynamics::Status Flow::project(double t, dynamics::Vec y) {
  if (!has_invariants_) return dynamics::Status::kOk;
  const auto report = system_.project(workspace_, std::min(t, latest_), y, options_.projection,
                                      options_.projection_tolerance);
  ++statistics.projections;
  const double distance = std::max(report.distance_q, report.distance_v);
  statistics.largest_correction = std::max(statistics.largest_correction, distance);
  return report.status;
}

dynamics::Status Flow::project_directions(dynamics::Directions& W) {
  if (!has_invariants_) return dynamics::Status::kOk;
  return system_.project_directions(workspace_, W);
}

}  // namespace parfait::integrate
