#include "parfait/estimate/shooting/extended_system.h"

#include <algorithm>
#include <limits>

namespace parfait::estimate {

ExtendedSystem::ExtendedSystem(const dynamics::System& system, int num_further,
                               const std::string& id)
    : system_(system),
      sizes_(system.sizes()),
      num_further_(num_further),
      parameters_(system.parameters()) {
  sizes_.np += num_further;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  for (int i = 0; i < num_further; ++i) {
    parameters_.push_back({.id = id, .lower = -kInfinite, .upper = kInfinite});
  }
}

std::unique_ptr<dynamics::Workspace> ExtendedSystem::make_workspace(int max_directions) const {
  auto ws = make_data();
  ws->own = system_.make_workspace(max_directions);
  ws->further.resize(static_cast<std::size_t>(num_further_));
  return ws;
}

std::unique_ptr<dynamics::Workspace> ExtendedSystem::make_bound_copy(const Workspace& ws,
                                                                     int max_directions) const {
  const auto& from = static_cast<const Data&>(ws);
  auto copy = make_data();
  copy->own = system_.make_bound_copy(*from.own, max_directions);
  copy->further = from.further;
  return copy;
}

void ExtendedSystem::bind(Workspace& ws, ConstVec p) const {
  const auto np = static_cast<std::size_t>(system_.sizes().np);
  system_.bind(own(ws), p.first(np));
  std::ranges::copy(p.subspan(np), static_cast<Data&>(ws).further.begin());
}

void ExtendedSystem::bind_directions(Workspace& ws, const Directions& dp) const {
  auto& d = static_cast<Data&>(ws);
  const int np = system_.sizes().np;
  d.dp.resize(np, dp.count());
  d.dfurther.resize(num_further_, dp.count());
  for (int c = 0; c < dp.chunks(); ++c) {
    const double* from = dp.chunk(c);
    const double* rest = from + static_cast<std::ptrdiff_t>(np) * math::kLanes;
    std::copy(from, rest, d.dp.chunk(c));
    std::copy(rest, from + static_cast<std::ptrdiff_t>(dp.rows()) * math::kLanes,
              d.dfurther.chunk(c));
  }
  system_.bind_directions(*d.own, d.dp);
}

void ExtendedSystem::start(Workspace& ws, Vec y, Vec z) const {
  system_.start(own(ws), y, z);
}

void ExtendedSystem::start_directions(Workspace& ws, Directions& dy) const {
  system_.start_directions(own(ws), dy);
}

void ExtendedSystem::invariants(Workspace& ws, double t, ConstVec y, Vec g) const {
  system_.invariants(own(ws), t, y, g);
}

dynamics::ProjectionReport ExtendedSystem::project(Workspace& ws, double t, Vec y,
                                                   dynamics::Norm norm, double tolerance) const {
  return system_.project(own(ws), t, y, norm, tolerance);
}

dynamics::Status ExtendedSystem::project_directions(Workspace& ws, Directions& dy) const {
  return system_.project_directions(own(ws), dy);
}

dynamics::Status ExtendedSystem::observe(Workspace& ws, const Observer& observer, const Point& at,
                                         Vec values) const {
  return system_.observe(own(ws), observer, at, values);
}

void ExtendedSystem::observe_directions(Workspace& ws, const Observer& observer,
                                        const PointDirections& d, Directions& dvalues) const {
  system_.observe_directions(own(ws), observer, d, dvalues);
}

dynamics::Status ExtendedSystem::switches(Workspace& ws, const Point& at, Vec s) const {
  return system_.switches(own(ws), at, s);
}

void ExtendedSystem::switch_directions(Workspace& ws, const PointDirections& d,
                                       Directions& ds) const {
  system_.switch_directions(own(ws), d, ds);
}

dynamics::Status ExtendedSystem::jump(Workspace& ws, int which, const Point& before,
                                      Vec after) const {
  return system_.jump(own(ws), which, before, after);
}

void ExtendedSystem::jump_directions(Workspace& ws, const PointDirections& d,
                                     Directions& dafter) const {
  system_.jump_directions(own(ws), d, dafter);
}

}  // namespace parfait::estimate
