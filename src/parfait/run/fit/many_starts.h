#pragma once

#include <functional>
#include <string>

#include "parfait/estimate/experiment/team.h"
#include "parfait/estimate/problem/problem.h"
#include "parfait/estimate/starts/multi_start.h"
#include "parfait/result/fit.h"
#include "parfait/result/origin.h"
#include "parfait/run/fit/fit.h"

namespace parfait::run {

/// Where starts will lie, and which of them an earlier, interrupted run has done.
struct StartsPlan {
  estimate::StartPoints points;
  std::vector<estimate::StartResult> earlier;
};

/// InputError if no parameter has bounds, or `request.resume` finds nothing that belongs to this
/// request: other files (`origin`), another seed, other options.
StartsPlan plan_starts(const FitRequest& request, const estimate::Problem& problem,
                       const result::Origin& origin);

/// A problem fitted from many starts, and the start from which the fit is to be done again with
/// everything a fit has.
struct ManyStarts {
  estimate::Problem problem;  ///< with the initial values of the best start
  result::Starts starts;
};

/// Called after each start, one at a time, from any thread.
using OnStart = std::function<void(double fraction, const std::string& note)>;

/// Where the work was interrupted the problem begins at the best values found.
ManyStarts fit_many_starts(const StartsPlan& plan, std::int64_t seed,
                           const estimate::PreparedProblem& prepared, const OnStart& on_start);

}  // namespace parfait::run
