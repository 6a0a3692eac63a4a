#pragma once

#include "parfait/mbs/data/model_data.h"

namespace parfait::mbs {

/// The value of a quantity at the state the workspace holds; accelerations and multipliers are
/// those of the last solve.
double quantity_value(const ModelData& m, ModelWorkspace& w, const Quantity& quantity);

/// Its value and directions in the present chunk: w.d.lanes holds the bodies' directions.
Dual quantity_directions(const ModelData& m, ModelWorkspace& w, const Quantity& quantity);

}  // namespace parfait::mbs
