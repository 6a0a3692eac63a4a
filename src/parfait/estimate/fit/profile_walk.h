#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/fit/profile.h"

namespace parfait::estimate {

/// One side of a profile.
struct ProfileSide {
  std::vector<Profile::Point> points{};  ///< without the estimate, in the order they were found
  double end = 0;
  ProfileEnd kind = ProfileEnd::kInterrupted;
  std::string why{};
};

/// From the estimate of shared parameter `index` downwards (side -1) or upwards (+1).
/// `threshold`: the objective where it ends.
ProfileSide walk_profile(const Problem& problem, const FitResult& result, int index, int side,
                         double threshold);

}  // namespace parfait::estimate
