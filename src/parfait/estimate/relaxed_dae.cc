#include "parfait/estimate/relaxed_dae.h"

#include <algorithm>
#include <limits>

namespace parfait::estimate {

struct RelaxedDae::Data : dynamics::Workspace {
  std::unique_ptr<Workspace> dae;
  std::vector<double> h_0;
  Directions dh_0, dp;
  double t = 0;  ///< of the last evaluation
};

namespace {

/// Rows [first, first + out.rows()) of a matrix of directions.
void copy_rows(const dynamics::Directions& from, int first, dynamics::Directions& to) {
  for (int c = 0; c < from.chunks(); ++c) {
    const double* rows = from.chunk(c) + static_cast<std::ptrdiff_t>(first) * math::kLanes;
    std::copy(rows, rows + static_cast<std::ptrdiff_t>(to.rows()) * math::kLanes, to.chunk(c));
  }
}

}  // namespace

RelaxedDae::RelaxedDae(const dynamics::System& dae, double t0, double t1)
    : dae_(dae), t0_(t0), t1_(t1), sizes_(dae.sizes()), parameters_(dae.parameters()) {
  sizes_.np += sizes_.nz;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  for (int i = 0; i < sizes_.nz; ++i) {
    parameters_.push_back({.id = "h_0", .lower = -kInfinite, .upper = kInfinite});
  }
}

RelaxedDae::Data& RelaxedDae::data(Workspace& ws) {
  return static_cast<Data&>(ws);
}

std::unique_ptr<dynamics::Workspace> RelaxedDae::make_workspace(int max_directions) const {
  auto ws = std::make_unique<Data>();
  ws->dae = dae_.make_workspace(max_directions);
  ws->h_0.resize(static_cast<std::size_t>(sizes_.nz));
  return ws;
}

std::unique_ptr<dynamics::Workspace> RelaxedDae::make_bound_copy(const Workspace& ws,
                                                                 int max_directions) const {
  const auto& from = static_cast<const Data&>(ws);
  auto copy = std::make_unique<Data>();
  copy->dae = dae_.make_bound_copy(*from.dae, max_directions);
  copy->h_0 = from.h_0;
  return copy;
}

void RelaxedDae::bind(Workspace& ws, ConstVec p) const {
  const auto np = static_cast<std::size_t>(dae_.sizes().np);
  dae_.bind(*data(ws).dae, p.first(np));
  const ConstVec h_0 = p.subspan(np);
  data(ws).h_0.assign(h_0.begin(), h_0.end());
}

void RelaxedDae::bind_directions(Workspace& ws, const Directions& dp) const {
  Data& d = data(ws);
  d.dp.resize(dae_.sizes().np, dp.count());
  d.dh_0.resize(sizes_.nz, dp.count());
  copy_rows(dp, 0, d.dp);
  copy_rows(dp, dae_.sizes().np, d.dh_0);
  dae_.bind_directions(*d.dae, d.dp);
}

void RelaxedDae::start(Workspace& ws, Vec y, Vec z) const {
  dae_.start(*data(ws).dae, y, z);
}

void RelaxedDae::start_directions(Workspace& ws, Directions& dy) const {
  dae_.start_directions(*data(ws).dae, dy);
}

dynamics::Status RelaxedDae::evaluate(Workspace& ws, const Point& at, Vec dydt,
                                      Vec residual) const {
  Data& d = data(ws);
  d.t = at.t;
  const Status status = dae_.evaluate(*d.dae, at, dydt, residual);
  for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= theta(at.t) * d.h_0[i];
  return status;
}

void RelaxedDae::directions(Workspace& ws, const PointDirections& along, Directions& ddydt,
                            Directions* dresidual) const {
  Data& d = data(ws);
  dae_.directions(*d.dae, along, ddydt, dresidual);
  if (dresidual == nullptr) return;
  const double slope = t1_ > t0_ ? -1 / (t1_ - t0_) : 0;
  for (int i = 0; i < sizes_.nz; ++i) {
    for (int j = 0; j < dresidual->count(); ++j) {
      double change = 0;
      if (j < d.dh_0.count()) change += theta(d.t) * d.dh_0(i, j);
      if (!along.dt.empty()) {
        change +=
            slope * along.dt[static_cast<std::size_t>(j)] * d.h_0[static_cast<std::size_t>(i)];
      }
      (*dresidual)(i, j) -= change;
    }
  }
}

void RelaxedDae::invariants(Workspace& ws, double t, ConstVec y, Vec g) const {
  dae_.invariants(*data(ws).dae, t, y, g);
}

dynamics::ProjectionReport RelaxedDae::project(Workspace& ws, double t, Vec y, dynamics::Norm norm,
                                               double tolerance) const {
  return dae_.project(*data(ws).dae, t, y, norm, tolerance);
}

dynamics::Status RelaxedDae::project_directions(Workspace& ws, Directions& dy) const {
  return dae_.project_directions(*data(ws).dae, dy);
}

dynamics::Status RelaxedDae::observe(Workspace& ws, const Observer& observer, const Point& at,
                                     Vec values) const {
  return dae_.observe(*data(ws).dae, observer, at, values);
}

void RelaxedDae::observe_directions(Workspace& ws, const Observer& observer,
                                    const PointDirections& d, Directions& dvalues) const {
  dae_.observe_directions(*data(ws).dae, observer, d, dvalues);
}

dynamics::Status RelaxedDae::switches(Workspace& ws, const Point& at, Vec s) const {
  return dae_.switches(*data(ws).dae, at, s);
}

void RelaxedDae::switch_directions(Workspace& ws, const PointDirections& d, Directions& ds) const {
  dae_.switch_directions(*data(ws).dae, d, ds);
}

dynamics::Status RelaxedDae::jump(Workspace& ws, int which, const Point& before, Vec after) const {
  return dae_.jump(*data(ws).dae, which, before, after);
}

void RelaxedDae::jump_directions(Workspace& ws, const PointDirections& d,
                                 Directions& dafter) const {
  dae_.jump_directions(*data(ws).dae, d, dafter);
}

}  // namespace parfait::estimate
