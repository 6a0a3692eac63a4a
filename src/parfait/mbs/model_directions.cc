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
  if (m.offsets.empty() && !d.dphi) return false;
  std::fill_n(out, m.structure.num_rows, Lane{});
  for (const auto& offset : m.offsets) out[offset.row] = row_offset_directions(m, w, offset, 2);
  if (d.dphi) {
    const Lane* dphi = lanes_of(d.dphi, chunk) + m.sizes.num_pos + m.sizes.num_vel;
    const int first = m.sizes.num_vel - m.structure.num_rows;
    for (int i = 0; i < m.structure.num_rows; ++i) out[i] += dphi[first + i];
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
    const auto& f = m.offset_formulas[offset.formula];
    std::vector<double>& s = w.slots;
    s[0] = w.t;
    std::copy(w.p.begin(), w.p.end(), s.begin() + 1);
    // Slots t, parameters: their directions stand in a row behind s and rate.
    const auto* dslots = reinterpret_cast<const double*>(w.slot_lanes.data() + m.slots.t);
    alignas(64) double out[3 * math::kLanes];
    const auto taylor = f.taylor2_gradient(
        s.data(), w.offset_rates.data(), w.offset_rates.data() + m.sizes.np + 1, w.scratch.data(),
        w.offset_gradient.data(), mode_from(w, m.offset_switch[offset.formula]));
    f.taylor2_apply(w.offset_gradient.data(), dslots, nullptr, nullptr, out);
    r[0] = {taylor.f, math::load(out)};
    r[1] = {taylor.df, math::load(out + math::kLanes)};
    r[2] = {taylor.ddf, math::load(out + 2 * math::kLanes)};
  } else {
    const int driven = m.constants.driven_index(offset.constant);
    r[0] = {w.constants[offset.constant], driven < 0 ? Lane{} : w.constant_now[driven]};
  }
  const auto o = row_offset(offset.kind, r[0], r[1], r[2]);
  const int shift = offset.kind >= RowKind::kV0x ? 1 : 0;
  const Dual levels[4] = {o.value, o.value, o.rate, o.acceleration};
  return shift ? levels[level].d : levels[level == 0 ? 0 : level + 1].d;
}

void seed_chunk(const ModelData& m, ModelWorkspace& w, const PointDirections& d, int chunk) {
  const int nb = m.structure.num_bodies;
  // Chunks beyond those that were bound do not move the parameters.
  const bool has_dp = chunk < w.dp.chunks();
  w.constant_now =
      has_dp ? w.constant_lanes.data() + static_cast<std::size_t>(chunk) * m.constants.num_driven()
             : w.zero_lanes.data();
  for (int b = 0; m.any_body_driven && b < nb; ++b) {
    w.inertia_seed[b] = has_dp && m.bodies[b].driven
                            ? &w.inertia_lanes[static_cast<std::size_t>(chunk) * nb + b]
                            : nullptr;
  }
  const GeometryLanes* next = w.geometry_lanes.data() + chunk * m.driven_geometry.size();
  for (const int g : m.driven_geometry) w.geometry_seed[g] = has_dp ? next++ : nullptr;
  for (int i = 0; i < 3; ++i) w.gravity_lanes[i] = Lane{};
  for (const auto& g : m.gravity) {
    for (int i = 0; i < g.count; ++i) {
      const int index = m.constants.driven_index(g.first_constant + i);
      if (index >= 0) w.gravity_lanes[g.count == 1 ? 2 : i] += w.constant_now[index];
    }
  }
  // Slots: t, parameters, external states.
  w.slot_lanes[m.slots.t] = Lane{};
  if (!d.dt.empty()) {
    Lane dt{};
    for (int i = 0; i < math::kLanes; ++i) {
      const std::size_t index = static_cast<std::size_t>(chunk) * math::kLanes + i;
      if (index < d.dt.size()) dt[i] = d.dt[index];
    }
    w.slot_lanes[m.slots.t] = dt;
  }
  const Lane* dp = has_dp ? reinterpret_cast<const Lane*>(w.dp.chunk(chunk)) : nullptr;
  for (int i = 0; i < m.sizes.np; ++i)
    w.slot_lanes[m.slots.first_parameter + i] = dp ? dp[i] : Lane{};
  const Lane* dy = lanes_of(d.dy, chunk);
  for (int i = 0; i < m.sizes.ne; ++i) {
    w.slot_lanes[m.slots.first_state + i] = dy ? dy[2 * m.sizes.nq + i] : Lane{};
  }
}

