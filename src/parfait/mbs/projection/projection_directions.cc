#include <algorithm>
#include <cmath>

#include "parfait/math/symmetric.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mbs/projection/projection.h"
#include "parfait/mbs/solver/body_step.h"
#include "parfait/mbs/solver/joint_step.h"
#include "parfait/mbs/solver/released.h"
#include "parfait/mbs/solver/row_directions.h"

// Derivative of the projection in the mass norm. On either level the optimality conditions
//
//   M (x - x0) + G^T lambda = 0,   g(x) = 0
//
// are differentiated; the terms with the curvature of g contain the unknown directions and are
// iterated with the factors of [M G^T; G 0], which converges at the rate of the projection itself
// (docs/theory/projection.md, P3-P5).
namespace parfait::mbs {
namespace {

constexpr int kMaxRefinements = 100;
constexpr double kTolerance = 1e-13;

class LevelDirections {
 public:
  LevelDirections(const ModelData& model, ModelWorkspace& workspace, bool velocity)
      : m(model), w(workspace), velocity_(velocity), shift_(w.projection.shift) {}

  /// Factors at the projected point, and x - x0.
  void prepare() {
    const auto& P = w.projection;
    const auto& s = m.kernel.structure;
    place_bodies(s, w.bound.kernel, P.q.data(), P.v.data(), w.k);
    for (auto& F : w.k.axis_force) F = {};
    if (!s.released.empty()) {
      free_bodies_without_forces();
      free_released(s, w.bound.kernel, w.k);
    }
    step_joints(s, w.bound.kernel, w.k);
    if (!s.released.empty()) released_rows(s, w.bound.kernel, w.k);
    if (!velocity_) switch_off_velocity_rows();
    assemble_joints(s, w.k);
    factor_partitioned(m.kernel.structure, m.start.redundant, w.bound.rank_tolerance, w.k,
                       velocity_ ? Level::kVelocity : Level::kPosition);
    const double* x = velocity_ ? P.v.data() : P.q.data();
    const double* x0 = velocity_ ? P.v0.data() : P.q0.data();
    for (int b = 0; b < s.num_bodies; ++b) {
      const auto c = w.bound.kernel.center(b);
      double* out = shift_.data() + 12 * b;
      for (int i = 0; i < 12; ++i) out[i] = x[12 * b + i] - x0[12 * b + i];
      for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) out[k] += out[3 + 3 * i + k] * c[i];  // of the centre of mass
      }
    }
    if (!s.released.empty()) {
      const auto& multiplier = P.multiplier[velocity_];  // step_joints left others
      std::copy(multiplier.begin(), multiplier.end(), w.k.multiplier.begin());
      released_multipliers();
    }
  }

  /// Directions of x from those of x0 (12 lanes per body, canonical), both in w; on the velocity
  /// level D of the positions is in w.d.lanes.
  bool solve(const Lane* dx0, Lane* dx) {
    std::fill_n(dx, 12 * m.kernel.structure.num_bodies, Lane{});
    for (int iteration = 0; iteration < kMaxRefinements; ++iteration) {
      const double change = iterate(dx0, dx);
      if (!std::isfinite(change)) return false;
      if (change <= kTolerance) return true;
    }
    return true;  // the iteration stagnates at rounding: larger than kTolerance only when ill-posed
  }

 private:
  void free_bodies_without_forces() {
    std::fill(w.k.force.begin(), w.k.force.end(), V4{});
    std::fill(w.k.torque.begin(), w.k.torque.end(), V4{});
    free_bodies(m.kernel.structure, w.bound.kernel, w.k);
  }

  void switch_off_velocity_rows() {
    for (std::size_t j = 0; j < m.kernel.structure.joints.size(); ++j) {
      const JointShape& shape = m.kernel.structure.joints[j];
      for (int i = 0; i < shape.nrows; ++i) {
        if (!shape.rows[i].is_velocity()) continue;
        JointRows& r = w.k.rows[j];
        for (int c = 0; c < 3; ++c) r.N[c][i] = r.E[0][c][i] = r.E[1][c][i] = 0;
        if (!m.kernel.structure.released.empty()) {
          for (int c = 0; c < 12; ++c) w.k.released_columns[j][8 * c + i] = 0;
        }
      }
    }
  }

  /// Rigid-body multipliers of released bodies: X Lambda = -(x - x0) J - joints.
  void released_multipliers() {
    for (std::size_t index = 0; index < m.kernel.structure.released.size(); ++index) {
      const int b = m.kernel.structure.released[index].body;
      BodyFrame& f = w.k.frames[b];
      for (int i = 0; i < 3; ++i) {
        const double* a = shift_.data() + 12 * b + 3 + 3 * i;
        f.Xdd[i] = V4{a[0], a[1], a[2], 0};
      }
    }
    prepare_released_directions(m.kernel.structure, w.bound.kernel, w.k, w.d);
  }

