#include "parfait/estimate/relaxed_mechanics.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

struct RelaxedMechanics::Data : dynamics::Workspace {
  std::unique_ptr<Workspace> system;
  std::vector<double> g_0;    ///< of positions, then of velocities
  std::vector<double> ddphi;  ///< one per velocity invariant
  Directions dg_0, dp;
  Directions dphi;  ///< (phi | phi' | phi''); the rates depend on the last part only
  double t = 0;     ///< of the last evaluation
};

RelaxedMechanics::RelaxedMechanics(const dynamics::System& system, double t0, double alpha)
    : system_(system),
      t0_(t0),
      alpha_(alpha),
      num_pos_(system.sizes().num_pos),
      num_vel_(system.sizes().num_vel),
      position_rows_(system.position_rows()),
      sizes_(system.sizes()),
      parameters_(system.parameters()) {
  sizes_.num_pos = sizes_.num_vel = 0;
  sizes_.np += num_pos_ + num_vel_;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  for (int i = 0; i < num_pos_ + num_vel_; ++i) {
    parameters_.push_back({.id = "g_0", .lower = -kInfinite, .upper = kInfinite});
  }
}

RelaxedMechanics::Data& RelaxedMechanics::data(Workspace& ws) {
  return static_cast<Data&>(ws);
}

std::unique_ptr<dynamics::Workspace> RelaxedMechanics::make_workspace(int max_directions) const {
  auto ws = std::make_unique<Data>();
  ws->system = system_.make_workspace(max_directions);
  ws->g_0.resize(static_cast<std::size_t>(num_pos_ + num_vel_));
  ws->ddphi.resize(static_cast<std::size_t>(num_vel_));
  ws->dp.resize(system_.sizes().np, max_directions);
  ws->dg_0.resize(num_pos_ + num_vel_, max_directions);
  ws->dphi.resize(num_pos_ + 2 * num_vel_, max_directions);
  return ws;
}

std::unique_ptr<dynamics::Workspace> RelaxedMechanics::make_bound_copy(const Workspace& ws,
                                                                       int max_directions) const {
  const auto& from = static_cast<const Data&>(ws);
  auto copy = std::make_unique<Data>();
  copy->system = system_.make_bound_copy(*from.system, max_directions);
  copy->g_0 = from.g_0;
  copy->ddphi.resize(from.ddphi.size());
  return copy;
}

void RelaxedMechanics::bind(Workspace& ws, ConstVec p) const {
  const auto np = static_cast<std::size_t>(system_.sizes().np);
  system_.bind(*data(ws).system, p.first(np));
  std::ranges::copy(p.subspan(np), data(ws).g_0.begin());
}

void RelaxedMechanics::bind_directions(Workspace& ws, const Directions& dp) const {
  Data& d = data(ws);
  const int np = system_.sizes().np;
  d.dp.resize(np, dp.count());
  d.dg_0.resize(num_pos_ + num_vel_, dp.count());
  for (int c = 0; c < dp.chunks(); ++c) {
    const double* from = dp.chunk(c);
    const double* rest = from + static_cast<std::ptrdiff_t>(np) * math::kLanes;
    std::copy(from, rest, d.dp.chunk(c));
    std::copy(rest, from + static_cast<std::ptrdiff_t>(dp.rows()) * math::kLanes, d.dg_0.chunk(c));
  }
  system_.bind_directions(*d.system, d.dp);
}

void RelaxedMechanics::start(Workspace& ws, Vec y, Vec z) const {
  system_.start(*data(ws).system, y, z);
}

void RelaxedMechanics::start_directions(Workspace& ws, Directions& dy) const {
  system_.start_directions(*data(ws).system, dy);
}

/// The point with phi'' in place: the rates need no more of the offset.
dynamics::Point RelaxedMechanics::relaxed(Data& d, const Point& at) const {
  d.t = at.t;
  if (alpha_ == 0) return at;
  const RelaxedOffset phi = relaxed_offset(alpha_, at.t - t0_);
  for (int i = 0; i < num_vel_; ++i) {
    const int row = position_rows_[static_cast<std::size_t>(i)];
    double& out = d.ddphi[static_cast<std::size_t>(i)];
    out = phi.b[2] * d.g_0[static_cast<std::size_t>(num_pos_ + i)];
    if (row >= 0) out += phi.a[2] * d.g_0[static_cast<std::size_t>(row)];
  }
  Point point = at;
  point.offset.ddphi = d.ddphi;
  return point;
}

dynamics::PointDirections RelaxedMechanics::relaxed(Data& d, const PointDirections& along,
                                                    int count) const {
  if (alpha_ == 0) return along;
  d.dphi.resize(num_pos_ + 2 * num_vel_, count);
  const RelaxedOffset phi = relaxed_offset(alpha_, d.t - t0_);
  // Directions beyond those that were bound do not move g_0.
  for (int c = 0; c < std::min(d.dphi.chunks(), d.dg_0.chunks()); ++c) {
    const double* dg = d.dg_0.chunk(c);
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
      double slope = phi.b[3] * d.g_0[static_cast<std::size_t>(num_pos_ + i)];
      if (row >= 0) slope += phi.a[3] * d.g_0[static_cast<std::size_t>(row)];
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
  Data& d = data(ws);
  return system_.evaluate(*d.system, relaxed(d, at), dydt, residual);
}

void RelaxedMechanics::directions(Workspace& ws, const PointDirections& along, Directions& ddydt,
                                  Directions* dresidual) const {
  Data& d = data(ws);
  system_.directions(*d.system, relaxed(d, along, ddydt.count()), ddydt, dresidual);
}

dynamics::Status RelaxedMechanics::observe(Workspace& ws, const Observer& observer, const Point& at,
                                           Vec values) const {
  Data& d = data(ws);
  return system_.observe(*d.system, observer, relaxed(d, at), values);
}

void RelaxedMechanics::observe_directions(Workspace& ws, const Observer& observer,
                                          const PointDirections& along, Directions& dvalues) const {
  Data& d = data(ws);
  system_.observe_directions(*d.system, observer, relaxed(d, along, dvalues.count()), dvalues);
}

dynamics::Status RelaxedMechanics::switches(Workspace& ws, const Point& at, Vec s) const {
  return system_.switches(*data(ws).system, at, s);
}

void RelaxedMechanics::switch_directions(Workspace& ws, const PointDirections& d,
                                         Directions& ds) const {
  system_.switch_directions(*data(ws).system, d, ds);
}

dynamics::Status RelaxedMechanics::jump(Workspace& ws, int which, const Point& before,
                                        Vec after) const {
  return system_.jump(*data(ws).system, which, before, after);
}

void RelaxedMechanics::jump_directions(Workspace& ws, const PointDirections& d,
                                       Directions& dafter) const {
  system_.jump_directions(*data(ws).system, d, dafter);
}

}  // namespace parfait::estimate
