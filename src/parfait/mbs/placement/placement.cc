#include "parfait/mbs/placement/placement.h"

#include <algorithm>

#include "parfait/mechanism/elements/constraint_row.h"

namespace parfait::mbs {

void store_coordinates(const KernelData& kernel, const double* canonical, double* user) {
  if (kernel.canonical) {
    std::copy(canonical, canonical + 12 * kernel.num_bodies(), user);
    return;
  }
  for (int b = 0; b < kernel.num_bodies(); ++b) {
    kernel.maps[b].from_canonical(canonical + 12 * b, user + 12 * b);
  }
}

void load_state(const ModelData& m, ModelWorkspace& w, const double* y) {
  const int nq = m.sizes.nq;
  if (m.kernel.canonical) {
    w.state.q_now = y;
    w.state.v_now = y + nq;
  } else {
    for (int b = 0; b < m.kernel.structure.num_bodies; ++b) {
      m.kernel.maps[b].to_canonical(y + 12 * b, w.state.q.data() + 12 * b);
      m.kernel.maps[b].to_canonical(y + nq + 12 * b, w.state.v.data() + 12 * b);
    }
    w.state.q_now = w.state.q.data();
    w.state.v_now = w.state.v.data();
  }
  std::copy(y + 2 * nq, y + 2 * nq + m.sizes.ne, w.state.e.begin());
  w.state.mode = nullptr;
  w.solution.frames_final = w.directions.ready = false;
}

void set_mode(dynamics::Mode mode, StateWork& state) {
  if (mode.empty() || state.mode_store.empty()) return;
  std::copy(mode.begin(), mode.end(), state.mode_store.begin());
  state.mode = state.mode_store.data();
}

void evaluate_offsets(const OffsetData& data, const BoundWork& bound, const StateWork& state,
                      FormulaWork& formula, OffsetWork& out, KernelState& k) {
  if (k.has_offset) std::fill(k.offset_acc.begin(), k.offset_acc.end(), 0.0);
  k.has_offset = !data.specs.empty();
  for (const auto& offset : data.specs) {
    expr::Taylor r;
    if (offset.formula >= 0) {
      // Slots of offset formulas: t, parameters. Rates: 1, 0 ... ; second derivatives: 0.
      double* s = formula.slots.data();
      const std::size_t np = bound.p.size();
      const auto& rate = out.rates;
      s[0] = state.t;
      std::copy(bound.p.begin(), bound.p.end(), s + 1);
      r = data.formulas[offset.formula].taylor2(
          s, rate.data(), rate.data() + np + 1, formula.scratch.data(),
          state.mode_from(data.formula_switch[offset.formula]));
    } else {
      r.f = bound.constants[offset.constant];
    }
    const auto o = row_offset(offset.kind, r.f, r.df, r.ddf);
    const bool velocity = offset.kind >= RowKind::kV0x;
    out.pos[offset.row] = o.value;
    out.vel[offset.row] = velocity ? o.value : o.rate;
    k.offset_acc[offset.row] = velocity ? o.rate : o.acceleration;
  }
}

void fill_slots(const SlotLayout& layout, const BoundWork& bound, const StateWork& state,
                FormulaWork& formula) {
  auto& slots = formula.slots;
  slots[layout.t] = state.t;
  std::copy(bound.p.begin(), bound.p.end(), slots.begin() + layout.first_parameter);
  std::copy(state.e.begin(), state.e.end(), slots.begin() + layout.first_state);
}

void finalize_frames(const Structure& s, KernelState& k, SolutionWork& solution) {
  if (solution.frames_final) return;
  for (int first = 0; first < s.num_bodies; first += 4) {
    const BodyQuad& quad = k.quads[first / 4];
    V4 out[4][4];
    for (int i = 0; i < 4; ++i) {
      const V4* from = i < 3 ? quad.Xdd + 3 * i : quad.ac;
      for (int c = 0; c < 3; ++c) out[i][c] = from[c];
      out[i][3] = V4{};
      transpose(out[i][0], out[i][1], out[i][2], out[i][3]);
    }
    for (int b = 0; b < std::min(4, s.num_bodies - first); ++b) {
      BodyFrame& f = k.frames[first + b];
      for (int i = 0; i < 3; ++i) f.Xdd[i] = out[i][b];
      f.ac = out[3][b];
    }
  }
  solution.frames_final = true;
}

}  // namespace parfait::mbs
