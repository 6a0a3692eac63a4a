#include "parfait/dynamics/formula_workspace.h"

#include <algorithm>

namespace parfait::dynamics {
namespace {

using math::kLanes;

FormulaPoint make_point(const FormulaData& data, int num_outputs, std::size_t gradient_size) {
  FormulaPoint point;
  point.slots.assign(
      static_cast<std::size_t>(data.slots.size) + static_cast<std::size_t>(num_outputs), 0.0);
  point.gradients.resize(gradient_size);
  point.mode.resize(static_cast<std::size_t>(data.sizes.num_switches));
  return point;
}

}  // namespace

FormulaWorkspace::FormulaWorkspace(const FormulaData& data, int max_directions)
    : p(data.p0), dp(data.sizes.np, max_directions) {
  dp.resize(data.sizes.np, 0);
  std::size_t scratch_size = std::max(data.start_scratch_size, data.rhs.scratch_size());
  scratch_size = std::max(scratch_size, data.event_values.scratch_size());
  for (const auto& step : data.switched) {
    scratch_size = std::max(scratch_size, step.formula.scratch_size());
  }
  int num_sets = 0;
  std::size_t jump_gradient_size = 0;
  for (const auto& j : data.jumps) {
    scratch_size = std::max(scratch_size, j.chain.scratch_size());
    num_sets = std::max(num_sets, static_cast<int>(j.targets.size()));
    jump_gradient_size = std::max(jump_gradient_size, j.chain.gradient_size());
  }
  scratch.resize(scratch_size);
  start_gradient.resize(static_cast<std::size_t>(data.sizes.np));
  rhs = make_point(data, 0, data.rhs.gradient_size());
  switches = make_point(data, 0, data.event_values.gradient_size());
  jump = make_point(data, num_sets, jump_gradient_size);
  observer = make_point(data, 0, 0);
  switch_gradients.resize(data.switched_gradient_size);
  switch_room.resize(static_cast<std::size_t>(data.sizes.num_switches));
  dslots.resize(data.slots.size + num_sets, kLanes);
  adjoints.assign(static_cast<std::size_t>(data.slots.size) + static_cast<std::size_t>(num_sets),
                  0.0);
}

void load(const FormulaData& data, const FormulaWorkspace& w, const Point& at,
          FormulaPoint& point) {
  double* const slots = point.slots.data();
  slots[data.slots.t] = at.t;
  std::copy_n(at.y.begin(), data.sizes.ne, slots + data.slots.y);
  if (data.sizes.nz > 0) std::copy_n(at.z.begin(), data.sizes.nz, slots + data.slots.z);
  std::copy(w.p.begin(), w.p.end(), slots + data.slots.p);
  point.by_mode = !at.mode.empty();
  std::copy(at.mode.begin(), at.mode.end(), point.mode.begin());
  point.linearized = false;
}

void load_directions(const FormulaData& data, FormulaWorkspace& w, const PointDirections& d,
                     int chunk) {
  double* const out = w.dslots.data();
  const auto set_rows = [&](int first, int rows, const Directions* from) {
    double* const to = out + first * kLanes;
    if (from && chunk < from->chunks()) {
      std::copy_n(from->chunk(chunk), rows * kLanes, to);
    } else {
      std::fill_n(to, rows * kLanes, 0.0);
    }
  };
  double* const dt = out + data.slots.t * kLanes;
  std::fill_n(dt, kLanes, 0.0);
  for (int i = 0; i < kLanes && chunk * kLanes + i < static_cast<int>(d.dt.size()); ++i) {
    dt[i] = d.dt[chunk * kLanes + i];
  }
  set_rows(data.slots.y, data.sizes.ne, d.dy);
  set_rows(data.slots.z, data.sizes.nz, d.dz);
  set_rows(data.slots.p, data.sizes.np, &w.dp);
}

void unload_adjoints(const FormulaData& data, FormulaWorkspace& w, Pulled& to) {
  const double* const from = w.adjoints.data();
  const auto size = [](int n) { return static_cast<std::size_t>(n); };
  w.parameter_adjoint.resize(size(data.sizes.np));
  to.t += from[data.slots.t];
  for (int i = 0; i < data.sizes.ne; ++i) to.y[size(i)] += from[data.slots.y + i];
  for (std::size_t i = 0; i < to.z.size(); ++i) to.z[i] += from[size(data.slots.z) + i];
  for (int i = 0; i < data.sizes.np; ++i) w.parameter_adjoint[size(i)] += from[data.slots.p + i];
  std::ranges::fill(w.adjoints, 0.0);
}

}  // namespace parfait::dynamics
