#include "parfait/estimate/shooting/relaxed_mechanics.h"

#include <algorithm>
#include <cmath>

namespace parfait::estimate {

RelaxedOffset relaxed_offset(double alpha, double tau) {
  const double x = alpha * tau, decay = std::exp(-x);
  const double a2 = alpha * alpha, a3 = a2 * alpha;
  RelaxedOffset out{
      .a = {1 + x + x * x / 2, -alpha * x * x / 2, a2 * (-x + x * x / 2),
            a3 * (-1 + 2 * x - x * x / 2)},
      .b = {tau * (1 + x), 1 + x - x * x, alpha * (-3 * x + x * x), a2 * (-3 + 5 * x - x * x)}};
  for (double& a : out.a) a *= decay;
  for (double& b : out.b) b *= decay;
  return out;
}

struct RelaxedMechanics::MechanicsData : ExtendedSystem::Data {
  std::vector<double> ddphi;  ///< one per velocity invariant
  Directions dphi;            ///< (phi | phi' | phi''); the rates depend on the last part only
};

RelaxedMechanics::RelaxedMechanics(const dynamics::System& system, double t0, double alpha)
    : ExtendedSystem(system, system.sizes().num_pos + system.sizes().num_vel, "g_0"),
      t0_(t0),
      alpha_(alpha),
      num_pos_(system.sizes().num_pos),
      num_vel_(system.sizes().num_vel),
      position_rows_(system.position_rows()) {
  sizes_.num_pos = sizes_.num_vel = 0;
}

std::unique_ptr<ExtendedSystem::Data> RelaxedMechanics::make_data() const {
  auto data = std::make_unique<MechanicsData>();
  data->ddphi.resize(static_cast<std::size_t>(num_vel_));
  return data;
}

/// The point with phi'' in place: the rates need no more of the offset.
dynamics::Point RelaxedMechanics::relaxed(MechanicsData& d, const Point& at) const {
  d.t = at.t;
  if (alpha_ == 0) return at;
  const RelaxedOffset phi = relaxed_offset(alpha_, at.t - t0_);
  for (int i = 0; i < num_vel_; ++i) {
    const int row = position_rows_[static_cast<std::size_t>(i)];
    const int rate = num_pos_ + i;
    double& out = d.ddphi[static_cast<std::size_t>(i)];
    out = phi.b[2] * d.further[static_cast<std::size_t>(rate)];
    if (row >= 0) out += phi.a[2] * d.further[static_cast<std::size_t>(row)];
  }
  Point point = at;
  point.offset.ddphi = d.ddphi;
  return point;
}

dynamics::PointDirections RelaxedMechanics::relaxed(MechanicsData& d, const PointDirections& along,
                                                    int count) const {
  if (alpha_ == 0) return along;
  d.dphi.resize(num_pos_ + 2 * num_vel_, count);
  const RelaxedOffset phi = relaxed_offset(alpha_, d.t - t0_);
  // Directions beyond those that were bound do not move g_0.
  for (int c = 0; c < std::min(d.dphi.chunks(), d.dfurther.chunks()); ++c) {
    const double* dg = d.dfurther.chunk(c);
    double* out = d.dphi.chunk(c) + static_cast<std::ptrdiff_t>(num_pos_ + num_vel_) * math::kLanes;
    for (int i = 0; i < num_vel_; ++i) {
      const double* velocity = dg + static_cast<std::ptrdiff_t>(num_pos_ + i) * math::kLanes;
      const int row = position_rows_[static_cast<std::size_t>(i)];
      const double* position =
          row >= 0 ? dg + static_cast<std::ptrdiff_t>(row) * math::kLanes : nullptr;
      for (int l = 0; l < math::kLanes; ++l, ++out) {
        *out = phi.b[2] * velocity[l];
        if (position != nullptr) *out += phi.a[2] * position[l];
      }
    }
  }
  if (!along.dt.empty()) {
    for (int i = 0; i < num_vel_; ++i) {
      const int row = position_rows_[static_cast<std::size_t>(i)];
      const int rate = num_pos_ + i;
      double slope = phi.b[3] * d.further[static_cast<std::size_t>(rate)];
      if (row >= 0) slope += phi.a[3] * d.further[static_cast<std::size_t>(row)];
      for (int j = 0; j < count; ++j) {
        d.dphi(num_pos_ + num_vel_ + i, j) += slope * along.dt[static_cast<std::size_t>(j)];
      }
    }
  }
  PointDirections out = along;
  out.dphi = &d.dphi;
  return out;
}

dynamics::Status RelaxedMechanics::evaluate(Workspace& ws, const Point& at, Vec dydt,
                                            Vec residual) const {
  auto& d = static_cast<MechanicsData&>(ws);
  return system_.evaluate(*d.own, relaxed(d, at), dydt, residual);
}

void RelaxedMechanics::directions(Workspace& ws, const PointDirections& along, Directions& ddydt,
                                  Directions* dresidual) const {
  auto& d = static_cast<MechanicsData&>(ws);
  system_.directions(*d.own, relaxed(d, along, ddydt.count()), ddydt, dresidual);
}

dynamics::Status RelaxedMechanics::observe(Workspace& ws, const Observer& observer, const Point& at,
                                           Vec values) const {
  auto& d = static_cast<MechanicsData&>(ws);
  return system_.observe(*d.own, observer, relaxed(d, at), values);
}

void RelaxedMechanics::observe_directions(Workspace& ws, const Observer& observer,
                                          const PointDirections& along, Directions& dvalues) const {
  auto& d = static_cast<MechanicsData&>(ws);
  system_.observe_directions(*d.own, observer, relaxed(d, along, dvalues.count()), dvalues);
}

}  // namespace parfait::estimate
