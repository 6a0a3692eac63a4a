#pragma once

#include "parfait/dynamics/system.h"

namespace parfait::dynamics {

/// What a System may offer besides: how large the components of y are near a point with the rates
/// `dydt`, in their own units. An absolute tolerance that nobody gives is measured by this; of
/// other systems it is known only from the initial values.
class StateSizes {
 public:
  virtual ~StateSizes() = default;
  /// 0: not known.
  virtual void state_sizes(Workspace& ws, ConstVec y, ConstVec dydt, Vec sizes) const = 0;
};

}  // namespace parfait::dynamics
