#include <algorithm>

#include "parfait/mbs/data/model_data.h"
#include "parfait/mbs/evaluation/evaluation.h"
#include "parfait/mbs/evaluation/external_states.h"
#include "parfait/mbs/forces/force_stage.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mbs/solver/released.h"
#include "parfait/mechanism/elements/constraint_row.h"

// Directional derivatives of the right-hand side, chunk by chunk.
namespace parfait::mbs {
namespace {

using dynamics::PointDirections;

/// Directions of r'' (acceleration rows) for the present chunk; true if any row has an offset.
bool offset_directions(const ModelData& m, ModelWorkspace& w, const PointDirections& d, int chunk,
                       Lane* out) {
  if (m.offset.specs.empty() && !d.dphi) return false;
  std::fill_n(out, m.kernel.structure.num_rows, Lane{});
  for (const auto& offset : m.offset.specs)
    out[offset.row] = row_offset_directions(m, w, offset, 2);
  if (d.dphi) {
    const Lane* dphi = chunk_of(d.dphi, chunk) + m.sizes.num_pos + m.sizes.num_vel;
    const int first = m.sizes.num_vel - m.kernel.structure.num_rows;
    for (int i = 0; i < m.kernel.structure.num_rows; ++i) out[i] += dphi[first + i];
  }
  return true;
}

}  // namespace

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
    const Lane* dphi = chunk_of(d.dphi, chunk) + m.sizes.num_pos + m.sizes.num_vel;
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
    const Lane* dy = d.dy ? chunk_of(d.dy, chunk) : w.seed.zero.data();
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
