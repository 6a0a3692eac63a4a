#include <algorithm>

#include "parfait/math/symmetric.h"
#include "parfait/mbs/adjoint/pull_back.h"
#include "parfait/mbs/adjoint/transposed_solve.h"
#include "parfait/mbs/second_order/second_order.h"

// Parameters in f - G^T lambda, g, e' and M a: Phi = w . (f - G^T lambda) + mu . g + epsilon . e'
// is the sum of rows and elements that the adjoint of the right-hand side has
// (docs/theory/adjoint.md, V5, V6), on the level of positions and with w as it is given.
namespace parfait::mbs {
namespace {

struct CanonicalVector {
  V4 o, X[3];
};

CanonicalVector canonical(const CoordinateMap& map, const double* user) {
  double x[12];
  map.to_canonical(user, x);
  const auto at = [&](int i) { return V4{x[3 * i], x[3 * i + 1], x[3 * i + 2], 0}; };
  return {at(0), {at(1), at(2), at(3)}};
}

/// The force on the origin in forces on the user's coordinates: canonical = u A, so f = A f_c.
V4 force_on_origin(const CoordinateMap& map, const double* user) {
  V4 sum{};
  for (int i = 0; i < 4; ++i) {
    sum += V4{user[3 * i], user[3 * i + 1], user[3 * i + 2], 0} * splat(map.B[0][i]);
  }
  return sum;
}

}  // namespace

void pull_back_mass(const ModelData& m, ModelWorkspace& w, const double* a, const double* seed) {
  if (!m.kernel.any_body_driven) return;
  size_adjoints(m, w);
  for (int b = 0; b < m.kernel.num_bodies(); ++b) {
    if (!m.kernel.bodies[b].driven) continue;
    const CanonicalVector s = canonical(m.kernel.maps[b], seed + 12 * b);
    const CanonicalVector x = canonical(m.kernel.maps[b], a + 12 * b);
    const auto c = w.bound.kernel.center(b);
    const double mass = w.bound.kernel.mass(b);
    const V4 s_c = s.o + combine(s.X, c.data()), x_c = x.o + combine(x.X, c.data());
    InertiaAdjoint& out = w.adjoint.inertia[b];
    out.m += dot3(s_c, x_c);
    for (int i = 0; i < 3; ++i) out.c[i] += mass * (dot3(s.X[i], x_c) + dot3(s_c, x.X[i]));
    for (int e = 0; e < 6; ++e) {
      const auto [i, j] = kPair[e];
      out.J[e] += dot3(s.X[i], x.X[j]);
      if (i != j) out.J[e] += dot3(s.X[j], x.X[i]);
    }
  }
}

void pull_back_second_order(const ModelData& m, ModelWorkspace& w, const double* r, const double* g,
                            const double* edot) {
  const Structure& s = m.kernel.structure;
  size_adjoints(m, w);
  auto& a = w.adjoint;
  begin_pull_back(w);
  for (int b = 0; b < s.num_bodies; ++b) {
    const CanonicalVector moved = canonical(m.kernel.maps[b], r + 12 * b);
    const auto c = w.bound.kernel.center(b);
    const BodyFrame& f = w.k.frames[b];
    BodyAdjoint& body = a.bodies[b];
    body.w = moved.o + combine(moved.X, c.data());
    // X keeps its metric, so it turns: alpha x X = w_X, with orthonormal axes.
    body.alpha = V4{};
    for (int i = 0; i < 3; ++i) body.alpha += 0.5 * cross(f.X[i], moved.X[i]);
  }
  a.bodies[s.num_bodies].w = a.bodies[s.num_bodies].alpha = V4{};
  // Rows of joints: their multipliers, and those of g.
  std::fill(a.lambda.begin(), a.lambda.end(), 0.0);
  std::fill(w.k.multiplier.begin(), w.k.multiplier.end(), 0.0);
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    int row = s.joints[j].first_pos_row;
    for (int i = 0; i < s.joints[j].nrows; ++i) {
      if (s.joints[j].rows[i].is_velocity()) continue;
      a.lambda[8 * j + i] = w.second.lambda[row];
      w.k.multiplier[8 * j + i] = -g[row];
      ++row;
    }
  }
  pull_back_joints(m, w, RowLevel::kPosition, a.lambda.data(), true);
  pull_back_offsets(m, w, RowLevel::kPosition);
  pull_back_forces(m, w, edot);
  pull_back_external(m, w, edot);
  const auto& gravity = w.bound.gravity;
  for (int b = 0; b < s.num_bodies; ++b) {
    const BodyAdjoint& body = a.bodies[b];
    const BodyFrame& f = w.k.frames[b];
    for (int i = 0; i < 3; ++i) a.gravity[i] += w.bound.kernel.mass(b) * body.w[i];
    if (!m.kernel.bodies[b].driven) continue;
    a.inertia[b].m += gravity[0] * body.w[0] + gravity[1] * body.w[1] + gravity[2] * body.w[2];
    // r_c = o + X c, v_c alike; and w_c = w_o + w_X c, along which r_o does work. A row's own level
    // is elsewhere in multipliers of a solve; here positions are given.
    const V4 force = force_on_origin(m.kernel.maps[b], w.second.r.data() + 12 * b);
    for (int i = 0; i < 3; ++i) {
      a.inertia[b].c[i] += dot3(f.X[i], body.rc - body.rows_c) + dot3(f.Xd[i], body.vc) +
                           dot3(cross(body.alpha, f.X[i]), force);
    }
  }
  // States are multiplied with their matrices elsewhere.
  a.t = 0;
  std::fill(a.e.begin(), a.e.end(), 0.0);
}

}  // namespace parfait::mbs
