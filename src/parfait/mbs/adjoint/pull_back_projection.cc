#include <algorithm>
#include <cmath>

#include "parfait/math/symmetric.h"
#include "parfait/mbs/adjoint/pull_back.h"
#include "parfait/mbs/adjoint/transposed_solve.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mbs/projection/projection.h"

// The projection in the mass norm, transposed (docs/theory/adjoint.md, V7, V8): velocities first,
// then positions, where the curvature of the constraints is iterated with the factors at hand as
// the directions do.
namespace parfait::mbs {
namespace {

const V4* axes_of(const BodyFrame& f) {
  return f.X;
}
const V4* axis_rates_of(const BodyFrame& f) {
  return f.Xd;
}

class LevelAdjoint {
 public:
  LevelAdjoint(const ModelData& model, ModelWorkspace& workspace, bool velocity)
      : m(model), w(workspace), a(workspace.adjoint), velocity_(velocity) {}

  /// From the adjoint `x` of the projected level (the user's coordinates) to that of the level
  /// given; on the velocity level adjoints of the projected positions are added to `q`.
  bool run(double* x, double* q) {
    const Structure& s = m.kernel.structure;
    prepare_projection_level(m, w, velocity_);
    begin_pull_back(w);
    add_seeds(m, w, x, velocity_ ? axis_rates_of : axes_of);
    const auto level = velocity_ ? RowLevel::kVelocity : RowLevel::kPosition;
    const double* const lambda = w.projection.multiplier[velocity_].data();
    solve_transposed(s, nullptr, w.k, a);
    const bool curved = !velocity_ || s.has_quadratic_rates;
    bool ok = true;
    for (int i = 0; curved && i < kMaxRefinements; ++i) {
      const double change = refine(level, lambda);
      ok = std::isfinite(change);
      if (!ok || change <= kTolerance) break;
    }
    clear_frames();
    pull_back_joints(m, w, level, lambda, true);
    pull_back_offsets(m, w, level);
    for (int b = 0; b < s.num_bodies; ++b) finish_body(b, x);
    if (velocity_) add_positions(q);
    return ok;
  }

 private:
  static constexpr int kMaxRefinements = 100;
  static constexpr double kTolerance = 1e-14;

  void clear_frames() {
    for (BodyAdjoint& body : a.bodies) {
      body.rc = body.vc = V4{};
      for (int i = 0; i < 3; ++i) body.X[i] = body.Xd[i] = body.rows_X[i] = V4{};
    }
  }

  /// (x - x0) J, column i.
  V4 bend(int b, int i) const {
    V4 d[3];
    shift(b, d);
    return inertia_column(d, w.bound.kernel, b, i);
  }
  void shift(int b, V4* d) const {
    const double* x = w.projection.shift.data() + 12 * b + 3;
    for (int i = 0; i < 3; ++i) d[i] = V4{x[3 * i], x[3 * i + 1], x[3 * i + 2], 0};
  }

  /// One more solve with the seeds that the last w, alpha leave; the largest change relative to the
  /// largest number.
  double refine(RowLevel level, const double* lambda) {
    const Structure& s = m.kernel.structure;
    const int nb = s.num_bodies;
    clear_frames();
    pull_back_joints(m, w, level, lambda, false);
    last_.resize(static_cast<std::size_t>(nb));
    for (int b = 0; b < nb; ++b) {
      BodyAdjoint& body = a.bodies[b];
      last_[b] = {
          body.w, body.alpha, body.seed_c, {body.seed_X[0], body.seed_X[1], body.seed_X[2]}};
      body.seed_c += velocity_ ? body.vc : body.rc;
      for (int i = 0; i < 3; ++i) {
        body.seed_X[i] += velocity_ ? body.Xd[i] : body.X[i] + cross(body.alpha, bend(b, i));
      }
    }
    solve_transposed(s, nullptr, w.k, a);
    double size = 0, change = 0;
    for (int b = 0; b < nb; ++b) {
      BodyAdjoint& body = a.bodies[b];
      for (int k = 0; k < 3; ++k) {
        size = std::max({size, std::abs(body.w[k]), std::abs(body.alpha[k])});
        change = std::max({change, std::abs(body.w[k] - last_[b].w[k]),
                           std::abs(body.alpha[k] - last_[b].alpha[k])});
        if (std::isnan(body.w[k]) || std::isnan(body.alpha[k])) return NAN;
      }
      // The seeds themselves stay; those of this solve are kept for the metric.
      used_.resize(static_cast<std::size_t>(nb));
      used_[b] = {body.seed_X[0], body.seed_X[1], body.seed_X[2]};
      body.seed_c = last_[b].seed_c;
      for (int i = 0; i < 3; ++i) body.seed_X[i] = last_[b].seed_X[i];
    }
    return size > 0 ? change / size : 0;
  }

