#pragma once

#include <optional>

#include "parfait/estimate/problem/problem.h"
#include "parfait/run/fit/earlier_fit.h"
#include "parfait/run/fit/fit.h"

namespace parfait::run {

/// What is to be done: the problem, changed as requested.
struct FitPlan {
  estimate::Problem problem;          ///< not checked yet
  std::optional<EarlierFit> earlier;  ///< where to begin
  std::vector<std::string> profiles;  ///< parameters
};

/// InputError if something of the request makes no sense by itself.
FitPlan make_plan(const FitRequest& request);

}  // namespace parfait::run
