#include "parfait/mbs/adjoint/pull_back.h"

#include <algorithm>

#include "parfait/math/symmetric.h"
#include "parfait/mbs/adjoint/transposed_solve.h"
#include "parfait/mbs/evaluation/evaluation.h"
#include "parfait/mbs/evaluation/external_states.h"
#include "parfait/mbs/forces/force_stage.h"
#include "parfait/mbs/placement/placement.h"

namespace parfait::mbs {

using dynamics::ConstVec;
using dynamics::Pulled;

void size_adjoints(const ModelData& m, ModelWorkspace& w) {
  auto& a = w.adjoint;
  if (a.is_sized()) return;
  w.make_direction_room(m);
  const auto nb = static_cast<std::size_t>(m.kernel.num_bodies());
  a.bodies.assign(nb + 1, BodyAdjoint{});
  a.inertia.resize(nb);
  a.geometry.resize(m.kernel.geometry.size());
  a.geometry_driven.assign(m.kernel.geometry.size(), 0);
  for (const int g : m.kernel.driven_geometry) a.geometry_driven[g] = 1;
  a.constants.resize(m.constants.size());
  a.parameters.resize(m.sizes.np);
  a.e.resize(m.sizes.ne);
  a.slots.resize(m.slots.size);
  a.lambda.resize(8 * m.kernel.structure.joints.size());
  a.row.resize(8 * m.kernel.structure.joints.size());
  a.canonical.resize(12 * nb);
}

void begin_pull_back(ModelWorkspace& w) {
  for (BodyAdjoint& body : w.adjoint.bodies) body = BodyAdjoint{};
}

void add_seeds(const ModelData& m, ModelWorkspace& w, const double* user,
               const V4* (*axes)(const BodyFrame& f)) {
  for (int b = 0; b < m.kernel.num_bodies(); ++b) {
    const CoordinateMap& map = m.kernel.maps[b];
    const double* x = user + 12 * b;
    double canonical[12];
    if (!map.is_identity) {  // u = canonical B
      for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
          double sum = 0;
          for (int j = 0; j < 4; ++j) sum += map.B[i][j] * x[3 * j + k];
          canonical[3 * i + k] = sum;
        }
      }
      x = canonical;
    }
    // o = r_c - X c
    const auto c = w.bound.kernel.center(b);
    const V4 o{x[0], x[1], x[2], 0};
    BodyAdjoint& body = w.adjoint.bodies[b];
    body.seed_c += o;
    const V4* const X = axes(w.k.frames[b]);
    for (int i = 0; i < 3; ++i) {
      body.seed_X[i] += V4{x[3 + 3 * i], x[4 + 3 * i], x[5 + 3 * i], 0} - o * splat(c[i]);
      w.adjoint.inertia[b].c[i] -= dot3(X[i], o);
    }
  }
}

void pull_back_slots(const ModelData& m, ModelWorkspace& w, int first,
                     const std::vector<Quantity>& quantities) {
  auto& a = w.adjoint;
  const bool any = std::any_of(quantities.begin(), quantities.end(), [&](const Quantity& q) {
    return a.slots[first + (&q - quantities.data())] != 0;
  });
  if (any) {
    begin_quantities(m, w);
    for (std::size_t i = 0; i < quantities.size(); ++i) {
      const double seed = a.slots[first + i];
      a.slots[first + i] = 0;
      if (seed != 0) pull_back_quantity(m, w, quantities[i], seed);
    }
  }
  a.t += a.slots[m.slots.t];
  for (int i = 0; i < m.sizes.np; ++i) a.parameters[i] += a.slots[m.slots.first_parameter + i];
  for (int i = 0; i < m.sizes.ne; ++i) a.e[i] += a.slots[m.slots.first_state + i];
  std::fill(a.slots.begin(), a.slots.end(), 0.0);
}

