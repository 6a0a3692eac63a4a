#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "parfait/math/finite.h"
#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/tree/algorithms/levels.h"
#include "parfait/tree/system/model_scene.h"

// Invariants and the way back to them. A step from q is
//
//   delta = -W G^T lambda,   G delta = -g,   q+ = q + N(q) delta, quaternions normalized     (T33)
//
// with W = H^-1 in the mass norm. Its derivative needs d(H delta + G^T lambda) and d(G delta + g),
// which are Newton-Euler and the rows with directions.
namespace parfait::tree {

using dynamics::Directions;
using dynamics::Norm;
using dynamics::ProjectionReport;
using dynamics::Status;
using mechanism::RowKind;

namespace {

template <class S>
void normalize_quaternions(const Tree& tree, S* q) {
  using math::sqrt;
  using std::sqrt;
  for (const int first : tree.quaternions) {
    S* a = q + first;
    const S length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
    for (int k = 0; k < 4; ++k) a[k] = a[k] / length;
  }
}

Vec3<Dual> no_acceleration() {
  return {Dual(0.0), Dual(0.0), Dual(0.0)};
}

/// A row of positions (level 0) or velocities (level 1) minus what it has to be.
double row_defect(const ModelData& m, ModelWorkspace& w, const Scene<double>& scene,
                  const ClosureRow& row, int level) {
  const auto motion = scene.row_motion(row);
  const auto target = row.has_offset() ? row_target(m, w, row) : RowTarget<double>{};
  return level == 0 ? row_position(row.kind, motion) - target.position
                    : row_velocity(row.kind, motion) - target.velocity;
}
Dual row_defect(const ModelData& m, ModelWorkspace& w, const Scene<Dual>& scene,
                const ClosureRow& row, int level) {
  const auto motion = scene.row_motion(row);
  const auto target = row.has_offset() ? dual_row_target(m, w, row) : RowTarget<Dual>{};
  return level == 0 ? row_position(row.kind, motion) - target.position
                    : row_velocity(row.kind, motion) - target.velocity;
}

/// Defects of all rows of a level into gamma, negative; the largest.
double defects(const ModelData& m, ModelWorkspace& w, int level) {
  const Scene<double> scene = scene_of(m, w);
  double largest = 0;
  for (int i = 0; i < m.closures.num_rows(); ++i) {
    const ClosureRow& row = m.closures.rows[i];
    w.closures.gamma[i] = 0;
    if (level == 0 && row.is_velocity) continue;
    const double g = row_defect(m, w, scene, row, level);
    w.closures.gamma[i] = -g;
    if (!(std::abs(g) <= largest)) largest = std::abs(g);  // a NaN stays
  }
  return largest;
}

double moved_squared(const ModelWorkspace& w, const std::vector<double>& lambda) {
  double sum = 0;
  for (std::size_t i = 0; i < lambda.size(); ++i) sum -= lambda[i] * w.closures.gamma[i];
  return std::max(0.0, sum);
}

/// Which coordinates depend where a partition is asked for: the largest pivots of G.
void choose_dependent(const ModelData& m, ModelWorkspace& w, Rows rows) {
  ClosureWork& c = w.closures;
  const int n = m.sizes.nv;
  std::vector<std::vector<double>> M;
  for (int i = 0; i < m.closures.num_rows(); ++i) {
    if (rows == Rows::kPositions && m.closures.rows[i].is_velocity) continue;
    auto& entries = M.emplace_back(n);
    for (int k = 0; k < n; ++k) entries[k] = c.solver.entry(i, k);
  }
  std::fill(c.dependent.begin(), c.dependent.end(), 0);
  std::vector<char> done(M.size(), 0);
  double first = 0;
  for (std::size_t step = 0; step < M.size(); ++step) {
    double best = 0;
    std::size_t row = 0;
    int column = 0;
    for (std::size_t i = 0; i < M.size(); ++i) {
      for (int k = 0; k < n && !done[i]; ++k) {
        if (c.dependent[k] || std::abs(M[i][k]) <= best) continue;
        best = std::abs(M[i][k]);
        row = i;
        column = k;
      }
    }
    first = std::max(first, best);
    if (best <= 1e-8 * first) return;
    done[row] = 1;
    c.dependent[column] = 1;
    for (std::size_t i = 0; i < M.size(); ++i) {
      if (done[i]) continue;
      const double factor = M[i][column] / M[row][column];
      for (int k = 0; k < n; ++k) M[i][k] -= factor * M[row][k];
    }
  }
}

dynamics::ConstVec span_of(const std::vector<double>& x) {
  return x;
}

/// From P.q[0] to the rows of positions; the last iterate is P.q[P.num_q].
Status project_positions(const ModelData& m, ModelWorkspace& w, double tolerance,
                         ProjectionReport& report) {
  auto& P = w.projection;
  const Tree& tree = m.tree();
  const int max_steps = static_cast<int>(P.delta_q.size());
  double before = 0, squared = 0;
  bool reached = false;
  for (P.num_q = 0;; ++P.num_q) {
    const int k = P.num_q;
    update_velocities(tree, P.q[k], w.zero_v, w.point);
    const double largest = defects(m, w, 0);
    report.residual = largest;
    if (!std::isfinite(largest)) return Status::kNotFinite;
    // One step more than the values need: its derivative is the one that counts.
    if (reached || m.closures.num_pos() == 0) break;
    const bool stagnates = k > 4 && largest > 0.5 * before;
    reached = largest <= tolerance || (stagnates && largest <= 100 * tolerance);
    if (k == max_steps || (stagnates && !reached && k > 15)) return Status::kProjectionFailed;
    before = largest;
    compute_rows(m, w);
    if (P.norm == Norm::kPartition && k == 0) choose_dependent(m, w, Rows::kPositions);
    factor_rows(m, w, Rows::kPositions, P.norm);
    std::fill(P.delta_q[k].begin(), P.delta_q[k].end(), 0.0);
    hold_rows(w, w.closures.gamma.data(), P.lambda_q[k].data(), P.delta_q[k].data());
    squared += moved_squared(w, P.lambda_q[k]);
    rates_of_positions(tree, P.q[k].data(), P.delta_q[k].data(), P.q[k + 1].data());
    for (int i = 0; i < tree.nq; ++i) P.q[k + 1][i] += P.q[k][i];
    normalize_quaternions(tree, P.q[k + 1].data());
  }
  report.iterations = P.num_q;
  report.distance_q = std::sqrt(squared);
  return Status::kOk;
}

Status project_velocities(const ModelData& m, ModelWorkspace& w, double tolerance,
                          ProjectionReport& report) {
  auto& P = w.projection;
  const Tree& tree = m.tree();
  const int max_steps = static_cast<int>(P.delta_v.size());
  double squared = 0;
  bool reached = false;
  for (P.num_v = 0;; ++P.num_v) {
    const int k = P.num_v;
    update_velocities(tree, P.q[P.num_q], P.v[k], w.point);
    const double largest = defects(m, w, 1);
    if (!std::isfinite(largest)) return Status::kNotFinite;
    const bool linear = !m.closures.has_quadratic;
    if (reached || (linear && k == 1)) {
      report.residual = std::max(report.residual, largest);
      break;
    }
    reached = largest <= tolerance;
    if (k == max_steps) return Status::kProjectionFailed;
    compute_rows(m, w);
    if (P.norm == Norm::kPartition && k == 0) choose_dependent(m, w, Rows::kAll);
    factor_rows(m, w, Rows::kAll, P.norm);
    std::fill(P.delta_v[k].begin(), P.delta_v[k].end(), 0.0);
    hold_rows(w, w.closures.gamma.data(), P.lambda_v[k].data(), P.delta_v[k].data());
    squared += moved_squared(w, P.lambda_v[k]);
    for (int i = 0; i < tree.nv; ++i) P.v[k + 1][i] = P.v[k][i] + P.delta_v[k][i];
  }
  report.distance_v = std::sqrt(squared);
  return Status::kOk;
}

/// Directions of delta, into w.lanes, for the step of a level at the point where the room is.
/// On entry: nodes of the room are placed; w.dy_lanes holds -dg.
void step_directions(const ModelData& m, ModelWorkspace& w, const std::vector<double>& delta,
                     const std::vector<double>& lambda, int level) {
  const Scene<Dual> scene = dual_scene_of(m, w);
  const int n = m.closures.num_rows();
  Lane* gamma = w.dy_lanes.data();
  clear_wrenches(w.dual_wrenches);
  std::vector<Vec3<Dual>>& speeds = w.closures.speeds;
  for (int i = 0; i < n; ++i) {
    const ClosureRow& row = m.closures.rows[i];
    if (!w.closures.solver.is_kept(i)) continue;
    push_row(scene, row, Dual(lambda[i]), w.dual_wrenches);
    if (row.kind == RowKind::kVVX) {
      speeds[i] = scene.row_motion(row).delta_d;
    }
  }
  // d(G delta): what the rows are for the velocities delta.
  for (int k = 0; k < m.sizes.nv; ++k) w.dual_v[k] = Dual(delta[k]);
  move_room(m, w, w.dual_v.data());
  for (int i = 0; i < n; ++i) {
    const ClosureRow& row = m.closures.rows[i];
    if (!w.closures.solver.is_kept(i)) continue;
    const auto motion = scene.row_motion(row);
    gamma[i] -= (row.kind == RowKind::kVVX && level == 1 ? dot(speeds[i], motion.delta_d)
                                                         : row_velocity(row.kind, motion))
                    .d;
  }
  // d(H delta + G^T lambda) at rest.
  const bool by_mass = w.projection.norm == Norm::kMass;
  for (int k = 0; k < m.sizes.nv; ++k) w.dual_v[k] = Dual(0.0);
  move_room(m, w, w.dual_v.data());
  for (int k = 0; k < m.sizes.nv; ++k) w.room.vdot[k] = Dual(by_mass ? delta[k] : 0.0);
  newton_euler_room(m, w, w.dual_v.data(), w.room.vdot.data(), no_acceleration(),
                    w.dual_wrenches.data());
  for (int k = 0; k < m.sizes.nv; ++k) w.lanes[k] = -w.room.tau[k].d;
  w.closures.solver.apply_metric(w.lanes.data());
  hold_rows(w, gamma, w.row_lanes.data(), w.lanes.data());
}

/// Directions of the defects of a level, negative, into w.dy_lanes.
void defect_directions(const ModelData& m, ModelWorkspace& w, int level) {
  const Scene<Dual> scene = dual_scene_of(m, w);
  for (int i = 0; i < m.closures.num_rows(); ++i) {
    const ClosureRow& row = m.closures.rows[i];
    w.dy_lanes[i] = Lane{};
    if (level == 0 && row.is_velocity) continue;
    w.dy_lanes[i] = -row_defect(m, w, scene, row, level).d;
  }
}

}  // namespace

void evaluate_invariants(const ModelData& m, ModelWorkspace& w, double* pos, double* vel) {
  const Scene<double> scene = scene_of(m, w);
  for (int i = 0; i < m.closures.num_rows(); ++i) {
    const ClosureRow& row = m.closures.rows[i];
    if (!row.is_velocity) *pos++ = row_defect(m, w, scene, row, 0);
    vel[i] = row_defect(m, w, scene, row, 1);
  }
}

void Model::invariants(dynamics::Workspace& ws, double t, dynamics::ConstVec y,
                       dynamics::Vec g) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  int row = 0;
  for (const int first : m.tree().quaternions) {
    double sum = -1;
    for (int k = 0; k < 4; ++k) sum += y[first + k] * y[first + k];
    g[row++] = sum / 2;
  }
  if (m.closures.num_rows() == 0) return;
  dynamics::Point at;
  at.t = t;
  at.y = y;
  w.looked.set(at);
  place_point(m, w, w.looked);
  evaluate_invariants(m, w, g.data() + row, g.data() + m.sizes.num_pos);
}

