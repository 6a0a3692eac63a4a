#include <algorithm>

#include "parfait/mbs/placement/placement.h"
#include "parfait/mechanism/elements/constraint_row.h"

namespace parfait::mbs {

using dynamics::PointDirections;

namespace {

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
  const Lane* dy = chunk_of(d.dy, chunk);
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

}  // namespace parfait::mbs
