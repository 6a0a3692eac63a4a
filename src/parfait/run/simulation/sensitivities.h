#pragma once

#include <string>
#include <vector>

#include "parfait/dynamics/system.h"

namespace parfait::run {

/// With respect to what a motion is differentiated: one direction for each name.
struct Sensitivities {
  std::vector<std::string> names;  ///< a parameter, or "initial:<state>"
  dynamics::Directions dp;         ///< of the parameters (np x k)
  dynamics::Directions dy0;        ///< of the initial state (ny x k), before it is projected

  int count() const { return static_cast<int>(names.size()); }
};

/// InputError, with a suggestion, if there is no such parameter or state.
Sensitivities make_sensitivities(const dynamics::System& system,
                                 const std::vector<std::string>& names);

}  // namespace parfait::run