void Model::invariant_directions(dynamics::Workspace& ws, double t, dynamics::ConstVec y,
                                 const dynamics::PointDirections& d, Directions& dg) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  dynamics::Point at;
  at.t = t;
  at.y = y;
  w.looked.set(at);
  if (m.closures.num_rows() > 0) place_point(m, w, w.looked);
  for (int chunk = 0; chunk < dg.chunks(); ++chunk) {
    seed_chunk(m, w, w.looked, d, chunk);
    const ChunkInRoom bound(w);
    Lane* out = reinterpret_cast<Lane*>(dg.chunk(chunk));
    int next = 0;
    for (const int first : m.tree().quaternions) {
      Lane sum;
      for (int k = 0; k < 4; ++k) sum += y[first + k] * w.room.q[first + k].d;
      out[next++] = sum;
    }
    if (m.closures.num_rows() == 0) continue;
    place_room(m, w);
    move_room(m, w, w.room.v.data());
    const Scene<Dual> scene = dual_scene_of(m, w);
    for (int i = 0; i < m.closures.num_rows(); ++i) {
      const ClosureRow& row = m.closures.rows[i];
      if (!row.is_velocity) out[next++] = row_defect(m, w, scene, row, 0).d;
      out[m.sizes.num_pos + i] = row_defect(m, w, scene, row, 1).d;
    }
  }
}

