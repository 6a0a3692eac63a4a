#include "parfait/mbs/projection/projection.h"

#include <algorithm>
#include <cmath>

#include "parfait/math/symmetric.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mbs/projection/invariants.h"
#include "parfait/mbs/solver/body_step.h"
#include "parfait/mbs/solver/joint_step.h"
#include "parfait/mbs/solver/released.h"

namespace parfait::mbs {
namespace {

using dynamics::Norm;
using dynamics::ProjectionReport;
using dynamics::Status;

constexpr int kMaxIterations = 60;

/// Force M (x0 - x) on every body, as a wrench (and as axis forces on released bodies).
void pull_back(const Structure& s, const KernelConstants& constants, const double* x0,
               const double* x, KernelState& state) {
  for (int b = 0; b < s.num_bodies; ++b) {
    const auto c = constants.center(b);
    const double* p0 = x0 + 12 * b;
    const double* p = x + 12 * b;
    V4 d[3] = {}, center{};
    for (int k = 0; k < 3; ++k) {
      center[k] = p0[k] - p[k];
      for (int i = 0; i < 3; ++i) {
        d[i][k] = p0[3 + 3 * i + k] - p[3 + 3 * i + k];
        center[k] += d[i][k] * c[i];
      }
    }
    state.force[b] = center * splat(constants.mass(b));
    V4 torque{};
    const int released = s.released_index[b];
    for (int j = 0; j < 3; ++j) {
      const V4 dJ = d[0] * constants.J(b, kEntry[0][j]) + d[1] * constants.J(b, kEntry[1][j]) +
                    d[2] * constants.J(b, kEntry[2][j]);
      torque += cross(state.frames[b].X[j], dJ);
      if (released >= 0) state.axis_force[released][j] = dJ;
    }
    state.torque[b] = torque;
  }
}

/// S that removes the defect of X^T X = I, or of its rate.
void metric_defect(const KernelState& state, int num_bodies, Level level,
                   std::vector<double>& metric) {
  for (int b = 0; b < num_bodies; ++b) {
    const BodyFrame& f = state.frames[b];
    for (int e = 0; e < 6; ++e) {
      const auto [i, j] = kPair[e];
      metric[6 * b + e] = level == Level::kPosition
                              ? -0.5 * (dot3(f.X[i], f.X[j]) - (i == j ? 1.0 : 0.0))
                              : -0.5 * (dot3(f.X[i], f.Xd[j]) + dot3(f.X[j], f.Xd[i]));
    }
  }
}

/// multiplier = G d_free + g for every joint row; rows of the other kind are switched off.
void linear_residuals(const Structure& s, const KernelConstants& constants, Level level,
                      const double* g, KernelState& state) {
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    const JointShape& shape = s.joints[j];
    const Geometry& geometry = constants.geometry[j];
    int pos_row = shape.first_pos_row;
    for (int i = 0; i < shape.nrows; ++i) {
      const RowShape& row = shape.rows[i];
      double& out = state.multiplier[8 * j + i];
      if (level == Level::kPosition && row.is_velocity()) {
        out = 0;
        JointRows& r = state.rows[j];
        for (int c = 0; c < 3; ++c) r.N[c][i] = r.E[0][c][i] = r.E[1][c][i] = 0;
        if (!s.released.empty()) {
          for (int c = 0; c < 12; ++c) state.released_columns[j][8 * c + i] = 0;
        }
        continue;
      }
      const auto motion = row_motion(shape, geometry, state.frames.data(), row);
      const auto grad = row_gradient(row.kind, motion);
      const double defect = level == Level::kPosition
                                ? g[pos_row++]
                                : g[s.num_vel - s.num_rows + shape.first_row + i];
      out = dot(grad.n, motion.delta_dd) + dot(grad.e_a, motion.a_dd) + dot(grad.e_b, motion.b_dd) +
            defect;
    }
  }
}

/// What one step of the projection did.
struct Step {
  double change = 0;      ///< largest, of a coordinate or rate
  bool singular = false;  ///< rows were dropped that are not implied
  double rank_tolerance = 0;
};

/// How much of a step far from the constraints is taken: the linear model of an axis, of length 1,
/// is good for less than a radian.
double part_of_step(const std::vector<double>& step, int num_bodies) {
  constexpr double kLongest = 0.4;
  double turn = 0;
  for (int b = 0; b < num_bodies; ++b) {
    for (int i = 3; i < 12; ++i) turn = std::max(turn, std::abs(step[12 * b + i]));
  }
  return turn > kLongest ? kLongest / turn : 1.0;
}

/// One step of the projection: x += d with the block solver.
Step step(const ModelData& m, ModelWorkspace& w, Level level, const double* g, const double* x0,
          double* x, double defect, bool damped = false) {
  const auto& s = m.kernel.structure;
  pull_back(s, w.bound.kernel, x0, x, w.k);
  metric_defect(w.k, s.num_bodies, level, w.projection.metric);
  impose_metric(s, w.projection.metric.data(), w.k);
  free_bodies(s, w.bound.kernel, w.k);
  if (!s.released.empty()) free_released(s, w.bound.kernel, w.k);
  step_joints(s, w.bound.kernel, w.k);
  if (!s.released.empty()) released_rows(s, w.bound.kernel, w.k);
  linear_residuals(s, w.bound.kernel, level, g, w.k);
  assemble_joints(s, w.k);
  // Far away, redundant rows do not look redundant: the rank tolerance follows |g|. (T4)
  Step done;
  if (level == Level::kPosition && defect > w.bound.rank_tolerance) {
    factor(s.plan, std::min(defect, std::max(w.bound.rank_tolerance, 1e-2)), w.k.factors);
  } else {
    done.rank_tolerance = factor_partitioned(m.kernel.structure, m.start.redundant,
                                             w.bound.rank_tolerance, w.k, level);
    done.singular = w.k.factors.num_dropped > m.start.redundant.of(level);
  }
  solve_joints(s, w.k);
  if (!s.released.empty()) finish_released(s, w.k);
  finish_bodies(s, w.bound.kernel, w.k, w.solution.a.data());
  const double part = damped ? part_of_step(w.solution.a, s.num_bodies) : 1.0;
  for (int i = 0; i < m.sizes.nq; ++i) {
    x[i] += part * w.solution.a[i];
    done.change = std::max(done.change, std::abs(part * w.solution.a[i]));
  }
  auto& kept = w.projection.multiplier[level == Level::kPosition ? 0 : 1];
  std::copy(w.k.multiplier.begin(), w.k.multiplier.end(), kept.begin());
  return done;
}

double largest(const double* x, int n) {
  double out = 0;
  for (int i = 0; i < n; ++i) {
    if (!(std::abs(x[i]) <= out)) out = std::abs(x[i]);  // a NaN stays
  }
  return out < HUGE_VAL ? out : HUGE_VAL;
}

/// sqrt(x^T M x) of the difference of two states.
double mass_distance(const KernelConstants& constants, int num_bodies, const double* x0,
                     const double* x) {
  double sum = 0;
  for (int b = 0; b < num_bodies; ++b) {
    const auto c = constants.center(b);
    for (int k = 0; k < 3; ++k) {
      double center = x[12 * b + k] - x0[12 * b + k];
      double d[3];
      for (int i = 0; i < 3; ++i) {
        d[i] = x[12 * b + 3 + 3 * i + k] - x0[12 * b + 3 + 3 * i + k];
        center += d[i] * c[i];
      }
      sum += constants.mass(b) * center * center;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) sum += constants.J(b, kEntry[i][j]) * d[i] * d[j];
      }
    }
  }
  return std::sqrt(std::max(sum, 0.0));
}

}  // namespace

