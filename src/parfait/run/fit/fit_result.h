#pragma once

#include <string>
#include <vector>

#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/fit/prediction.h"
#include "parfait/estimate/fit/profile.h"
#include "parfait/result/fit.h"
#include "parfait/run/fit/fit.h"
#include "parfait/run/job/origin.h"

namespace parfait::run {

/// Everything that a fit gave, when it is over.
struct FitParts {
  const FitRequest& request;
  const estimate::PreparedProblem& prepared;
  const ProblemSources& sources;
  const estimate::FitResult& fit;
  const std::vector<estimate::Prediction>& predictions;
  const std::vector<estimate::Profile>& profiles;
  const std::vector<estimate::Prediction>& first_guess;
  /// Of all estimates at each point of the history, in the order of FitResult::estimates.
  const std::vector<std::vector<double>>& values;
  const std::optional<result::Starts>& starts;
  const std::vector<std::string>& intervals;  ///< chosen, in words
  bool stopped = false;                       ///< whatever was being done
};

result::Iteration iteration_of(const estimate::Iteration& iteration);
result::Fit make_result(const FitParts& parts);
std::vector<result::Prediction> predictions_of(const std::vector<estimate::Prediction>& list);
result::FitTables make_tables(const FitParts& parts, const result::Fit& result);

}  // namespace parfait::run
