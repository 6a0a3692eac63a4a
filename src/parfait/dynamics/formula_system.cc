#include "parfait/dynamics/formula_system.h"

#include <algorithm>

#include "parfait/dynamics/formula_system_impl.h"
#include "parfait/math/finite.h"

namespace parfait::dynamics {

std::unique_ptr<System> make_formula_system(const FormulaModel& model) {
  return std::make_unique<FormulaSystem>(compile(model));
}

std::vector<std::string> check(const FormulaModel& model) {
  return compile(model).warnings;
}

std::vector<double> FormulaSystem::initial_state() const {
  FormulaWorkspace w(data_, 0);
  std::vector<double> y(static_cast<std::size_t>(data_.sizes.ne));
  std::vector<double> z(static_cast<std::size_t>(data_.sizes.nz));
  start(w, y, z);
  return y;
}

std::unique_ptr<Workspace> FormulaSystem::make_workspace(int max_directions) const {
  return std::make_unique<FormulaWorkspace>(data_, max_directions);
}

std::unique_ptr<Workspace> FormulaSystem::make_bound_copy(const Workspace& ws,
                                                          int max_directions) const {
  auto copy = make_workspace(max_directions);
  bind(*copy, static_cast<const FormulaWorkspace&>(ws).p);
  return copy;
}

void FormulaSystem::bind(Workspace& ws, ConstVec p) const {
  std::copy_n(p.begin(), data_.sizes.np, cast(ws).p.begin());
}

void FormulaSystem::bind_directions(Workspace& ws, const Directions& dp) const {
  cast(ws).dp = dp;
}

void FormulaSystem::start(Workspace& ws, Vec y, Vec z) const {
  auto& w = cast(ws);
  for (int i = 0; i < data_.sizes.ne; ++i) {
    y[i] = data_.start_y[i].value(w.p.data(), w.scratch.data());
  }
  for (int i = 0; i < data_.sizes.nz; ++i) {
    z[i] = data_.start_z[i].value(w.p.data(), w.scratch.data());
  }
}

void FormulaSystem::start_directions(Workspace& ws, Directions& dy) const {
  auto& w = cast(ws);
  dy.resize(data_.sizes.ne, dy.count());
  for (int i = 0; i < data_.sizes.ne; ++i) {
    const auto& f = data_.start_y[i];
    f.gradient(w.p.data(), w.scratch.data(), w.start_gradient.data());
    for (int chunk = 0; chunk < std::min(dy.chunks(), w.dp.chunks()); ++chunk) {
      f.apply(w.start_gradient.data(), w.dp.chunk(chunk), dy.chunk(chunk) + i * math::kLanes);
    }
  }
}

Status FormulaSystem::evaluate(Workspace& ws, const Point& at, Vec dydt, Vec residual) const {
  auto& w = cast(ws);
  load(data_, w, at, w.rhs);
  data_.rhs.evaluate(w.rhs, w.scratch.data());
  const double* const results = w.rhs.slots.data() + data_.slots.rates;
  std::copy_n(results, data_.sizes.ne, dydt.begin());
  if (!residual.empty()) {
    std::copy_n(w.rhs.slots.data() + data_.slots.residuals, data_.sizes.nz, residual.begin());
  }
  const double* const end = results + data_.sizes.ne + data_.sizes.nz;
  return math::all_finite({results, end}) ? Status::kOk : Status::kNotFinite;
}

void FormulaSystem::directions(Workspace& ws, const PointDirections& d, Directions& ddydt,
                               Directions* dresidual) const {
  auto& w = cast(ws);
  data_.rhs.linearize(w.rhs, w.scratch.data());
  for (int chunk = 0; chunk < ddydt.chunks(); ++chunk) {
    load_directions(data_, w, d, chunk);
    data_.rhs.apply(w.rhs, w.dslots.data());
    const double* const rates = w.dslots.data() + data_.slots.rates * math::kLanes;
    std::copy_n(rates, data_.sizes.ne * math::kLanes, ddydt.chunk(chunk));
    if (!dresidual) continue;
    const double* const residuals = w.dslots.data() + data_.slots.residuals * math::kLanes;
    std::copy_n(residuals, data_.sizes.nz * math::kLanes, dresidual->chunk(chunk));
  }
}

void FormulaSystem::pull_back(Workspace& ws, ConstVec dydt, ConstVec residual, Pulled& to) const {
  auto& w = cast(ws);
  data_.rhs.linearize(w.rhs, w.scratch.data());
  std::copy(dydt.begin(), dydt.end(), w.adjoints.begin() + data_.slots.rates);
  std::copy(residual.begin(), residual.end(), w.adjoints.begin() + data_.slots.residuals);
  data_.rhs.pull_back(w.rhs, w.adjoints.data());
  unload_adjoints(data_, w, to);
}

void FormulaSystem::pull_back_start(Workspace& ws, ConstVec y) const {
  auto& w = cast(ws);
  w.parameter_adjoint.resize(w.p.size());
  for (int i = 0; i < data_.sizes.ne; ++i) {
    const auto& f = data_.start_y[i];
    f.gradient(w.p.data(), w.scratch.data(), w.start_gradient.data());
    const auto used = f.used_slots();
    for (std::size_t j = 0; j < used.size(); ++j) {
      w.parameter_adjoint[static_cast<std::size_t>(used[j])] += y[i] * w.start_gradient[j];
    }
  }
}

}  // namespace parfait::dynamics
