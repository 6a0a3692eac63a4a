#pragma once

#include <string>
#include <vector>

#include "fit_request.h"
#include "json_text.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/fit/prediction.h"
#include "parfait/estimate/fit/profile.h"
#include "parfait/run/run_folder.h"

namespace parfait::app {

/// A fit that is over, whether it converged or not.
struct FitRun {
  const FitRequest& request;
  const FitPlan& plan;
  const estimate::FitResult& result;
  const std::vector<std::string>& variables;  ///< names of all unknowns
  std::vector<estimate::Prediction> predictions;
  std::vector<estimate::Profile> profiles;
  bool interrupted = false;  ///< whatever was being done

  /// Everything that was asked for is there.
  bool complete() const { return result.converged() && !interrupted; }
  std::string status() const;
  /// One sentence.
  std::string message() const;
};

/// The estimates in the order of files and tables: parameters (shared, then those of experiments),
/// then initial states. Indices into FitResult::estimates.
struct EstimateOrder {
  std::vector<int> parameters, states;
  std::vector<int> all() const;
};
EstimateOrder order_of(const estimate::FitResult& result);

/// "offset", "offset (run1)", "x(0) (run1)"; the experiment only where there are several.
std::string name_of(const estimate::FitResult& result, int estimate);

/// result.json: the same bytes for the same input, whatever the number of threads or processes.
Json as_json(const FitRun& run);

/// parameters.csv, covariance.csv, residuals.csv, trajectory.csv and, of the nodes of dynamic
/// experiments, nodes.csv; profile.csv if there are profiles.
void write_tables(const FitRun& run, run::RunFolder& folder);

/// What a person reads after the iteration table; `seconds` is the time it took.
void print(const FitRun& run, double seconds);

}  // namespace parfait::app