bool approach_positions(const ModelData& m, ModelWorkspace& w, double tolerance) {
  constexpr int kMostSteps = 200;
  auto& P = w.projection;
  double* g_pos = P.g.data();
  w.k.metric_offset.clear();
  for (int i = 0; i < kMostSteps; ++i) {
    place_bodies(m.kernel.structure, w.bound.kernel, P.q.data(), P.v.data(), w.k);
    evaluate_invariants(m.kernel, m.offset, w, g_pos, g_pos + m.sizes.num_pos);
    const double defect = largest(g_pos, m.sizes.num_pos);
    if (defect <= tolerance) return true;
    if (!(defect < HUGE_VAL)) return false;
    step(m, w, Level::kPosition, g_pos, P.q.data(), P.q.data(), defect, true);
  }
  return false;
}

ProjectionTolerance projection_tolerance(const ModelData& m, const double* q, const double* v,
                                         double asked) {
  // Sums of a few products of numbers of this size do not come closer to zero.
  constexpr double kRounding = 1e-14;
  const double length = std::max(1.0, largest(q, m.sizes.nq));
  const double speed = largest(v, m.sizes.nv);
  bool has_squares = false;
  for (const JointShape& shape : m.kernel.structure.joints) {
    for (int i = 0; i < shape.nrows; ++i) has_squares |= shape.rows[i].kind == RowKind::kBBX;
  }
  return {.position = std::max(asked, kRounding * length * (has_squares ? length : 1.0)),
          .velocity = std::max(asked, kRounding * length * speed)};
}

