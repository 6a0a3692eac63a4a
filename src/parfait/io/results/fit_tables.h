#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parfait/result/fit.h"

/// The tables beside the result.json of a fit (docs/fit_results.md). parameters.csv, nodes.csv and
/// profile.csv repeat what result.json says; the others hold result::FitTables.
namespace parfait::io {

/// Names and texts of all files: parameters.csv, residuals.csv, trajectory.csv and, as it was before
/// the fit, trajectory_initial.csv; covariance.csv if there is one; of the nodes of dynamic experiments,
/// nodes.csv; profile.csv if there are profiles. None if the fit has no values.
std::vector<std::pair<std::string, std::string>> fit_table_files(const result::Fit& fit,
                                                                 const result::FitTables& tables);

/// Reads covariance.csv, residuals.csv, trajectory.csv and trajectory_initial.csv (empty: there is
/// none), which belong to `fit`. InputError if one is damaged.
///
/// Law  the tables of fit_table_files(fit, t) give back t, where no quantity of an experiment is
///      listed twice or has no value at all.
result::FitTables read_fit_tables(const result::Fit& fit, std::string_view covariance,
                                  std::string_view residuals, std::string_view trajectory,
                                  std::string_view trajectory_initial = {});

}  // namespace parfait::io