ProjectionReport Model::project(dynamics::Workspace& ws, double t, dynamics::Vec y, Norm norm,
                                double tolerance) const {
  const ModelData& m = *data_;
  const Tree& tree = m.tree();
  ModelWorkspace& w = cast(ws);
  auto& P = w.projection;
  ProjectionReport report;
  P.t = t;
  P.norm = norm;
  P.num_q = P.num_v = 0;
  std::copy_n(y.begin(), tree.nq, w.buffer_q.begin());
  std::copy_n(w.buffer_q.begin(), tree.nq, P.q[0].begin());
  normalize_quaternions(tree, P.q[0].data());
  double squares = 0;
  for (int i = 0; i < tree.nq; ++i) {
    squares += (P.q[0][i] - w.buffer_q[i]) * (P.q[0][i] - w.buffer_q[i]);
  }
  if (m.closures.num_rows() > 0) {
    std::copy_n(y.begin() + tree.nq, tree.nv, P.v[0].begin());
    std::copy_n(y.begin() + tree.nq + tree.nv, m.sizes.ne, P.rest.begin());
    mechanism::set_point(m.elements, t, P.rest.data(), {}, w.elements);
    w.closures.is_evaluated = false;
    report.status = project_positions(m, w, tolerance, report);
    if (report.status == Status::kOk) {
      report.status = project_velocities(m, w, tolerance, report);
    }
    if (report.status != Status::kOk) return report;
    std::copy_n(P.v[P.num_v].begin(), tree.nv, y.begin() + tree.nq);
  } else {
    report.iterations = tree.quaternions.empty() ? 0 : 1;
  }
  report.distance_q = std::hypot(report.distance_q, std::sqrt(squares));
  std::copy_n(P.q[P.num_q].begin(), tree.nq, y.begin());
  if (!math::all_finite(y)) report.status = Status::kNotFinite;
  return report;
}

