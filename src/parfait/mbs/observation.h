#pragma once

#include "parfait/mbs/model_data.h"

namespace parfait::mbs {

/// The value of a quantity at the state the workspace holds; accelerations and multipliers are
/// those of the last solve.
double quantity_value(const ModelData& m, ModelWorkspace& w, const Quantity& quantity);

/// Its value and directions in the present chunk: w.d.lanes holds the bodies' directions.
Dual quantity_directions(const ModelData& m, ModelWorkspace& w, const Quantity& quantity);

/// F of a force and its directions in the present chunk.
Dual force_directions(const ModelData& m, ModelWorkspace& w, const ForceSpec& force, int index,
                      const Measured<Dual>& measured);

/// Both ends of a force with directions in the present chunk.
Site<Dual> force_site_directions(const ModelWorkspace& w, const ForceSpec& force);

}  // namespace parfait::mbs