namespace {

/// The two halves of project_mass().
class MassProjection {
 public:
  MassProjection(const ModelData& m, ModelWorkspace& w, double asked)
      : m_(m),
        w_(w),
        g_pos_(w.projection.g.data()),
        g_vel_(g_pos_ + m.sizes.num_pos),
        tolerance_(projection_tolerance(m, w.projection.q0.data(), w.projection.v0.data(), asked)) {
  }

  ProjectionReport run() {
    auto& P = w_.projection;
    Ending ending = positions(tolerance_.position);
    if (ending == Ending::kDone) ending = velocities(m_.kernel.structure.plan.tests_any());
    if (ending == Ending::kImpliedRowsLeft) {
      // A row that others imply is implied at the velocities only up to |g| |v|: positions go on to
      // where rounding ends it.
      ending = positions(0);
      if (ending == Ending::kDone) ending = velocities(false);
    }
    if (ending != Ending::kDone) {
      report_.status = Status::kProjectionFailed;
      report_.residual = defect_;
      return report_;
    }
    report_.distance_q =
        mass_distance(w_.bound.kernel, m_.kernel.num_bodies(), P.q0.data(), P.q.data());
    report_.distance_v =
        mass_distance(w_.bound.kernel, m_.kernel.num_bodies(), P.v0.data(), P.v.data());
    return report_;
  }

 private:
  enum class Ending : std::uint8_t { kDone, kFailed, kImpliedRowsLeft };

  void place() {
    auto& P = w_.projection;
    place_bodies(m_.kernel.structure, w_.bound.kernel, P.q.data(), P.v.data(), w_.k);
    evaluate_invariants(m_.kernel, m_.offset, w_, g_pos_, g_vel_);
  }

  /// At a singular position no correction reaches the row that was dropped: what is left of it
  /// waits until the mechanism has passed, if it is not more than gathers there. (T6)
  bool waits(Level level, double most) const {
    return last_step_.singular && defect_ <= most && kept_rows_hold(level);
  }
  bool kept_rows_hold(Level level) const {
    const bool positions = level == Level::kPosition;
    return largest_kept(m_.kernel.structure, w_.k, level, positions ? g_pos_ : g_vel_) <=
           (positions ? tolerance_.position : tolerance_.velocity);
  }

  /// The defect falls quadratically, but the distance from the nearest point only by a factor that
  /// is the length of the way times the curvature, so each step must be small for the way made,
  /// too. Goes on below the tolerance, to `target` or to where rounding ends it.
  Ending positions(double target) {
    auto& P = w_.projection;
    const double tolerance = tolerance_.position;
    double way = 0;
    defect_ = HUGE_VAL;
    last_step_ = {};
    for (;; ++report_.iterations) {
      place();
      const double last = defect_;
      defect_ = largest(g_pos_, m_.sizes.num_pos);
      const bool settled =
          (defect_ <= target || defect_ > 0.5 * last) && last_step_.change * way <= tolerance;
      if (settled && defect_ <= tolerance) break;
      if (settled && waits(Level::kPosition, 3 * std::pow(last_step_.rank_tolerance, 1.5))) break;
      if (!(defect_ < HUGE_VAL) || report_.iterations >= kMaxIterations) return Ending::kFailed;
      last_step_ = step(m_, w_, Level::kPosition, g_pos_, P.q0.data(), P.q.data(), defect_);
      way += last_step_.change;
    }
    report_.residual = defect_;
    return Ending::kDone;
  }

  /// The first step is exact unless a row is quadratic in the velocities. What no step reaches of
  /// rows that others imply is left to better positions, if asked.
  Ending velocities(bool tells_of_implied_rows) {
    auto& P = w_.projection;
    const double tolerance = tolerance_.velocity;
    const double speed = largest(P.v.data(), m_.sizes.nv);
    double way = 0;
    defect_ = HUGE_VAL;
    last_step_ = {};
    for (int i = 0;; ++i) {
      const double last = defect_;
      defect_ = largest(g_vel_, m_.sizes.num_vel);
      const bool settled =
          !m_.kernel.structure.has_quadratic_rates || last_step_.change * way <= tolerance;
      if (settled && defect_ <= tolerance) break;
      if (waits(Level::kVelocity, 3 * last_step_.rank_tolerance * (1 + speed))) break;
      if (tells_of_implied_rows && settled && i > 1 && defect_ > 0.5 * last &&
          kept_rows_hold(Level::kVelocity)) {
        return Ending::kImpliedRowsLeft;
      }
      if (!(defect_ < HUGE_VAL) || i >= kMaxIterations) return Ending::kFailed;
      last_step_ = step(m_, w_, Level::kVelocity, g_vel_, P.v0.data(), P.v.data(), defect_);
      way += last_step_.change;
      ++report_.iterations;
      place();
    }
    report_.residual = std::max(report_.residual, defect_);
    return Ending::kDone;
  }

