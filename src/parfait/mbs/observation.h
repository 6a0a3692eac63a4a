#pragma once

#include "parfait/mbs/model_data.h"

namespace parfait::mbs {

/// The value of a quantity at the state the workspace holds; accelerations and multipliers are
/// those of the last solve.
double quantity_value(const ModelData& m, ModelWorkspace& w, const Quantity& quantity);

/// Its value and directions in the present chunk: w.d.lanes holds the bodies' directions.
Dual quantity_directions(const ModelData& m, ModelWorkspace& w, const Quantity& quantity);

/// A constant with its directions in the present chunk.
inline Dual constant_directions(const ModelData& m, const ModelWorkspace& w, int constant) {
  const int driven = m.constants.driven_index(constant);
  return driven < 0 ? Dual(w.bound.constants[constant])
                    : Dual(w.bound.constants[constant], w.seed.constants[driven]);
}

}  // namespace parfait::mbs