  /// The directions that the rows see: of the level being solved, at the last iterate.
  void point_lanes(const Lane* dx) {
    for (int b = 0; b < m.kernel.structure.num_bodies; ++b) {
      BodyLanes& lanes = w.d.lanes[b];
      (velocity_ ? lanes.V : lanes.D) = dx + 12 * b + 3;
      lanes.Xdd = w.directions.acceleration.data() + 12 * b + 3;
      center_lanes(b, dx + 12 * b, velocity_ ? lanes.vc : lanes.rc);
    }
  }

  /// Directions of the centre of mass on the present level.
  void center_lanes(int b, const Lane* dx, Lane* out) const {
    const auto c = w.bound.kernel.center(b);
    const InertiaLanes* seed = w.seed.inertia[b];
    const BodyFrame& f = w.k.frames[b];
    for (int k = 0; k < 3; ++k) {
      out[k] = dx[k] + dx[3 + k] * c[0] + dx[6 + k] * c[1] + dx[9 + k] * c[2];
      if (!seed) continue;
      for (int i = 0; i < 3; ++i) out[k] += (velocity_ ? f.Xd[i][k] : f.X[i][k]) * seed->c[i];
    }
  }

  /// One iteration; returns the largest change of a direction relative to the largest one.
  double iterate(const Lane* dx0, Lane* dx) {
    const auto& s = m.kernel.structure;
    point_lanes(dx);
    for (auto& work : w.d.bodies) {
      for (int k = 0; k < 3; ++k) work.F[k] = work.T[k] = Lane{};
    }
    for (auto& F : w.d.axis_force) F.fill(Lane{});
    for (std::size_t j = 0; j < s.joints.size(); ++j) {
      subtract_wrenches(s, s.joints[j], site(j), w.projection.multiplier[velocity_].data() + 8 * j,
                        w.d);
    }
    for (int b = 0; b < s.num_bodies; ++b) free_body(b, dx0 + 12 * b);
    for (int i = 0; i < static_cast<int>(s.released.size()); ++i) {
      free_released_directions(s, w.bound.kernel, w.k, i, w.seed.inertia[s.released[i].body], w.d);
    }

    // Rows at the free directions.
    std::copy(dx, dx + 12 * s.num_bodies, w.projection.last_lanes.data());
    for (int b = 0; b < s.num_bodies; ++b) compose(b, dx + 12 * b);
    point_lanes(dx);
    for (int b = 0; b < s.num_bodies; ++b) {
      std::copy_n(w.d.lanes[b].ac, 3, velocity_ ? w.d.lanes[b].vc : w.d.lanes[b].rc);
    }
    for (std::size_t j = 0; j < s.joints.size(); ++j) {
      const JointShape& shape = s.joints[j];
      const auto ends = site(j);
      JointMotion joint(ends);
      for (int i = 0; i < shape.nrows; ++i) {
        const RowShape& row = shape.rows[i];
        Lane& out = w.d.multipliers[6 * j + i];
        if (!velocity_ && row.is_velocity()) {
          out = Lane{};
          continue;
        }
        out = velocity_ ? row_velocity(row.kind, joint.velocities(row)).d
                        : row_position(row.kind, joint.positions(row)).d;
      }
    }
    for (const auto& offset : m.offset.specs) {
      if (!velocity_ && offset.kind >= RowKind::kV0x) continue;
      const auto [j, i] = joint_row(offset.row);
      w.d.multipliers[6 * j + i] -= row_offset_directions(m, w, offset, velocity_ ? 1 : 0);
    }
    solve_lanes(s.plan, w.k.factors, w.d.multipliers.data());
    if (!s.released.empty()) finish_released_directions(s, w.k, w.d);
    for (int b = 0; b < s.num_bodies; ++b) finish_body(b, dx + 12 * b);
    return change(dx);
  }

  Site<Dual> site(std::size_t j) const {
    return joint_site(m.kernel.structure.joints[j], w.bound.kernel.geometry[j], w.k, w.d,
                      w.seed.geometry[j]);
  }

