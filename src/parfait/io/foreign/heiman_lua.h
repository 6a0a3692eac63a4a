#pragma once

#include <string>

#include "parfait/motion/anthropometry/heiman.h"

namespace parfait::io {

/// HeiMan as a LuaModel (lua_model.h), for RBDL, MeshUp and Puppeteer too. Beside the frames:
///
///   points           Heel, Hallux and Meta5 of both feet
///   constraint_sets  HeelRight, FlatRight, ...: rows as RBDL reads them. Those of the bottom of the
///                    heel's sphere say so (rolling = {center, radius}); their point is the one that
///                    is at the bottom in the neutral pose
///   parameters       the vector of HeiMan
///   capsules, kept_apart
///
/// and in frames `tracking_markers`: those whose places are no landmarks.
std::string heiman_lua_text(const motion::HeiMan& heiman);

}  // namespace parfait::io
