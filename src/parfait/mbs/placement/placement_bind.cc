#include <algorithm>

#include "parfait/mbs/data/model_data.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mechanism/elements/constraint_row.h"

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
    const bool ground = end.body == m.kernel.structure.num_bodies;
    S constants[12];
    for (int i = 0; i < 12; ++i) constants[i] = get(end.first_constant + i);
    auto f = marker_frame(end, constants, ground ? nullptr : &m.kernel.maps[end.body]);
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

void bind_constants(const ModelData& m, ModelWorkspace& w) {
  m.constants.bind(w.bound.p.data(), w.bound.constants.data(), w.formula.scratch.data());
  const Numbers get{w.bound.constants.data()};
  w.bound.is_possible = true;
  for (int b = 0; b < m.kernel.structure.num_bodies; ++b) {
    const auto I = body_inertia<double>(m.kernel.bodies[b], m.kernel.maps[b], get);
    if (!(I.m >= 0)) w.bound.is_possible = false;
    w.bound.kernel.set_inertia(b, I.m, I.c.data(), I.J.data());
  }
  const auto center = [&](int b) {
    const auto c = w.bound.kernel.center(b);
    return Vec3<double>{c[0], c[1], c[2]};
  };
  for (std::size_t g = 0; g < m.kernel.geometry.size(); ++g) {
    const auto pair = pair_geometry<double>(m, m.kernel.geometry[g], get, center);
    Geometry& out = w.bound.kernel.geometry[g];
    for (int side = 0; side < 2; ++side) {
      put(pair.rho[side], out.rho[side]);
      for (int i = 0; i < 3; ++i) put(pair.axis[side][i], out.axis[side][i]);
    }
  }
  w.bound.gravity = {0, 0, 0};
  for (const auto& g : m.kernel.gravity) {
    for (int i = 0; i < g.count; ++i) {
      w.bound.gravity[g.count == 1 ? 2 : i] += w.bound.constants[g.first_constant + i];
    }
  }
  w.directions.ready = false;
}

namespace {

/// Differentiates something small along the driven constants it is made of, a chunk at a time.
class ConstantProbe {
 public:
  explicit ConstantProbe(const ModelData& model)
      : m(model), lanes_(static_cast<std::size_t>(m.constants.num_driven()), Lane{}) {}

  const Lane* lanes() const { return lanes_.data(); }

  void clear() { driven_.clear(); }
  void add(int first, int count) {
    for (int i = first; i < first + count; ++i) {
      if (m.constants.driven_index(i) < 0) continue;
      if (std::find(driven_.begin(), driven_.end(), i) == driven_.end()) driven_.push_back(i);
    }
  }
  /// `along()` is the sum of adjoint times direction.
  template <class Along>
  void pull(const Along& along, double* constants) {
    for (std::size_t first = 0; first < driven_.size(); first += math::kLanes) {
      const std::size_t count = std::min<std::size_t>(math::kLanes, driven_.size() - first);
      for (std::size_t i = 0; i < count; ++i) lane(first + i)[static_cast<int>(i)] = 1;
      const Lane sum = along();
      for (std::size_t i = 0; i < count; ++i) {
        constants[driven_[first + i]] += sum[static_cast<int>(i)];
        lane(first + i) = Lane{};
      }
    }
  }

 private:
  Lane& lane(std::size_t i) { return lanes_[m.constants.driven_index(driven_[i])]; }

  const ModelData& m;
  AlignedVector<Lane> lanes_;
  std::vector<int> driven_;
};

}  // namespace

