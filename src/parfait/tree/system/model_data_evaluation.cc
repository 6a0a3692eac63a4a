#include <algorithm>
#include <cmath>

#include "parfait/math/finite.h"
#include "parfait/tree/algorithms/levels.h"
#include "parfait/tree/system/model_scene.h"

// The right-hand side and its directions.
namespace parfait::tree {

using dynamics::Directions;
using dynamics::Status;

namespace {

dynamics::ConstVec positions(const ModelData& m, const SeenPoint& at) {
  return {at.y.data(), static_cast<std::size_t>(m.sizes.nq)};
}
dynamics::ConstVec velocities(const ModelData& m, const SeenPoint& at) {
  return {at.y.data() + m.sizes.nq, static_cast<std::size_t>(m.sizes.nv)};
}

/// Forces along the velocities that come from outside.
dynamics::ConstVec inputs(const ModelWorkspace& w, const SeenPoint& at) {
  return at.has_inputs ? at.u : w.zero_v;
}

/// H vdot = u - c - G^T lambda, G vdot = gamma. (T31)
void solve_with_rows(const ModelData& m, ModelWorkspace& w, const dynamics::Offset& offset) {
  SeenPoint& at = w.evaluated;
  inverse_dynamics(m.tree(), positions(m, at), velocities(m, at), w.zero_v, w.wrenches, w.point,
                   w.tau);
  compute_rows(m, w);
  factor_rows(m, w, Rows::kAll, dynamics::Norm::kMass);
  for (int i = 0; i < m.closures.num_rows(); ++i) {
    const ClosureRow& row = m.closures.rows[i];
    double& gamma = w.closures.gamma[i];
    gamma = row_target(m, w, row).acceleration - row_acceleration(row.kind, w.closures.motions[i]);
    if (!offset.ddphi.empty()) gamma += offset.ddphi[i];
  }
  const auto u = inputs(w, at);
  for (int k = 0; k < m.sizes.nv; ++k) at.vdot[k] = u[k] - w.tau[k];
  w.closures.solver.apply_metric(at.vdot.data());
  hold_rows(w, w.closures.gamma.data(), at.lambda.data(), at.vdot.data());
  w.closures.is_evaluated = true;
}

}  // namespace

Status Model::evaluate(dynamics::Workspace& ws, const dynamics::Point& at, dynamics::Vec dydt,
                       dynamics::Vec /*residual*/) const {
  const ModelData& m = *data_;
  const Tree& tree = m.tree();
  ModelWorkspace& w = cast(ws);
  if (!w.is_possible) return Status::kImpossible;
  SeenPoint& here = w.evaluated;
  here.set(at);
  place_point(m, w, here);
  const bool acts = !m.elements.forces.empty();
  if (acts) push_elements(m, w);
  position_rates(tree, positions(m, here), velocities(m, here), dydt.first(tree.nq));
  if (m.closures.num_rows() > 0) {
    if (!acts) clear_wrenches(w.wrenches);
    solve_with_rows(m, w, at.offset);
  } else {
    forward_dynamics(tree, positions(m, here), velocities(m, here), inputs(w, here),
                     acts ? Wrenches(w.wrenches) : Wrenches(), w.point, here.vdot);
  }
  std::copy(here.vdot.begin(), here.vdot.end(), dydt.begin() + tree.nq);
  if (m.sizes.ne > 0) {
    mechanism::state_rates(m.elements, TreeSurroundings(m, w), w.elements);
    std::copy(w.elements.rates.begin(), w.elements.rates.end(), dydt.begin() + tree.nq + tree.nv);
  }
  return math::all_finite(dydt) ? Status::kOk : Status::kNotFinite;
}

void prepare_acceleration_directions(const ModelData& m, ModelWorkspace& w) {
  place_point(m, w, w.evaluated);
  if (m.closures.num_rows() == 0) {
    use_metric(m, w, dynamics::Norm::kMass);
  } else if (!w.closures.is_evaluated) {
    compute_rows(m, w);
    factor_rows(m, w, Rows::kAll, dynamics::Norm::kMass);
    w.closures.is_evaluated = true;
  }
  mechanism::prepare_laws(m.elements, TreeSurroundings(m, w), w.elements);
}

void acceleration_directions(const ModelData& m, ModelWorkspace& w, const Lane* dddphi) {
  const SeenPoint& at = w.evaluated;
  push_elements_with_directions(m, w);
  const Scene<Dual> scene = dual_scene_of(m, w);
  for (int i = 0; i < m.closures.num_rows(); ++i) {
    if (at.lambda[i] != 0) {
      push_row(scene, m.closures.rows[i], Dual(at.lambda[i]), w.dual_wrenches);
    }
  }
  for (int k = 0; k < m.sizes.nv; ++k) w.room.vdot[k] = Dual(at.vdot[k]);
  newton_euler_room(m, w, w.room.v.data(), w.room.vdot.data(), -w.room.bound.gravity,
                    w.dual_wrenches.data());
  // H da + G^T dlambda = du - d(H a + c + G^T lambda),   G da = -d(G a - gamma)              (T32)
  for (int k = 0; k < m.sizes.nv; ++k) w.lanes[k] = -w.room.tau[k].d;
  if (w.du) {
    for (int k = 0; k < m.sizes.nv; ++k) w.lanes[k] += w.du[k];
  }
  w.closures.solver.apply_metric(w.lanes.data());
  if (m.closures.num_rows() == 0) return;
  Lane* gamma = w.dy_lanes.data();
  for (int i = 0; i < m.closures.num_rows(); ++i) {
    const ClosureRow& row = m.closures.rows[i];
    const auto motion = scene.row_motion(row);
    gamma[i] = dual_row_target(m, w, row).acceleration.d - row_acceleration(row.kind, motion).d;
    if (dddphi) gamma[i] += dddphi[i];
  }
  hold_rows(w, gamma, w.row_lanes.data(), w.lanes.data());
}

void Model::directions(dynamics::Workspace& ws, const dynamics::PointDirections& d,
                       Directions& ddydt, Directions* /*dresidual*/) const {
  const ModelData& m = *data_;
  const Tree& tree = m.tree();
  ModelWorkspace& w = cast(ws);
  prepare_acceleration_directions(m, w);
  const TreeSurroundings around(m, w);
  mechanism::prepare_states(m.elements, around, w.elements);
  for (int chunk = 0; chunk < ddydt.chunks(); ++chunk) {
    seed_chunk(m, w, w.evaluated, d, chunk);
    const ChunkInRoom bound(w);
    rates_of_positions(tree, w.room.q.data(), w.room.v.data(), w.qdot.data());
    place_room(m, w);
    move_room(m, w, w.room.v.data());
    const Lane* dphi = d.dphi ? reinterpret_cast<const Lane*>(d.dphi->chunk(chunk)) +
                                    m.sizes.num_pos + m.sizes.num_vel
                              : nullptr;
    acceleration_directions(m, w, dphi);
    double* out = ddydt.chunk(chunk);
    for (int i = 0; i < tree.nq; ++i) math::store(out + i * math::kLanes, w.qdot[i].d);
    for (int i = 0; i < tree.nv; ++i) {
      math::store(out + (tree.nq + i) * math::kLanes, w.lanes[i]);
    }
    if (m.sizes.ne == 0) continue;
    mechanism::state_rate_directions(m.elements, around, w.elements,
                                     reinterpret_cast<Lane*>(out) + tree.nq + tree.nv);
  }
}

Model::Partition Model::partition(dynamics::Workspace& ws) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  Partition out;
  if (m.closures.num_rows() == 0) return out;
  prepare_acceleration_directions(m, w);
  inverse_dynamics(m.tree(), positions(m, w.evaluated), velocities(m, w.evaluated),
                   w.evaluated.vdot, {}, w.point, w.tau);
  const Scene<double> scene = scene_of(m, w);
  out.smallest_kept_pivot = w.closures.solver.smallest_kept();
  for (int i = 0; i < m.closures.num_rows(); ++i) {
    if (w.closures.solver.is_kept(i)) continue;
    out.dropped.push_back(i);
    const ClosureRow& row = m.closures.rows[i];
    const auto motion = scene.row_motion(row);
    const double residual =
        std::abs(row_acceleration(row.kind, motion) - row_target(m, w, row).acceleration);
    if (!(residual <= out.largest_residual)) {  // a NaN stays
      out.largest_residual = residual;
      out.worst_row = i;
    }
  }
  return out;
}

}  // namespace parfait::tree
