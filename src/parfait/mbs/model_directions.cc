#include <algorithm>

#include "parfait/mbs/external_states.h"
#include "parfait/mbs/force_stage.h"
#include "parfait/mbs/model_data.h"
#include "parfait/mbs/released.h"
#include "parfait/mechanism/constraint_row.h"

// Directional derivatives of the right-hand side, chunk by chunk.
namespace parfait::mbs {
namespace {

using dynamics::PointDirections;

const Lane* lanes_of(const math::Directions* d, int chunk) {
  return d ? reinterpret_cast<const Lane*>(d->chunk(chunk)) : nullptr;
}

/// Directions of the coordinates in canonical ones.
void to_canonical(const CoordinateMap& map, const Lane* u, Lane* q) {
  for (int j = 0; j < 4; ++j) {
    for (int k = 0; k < 3; ++k) {
      Lane sum{};
      for (int i = 0; i < 4; ++i) sum += u[3 * i + k] * map.A[i][j];
      q[3 * j + k] = sum;
    }
  }
}

/// Directions of r'' (acceleration rows) for the present chunk; true if any row has an offset.
bool offset_directions(const ModelData& m, ModelWorkspace& w, const PointDirections& d, int chunk,
                       Lane* out) {
  if (m.offset.specs.empty() && !d.dphi) return false;
  std::fill_n(out, m.kernel.structure.num_rows, Lane{});
  for (const auto& offset : m.offset.specs)
    out[offset.row] = row_offset_directions(m, w, offset, 2);
  if (d.dphi) {
    const Lane* dphi = lanes_of(d.dphi, chunk) + m.sizes.num_pos + m.sizes.num_vel;
    const int first = m.sizes.num_vel - m.kernel.structure.num_rows;
    for (int i = 0; i < m.kernel.structure.num_rows; ++i) out[i] += dphi[first + i];
  }
  return true;
}

}  // namespace

void lanes_from_canonical(const CoordinateMap& map, const Lane* q, Lane* u) {
  for (int j = 0; j < 4; ++j) {
    for (int k = 0; k < 3; ++k) {
      Lane sum{};
      for (int i = 0; i < 4; ++i) sum += q[3 * i + k] * map.B[i][j];
      u[3 * j + k] = sum;
    }
  }
}

Lane row_offset_directions(const ModelData& m, ModelWorkspace& w, const OffsetSpec& offset,
                           int level) {
  Dual r[3];
  if (offset.formula >= 0) {
    const auto& f = m.offset.formulas[offset.formula];
    std::vector<double>& s = w.formula.slots;
    s[0] = w.state.t;
    std::copy(w.bound.p.begin(), w.bound.p.end(), s.begin() + 1);
    // Slots t, parameters: their directions stand in a row behind s and rate.
    const auto* dslots = reinterpret_cast<const double*>(w.formula.lanes.data() + m.slots.t);
    alignas(64) double out[3 * math::kLanes];
    const auto taylor =
        f.taylor2_gradient(s.data(), w.offset.rates.data(), w.offset.rates.data() + m.sizes.np + 1,
                           w.formula.scratch.data(), w.offset.gradient.data(),
                           w.state.mode_from(m.offset.formula_switch[offset.formula]));
    f.taylor2_apply(w.offset.gradient.data(), dslots, nullptr, nullptr, out);
    r[0] = {taylor.f, math::load(out)};
    r[1] = {taylor.df, math::load(out + math::kLanes)};
    r[2] = {taylor.ddf, math::load(out + 2 * math::kLanes)};
  } else {
    const int driven = m.constants.driven_index(offset.constant);
    r[0] = {w.bound.constants[offset.constant], driven < 0 ? Lane{} : w.seed.constants[driven]};
  }
  const auto o = row_offset(offset.kind, r[0], r[1], r[2]);
  const int shift = offset.kind >= RowKind::kV0x ? 1 : 0;
  const Dual levels[4] = {o.value, o.value, o.rate, o.acceleration};
  return shift ? levels[level].d : levels[level == 0 ? 0 : level + 1].d;
}

void seed_chunk(const ModelData& m, ModelWorkspace& w, const PointDirections& d, int chunk) {
  const int nb = m.kernel.structure.num_bodies;
  // Chunks beyond those that were bound do not move the parameters.
  const bool has_dp = chunk < w.seed.dp.chunks();
  w.seed.constants = has_dp ? w.seed.constant_lanes.data() +
                                  static_cast<std::size_t>(chunk) * m.constants.num_driven()
                            : w.seed.zero.data();
  for (int b = 0; m.kernel.any_body_driven && b < nb; ++b) {
    w.seed.inertia[b] = has_dp && m.kernel.bodies[b].driven
                            ? &w.seed.inertia_lanes[static_cast<std::size_t>(chunk) * nb + b]
                            : nullptr;
  }
  const GeometryLanes* next =
      w.seed.geometry_lanes.data() + chunk * m.kernel.driven_geometry.size();
  for (const int g : m.kernel.driven_geometry) w.seed.geometry[g] = has_dp ? next++ : nullptr;
  for (int i = 0; i < 3; ++i) w.seed.gravity[i] = Lane{};
  for (const auto& g : m.kernel.gravity) {
    for (int i = 0; i < g.count; ++i) {
      const int index = m.constants.driven_index(g.first_constant + i);
      if (index >= 0) w.seed.gravity[g.count == 1 ? 2 : i] += w.seed.constants[index];
    }
  }
  // Slots: t, parameters, external states.
  w.formula.lanes[m.slots.t] = Lane{};
  if (!d.dt.empty()) {
    Lane dt{};
    for (int i = 0; i < math::kLanes; ++i) {
      const std::size_t index = static_cast<std::size_t>(chunk) * math::kLanes + i;
      if (index < d.dt.size()) dt[i] = d.dt[index];
    }
    w.formula.lanes[m.slots.t] = dt;
  }
  const Lane* dp = has_dp ? reinterpret_cast<const Lane*>(w.seed.dp.chunk(chunk)) : nullptr;
  for (int i = 0; i < m.sizes.np; ++i)
    w.formula.lanes[m.slots.first_parameter + i] = dp ? dp[i] : Lane{};
  const Lane* dy = lanes_of(d.dy, chunk);
  for (int i = 0; i < m.sizes.ne; ++i) {
    w.formula.lanes[m.slots.first_state + i] = dy ? dy[2 * m.sizes.nq + i] : Lane{};
  }
}

void place_lanes(const ModelData& m, ModelWorkspace& w, const Lane* dy, bool centers, Lane* da) {
  const int nb = m.kernel.structure.num_bodies, nq = m.sizes.nq;
  if (!da || !m.kernel.canonical) da = w.directions.acceleration.data();
  const Lane* dq = dy;
  const Lane* dv = dy + nq;
  if (!m.kernel.canonical) {
    Lane* c = w.directions.canonical.data();
    for (int b = 0; b < nb; ++b) {
      to_canonical(m.kernel.maps[b], dy + 12 * b, c + 12 * b);
      to_canonical(m.kernel.maps[b], dy + nq + 12 * b, c + nq + 12 * b);
    }
    dq = c;
    dv = c + nq;
  }
  for (int b = 0; b < nb; ++b) {
    BodyLanes& lanes = w.d.lanes[b];
    lanes.D = dq + 12 * b + 3;
    lanes.V = dv + 12 * b + 3;
    lanes.Xdd = da + 12 * b + 3;
    if (!centers) continue;
    const auto c = w.bound.kernel.center(b);
    const BodyFrame& f = w.k.frames[b];
    const InertiaLanes* seed = w.seed.inertia[b];
    for (int k = 0; k < 3; ++k) {
      lanes.rc[k] =
          dq[12 * b + k] + lanes.D[k] * c[0] + lanes.D[3 + k] * c[1] + lanes.D[6 + k] * c[2];
      lanes.vc[k] =
          dv[12 * b + k] + lanes.V[k] * c[0] + lanes.V[3 + k] * c[1] + lanes.V[6 + k] * c[2];
      if (seed) {
        for (int i = 0; i < 3; ++i) {
          lanes.rc[k] += f.X[i][k] * seed->c[i];
          lanes.vc[k] += f.Xd[i][k] * seed->c[i];
        }
      }
    }
  }
}

void prepare_model_directions(const ModelData& m, ModelWorkspace& w) {
  if (w.directions.ready) return;
  finalize_frames(m.kernel.structure, w.k, w.solution);
  prepare_directions(m.kernel.structure, w.bound.kernel, w.k, m.kernel.general_joint, w.d);
  if (!m.kernel.structure.released.empty()) {
    prepare_released_directions(m.kernel.structure, w.bound.kernel, w.k, w.d);
  }
  prepare_laws(m, w);
  prepare_external(m, w);
  w.directions.ready = true;
}

void solve_chunk(const ModelData& m, ModelWorkspace& w, const PointDirections& d, int chunk) {
  const int nb = m.kernel.structure.num_bodies;
  for (int b = 0; b < nb; ++b) {
    BodyWork& work = w.d.bodies[b];
    const double mass = w.bound.kernel.mass(b);
    for (int k = 0; k < 3; ++k) {
      work.F[k] = mass * w.seed.gravity[k];
      if (w.seed.inertia[b]) work.F[k] += w.bound.gravity[k] * w.seed.inertia[b]->m;
      work.T[k] = Lane{};
    }
  }
  for (auto& F : w.d.axis_force) F.fill(Lane{});
  add_force_directions(m, w);
  ChunkSeeds seeds;
  seeds.inertia = m.kernel.any_body_driven ? w.seed.inertia.data() : nullptr;
  seeds.geometry = w.seed.geometry.data();
  if (offset_directions(m, w, d, chunk, w.offset.lanes.data()))
    seeds.offset = w.offset.lanes.data();
  if (d.dphi) {
    const Lane* dphi = lanes_of(d.dphi, chunk) + m.sizes.num_pos + m.sizes.num_vel;
    for (int b = 0; b < nb; ++b) {
      std::array<Lane, 6> P{};
      for (int e = 0; e < 6; ++e) {
        const int row = m.kernel.structure.body_row[b][e];
        if (row >= 0) P[e] = (e < 3 ? 1.0 : 0.5) * dphi[row];
      }
      if (!m.kernel.maps[b].is_orthonormal) P = congruent(m.kernel.maps[b].S_inverse, P);
      std::copy(P.begin(), P.end(), w.directions.metric.begin() + 6 * b);
    }
    seeds.metric = w.directions.metric.data();
  }
  solve_directions(m.kernel.structure, w.bound.kernel, w.k, m.kernel.general_joint, seeds, w.d);
}

void Model::directions(dynamics::Workspace& ws, const PointDirections& d,
                       dynamics::Directions& ddydt, dynamics::Directions* /*dresidual*/) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  const int nb = m.kernel.structure.num_bodies, nq = m.sizes.nq;
  prepare_model_directions(m, w);
  const bool centers =
      !m.force.elements.empty() || m.kernel.any_general_joint || !m.external.quantities.empty();
  for (int chunk = 0; chunk < ddydt.chunks(); ++chunk) {
    const Lane* dy = d.dy ? lanes_of(d.dy, chunk) : w.seed.zero.data();
    Lane* out = reinterpret_cast<Lane*>(ddydt.chunk(chunk));
    seed_chunk(m, w, d, chunk);
    place_lanes(m, w, dy, centers, out + nq);
    solve_chunk(m, w, d, chunk);
    std::copy(dy + nq, dy + 2 * nq, out);
    if (!m.kernel.canonical) {
      for (int b = 0; b < nb; ++b) {
        lanes_from_canonical(m.kernel.maps[b], w.d.lanes[b].Xdd - 3, out + nq + 12 * b);
      }
    }
    external_directions(m, w, out + 2 * nq);
  }
}

}  // namespace parfait::mbs