void pull_back_constants(const ModelData& m, const ModelWorkspace& w, double* constants) {
  ConstantProbe probe(m);
  const NumbersWithDirections get{w.bound.constants.data(), &m.constants, probe.lanes()};
  constexpr int kBodyConstants = 20;
  for (int b = 0; b < m.kernel.num_bodies(); ++b) {
    const BodySpec& spec = m.kernel.bodies[b];
    if (!spec.driven) continue;
    probe.clear();
    probe.add(spec.first_constant, kBodyConstants);
    const InertiaAdjoint& a = w.adjoint.inertia[b];
    probe.pull(
        [&] {
          const auto I = body_inertia<Dual>(spec, m.kernel.maps[b], get);
          Lane sum = a.m * I.m.d;
          for (int i = 0; i < 3; ++i) sum += a.c[i] * I.c[i].d;
          for (int e = 0; e < 6; ++e) sum += a.J[e] * I.J[e].d;
          return sum;
        },
        constants);
  }
  const auto center = [&](int b) {
    const auto c = w.bound.kernel.center(b);
    Vec3<Dual> out{c[0], c[1], c[2]};
    if (m.kernel.bodies[b].driven) {
      const auto I = body_inertia<Dual>(m.kernel.bodies[b], m.kernel.maps[b], get);
      out.x.d = I.c[0].d;
      out.y.d = I.c[1].d;
      out.z.d = I.c[2].d;
    }
    return out;
  };
  for (const int g : m.kernel.driven_geometry) {
    const GeometrySpec& spec = m.kernel.geometry[g];
    probe.clear();
    for (int side = 0; side < 2; ++side) {
      if (!spec.used[side]) continue;
      probe.add(spec.end[side].first_constant, 12);
      const int b = spec.end[side].body;
      if (b < m.kernel.num_bodies()) probe.add(m.kernel.bodies[b].first_constant, kBodyConstants);
    }
    const GeometryAdjoint& a = w.adjoint.geometry[g];
    probe.pull(
        [&] {
          const auto pair = pair_geometry<Dual>(m, spec, get, center);
          Lane sum{};
          for (int side = 0; side < 2; ++side) {
            Lane rho[3], axis[3];
            put(pair.rho[side], rho);
            for (int i = 0; i < 3; ++i) {
              sum += a.rho[side][i] * rho[i];
              put(pair.axis[side][i], axis);
              for (int k = 0; k < 3; ++k) sum += a.axis[side][i][k] * axis[k];
            }
          }
          return sum;
        },
        constants);
  }
}

void Model::bind(dynamics::Workspace& ws, dynamics::ConstVec p) const {
  ModelWorkspace& w = cast(ws);
  std::copy(p.begin(), p.end(), w.bound.p.begin());
  bind_constants(*data_, w);
}

void Model::bind_directions(dynamics::Workspace& ws, const dynamics::Directions& dp) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  w.seed.dp.resize(m.sizes.np, dp.count());
  std::copy(dp.data(), dp.data() + dp.size(), w.seed.dp.data());
  m.constants.gradients(w.bound.p.data(), w.bound.gradients.data(), w.formula.scratch.data());
  const int nd = m.constants.num_driven(), nb = m.kernel.structure.num_bodies;
  const int chunks = dp.chunks();
  for (int chunk = 0; chunk < chunks; ++chunk) {
    Lane* lanes = w.seed.constant_lanes.data() + static_cast<std::size_t>(chunk) * nd;
    for (int i = 0; i < nd; ++i) {
      alignas(64) double lane[math::kLanes];
      m.constants.directions(w.bound.gradients.data(), dp.chunk(chunk), i, lane);
      lanes[i] = math::load(lane);
    }
    const NumbersWithDirections get{w.bound.constants.data(), &m.constants, lanes};
    if (m.kernel.any_body_driven) {
      for (int b = 0; b < nb; ++b) {
        if (!m.kernel.bodies[b].driven) continue;
        const auto I = body_inertia<Dual>(m.kernel.bodies[b], m.kernel.maps[b], get);
        InertiaLanes& out = w.seed.inertia_lanes[static_cast<std::size_t>(chunk) * nb + b];
        out.m = I.m.d;
        for (int i = 0; i < 3; ++i) out.c[i] = I.c[i].d;
        for (int e = 0; e < 6; ++e) out.J[e] = I.J[e].d;
      }
    }
    const auto center = [&](int b) {
      const auto c = w.bound.kernel.center(b);
      Vec3<Dual> out{c[0], c[1], c[2]};
      if (m.kernel.bodies[b].driven) {
        const Lane* dc = w.seed.inertia_lanes[static_cast<std::size_t>(chunk) * nb + b].c;
        out.x.d = dc[0];
        out.y.d = dc[1];
        out.z.d = dc[2];
      }
      return out;
    };
    GeometryLanes* out = w.seed.geometry_lanes.data() + chunk * m.kernel.driven_geometry.size();
    for (const int g : m.kernel.driven_geometry) {
      const auto pair = pair_geometry<Dual>(m, m.kernel.geometry[g], get, center);
      for (int side = 0; side < 2; ++side) {
        put(pair.rho[side], out->rho[side]);
        for (int i = 0; i < 3; ++i) put(pair.axis[side][i], out->axis[side][i]);
      }
      ++out;
    }
  }
}

}  // namespace parfait::mbs
