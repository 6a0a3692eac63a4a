#pragma once

#include "parfait/mbs/solver/geometry.h"
#include "parfait/mbs/solver/kernel.h"

namespace parfait::mbs {

/// What the solver needs to know of a joint: its rows, and where its markers are.
struct JointInput {
  std::vector<Row> rows;
  GeometrySpec geometry;  ///< bodies and constants; the axes are chosen here
};

/// Shapes, row numbers and the elimination plan. Fills the axes of every geometry: those that rows
/// use, each once.
Structure make_structure(int num_bodies, std::vector<JointInput>& joints,
                         const std::vector<Released>& released,
                         const std::vector<CoordinateMap>& maps);

}  // namespace parfait::mbs
