#pragma once

#include "parfait/dynamics/second_order.h"

namespace parfait::integrate {

/// SecondOrder::pull_back_mass() and pull_back_parameters() of any system: where it has none of its
/// own, directions along every parameter serve, a chunk at a time. The workspace has room for
/// math::kLanes directions.
class ParameterPullBack {
 public:
  ParameterPullBack(const dynamics::System& system, const dynamics::SecondOrder& mechanics);

  void mass(dynamics::Workspace& ws, dynamics::ConstVec a, dynamics::ConstVec seed);
  /// At the point of the last SecondOrder::evaluate().
  void forces(dynamics::Workspace& ws, dynamics::ConstVec r, dynamics::ConstVec g,
              dynamics::ConstVec edot);

 private:
  template <class Differentiate, class Along>
  void by_directions(dynamics::Workspace& ws, const Differentiate& differentiate,
                     const Along& along);

  const dynamics::System& system_;
  const dynamics::SecondOrder& mechanics_;
  dynamics::Directions dp_, dy_, dr_, dg_, dedot_;
};

}  // namespace parfait::integrate