  const ModelData& m_;
  ModelWorkspace& w_;
  double* g_pos_;
  double* g_vel_;
  ProjectionTolerance tolerance_;
  ProjectionReport report_;
  double defect_ = HUGE_VAL;
  Step last_step_;
};

}  // namespace

ProjectionReport project_mass(const ModelData& m, ModelWorkspace& w, double asked) {
  w.k.metric_offset.clear();
  for (auto& kept : w.projection.multiplier) std::fill(kept.begin(), kept.end(), 0.0);
  return MassProjection(m, w, asked).run();
}

/// Lengths and speeds of the model: origins, centres of mass, and what an acceleration makes of a
/// length. Axes have the length 1.
void Model::state_sizes(dynamics::Workspace& ws, dynamics::ConstVec y, dynamics::ConstVec dydt,
                        dynamics::Vec sizes) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  std::ranges::fill(sizes, 0.0);
  if (!m.kernel.canonical) return;
  const int nq = m.sizes.nq;
  double length = 0, speed = 0, rate = 0, acceleration = 0, axis_acceleration = 0;
  for (int b = 0; b < m.kernel.structure.num_bodies; ++b) {
    for (int i = 0; i < 12; ++i) {
      const int at = 12 * b + i;
      const bool is_axis = i >= 3;
      if (!is_axis) length = std::max(length, std::abs(y[at]));
      double& v = is_axis ? rate : speed;
      double& a = is_axis ? axis_acceleration : acceleration;
      v = std::max(v, std::abs(y[nq + at]));
      a = std::max(a, std::abs(dydt[nq + at]));
    }
    for (const double c : w.bound.kernel.center(b)) length = std::max(length, std::abs(c));
  }
  speed = std::max(speed, std::sqrt(acceleration * length));
  rate = std::max(rate, std::sqrt(axis_acceleration));
  // Where the origin of a body lies on its hinge, or nothing turns, rounding is all there is of one
  // of the two: both describe one motion, speed = rate length.
  speed = std::max(speed, rate * length);
  if (length > 0) rate = std::max(rate, speed / length);
  for (int i = 0; i < nq; ++i) {
    const bool is_axis = i % 12 >= 3;
    sizes[i] = is_axis ? 1 : length;
    sizes[nq + i] = is_axis ? rate : speed;
  }
}

ProjectionReport Model::project(dynamics::Workspace& ws, double t, dynamics::Vec y, Norm norm,
                                double tolerance) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  w.state.t = w.projection.t = t;
  w.projection.norm = norm;
  load_state(m, w, y.data());
  evaluate_offsets(m.offset, w.bound, w.state, w.formula, w.offset, w.k);
  auto& P = w.projection;
  if (norm != Norm::kMass) {
    const auto report = project_dense(*this, m, w, y, tolerance);
    P.status = report.status;
    return report;
  }
  std::copy(w.state.q_now, w.state.q_now + m.sizes.nq, P.q0.begin());
  std::copy(w.state.v_now, w.state.v_now + m.sizes.nv, P.v0.begin());
  P.q = P.q0;
  P.v = P.v0;
  const auto report = project_mass(m, w, tolerance);
  P.status = report.status;
  if (report.status == Status::kOk) {
    store_coordinates(m.kernel, P.q.data(), y.data());
    store_coordinates(m.kernel, P.v.data(), y.data() + m.sizes.nq);
  }
  return report;
}

Status Model::project_directions(dynamics::Workspace& ws, dynamics::Directions& dy) const {
  ModelWorkspace& w = cast(ws);
  w.state.mode = nullptr;
  if (w.projection.status != Status::kOk) return w.projection.status;
  if (w.projection.norm != Norm::kMass) return project_dense_directions(*this, *data_, w, dy);
  return project_mass_directions(*data_, w, dy);
}

}  // namespace parfait::mbs
