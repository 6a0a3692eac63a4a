#include <algorithm>
#include <cmath>

#include "parfait/mbs/body_step.h"
#include "parfait/mbs/external_states.h"
#include "parfait/mbs/force_stage.h"
#include "parfait/mbs/joint_step.h"
#include "parfait/mbs/model_data.h"
#include "parfait/mbs/released.h"
#include "parfait/mechanism/constraint_row.h"

// The right-hand side: evaluate, factor, solve.
namespace parfait::mbs {

using dynamics::Status;

void store_coordinates(const ModelData& m, const double* canonical, double* user) {
  if (m.canonical) {
    std::copy(canonical, canonical + m.sizes.nq, user);
    return;
  }
  for (int b = 0; b < m.structure.num_bodies; ++b) {
    m.maps[b].from_canonical(canonical + 12 * b, user + 12 * b);
  }
}

void load_state(const ModelData& m, ModelWorkspace& w, const double* y) {
  const int nq = m.sizes.nq;
  if (m.canonical) {
    w.q_now = y;
    w.v_now = y + nq;
  } else {
    for (int b = 0; b < m.structure.num_bodies; ++b) {
      m.maps[b].to_canonical(y + 12 * b, w.q.data() + 12 * b);
      m.maps[b].to_canonical(y + nq + 12 * b, w.v.data() + 12 * b);
    }
    w.q_now = w.q.data();
    w.v_now = w.v.data();
  }
  std::copy(y + 2 * nq, y + 2 * nq + m.sizes.ne, w.e.begin());
  w.mode = nullptr;
  w.frames_final = w.directions_ready = false;
}

void set_mode(const ModelData& m, ModelWorkspace& w, dynamics::Mode mode) {
  if (mode.empty() || m.sizes.num_switches == 0) return;
  std::copy(mode.begin(), mode.end(), w.mode_store.begin());
  w.mode = w.mode_store.data();
}

/// r, r', r'' of every row with an offset, and the user's phi on top.
void evaluate_offsets(const ModelData& m, ModelWorkspace& w, double t) {
  if (w.k.has_offset) std::fill(w.k.offset_acc.begin(), w.k.offset_acc.end(), 0.0);
  w.k.has_offset = !m.offsets.empty();
  for (const auto& offset : m.offsets) {
    expr::Taylor r;
    if (offset.formula >= 0) {
      // Slots of offset formulas: t, parameters. Rates: 1, 0 ... ; second derivatives: 0.
      double* s = w.slots.data();
      const int np = m.sizes.np;
      const auto& rate = w.offset_rates;
      s[0] = t;
      std::copy(w.p.begin(), w.p.end(), s + 1);
      r = m.offset_formulas[offset.formula].taylor2(s, rate.data(), rate.data() + np + 1,
                                                    w.scratch.data(),
                                                    mode_from(w, m.offset_switch[offset.formula]));
    } else {
      r.f = w.constants[offset.constant];
    }
    const auto o = row_offset(offset.kind, r.f, r.df, r.ddf);
    const bool velocity = offset.kind >= RowKind::kV0x;
    w.offset_pos[offset.row] = o.value;
    w.offset_vel[offset.row] = velocity ? o.value : o.rate;
    w.k.offset_acc[offset.row] = velocity ? o.rate : o.acceleration;
  }
}

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
  const auto& s = m.structure;
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
    if (!m.maps[b].is_orthonormal) P = congruent(m.maps[b].S_inverse, P);
    std::copy(P.begin(), P.end(), w.k.metric_offset.begin() + 6 * b);
  }
  const int first = s.num_vel - s.num_rows;
  for (int i = 0; i < s.num_rows; ++i) w.k.offset_acc[i] += offset.ddphi[first + i];
}

}  // namespace

void fill_slots(const ModelData& m, ModelWorkspace& w) {
  w.slots[m.slots.t] = w.t;
  std::copy(w.p.begin(), w.p.end(), w.slots.begin() + m.slots.first_parameter);
  std::copy(w.e.begin(), w.e.end(), w.slots.begin() + m.slots.first_state);
}

void finalize_frames(const ModelData& m, ModelWorkspace& w) {
  if (w.frames_final) return;
  for (int first = 0; first < m.structure.num_bodies; first += 4) {
    const BodyQuad& quad = w.k.quads[first / 4];
    V4 out[4][4];
    for (int i = 0; i < 4; ++i) {
      const V4* from = i < 3 ? quad.Xdd + 3 * i : quad.ac;
      for (int k = 0; k < 3; ++k) out[i][k] = from[k];
      out[i][3] = V4{};
      transpose(out[i][0], out[i][1], out[i][2], out[i][3]);
    }
    for (int b = 0; b < std::min(4, m.structure.num_bodies - first); ++b) {
      BodyFrame& f = w.k.frames[first + b];
      for (int i = 0; i < 3; ++i) f.Xdd[i] = out[i][b];
      f.ac = out[3][b];
    }
  }
  w.frames_final = true;
}

void Model::stage_evaluate(dynamics::Workspace& ws, const dynamics::Point& at) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  w.t = at.t;
  load_state(m, w, at.y.data());
  set_mode(m, w, at.mode);
  evaluate_offsets(m, w, at.t);
  add_user_offset(m, w, at.offset);
  const V4 gravity{w.gravity[0], w.gravity[1], w.gravity[2], 0};
  drop_bodies(m.structure, w.bound, w.q_now, w.v_now, gravity, m.needs_centers, w.k);
  apply_forces(m, w);
  for (int b : m.force_bodies) push_body(w.bound, b, w.k);
  if (!m.structure.released.empty()) free_released(m.structure, w.bound, w.k);
  step_joints(m.structure, w.bound, w.k);
  if (!m.structure.released.empty()) released_rows(m.structure, w.bound, w.k);
  assemble_joints(m.structure, w.k);
}

void Model::stage_factor(dynamics::Workspace& ws) const {
  factor_partitioned(*data_, cast(ws), Level::kVelocity);
}

void Model::stage_solve(dynamics::Workspace& ws, dynamics::Vec dydt) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  const int nq = m.sizes.nq;
  solve_joints(m.structure, w.k);
  double* a = m.canonical ? dydt.data() + nq : w.a.data();
  if (!m.structure.released.empty()) finish_released(m.structure, w.k);
  finish_bodies(m.structure, w.bound, w.k, a);
  if (!m.canonical) store_coordinates(m, w.a.data(), dydt.data() + nq);
}

Status Model::evaluate(dynamics::Workspace& ws, const dynamics::Point& at, dynamics::Vec dydt,
                       dynamics::Vec /*residual*/) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  stage_evaluate(ws, at);
  stage_factor(ws);
  stage_solve(ws, dydt);
  const int nq = m.sizes.nq;
  external_rates(m, w);
  std::copy(w.e_rate.begin(), w.e_rate.end(), dydt.begin() + 2 * nq);
  return copy_and_check(at.y.data() + nq, nq, m.sizes.ne, dydt.data()) ? Status::kOk
                                                                       : Status::kNotFinite;
}

}  // namespace parfait::mbs
