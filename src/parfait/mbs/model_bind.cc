#include <algorithm>

#include "parfait/mbs/model_data.h"
#include "parfait/mechanism/constraint_row.h"

// Everything that depends on the parameters alone: constants, inertia, geometry, and their
// directions.
namespace parfait::mbs {
namespace {

/// Constants of type S: numbers, or numbers with the directions of one chunk.
struct Numbers {
  const double* constants;
  double operator()(int i) const { return constants[i]; }
};

struct NumbersWithDirections {
  const double* constants;
  const ConstantTable* table;
  const Lane* lanes;  ///< of the driven constants
  Dual operator()(int i) const {
    const int driven = table->driven_index(i);
    return driven < 0 ? Dual(constants[i]) : Dual(constants[i], lanes[driven]);
  }
};

template <class S, class Get>
Inertia<S> body_inertia(const BodySpec& spec, const CoordinateMap& map, const Get& get) {
  if (spec.from_cholesky) {
    std::array<S, 10> L;
    for (int i = 0; i < 10; ++i) L[i] = get(spec.first_constant + 10 + i);
    return mechanism::inertia_from_cholesky(L);
  }
  Inertia<S> out;
  out.m = get(spec.first_constant);
  for (int i = 0; i < 3; ++i) {
    S sum(0.0);
    for (int j = i; j < 3; ++j) sum = sum + S(map.S[i][j]) * get(spec.first_constant + 1 + j);
    out.c[i] = sum;
  }
  std::array<S, 6> Theta;
  for (int e = 0; e < 6; ++e) Theta[e] = get(spec.first_constant + 4 + e);
  if (spec.about_origin) {
    const auto shift = mechanism::steiner(out.m, out.c);
    for (int e = 0; e < 6; ++e) Theta[e] = Theta[e] - shift[e];
  }
  out.J = mechanism::second_moment(Theta);
  return out;
}

template <class S>
struct PairGeometry {
  Vec3<S> rho[2];
  Vec3<S> axis[2][3];
};

template <class S, class Get, class Center>
PairGeometry<S> pair_geometry(const ModelData& m, const GeometrySpec& spec, const Get& get,
                              const Center& center) {
  PairGeometry<S> out;
  for (int side = 0; side < 2; ++side) {
    if (!spec.used[side]) continue;
    const FrameSpec& end = spec.end[side];
    const bool ground = end.body == m.structure.num_bodies;
    S constants[12];
    for (int i = 0; i < 12; ++i) constants[i] = get(end.first_constant + i);
    auto f = marker_frame(end, constants, ground ? nullptr : &m.maps[end.body]);
    if (spec.orthonormal) orthonormalize(f);
    out.rho[side] = ground ? f.o : f.o - center(end.body);
    for (int i = 0; i < 3; ++i) {
      const char letter = spec.axis[side][i];
      if (letter) out.axis[side][i] = letter == 'x' ? f.x : letter == 'y' ? f.y : f.z;
    }
  }
  return out;
}

void put(const Vec3<double>& a, double* out) {
  out[0] = a.x;
  out[1] = a.y;
  out[2] = a.z;
}
void put(const Vec3<Dual>& a, Lane* out) {
  out[0] = a.x.d;
  out[1] = a.y.d;
  out[2] = a.z.d;
}

}  // namespace

ModelWorkspace::ModelWorkspace(const ModelData& m, int max_dirs)
    : p(m.sizes.np),
      constants(m.constants.size()),
      scratch(m.scratch_size),
      constant_gradients(m.constants.gradient_size()),
      rank_tolerance(m.description.natural.rank_tolerance),
      a(m.sizes.nq),
      lambda(m.structure.num_rows),
      offset_pos(m.structure.num_rows),
      offset_vel(m.structure.num_rows),
      offset_rates(2 * (m.sizes.np + 1)),
      slots(m.slots.size),
      e(m.sizes.ne),
      e_rate(m.sizes.ne),
      mode_store(m.sizes.num_switches),
      k(m.structure),
      max_directions(max_dirs) {
  for (auto* x : {&projection.q0, &projection.v0, &projection.q, &projection.v})
    x->resize(m.sizes.nq);
  projection.metric.resize(6 * m.structure.num_bodies);
  projection.g.resize(m.sizes.num_pos + m.sizes.num_vel);
  for (auto& multiplier : projection.multiplier) multiplier.resize(8 * m.structure.joints.size());
  offset_rates[0] = 1;
  rates.resize(m.sizes.ny());
  force.resize(m);
  bound.inertia.resize(m.structure.num_quads());
  for (auto& quad : bound.inertia) {  // unused lanes of the last quad: any body that can exist
    quad.m = quad.inverse_m = splat(1.0);
    for (auto& c : quad.c) c = V4{};
    for (int e6 = 0; e6 < 6; ++e6) quad.J[e6] = splat(e6 < 3 ? 1.0 : 0.0);
  }
  bound.geometry.resize(m.geometry.size());
  q.resize(m.sizes.nq);
  v.resize(m.sizes.nv);
  switch_values.resize(m.sizes.num_switches);
  if (!m.events.empty() || m.max_element_switches > 0) {
    jump.y.resize(m.sizes.ny());
    for (auto* x : {&jump.still, &jump.response, &jump.change}) x->resize(m.sizes.nq);
  }
  if (max_dirs > 0) make_direction_room(m);
}

void ModelWorkspace::make_direction_room(const ModelData& m) {
  if (!zero_lanes.empty()) return;
  const int chunks = (std::max(max_directions, 1) + math::kLanes - 1) / math::kLanes;
  const int nb = m.structure.num_bodies;
  dp.resize(m.sizes.np, max_directions);
  d = DirectionState(m.structure);
  if (m.any_body_driven) inertia_lanes.resize(static_cast<std::size_t>(chunks) * nb);
  inertia_seed.assign(nb, nullptr);
  geometry_lanes.resize(static_cast<std::size_t>(chunks) * m.driven_geometry.size());
  geometry_seed.assign(m.geometry.size(), nullptr);
  constant_lanes.resize(static_cast<std::size_t>(chunks) * m.constants.num_driven());
  offset_lanes.resize(m.structure.num_rows);
  metric_lanes.resize(6 * nb);
  slot_lanes.resize(m.slots.size);
  if (!m.canonical) canonical_lanes.resize(24 * nb);
  zero_lanes.resize(std::max(m.sizes.ny(), m.constants.num_driven()));
  shift.resize(m.sizes.nq);
  acceleration_lanes.resize(m.sizes.nq);
  for (auto* x : {&start_lanes, &result_lanes, &last_lanes, &position_lanes}) x->resize(m.sizes.nq);
  offset_gradient.resize(m.max_gradient);
  std::size_t size = 0;
  for (const auto* formulas : {&m.laws, &m.derivatives}) {
    for (const auto& f : *formulas) {
      law_first.push_back(size);
      size += f.num_used();
    }
  }
  law_gradients.resize(size);
  law_values.resize(m.laws.size());
  force_directions.resize(m);
  element_rate_lanes.resize(m.sizes.ne);
  switch_gradients.resize(m.switch_gradient_size);
  if (m.events.empty()) return;
  size = 0;
  for (const auto& f : m.event_formulas) size += f.num_used();
  event_gradients.resize(size);
  jump.dy.resize(m.sizes.ny());
  jump.dset.resize(m.event_formulas.size());
}

ModelWorkspace& cast(dynamics::Workspace& ws) {
  return static_cast<ModelWorkspace&>(ws);
}

void bind_constants(const ModelData& m, ModelWorkspace& w) {
  m.constants.bind(w.p.data(), w.constants.data(), w.scratch.data());
  const Numbers get{w.constants.data()};
  for (int b = 0; b < m.structure.num_bodies; ++b) {
    const auto I = body_inertia<double>(m.bodies[b], m.maps[b], get);
    w.bound.set_inertia(b, I.m, I.c.data(), I.J.data());
  }
  const auto center = [&](int b) {
    const auto c = w.bound.center(b);
    return Vec3<double>{c[0], c[1], c[2]};
  };
  for (std::size_t g = 0; g < m.geometry.size(); ++g) {
    const auto pair = pair_geometry<double>(m, m.geometry[g], get, center);
    Geometry& out = w.bound.geometry[g];
    for (int side = 0; side < 2; ++side) {
      put(pair.rho[side], out.rho[side]);
      for (int i = 0; i < 3; ++i) put(pair.axis[side][i], out.axis[side][i]);
    }
  }
  w.gravity = {0, 0, 0};
  for (const auto& g : m.gravity) {
    for (int i = 0; i < g.count; ++i) {
      w.gravity[g.count == 1 ? 2 : i] += w.constants[g.first_constant + i];
    }
  }
  w.directions_ready = false;
}

void Model::bind(dynamics::Workspace& ws, dynamics::ConstVec p) const {
  ModelWorkspace& w = cast(ws);
  std::copy(p.begin(), p.end(), w.p.begin());
  bind_constants(*data_, w);
}

void Model::bind_directions(dynamics::Workspace& ws, const dynamics::Directions& dp) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  w.dp.resize(m.sizes.np, dp.count());
  std::copy(dp.data(), dp.data() + dp.size(), w.dp.data());
  m.constants.gradients(w.p.data(), w.constant_gradients.data(), w.scratch.data());
  const int nd = m.constants.num_driven(), nb = m.structure.num_bodies;
  const int chunks = dp.chunks();
  for (int chunk = 0; chunk < chunks; ++chunk) {
    Lane* lanes = w.constant_lanes.data() + static_cast<std::size_t>(chunk) * nd;
    for (int i = 0; i < nd; ++i) {
      alignas(64) double lane[math::kLanes];
      m.constants.directions(w.constant_gradients.data(), dp.chunk(chunk), i, lane);
      lanes[i] = math::load(lane);
    }
    const NumbersWithDirections get{w.constants.data(), &m.constants, lanes};
    if (m.any_body_driven) {
      for (int b = 0; b < nb; ++b) {
        if (!m.bodies[b].driven) continue;
        const auto I = body_inertia<Dual>(m.bodies[b], m.maps[b], get);
        InertiaLanes& out = w.inertia_lanes[static_cast<std::size_t>(chunk) * nb + b];
        out.m = I.m.d;
        for (int i = 0; i < 3; ++i) out.c[i] = I.c[i].d;
        for (int e = 0; e < 6; ++e) out.J[e] = I.J[e].d;
      }
    }
    const auto center = [&](int b) {
      const auto c = w.bound.center(b);
      Vec3<Dual> out{c[0], c[1], c[2]};
      if (m.bodies[b].driven) {
        const Lane* dc = w.inertia_lanes[static_cast<std::size_t>(chunk) * nb + b].c;
        out.x.d = dc[0];
        out.y.d = dc[1];
        out.z.d = dc[2];
      }
      return out;
    };
    GeometryLanes* out = w.geometry_lanes.data() + chunk * m.driven_geometry.size();
    for (const int g : m.driven_geometry) {
      const auto pair = pair_geometry<Dual>(m, m.geometry[g], get, center);
      for (int side = 0; side < 2; ++side) {
        put(pair.rho[side], out->rho[side]);
        for (int i = 0; i < 3; ++i) put(pair.axis[side][i], out->axis[side][i]);
      }
      ++out;
    }
  }
}

}  // namespace parfait::mbs