void place_lanes(const ModelData& m, ModelWorkspace& w, const Lane* dy, bool centers, Lane* da) {
  const int nb = m.structure.num_bodies, nq = m.sizes.nq;
  if (!da || !m.canonical) da = w.acceleration_lanes.data();
  const Lane* dq = dy;
  const Lane* dv = dy + nq;
  if (!m.canonical) {
    Lane* c = w.canonical_lanes.data();
    for (int b = 0; b < nb; ++b) {
      to_canonical(m.maps[b], dy + 12 * b, c + 12 * b);
      to_canonical(m.maps[b], dy + nq + 12 * b, c + nq + 12 * b);
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
    const auto c = w.bound.center(b);
    const BodyFrame& f = w.k.frames[b];
    const InertiaLanes* seed = w.inertia_seed[b];
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
  if (w.directions_ready) return;
  finalize_frames(m, w);
  prepare_directions(m.structure, w.bound, w.k, m.general_joint, w.d);
  if (!m.structure.released.empty()) {
    prepare_released_directions(m.structure, w.bound, w.k, w.d);
  }
  prepare_laws(m, w);
  prepare_external(m, w);
  w.directions_ready = true;
}

void solve_chunk(const ModelData& m, ModelWorkspace& w, const PointDirections& d, int chunk) {
  const int nb = m.structure.num_bodies;
  for (int b = 0; b < nb; ++b) {
    BodyWork& work = w.d.bodies[b];
    const double mass = w.bound.mass(b);
    for (int k = 0; k < 3; ++k) {
      work.F[k] = mass * w.gravity_lanes[k];
      if (w.inertia_seed[b]) work.F[k] += w.gravity[k] * w.inertia_seed[b]->m;
      work.T[k] = Lane{};
    }
  }
  for (auto& F : w.d.axis_force) F.fill(Lane{});
  add_force_directions(m, w);
  ChunkSeeds seeds;
  seeds.inertia = m.any_body_driven ? w.inertia_seed.data() : nullptr;
  seeds.geometry = w.geometry_seed.data();
  if (offset_directions(m, w, d, chunk, w.offset_lanes.data()))
    seeds.offset = w.offset_lanes.data();
  if (d.dphi) {
    const Lane* dphi = lanes_of(d.dphi, chunk) + m.sizes.num_pos + m.sizes.num_vel;
    for (int b = 0; b < nb; ++b) {
      std::array<Lane, 6> P{};
      for (int e = 0; e < 6; ++e) {
        const int row = m.structure.body_row[b][e];
        if (row >= 0) P[e] = (e < 3 ? 1.0 : 0.5) * dphi[row];
      }
      if (!m.maps[b].is_orthonormal) P = congruent(m.maps[b].S_inverse, P);
      std::copy(P.begin(), P.end(), w.metric_lanes.begin() + 6 * b);
    }
    seeds.metric = w.metric_lanes.data();
  }
  solve_directions(m.structure, w.bound, w.k, m.general_joint, seeds, w.d);
}

void Model::directions(dynamics::Workspace& ws, const PointDirections& d,
                       dynamics::Directions& ddydt, dynamics::Directions* /*dresidual*/) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  const int nb = m.structure.num_bodies, nq = m.sizes.nq;
  prepare_model_directions(m, w);
  const bool centers = !m.forces.empty() || m.any_general_joint || !m.derivative_quantities.empty();
  for (int chunk = 0; chunk < ddydt.chunks(); ++chunk) {
    const Lane* dy = d.dy ? lanes_of(d.dy, chunk) : w.zero_lanes.data();
    Lane* out = reinterpret_cast<Lane*>(ddydt.chunk(chunk));
    seed_chunk(m, w, d, chunk);
    place_lanes(m, w, dy, centers, out + nq);
    solve_chunk(m, w, d, chunk);
    std::copy(dy + nq, dy + 2 * nq, out);
    if (!m.canonical) {
      for (int b = 0; b < nb; ++b) {
        lanes_from_canonical(m.maps[b], w.d.lanes[b].Xdd - 3, out + nq + 12 * b);
      }
    }
    external_directions(m, w, out + 2 * nq);
  }
}

}  // namespace parfait::mbs
