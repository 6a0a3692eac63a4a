#pragma once

#include <vector>

#include "parfait/estimate/fit/fit.h"
#include "parfait/result/fit.h"
#include "parfait/run/job/origin.h"

namespace parfait::run {

/// Which experiment would fix it? What more could be measured, or done again in another way, and
/// what that would do to the worst standard deviation: every unobserved state, joint angle and body
/// centre at the existing times with the median sigma of what has its unit; every fixed initial
/// state moved by its scale; every input doubled and reversed. The most helpful first.
std::vector<result::Suggestion> make_suggestions(estimate::PreparedProblem& prepared,
                                                 const ProblemSources& sources,
                                                 const estimate::FitResult& fit);

}  // namespace parfait::run
