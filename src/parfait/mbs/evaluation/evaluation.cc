#include <algorithm>
#include <cmath>

#include "parfait/mbs/data/model_data.h"
#include "parfait/mbs/evaluation/evaluation.h"
#include "parfait/mbs/evaluation/external_states.h"
#include "parfait/mbs/forces/force_stage.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mbs/solver/body_step.h"
#include "parfait/mbs/solver/joint_step.h"
#include "parfait/mbs/solver/released.h"
#include "parfait/mechanism/elements/constraint_row.h"

// The right-hand side: evaluate, factor, solve.
namespace parfait::mbs {

using dynamics::Status;

namespace {

/// Copies the n velocities (12 per body) and says whether the accelerations and further rates
/// behind the copy are finite: x * 0 is 0 for finite x only, and any infinity or NaN survives in
/// the sums.
bool copy_and_check(const double* v, int n, int num_rates, double* dydt) {
  V4 sum[3] = {};
  for (int i = 0; i < n; i += 12) {
    for (int j = 0; j < 3; ++j) {
      store4(dydt + i + 4 * j, load4(v + i + 4 * j));
      sum[j] += load4(dydt + n + i + 4 * j) * 0.0;
    }
  }
  double rest = 0;
  for (int i = 0; i < num_rates; ++i) rest += dydt[2 * n + i] * 0.0;
  const V4 all = sum[0] + sum[1] + sum[2];
  return all[0] + all[1] + all[2] + all[3] + rest == 0;
}

/// phi'' added to the acceleration right-hand sides of bodies and joints.
void add_user_offset(const ModelData& m, ModelWorkspace& w, const dynamics::Offset& offset) {
  const auto& s = m.kernel.structure;
  w.k.metric_offset.clear();
  if (offset.ddphi.empty()) return;
  w.k.has_offset = true;
  w.k.metric_offset.assign(6 * s.num_bodies, 0.0);
  for (int b = 0; b < s.num_bodies; ++b) {
    std::array<double, 6> P{};
    for (int e = 0; e < 6; ++e) {
      const int row = s.body_row[b][e];
      if (row >= 0) P[e] = (e < 3 ? 1.0 : 0.5) * offset.ddphi[row];
    }
    if (!m.kernel.maps[b].is_orthonormal) P = congruent(m.kernel.maps[b].S_inverse, P);
    std::copy(P.begin(), P.end(), w.k.metric_offset.begin() + 6 * b);
  }
  const int first = s.num_vel - s.num_rows;
  for (int i = 0; i < s.num_rows; ++i) w.k.offset_acc[i] += offset.ddphi[first + i];
}

}  // namespace

/// State, offsets and forces into the joint matrix and its right-hand side.
void Model::stage_evaluate(dynamics::Workspace& ws, const dynamics::Point& at) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  const Structure& s = m.kernel.structure;
  const KernelConstants& c = w.bound.kernel;
  const auto& g = w.bound.gravity;
  const bool released = !s.released.empty();
  // y, mode -> state
  w.state.t = at.t;
  load_state(m, w, at.y.data());
  set_mode(at.mode, w.state);
  // t, parameters -> right-hand sides of driven rows
  evaluate_offsets(m.offset, w.bound, w.state, w.formula, w.offset, w.k);
  add_user_offset(m, w, at.offset);
  // state -> frames, and accelerations of bodies that fall freely
  drop_bodies(s, c, w.state.q_now, w.state.v_now, V4{g[0], g[1], g[2], 0}, m.kernel.needs_centers,
              w.k);
  // frames -> wrenches of force elements and rates of their states -> accelerations
  apply_forces(m, w);
  for (int b : m.force.bodies) push_body(c, b, w.k);
  if (released) free_released(s, c, w.k);
  // frames, accelerations -> whitened rows of the joints and their residuals -> joint matrix
  step_joints(s, c, w.k);
  if (released) released_rows(s, c, w.k);
  assemble_joints(s, w.k);
}

/// Joint matrix into its factors, redundant rows dropped.
void Model::stage_factor(dynamics::Workspace& ws) const {
  ModelWorkspace& w = cast(ws);
  factor_partitioned(data_->kernel.structure, data_->start.redundant, w.bound.rank_tolerance, w.k,
                     Level::kVelocity);
}

/// Factors and residuals into multipliers, and these into accelerations.
void Model::stage_solve(dynamics::Workspace& ws, dynamics::Vec dydt) const {
  const KernelData& kernel = data_->kernel;
  ModelWorkspace& w = cast(ws);
  const int nq = data_->sizes.nq;
  solve_joints(kernel.structure, w.k);
  double* a = kernel.canonical ? dydt.data() + nq : w.solution.a.data();
  if (!kernel.structure.released.empty()) finish_released(kernel.structure, w.k);
  finish_bodies(kernel.structure, w.bound.kernel, w.k, a);
  if (!kernel.canonical) store_coordinates(kernel, w.solution.a.data(), dydt.data() + nq);
}

Status Model::evaluate(dynamics::Workspace& ws, const dynamics::Point& at, dynamics::Vec dydt,
                       dynamics::Vec /*residual*/) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  if (!w.bound.is_possible) return Status::kImpossible;
  stage_evaluate(ws, at);
  stage_factor(ws);
  stage_solve(ws, dydt);
  const int nq = m.sizes.nq;
  external_rates(m, w);
  std::copy(w.external.rates.begin(), w.external.rates.end(), dydt.begin() + 2 * nq);
  return copy_and_check(at.y.data() + nq, nq, m.sizes.ne, dydt.data()) ? Status::kOk
                                                                       : Status::kNotFinite;
}

}  // namespace parfait::mbs
