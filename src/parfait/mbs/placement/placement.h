#pragma once

#include "parfait/mbs/data/model_data.h"

/// Parameters, states and their directions, where the other steps look for them.
namespace parfait::mbs {

/// Constants, inertia and geometry at w.bound.p.
void bind_constants(const ModelData& m, ModelWorkspace& w);

/// Adjoints of inertia and geometry (w.adjoint) to those of the constants they are made of, added
/// to `constants` (all of the model; those that are not driven may be left out).
void pull_back_constants(const ModelData& m, const ModelWorkspace& w, double* constants);

/// y in canonical coordinates; whatever belonged to another state is forgotten, the mode too.
void load_state(const ModelData& m, ModelWorkspace& w, const double* y);
void store_coordinates(const KernelData& kernel, const double* canonical, double* user);
/// Keeps the mode of a Point until the next load_state(): the caller's may be gone by then.
void set_mode(dynamics::Mode mode, StateWork& state);
/// r, r', r'' of every row with an offset, into `out` and k.offset_acc.
void evaluate_offsets(const OffsetData& data, const BoundWork& bound, const StateWork& state,
                      FormulaWork& formula, OffsetWork& out, KernelState& k);
/// Time, parameters and external states where formulas look for them.
void fill_slots(const SlotLayout& layout, const BoundWork& bound, const StateWork& state,
                FormulaWork& formula);
/// Accelerations of the last solve into the frames, once.
void finalize_frames(const Structure& s, KernelState& k, SolutionWork& solution);

/// Directions of parameters, time and external states in a chunk, where the elements look for them.
void seed_chunk(const ModelData& m, ModelWorkspace& w, const dynamics::PointDirections& d,
                int chunk);
/// Points w.d.lanes at the directions dy of the bodies; `centers`: those of the centres of mass
/// too. `da` (12 lanes per body) is where accelerations go if all bodies are canonical; null: the
/// workspace.
void place_lanes(const ModelData& m, ModelWorkspace& w, const Lane* dy, bool centers,
                 Lane* da = nullptr);
/// 12 lanes of a body from canonical coordinates to the user's.
void lanes_from_canonical(const CoordinateMap& map, const Lane* q, Lane* u);
/// Directions of a row's offset at position (0), velocity (1) or acceleration (2) level.
Lane row_offset_directions(const ModelData& m, ModelWorkspace& w, const OffsetSpec& offset,
                           int level);

/// A chunk of directions; null: none.
inline const Lane* chunk_of(const math::Directions* d, int chunk) {
  return d ? reinterpret_cast<const Lane*>(d->chunk(chunk)) : nullptr;
}

/// A constant with its directions in the present chunk.
inline Dual constant_directions(const ModelData& m, const ModelWorkspace& w, int constant) {
  const int driven = m.constants.driven_index(constant);
  return driven < 0 ? Dual(w.bound.constants[constant])
                    : Dual(w.bound.constants[constant], w.seed.constants[driven]);
}

}  // namespace parfait::mbs