  std::pair<int, int> joint_row(int row) const {
    const auto& joints = m.kernel.structure.joints;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (row < joints[j].first_row + joints[j].nrows) {
        return {static_cast<int>(j), row - joints[j].first_row};
      }
    }
    return {0, 0};
  }

  /// F = m dr0 - dm (r - r0) - ..., T likewise; then the free directions Y S + z x X.
  void free_body(int b, const Lane* dx0) {
    BodyWork& work = w.d.bodies[b];
    const BodyFrame& f = w.k.frames[b];
    const InertiaLanes* seed = w.seed.inertia[b];
    const double* shift = shift_.data() + 12 * b;
    const auto c = w.bound.kernel.center(b);
    const double mass = w.bound.kernel.mass(b);
    const double* x0 = (velocity_ ? w.projection.v0.data() : w.projection.q0.data()) + 12 * b;
    BodyLanes& out = w.d.lanes[b];
    const Lane* D = out.D;
    for (int k = 0; k < 3; ++k) {
      Lane center = dx0[k] + dx0[3 + k] * c[0] + dx0[6 + k] * c[1] + dx0[9 + k] * c[2];
      if (seed) {
        for (int i = 0; i < 3; ++i) center += x0[3 + 3 * i + k] * seed->c[i];
        work.F[k] -= seed->m * shift[k];
      }
      work.F[k] += mass * center;
    }
    const int released = m.kernel.structure.released_index[b];
    for (int j = 0; j < 3; ++j) {
      Lane pull[3] = {};           // (dX0 J - (X - X0) dJ)_j
      double bend[3] = {0, 0, 0};  // ((X - X0) J)_j
      for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
          pull[k] += dx0[3 + 3 * i + k] * w.bound.kernel.J(b, kEntry[i][j]);
          bend[k] += shift[3 + 3 * i + k] * w.bound.kernel.J(b, kEntry[i][j]);
          if (seed) pull[k] -= shift[3 + 3 * i + k] * seed->J[kEntry[i][j]];
        }
      }
      const Lane* Dj = D + 3 * j;
      for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3, n = (k + 2) % 3;
        work.T[k] +=
            f.X[j][l] * pull[n] - f.X[j][n] * pull[l] - (Dj[l] * bend[n] - Dj[n] * bend[l]);
      }
      if (released >= 0) {
        // The seed of dJ is subtracted again in free_released_directions, with X - X0 in Xdd.
        for (int k = 0; k < 3; ++k) {
          Lane plain{};
          for (int i = 0; i < 3; ++i)
            plain += dx0[3 + 3 * i + k] * w.bound.kernel.J(b, kEntry[i][j]);
          w.d.axis_force[released][3 * j + k] += plain;
        }
      }
    }
    // The metric: sym(X^T dx) = 0 for positions, sym(X^T dV) = -sym(dX^T X') for velocities.
    Lane S[6] = {};
    if (velocity_) {
      for (int e = 0; e < 6; ++e) {
        const auto [i, j] = kPair[e];
        for (int k = 0; k < 3; ++k) {
          S[e] -= 0.5 * (D[3 * i + k] * f.Xd[j][k] + D[3 * j + k] * f.Xd[i][k]);
        }
      }
    }
    const BodyQuad& quad = w.k.quads[b / 4];
    const int lane = b % 4;
    Lane tau[3] = {work.T[0], work.T[1], work.T[2]};
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) {
        Lane sum{};
        for (int i = 0; i < 3; ++i) sum += quad.Y[3 * i + k][lane] * S[kEntry[i][j]];
        out.Xdd[3 * j + k] = sum;
      }
      for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3, n = (k + 2) % 3;
        tau[k] -= quad.XJ[3 * j + l][lane] * out.Xdd[3 * j + n] -
                  quad.XJ[3 * j + n][lane] * out.Xdd[3 * j + l];
      }
    }
    turn(b, 1, tau, out);
    for (int k = 0; k < 3; ++k) out.ac[k] = work.F[k] * f.Z[6];
  }

  /// Xdd += sign (Theta^-1 tau) x X.
  void turn(int b, double sign, const Lane* tau, BodyLanes& out) const {
    const BodyFrame& f = w.k.frames[b];
    const double* Z = f.Z;
    const Lane h0 = (sign * Z[0]) * tau[0];
    const Lane h1 = (sign * Z[1]) * tau[0] + (sign * Z[2]) * tau[1];
    const Lane h2 = (sign * Z[3]) * tau[0] + (sign * Z[4]) * tau[1] + (sign * Z[5]) * tau[2];
    const Lane z[3] = {Z[0] * h0 + Z[1] * h1 + Z[3] * h2, Z[2] * h1 + Z[4] * h2, Z[5] * h2};
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3, n = (k + 2) % 3;
        out.Xdd[3 * i + k] += z[l] * f.X[i][n] - z[n] * f.X[i][l];
      }
    }
  }

  /// (origin, axes) from the axes and the centre.
  void compose(int b, Lane* dx) const {
    const BodyLanes& from = w.d.lanes[b];
    const BodyFrame& f = w.k.frames[b];
    const auto c = w.bound.kernel.center(b);
    const InertiaLanes* seed = w.seed.inertia[b];
    std::copy_n(from.Xdd, 9, dx + 3);
    for (int k = 0; k < 3; ++k) {
      dx[k] = from.ac[k] - dx[3 + k] * c[0] - dx[6 + k] * c[1] - dx[9 + k] * c[2];
      if (!seed) continue;
      for (int i = 0; i < 3; ++i) dx[k] -= (velocity_ ? f.Xd[i][k] : f.X[i][k]) * seed->c[i];
    }
  }

  void finish_body(int b, Lane* dx) {
    BodyWork joints;
    joint_wrench_directions(m.kernel.structure, w.k, b, w.d, joints);
    BodyLanes& out = w.d.lanes[b];
    turn(b, -1, joints.T, out);
    for (int k = 0; k < 3; ++k) out.ac[k] -= joints.F[k] * w.k.frames[b].Z[6];
    compose(b, dx);
  }

  double change(const Lane* dx) const {
    double size = 0, difference = 0;
    for (int i = 0; i < 12 * m.kernel.structure.num_bodies; ++i) {
      for (int l = 0; l < math::kLanes; ++l) {
        size = std::max(size, std::abs(dx[i][l]));
        difference = std::max(difference, std::abs(dx[i][l] - w.projection.last_lanes[i][l]));
        if (std::isnan(dx[i][l])) return dx[i][l];
      }
    }
    return size > 0 ? difference / size : 0;
  }

  const ModelData& m;
  ModelWorkspace& w;
  bool velocity_;
  std::vector<double>& shift_;
};