  void finish_body(int b, double* x) {
    BodyAdjoint& body = a.bodies[b];
    const BodyFrame& f = w.k.frames[b];
    const auto c = w.bound.kernel.center(b);
    const double mass = w.bound.kernel.mass(b);
    const auto& P = w.projection;
    const double* x0 = (velocity_ ? P.v0.data() : P.q0.data()) + 12 * b;
    V4 moved[3], turned[3];
    shift(b, moved);
    for (int i = 0; i < 3; ++i) turned[i] = cross(body.alpha, f.X[i]);
    if (velocity_) {
      if (!used_.empty()) {
        for (int i = 0; i < 3; ++i) body.seed_X[i] = used_[b][i];
      }
      double L[6];
      metric_multipliers(w, b, L);
      for (int i = 0; i < 3; ++i) {
        body.X[i] += cross(body.alpha, bend(b, i));
        for (int j = 0; j < 3; ++j) body.X[i] -= f.Xd[j] * splat(L[kEntry[i][j]]);
      }
    }
    if (m.kernel.bodies[b].driven) {
      const double* const d = P.shift.data() + 12 * b;
      a.inertia[b].m -= body.w[0] * d[0] + body.w[1] * d[1] + body.w[2] * d[2];
      subtract_inertia(f.X, body.alpha, moved, a.inertia[b].J);
      for (int i = 0; i < 3; ++i) {  // the centre of x0
        for (int k = 0; k < 3; ++k) a.inertia[b].c[i] += mass * body.w[k] * x0[3 + 3 * i + k];
      }
    }
    // Adjoints of x0, canonical = u A.
    double out[12];
    for (int k = 0; k < 3; ++k) out[k] = mass * body.w[k];
    for (int i = 0; i < 3; ++i) {
      const V4 turn = inertia_column(turned, w.bound.kernel, b, i);
      for (int k = 0; k < 3; ++k) out[3 + 3 * i + k] = turn[k] + c[i] * mass * body.w[k];
    }
    put(b, out, x + 12 * b, false);
  }

  /// Adjoints of the projected positions, which the velocities were projected at.
  void add_positions(double* q) {
    for (int b = 0; b < m.kernel.num_bodies(); ++b) {
      BodyAdjoint& body = a.bodies[b];
      const BodyFrame& f = w.k.frames[b];
      const auto c = w.bound.kernel.center(b);
      double out[12];
      for (int k = 0; k < 3; ++k) out[k] = body.rc[k];
      for (int i = 0; i < 3; ++i) {
        const V4 axis = body.X[i] + body.rc * splat(c[i]);
        for (int k = 0; k < 3; ++k) out[3 + 3 * i + k] = axis[k];
        a.inertia[b].c[i] += dot3(f.X[i], body.rc);
      }
      put(b, out, q + 12 * b, true);
    }
  }

  void put(int b, const double* canonical, double* user, bool add) const {
    const CoordinateMap& map = m.kernel.maps[b];
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 3; ++k) {
        double sum = 0;
        for (int j = 0; j < 4; ++j) sum += canonical[3 * j + k] * map.A[i][j];
        user[3 * i + k] = add ? user[3 * i + k] + sum : sum;
      }
    }
  }

  struct Before {
    V4 w, alpha, seed_c, seed_X[3];
  };

  const ModelData& m;
  ModelWorkspace& w;
  AdjointWork& a;
  bool velocity_;
  AlignedVector<Before> last_;
  AlignedVector<std::array<V4, 3>> used_;
};

}  // namespace

dynamics::Status Model::pull_back_projection(dynamics::Workspace& ws, dynamics::Vec y) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  if (w.projection.status != dynamics::Status::kOk) return w.projection.status;
  if (!has_pull_backs() || w.projection.norm != dynamics::Norm::kMass) {
    return System::pull_back_projection(ws, y);
  }
  size_adjoints(m, w);
  w.state.mode = nullptr;
  w.state.t = w.projection.t;
  w.directions.ready = w.solution.frames_final = false;
  double* const q = y.data();
  bool ok = LevelAdjoint(m, w, true).run(q + m.sizes.nq, q);
  ok = LevelAdjoint(m, w, false).run(q, nullptr) && ok;
  w.adjoint.t = 0;  // the time of a projection is fixed
  return ok ? dynamics::Status::kOk : dynamics::Status::kNotFinite;
}

}  // namespace parfait::mbs
