#pragma once

#include "parfait/dynamics/modes.h"
#include "parfait/result/modes.h"
#include "parfait/run/job/model.h"

namespace parfait::run {

/// Modes as a person looks at them: what moves, in quantities with names.
///
/// Mechanics: centres of mass, joint angles and displacements, external states; then all
/// coordinates, from which a picture of the shape can be made. Formula models: the states.
///
/// The first `count` modes, about the point y, z.
result::ModeShapes make_shapes(const Model& model, double t, dynamics::ConstVec y,
                               dynamics::ConstVec z, const dynamics::ModalAnalysis& analysis,
                               int count);

/// Their numbers; "Elbow.angle" moves most: the named quantity with the largest displacement.
std::vector<result::Mode> make_modes(const dynamics::ModalAnalysis& analysis,
                                     const result::ModeShapes& shapes, int num_coordinates);

}  // namespace parfait::run