void convert(const std::array<std::array<double, 4>, 4>& M, const Lane* in, Lane* out) {
  for (int j = 0; j < 4; ++j) {
    for (int k = 0; k < 3; ++k) {
      Lane sum{};
      for (int i = 0; i < 4; ++i) sum += in[3 * i + k] * M[i][j];
      out[3 * j + k] = sum;
    }
  }
}

}  // namespace

void prepare_projection_level(const ModelData& m, ModelWorkspace& w, bool velocity) {
  LevelDirections(m, w, velocity).prepare();
}

RedundantRows count_redundant_rows(const ModelData& m, ModelWorkspace& w) {
  RedundantRows out;
  LevelDirections(m, w, false).prepare();
  out.positions = w.k.factors.num_dropped;
  LevelDirections(m, w, true).prepare();
  out.all = w.k.factors.num_dropped;
  return out;
}

dynamics::Status project_mass_directions(const ModelData& m, ModelWorkspace& w,
                                         math::Directions& dy) {
  const int nb = m.kernel.structure.num_bodies, nq = m.sizes.nq;
  w.state.t = w.projection.t;
  w.directions.ready = w.solution.frames_final = false;
  dynamics::PointDirections none;
  bool ok = true;
  for (int level = 0; level < 2 && ok; ++level) {
    LevelDirections solver(m, w, level == 1);
    solver.prepare();
    for (int chunk = 0; chunk < dy.chunks(); ++chunk) {
      seed_chunk(m, w, none, chunk);
      Lane* y = reinterpret_cast<Lane*>(dy.chunk(chunk));
      Lane* x0 = w.projection.start_lanes.data();
      Lane* x = w.projection.result_lanes.data();
      const int first = level == 0 ? 0 : nq;
      for (int b = 0; b < nb; ++b) convert(m.kernel.maps[b].A, y + first + 12 * b, x0 + 12 * b);
      if (level == 1) {  // the projected positions' directions, canonical
        for (int b = 0; b < nb; ++b)
          convert(m.kernel.maps[b].A, y + 12 * b, w.projection.position_lanes.data() + 12 * b);
        for (int b = 0; b < nb; ++b) {
          BodyLanes& lanes = w.d.lanes[b];
          const Lane* d = w.projection.position_lanes.data() + 12 * b;
          lanes.D = d + 3;
          const auto c = w.bound.kernel.center(b);
          for (int k = 0; k < 3; ++k) {
            lanes.rc[k] = d[k] + d[3 + k] * c[0] + d[6 + k] * c[1] + d[9 + k] * c[2];
            if (!w.seed.inertia[b]) continue;
            for (int i = 0; i < 3; ++i) {
              lanes.rc[k] += w.k.frames[b].X[i][k] * w.seed.inertia[b]->c[i];
            }
          }
        }
      } else {
        for (int b = 0; b < nb; ++b) {
          w.d.lanes[b].V = w.seed.zero.data();
          for (int k = 0; k < 3; ++k) w.d.lanes[b].vc[k] = Lane{};
        }
      }
      ok = ok && solver.solve(x0, x);
      for (int b = 0; b < nb; ++b) convert(m.kernel.maps[b].B, x + 12 * b, y + first + 12 * b);
    }
  }
  return ok ? dynamics::Status::kOk : dynamics::Status::kNotFinite;
}

}  // namespace parfait::mbs