Status Model::project_directions(dynamics::Workspace& ws, Directions& dy) const {
  const ModelData& m = *data_;
  const Tree& tree = m.tree();
  ModelWorkspace& w = cast(ws);
  auto& P = w.projection;
  const int nq = tree.nq, nv = tree.nv;
  const bool rows = m.closures.num_rows() > 0;
  const auto lanes = [&](int chunk) { return reinterpret_cast<Lane*>(dy.chunk(chunk)); };
  const auto seed = [&](int chunk) {
    choose_chunk(m, w, chunk);
    mechanism::seed(m.elements, Lane{}, w.chunk->dp.data(), nullptr, w.elements);
    std::copy(w.chunk->all.begin(), w.chunk->all.end(), w.elements.dual_constants.begin());
  };
  for (int chunk = 0; chunk < dy.chunks() && !tree.quaternions.empty(); ++chunk) {
    Lane* d = lanes(chunk);
    for (int i = 0; i < nq; ++i) w.room.q[i] = Dual(w.buffer_q[i], d[i]);
    normalize_quaternions(tree, w.room.q.data());
    for (int i = 0; i < nq; ++i) d[i] = w.room.q[i].d;
  }
  if (!rows) return Status::kOk;
  mechanism::set_point(m.elements, P.t, P.rest.data(), {}, w.elements);
  w.closures.is_evaluated = false;
  for (int k = 0; k < P.num_q; ++k) {
    update_velocities(tree, P.q[k], w.zero_v, w.point);
    compute_rows(m, w);
    factor_rows(m, w, Rows::kPositions, P.norm);
    for (int chunk = 0; chunk < dy.chunks(); ++chunk) {
      Lane* d = lanes(chunk);
      seed(chunk);
      const ChunkInRoom bound(w);
      for (int i = 0; i < nq; ++i) w.room.q[i] = Dual(P.q[k][i], d[i]);
      place_room(m, w);
      for (int i = 0; i < nv; ++i) w.dual_v[i] = Dual(0.0);
      move_room(m, w, w.dual_v.data());
      defect_directions(m, w, 0);
      step_directions(m, w, P.delta_q[k], P.lambda_q[k], 0);
      for (int i = 0; i < nv; ++i) w.dual_v[i] = Dual(P.delta_q[k][i], w.lanes[i]);
      rates_of_positions(tree, w.room.q.data(), w.dual_v.data(), w.qdot.data());
      for (int i = 0; i < nq; ++i) w.qdot[i] = w.qdot[i] + w.room.q[i];
      normalize_quaternions(tree, w.qdot.data());
      for (int i = 0; i < nq; ++i) d[i] = w.qdot[i].d;
    }
  }
  for (int k = 0; k < P.num_v; ++k) {
    update_velocities(tree, P.q[P.num_q], P.v[k], w.point);
    compute_rows(m, w);
    factor_rows(m, w, Rows::kAll, P.norm);
    for (int chunk = 0; chunk < dy.chunks(); ++chunk) {
      Lane* d = lanes(chunk);
      seed(chunk);
      const ChunkInRoom bound(w);
      for (int i = 0; i < nq; ++i) w.room.q[i] = Dual(P.q[P.num_q][i], d[i]);
      for (int i = 0; i < nv; ++i) w.room.v[i] = Dual(P.v[k][i], d[nq + i]);
      place_room(m, w);
      move_room(m, w, w.room.v.data());
      defect_directions(m, w, 1);
      step_directions(m, w, P.delta_v[k], P.lambda_v[k], 1);
      for (int i = 0; i < nv; ++i) d[nq + i] += w.lanes[i];
    }
  }
  return Status::kOk;
}

