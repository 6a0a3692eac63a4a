#pragma once

#include <string>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/mechanism/description/description.h"
#include "parfait/result/scene.h"

namespace parfait::run {

/// What can be seen of a mechanism with parameters p. Bodies without shapes get some: a rod
/// through two points (joints, ends of forces, one or two markers) or through one and beyond the
/// centre of mass, a plate through three or more, otherwise the box that has its inertia.
/// InputError if a mesh cannot be read.
result::Scene make_scene(const mechanism::Description& description, dynamics::ConstVec p);

/// The quantities a motion consists of: o, e1, e2, e3 of each body, twelve numbers, then the
/// strength of each force of the scene that has one.
struct MotionQuantities {
  std::vector<std::string> names;
  std::size_t num_bodies = 0;
  std::vector<int> force_columns;  ///< for each force of the scene; -1: it has no strength
};
MotionQuantities motion_quantities(const mechanism::Description& description,
                                   const result::Scene& scene);

/// One row of values in the order of `quantities` becomes one frame of the motion.
void append_frame(const MotionQuantities& quantities, dynamics::ConstVec values,
                  result::Motion& motion);

}  // namespace parfait::run
