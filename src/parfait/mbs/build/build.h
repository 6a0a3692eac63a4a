#pragma once

#include "parfait/mbs/data/model_data.h"

namespace parfait::mbs {

/// Numbers for names, once: everything of a model but its assembled initial state, from
/// m.description. InputError (with place) if that cannot be a model.
void build_data(ModelData& m);

}  // namespace parfait::mbs
