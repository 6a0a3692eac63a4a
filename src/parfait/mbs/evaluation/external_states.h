#pragma once

#include "parfait/mbs/data/model_data.h"

/// The first-order states of a model beside its bodies: e' is a formula of (t, parameters, states,
/// quantities), none of which needs accelerations; or the force element that owns a state says it.
namespace parfait::mbs {

/// e' at the placed bodies, into w.external.rates; the forces have been applied, which gave the
/// rates of the elements' states.
void external_rates(const ModelData& m, ModelWorkspace& w);

/// Gradients of the formulas there, once per state.
void prepare_external(const ModelData& m, ModelWorkspace& w);

/// Directions of e' in the present chunk: seed_chunk(), place_lanes() with centres and, where
/// elements have states, add_force_directions() have been called.
void external_directions(const ModelData& m, ModelWorkspace& w, Lane* dedot);

}  // namespace parfait::mbs
