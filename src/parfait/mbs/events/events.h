#pragma once

#include "parfait/mbs/data/model_data.h"

/// Switching functions and jumps.
namespace parfait::mbs {

/// Values of what the formulas of events use, into the slots; `count` of the quantities.
void fill_event_slots(const ModelData& m, ModelWorkspace& w, int count);

}  // namespace parfait::mbs
