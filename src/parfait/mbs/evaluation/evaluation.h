#pragma once

#include "parfait/mbs/data/model_data.h"

/// The right-hand side and its directions.
namespace parfait::mbs {

/// Once per state, before the first chunk.
void prepare_model_directions(const ModelData& m, ModelWorkspace& w);
/// Directions of accelerations and multipliers of the present chunk, into w.d.
void solve_chunk(const ModelData& m, ModelWorkspace& w, const dynamics::PointDirections& d,
                 int chunk);

}  // namespace parfait::mbs