void unload_bodies(const ModelData& m, ModelWorkspace& w, Pulled& to) {
  auto& a = w.adjoint;
  const int nq = m.sizes.nq;
  const auto put = [&](int b, V4 o, const V4* X, double* out) {
    double x[12];
    for (int k = 0; k < 3; ++k) {
      x[k] = o[k];
      for (int i = 0; i < 3; ++i) x[3 + 3 * i + k] = X[i][k];
    }
    const CoordinateMap& map = m.kernel.maps[b];
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 3; ++k) {
        if (map.is_identity) {
          out[3 * i + k] += x[3 * i + k];
          continue;
        }
        for (int j = 0; j < 4; ++j) out[3 * i + k] += x[3 * j + k] * map.A[i][j];
      }
    }
  };
  for (int b = 0; b < m.kernel.num_bodies(); ++b) {
    BodyAdjoint& body = a.bodies[b];
    const BodyFrame& f = w.k.frames[b];
    const auto c = w.bound.kernel.center(b);
    for (int i = 0; i < 3; ++i) {  // r_c = o + X c
      body.X[i] += body.rc * splat(c[i]);
      body.Xd[i] += body.vc * splat(c[i]);
      a.inertia[b].c[i] += dot3(f.X[i], body.rc) + dot3(f.Xd[i], body.vc);
    }
    put(b, body.rc, body.X, to.y.data() + 12 * b);
    put(b, body.vc, body.Xd, to.y.data() + nq + 12 * b);
  }
  to.t += a.t;
  a.t = 0;
  for (int i = 0; i < m.sizes.ne; ++i) {
    to.y[2 * nq + i] += a.e[i];
    a.e[i] = 0;
  }
}

void pull_back_external(const ModelData& m, ModelWorkspace& w, const double* rate_seeds) {
  auto& a = w.adjoint;
  if (m.external.num_formulas > 0) {
    prepare_external(m, w);
    for (int i = 0; i < m.external.num_formulas; ++i) {
      const auto used = m.external.formulas[i].used_slots();
      const double* gradient =
          w.formula.gradients.data() + w.formula.gradient_first[m.force.laws.size() + i];
      for (std::size_t j = 0; j < used.size(); ++j) {
        a.slots[used[j]] += rate_seeds[i] * gradient[j];
      }
    }
  }
  if (m.sizes.ne > 0 || !m.force.laws.empty()) {
    pull_back_slots(m, w, m.slots.first_quantity, m.external.quantities);
  }
}

void pull_back_solution(const ModelData& m, ModelWorkspace& w, const double* row,
                        const double* rate_seeds, Pulled& to) {
  const Structure& s = m.kernel.structure;
  auto& a = w.adjoint;
  std::copy(w.k.multiplier.begin(), w.k.multiplier.end(), a.lambda.begin());
  solve_transposed(s, row, w.k, a);
  pull_back_joints(m, w, RowLevel::kAcceleration, a.lambda.data(), true);
  pull_back_offsets(m, w, RowLevel::kAcceleration);
  std::copy(a.lambda.begin(), a.lambda.end(), w.k.multiplier.begin());
  pull_back_forces(m, w, rate_seeds);
  pull_back_external(m, w, rate_seeds);
  const auto& g = w.bound.gravity;
  const V4 gravity{g[0], g[1], g[2], 0};
  for (int b = 0; b < s.num_bodies; ++b) {  // (V6) of a body
    BodyAdjoint& body = a.bodies[b];
    const BodyFrame& f = w.k.frames[b];
    double L[6];
    metric_multipliers(w, b, L);
    for (int i = 0; i < 3; ++i) {
      body.X[i] += cross(body.alpha, inertia_column(f.Xdd, w.bound.kernel, b, i));
      for (int j = 0; j < 3; ++j) {
        const V4 Lambda = splat(L[kEntry[i][j]]);
        body.X[i] -= f.Xdd[j] * Lambda;
        body.Xd[i] -= 2.0 * f.Xd[j] * Lambda;
      }
      a.gravity[i] += w.bound.kernel.mass(b) * body.w[i];
    }
    if (!m.kernel.bodies[b].driven) continue;
    a.inertia[b].m += dot3(body.w, gravity - f.ac);
    subtract_inertia(f.X, body.alpha, f.Xdd, a.inertia[b].J);
  }
  unload_bodies(m, w, to);
}