namespace {

constexpr double kTolerance = 1e-11;

/// Brings positions from far away nearer, in short steps whose pivots are chosen anew; what the
/// rows then lack is for project().
void approach(const ModelData& m, ModelWorkspace& w, std::vector<double>& y) {
  const Tree& tree = m.tree();
  std::vector<double> q(y.begin(), y.begin() + tree.nq), next(q.size()), delta(tree.nv);
  for (int step = 0; step < 200; ++step) {
    update_velocities(tree, span_of(q), w.zero_v, w.point);
    if (!(defects(m, w, 0) > 1e-6)) break;
    compute_rows(m, w);
    factor_rows(m, w, Rows::kPositions, Norm::kMass, true);
    std::fill(delta.begin(), delta.end(), 0.0);
    hold_rows(w, w.closures.gamma.data(), w.closures.lambda.data(), delta.data());
    double largest = 0;
    for (const double x : delta) largest = std::max(largest, std::abs(x));
    if (!std::isfinite(largest)) return;
    const double scale = largest > 0.2 ? 0.2 / largest : 1.0;
    for (double& x : delta) x *= scale;
    rates_of_positions(tree, q.data(), delta.data(), next.data());
    for (int i = 0; i < tree.nq; ++i) q[i] += next[i];
    normalize_quaternions(tree, q.data());
  }
  std::copy(q.begin(), q.end(), y.begin());
}

base::Place place_of(const mechanism::Description& d, const std::string& id) {
  if (const auto* joint = mechanism::find_by_id(d.joints, id)) return joint->place;
  if (const auto* constraint = mechanism::find_by_id(d.constraints, id)) return constraint->place;
  return {d.file, 0, 0};
}

[[noreturn]] void report_failure(const Model& model, const mechanism::Description& d,
                                 const std::vector<double>& described) {
  const int num_pos = model.sizes().num_pos, num_vel = model.sizes().num_vel;
  std::vector<double> g(num_pos + num_vel);
  const auto ws = model.make_workspace(0);
  model.invariants(*ws, 0.0, described, g);
  const bool velocity =
      std::all_of(g.begin(), g.begin() + num_pos, [](double x) { return std::abs(x) <= 1e-8; });
  const int first = velocity ? num_pos : 0, count = velocity ? num_vel : num_pos;
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), first);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return std::abs(g[a]) > std::abs(g[b]); });
  std::vector<std::string> worst;
  std::string id;
  for (int i = 0; i < std::min(3, count); ++i) {
    const std::string name = model.invariant_name(order[i]);
    if (id.empty()) id = name.substr(0, name.find('.'));
    worst.push_back(fmt::format("{} is off by {:.3g}", name, std::abs(g[order[i]])));
  }
  throw base::InputError(
      place_of(d, id),
      fmt::format("the model cannot be assembled: no {0} near the given one satisfies all "
                  "constraints. In the given {0} {1}.",
                  velocity ? "velocity" : "position", base::listing(worst)));
}

