#pragma once

#include <memory>
#include <vector>

#include "laws.h"
#include "parfait/dynamics/system.h"
#include "parfait/math/directions.h"
#include "parfait/mbs/model.h"

/// A described system ready to be evaluated by Parfait, with everything a caller must own.
namespace parfait::bench {

struct Run {
  explicit Run(const mechanism::Description& description, int max_directions = 0);

  /// y' at `y`; throws InputError if the evaluation fails.
  void evaluate() { evaluate(y); }
  void evaluate(dynamics::ConstVec at);

  /// Directions of y' (ny x k) at the point of the last evaluate().
  void directions(const math::Directions& dy, math::Directions& ddydt);

  mechanism::Description description;
  std::shared_ptr<const mbs::Model> model;
  std::unique_ptr<dynamics::Workspace> workspace;
  std::vector<double> y, dydt;
};

/// The accelerations in y', in the common form; y = (q, v) with q = (o, e1, e2, e3) per body.
Accelerations accelerations(const mechanism::Description& description, dynamics::ConstVec y,
                            dynamics::ConstVec dydt);

/// Directions of the joint motions (Kraus 2006, section 12.1.3): for each joint and each axis it
/// leaves free first a rotation of all that it carries at constant joint rates, then a change of
/// the rate itself: 2 n for n revolute, 6 n for n spherical joints. Tangent to the constraints on
/// position and velocity level. `count` columns, beginning anew when there are not enough; the last
/// `num_zero` are zero.
math::Directions joint_directions(const mechanism::Description& description, int count,
                                  int num_zero = 0);

/// Throws InputError unless the accelerations obey the laws of mechanics to rounding.
void check_right_hand_side(Run& run);

/// Throws InputError unless `ddydt`, computed for `dy` and the parameter directions `dp`, is the
/// derivative of y' (central differences, the first `columns` and the last direction).
void check_directions(Run& run, const math::Directions& dy, const math::Directions& dp,
                      const math::Directions& ddydt, int columns = 4);

}  // namespace parfait::bench