namespace {

const V4* second_derivatives(const BodyFrame& f) {
  return f.Xdd;
}

}  // namespace

bool Model::has_pull_backs() const {
  return data_->kernel.structure.released.empty();
}

void Model::pull_back(dynamics::Workspace& ws, ConstVec dydt, ConstVec residual, Pulled& to) const {
  if (!has_pull_backs()) return System::pull_back(ws, dydt, residual, to);
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  const int nq = m.sizes.nq;
  size_adjoints(m, w);
  finalize_frames(m.kernel.structure, w.k, w.solution);
  begin_pull_back(w);
  add_seeds(m, w, dydt.data() + nq, second_derivatives);
  pull_back_solution(m, w, nullptr, dydt.data() + 2 * nq, to);
  for (int i = 0; i < nq; ++i) to.y[nq + i] += dydt[i];
}

void Model::clear_parameter_adjoint(dynamics::Workspace& ws) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  System::clear_parameter_adjoint(ws);
  size_adjoints(m, w);
  auto& a = w.adjoint;
  std::fill(a.inertia.begin(), a.inertia.end(), InertiaAdjoint{});
  std::fill(a.geometry.begin(), a.geometry.end(), GeometryAdjoint{});
  std::fill(a.constants.begin(), a.constants.end(), 0.0);
  std::fill(a.parameters.begin(), a.parameters.end(), 0.0);
  std::fill(a.gravity, a.gravity + 3, 0.0);
}

void Model::move_parameter_adjoint(dynamics::Workspace& from, dynamics::Workspace& to) const {
  System::move_parameter_adjoint(from, to);
  const AdjointWork& x = cast(from).adjoint;
  if (!x.is_sized()) return;
  size_adjoints(*data_, cast(to));
  AdjointWork& out = cast(to).adjoint;
  const auto add = [](const double* values, double* sums, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) sums[i] += values[i];
  };
  // Structs of doubles and nothing else.
  constexpr std::size_t kInertia = sizeof(InertiaAdjoint) / sizeof(double);
  constexpr std::size_t kGeometry = sizeof(GeometryAdjoint) / sizeof(double);
  for (std::size_t b = 0; b < x.inertia.size(); ++b) {
    add(&x.inertia[b].m, &out.inertia[b].m, kInertia);
  }
  for (std::size_t g = 0; g < x.geometry.size(); ++g) {
    add(&x.geometry[g].rho[0][0], &out.geometry[g].rho[0][0], kGeometry);
  }
  add(x.gravity, out.gravity, 3);
  add(x.constants.data(), out.constants.data(), x.constants.size());
  add(x.parameters.data(), out.parameters.data(), x.parameters.size());
  clear_parameter_adjoint(from);
}

/// The adjoints of constants times what the parameters do to these, a chunk of parameters at a
/// time.
void Model::add_parameter_gradient(dynamics::Workspace& ws, dynamics::Vec gradient) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  System::add_parameter_gradient(ws, gradient);
  const auto& a = w.adjoint;
  if (!a.is_sized()) return;
  const int np = m.sizes.np, nd = m.constants.num_driven();
  for (int i = 0; i < np; ++i) gradient[i] += a.parameters[i];
  if (nd == 0) return;
  std::vector<double> constants = a.constants;
  for (const auto& g : m.kernel.gravity) {
    for (int i = 0; i < g.count; ++i) {
      constants[g.first_constant + i] += a.gravity[g.count == 1 ? 2 : i];
    }
  }
  pull_back_constants(m, w, constants.data());
  m.constants.gradients(w.bound.p.data(), w.bound.gradients.data(), w.formula.scratch.data());
  for (int i = 0; i < static_cast<int>(constants.size()); ++i) {
    const int driven = m.constants.driven_index(i);
    if (driven < 0) continue;
    m.constants.pull_back(w.bound.gradients.data(), driven, constants[i], gradient.data());
  }
}

}  // namespace parfait::mbs