/// A force along the line of two points has no direction where they coincide.
void check_forces(const ModelData& m, ModelWorkspace& w) {
  auto acting = m.elements.forces.begin();
  for (const auto& force : m.description.forces) {
    const auto& type = mechanism::type_of(force);
    if (!type.is_element()) continue;
    const auto& element = *acting++;
    if (type.measure.empty() || !(element.ends[0].use & mechanism::kForce)) continue;
    const auto at = mechanism::look_at(m.elements, element, TreeSurroundings(m, w), w.elements);
    if (std::isfinite(element.element->quantity(at, 1))) continue;
    throw base::InputError(
        force.place,
        fmt::format("force \"{}\": its ends coincide in the initial position, so that it has no "
                    "direction.",
                    force.id));
  }
}

}  // namespace

void Model::assemble() {
  ModelData& m = *data_;
  const auto ws = make_workspace(0);
  ModelWorkspace& w = cast(*ws);
  std::vector<double>& y = m.start.assembled;
  const auto choose_order = [&] {
    SeenPoint at = w.looked;
    at.y = y;
    place_point(m, w, at);
    compute_rows(m, w);
    factor_rows(m, w, Rows::kAll, Norm::kMass, true);
    m.closures.order = w.closures.solver.order();
  };
  if (m.closures.num_rows() > 0) {
    choose_order();
    auto report = project(*ws, 0.0, y, Norm::kMass, kTolerance);
    if (report.status != Status::kOk) {
      approach(m, w, y);
      std::copy_n(y.begin(), m.sizes.nq, m.start.described.begin());
      choose_order();
      report = project(*ws, 0.0, y, Norm::kMass, kTolerance);
    }
    if (report.status != Status::kOk || report.residual > 1e-7) {
      report_failure(*this, m.description, m.start.described);
    }
    choose_order();
    m.start.report.iterations = report.iterations;
    for (int i = 0; i < m.sizes.nq; ++i) {
      m.start.report.moved = std::max(m.start.report.moved, std::abs(y[i] - m.start.described[i]));
    }
    for (int i = m.sizes.nq; i < m.sizes.nq + m.sizes.nv; ++i) {
      m.start.report.velocity_change =
          std::max(m.start.report.velocity_change, std::abs(y[i] - m.start.described[i]));
    }
  } else {
    normalize_quaternions(m.tree(), y.data());
  }
  SeenPoint at = w.looked;
  at.y = y;
  place_point(m, w, at);
  check_forces(m, w);
}

int Model::degrees_of_freedom() const {
  return data_->sizes.nv - data_->closures.num_rows() + static_cast<int>(redundant_rows().size());
}

std::vector<std::string> Model::redundant_rows() const {
  const auto ws = make_workspace(0);
  std::vector<double> dydt(data_->sizes.ny());
  dynamics::Point at;
  at.y = data_->start.assembled;
  evaluate(*ws, at, dydt, {});
  std::vector<std::string> names;
  for (const int row : partition(*ws).dropped) names.push_back(row_name(row));
  return names;
}

}  // namespace parfait::tree
