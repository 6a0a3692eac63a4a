#include "parfait/integrate/stepping/flow.h"

#include <algorithm>
#include <cmath>

#include "parfait/dynamics/state_sizes.h"

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

namespace {

/// The power of ten nearest to a size that is far from 1; otherwise 1.
double decade(double size) {
  constexpr double kUsual = 100;
  if (!(size > 0) || !std::isfinite(size) || (size >= 1 / kUsual && size <= kUsual)) return 1;
  return std::pow(10.0, std::round(std::log10(size)));
}

}  // namespace

void Flow::follow_sizes(double t, dynamics::ConstVec y, dynamics::ConstVec z, double span) {
  if (!options_.scale_atol) return;
  const auto& sizes = system_.sizes();
  std::vector<double> rates(y.size()), residual(z.size()), known(y.size());
  const auto status = system_.evaluate(
      workspace_, {.t = t, .y = y, .z = z, .mode = {}, .offset = {}}, rates, residual);
  if (status != dynamics::Status::kOk) return;
  if (const auto* const model = dynamic_cast<const dynamics::StateSizes*>(&system_)) {
    model->state_sizes(workspace_, y, rates, known);
  }
  int first = 0;
  const auto scale = [&](int count, const std::optional<Tolerance>& given) {
    double size = 0, rate = 0;
    for (int i = first; i < first + count; ++i) {
      size = std::max(size, std::abs(y[i]));
      rate = std::max(rate, std::abs(rates[i]));
    }
    if (size == 0) size = rate * span;
    for (int i = first; i < first + count && !given; ++i) {
      atol_[i] *= known[i] > 0 ? decade(known[i]) : std::min(decade(size), 1.0);
    }
    first += count;
  };
  scale(sizes.nq, options_.positions);
  scale(sizes.nv, options_.velocities);
  scale(sizes.ne, options_.externals);
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
  // The integrator knows why.
  if (!in_accepted_step_ && options_.is_stopped()) return dynamics::Status::kNotFinite;
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
